"""Nsight Compute for agents, by `fib profile`."""

import subprocess
from typing import List, Optional, Union

from ..data import Solution, Workload
from ._tool import ToolError, cut, run_fib

VALID_PAGES = ("raw", "details", "source")


def flashinfer_bench_list_ncu_options(ncu_path: str = "ncu") -> str:
    """The sets and sections of Nsight Compute, for `set` and `sections` of `flashinfer_bench_run_ncu`.

    ncu_path: the program ncu.

    Returns ncu's own lists, or a text that begins with "ERROR:"."""
    try:
        lists = [subprocess.run([ncu_path, option], capture_output=True, text=True, timeout=30)
                 for option in ("--list-sets", "--list-sections")]
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"ERROR: {ncu_path} cannot be run: {error}"
    failed = [item for item in lists if item.returncode]
    if failed:
        return f"ERROR: {ncu_path} failed: {failed[0].stdout}{failed[0].stderr}"
    return "\n".join(item.stdout for item in lists)


def flashinfer_bench_run_ncu(
    solution: Union[Solution, str],
    workload: Union[Workload, str],
    *,
    device: str = "cuda:0",
    trace_set_path: Optional[str] = None,
    set: str = "detailed",
    sections: Optional[List[str]] = None,
    kernel_name: Optional[str] = None,
    page: str = "details",
    ncu_path: str = "ncu",
    timeout: int = 60,
    tmpdir: Optional[str] = None,
    max_lines: Optional[int] = None,
) -> str:
    """Profiles the kernels of a solution by Nsight Compute. The solution is not confined: it must be trusted.

    solution: the solution, or the path of its JSON file.
    workload: the workload, or the path of its JSON file.
    device: the GPU.
    trace_set_path: the dataset's folder; by default FIB_DATASET_PATH.
    set: ncu's set of sections.
    sections: more of its sections.
    kernel_name: only kernels of this name.
    page: ncu's page: "raw", "details" or "source".
    ncu_path: the program ncu.
    timeout: seconds for the solution.
    tmpdir: the folder for temporary files.
    max_lines: how many lines are returned at most; by default all.

    Returns ncu's output, or a text that begins with "ERROR:"."""
    if page not in VALID_PAGES:
        return f"ERROR: Invalid page '{page}'. Must be one of: {', '.join(VALID_PAGES)}"
    options = ["--device", device, "--set", set, "--page", page, "--sandbox", "off", "--max-lines", "0"]
    for section in sections or []:
        options += ["--section", section]
    if kernel_name:
        options += ["--kernel-name", kernel_name]
    environment = {} if ncu_path == "ncu" else {"NCU": ncu_path}
    try:
        code, output = run_fib("profile", solution, workload, trace_set_path, options, timeout, tmpdir, environment)
    except ToolError as error:
        return f"ERROR: {error}"
    return cut(output, max_lines) if code == 0 else f"ERROR: {output.strip()}"
