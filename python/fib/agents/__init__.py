"""Tools for agents that write kernels."""

from .ncu import flashinfer_bench_list_ncu_options, flashinfer_bench_run_ncu
from .sanitizer import flashinfer_bench_run_sanitizer
from .schema import function_to_schema, get_all_tool_schemas
from .solution_handler import extract_solution_to_files, pack_solution_from_files

__all__ = ["extract_solution_to_files", "flashinfer_bench_list_ncu_options", "flashinfer_bench_run_ncu",
           "flashinfer_bench_run_sanitizer", "function_to_schema", "get_all_tool_schemas", "pack_solution_from_files"]
