"""Records of the FlashInfer-Trace format, and datasets of them."""

from .._library import ValidationError
from .definition import AxisConst, AxisExpr, AxisSpec, AxisVar, Definition, DType, TensorSpec
from .json_utils import append_jsonl_file, load_json_file, load_jsonl_file, save_json_file, save_jsonl_file
from .solution import BuildSpec, Solution, SourceFile, SupportedBindings, SupportedLanguages
from .trace import Correctness, Environment, Evaluation, EvaluationStatus, Performance, Trace
from .trace_set import SpeedupMetrics, TraceSet, TraceSetSummary
from .workload import CustomInput, InputSpec, RandomInput, SafetensorsInput, ScalarInput, Workload

__all__ = [
    "AxisConst", "AxisExpr", "AxisSpec", "AxisVar", "BuildSpec", "Correctness", "CustomInput", "DType", "Definition",
    "Environment", "Evaluation", "EvaluationStatus", "InputSpec", "Performance", "RandomInput", "SafetensorsInput",
    "ScalarInput", "Solution", "SourceFile", "SpeedupMetrics", "SupportedBindings", "SupportedLanguages", "TensorSpec",
    "Trace", "TraceSet", "TraceSetSummary", "ValidationError", "Workload", "append_jsonl_file", "load_json_file",
    "load_jsonl_file", "save_json_file", "save_jsonl_file",
]
