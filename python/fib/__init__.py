"""fib: measure compute kernels, and use the fastest of them in a program.

The interface is that of flashinfer-bench: `from fib import ...` in place of `from flashinfer_bench import ...`.
"""

from ._library import FibError, NotFoundError, ValidationError
from .apply import ApplyConfig, ApplyConfigRegistry, ApplyRuntime, apply, disable_apply, enable_apply
from .bench import Benchmark, BenchmarkConfig
from .data import (AxisConst, AxisExpr, AxisVar, BuildSpec, Correctness, Definition, Environment, Evaluation,
                   EvaluationStatus, Performance, RandomInput, SafetensorsInput, ScalarInput, Solution, SourceFile,
                   SupportedBindings, SupportedLanguages, TensorSpec, Trace, TraceSet, Workload)
from .env import get_fib_enable_apply, get_fib_enable_tracing
from .integration.flashinfer import install_flashinfer_integrations
from .tracing import TracingConfig, TracingConfigRegistry, disable_tracing, enable_tracing

__version__ = "0.1.0"

__all__ = [
    "ApplyConfig", "ApplyConfigRegistry", "ApplyRuntime", "AxisConst", "AxisExpr", "AxisVar", "Benchmark",
    "BenchmarkConfig", "BuildSpec", "Correctness", "Definition", "Environment", "Evaluation", "EvaluationStatus",
    "FibError", "NotFoundError", "Performance", "RandomInput", "SafetensorsInput", "ScalarInput", "Solution",
    "SourceFile", "SupportedBindings", "SupportedLanguages", "TensorSpec", "Trace", "TraceSet", "TracingConfig",
    "TracingConfigRegistry", "ValidationError", "Workload", "apply", "disable_apply", "disable_tracing", "enable_apply",
    "enable_tracing",
]

if get_fib_enable_apply() or get_fib_enable_tracing():
    install_flashinfer_integrations()  # the first call of FlashInfer switches on what the environment asks for
