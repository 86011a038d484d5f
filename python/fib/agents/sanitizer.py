"""Sanitizers for agents, by `fib sanitize`."""

import json
from typing import List, Optional, Union

from ..data import Solution, Workload
from ._tool import ToolError, cut, run_fib

VALID_SANITIZER_TYPES = ("memcheck", "racecheck", "initcheck", "synccheck")


def flashinfer_bench_run_sanitizer(
    solution: Union[Solution, str],
    workload: Union[Workload, str],
    *,
    device: str = "cuda:0",
    trace_set_path: Optional[str] = None,
    sanitizer_types: Optional[List[str]] = None,
    timeout: int = 300,
    tmpdir: Optional[str] = None,
    max_lines: Optional[int] = None,
) -> str:
    """Looks for invalid memory accesses and races of a solution. On a GPU the solution is not confined: it must be
    trusted.

    solution: the solution, or the path of its JSON file.
    workload: the workload, or the path of its JSON file.
    device: the GPU, or "cpu".
    trace_set_path: the dataset's folder; by default FIB_DATASET_PATH.
    sanitizer_types: of "memcheck", "racecheck", "initcheck", "synccheck"; by default all.
    timeout: seconds for each tool.
    tmpdir: the folder for temporary files.
    max_lines: how many lines are returned at most; by default all.

    Returns what each tool found, or a text that begins with "ERROR:"."""
    for name in sanitizer_types or []:
        if name not in VALID_SANITIZER_TYPES:
            return f"ERROR: Invalid sanitizer type '{name}'. Must be one of: {', '.join(VALID_SANITIZER_TYPES)}"
    options = ["--device", device, "--format", "json"]
    if device != "cpu":
        options += ["--sandbox", "off", "--tool", ",".join(sanitizer_types or VALID_SANITIZER_TYPES)]
    try:
        _, output = run_fib("sanitize", solution, workload, trace_set_path, options, timeout, tmpdir)
        examined = json.loads(output[output.index("{"):output.rindex("}") + 1])["examined"]
    except ToolError as error:
        return f"ERROR: {error}"
    except (ValueError, KeyError):
        return f"ERROR: {output.strip()}"
    return cut("\n".join(_said(item) for item in examined), max_lines)


def _said(item):
    tool = item["tool"]
    if item["status"] == "clean":
        return f"{tool} passed successfully."
    if item["status"] == "not_done":
        return f"ERROR: {tool} was not done: {item['reason']}"
    return f"WARNING: {tool} detected issues!\n{item['output']}"
