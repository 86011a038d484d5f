"""Running solutions."""

from .benchmark import Benchmark
from .config import BenchmarkConfig, EvalConfig, ResolvedEvalConfig

__all__ = ["Benchmark", "BenchmarkConfig", "EvalConfig", "ResolvedEvalConfig"]
