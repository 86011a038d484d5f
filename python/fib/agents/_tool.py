"""What the tools for agents have in common: they return text, and errors as text that begins with "ERROR:"."""

import os
import subprocess
import tempfile
from pathlib import Path

from .._library import FibError, program
from ..data import Solution, TraceSet, Workload, save_json_file
from ..env import get_fib_dataset_path


class ToolError(Exception):
    """What a tool returns behind "ERROR: "."""


def read(cls, value):
    """A record, or one read from the JSON file that `value` names. Raises ToolError."""
    if isinstance(value, cls):
        return value
    name = cls.__name__
    if not Path(value).exists():
        raise ToolError(f"{name} file not found: {value}")
    try:
        return cls.model_validate_json(Path(value).read_bytes())
    except (OSError, ValueError) as error:
        raise ToolError(f"Failed to parse {name.lower()} file: {error}") from None


def run_fib(command, solution, workload, trace_set_path, options, timeout, tmpdir, environment=()):
    """Runs `fib <command>` on a solution and a workload. Returns the exit code and all that it printed.

    Raises ToolError."""
    solution, workload = read(Solution, solution), read(Workload, workload)
    root = Path(trace_set_path) if trace_set_path else get_fib_dataset_path()
    try:
        definitions = TraceSet.from_path(root).definitions
        fib = program()
    except (OSError, ValueError, LookupError, FibError) as error:
        raise ToolError(str(error)) from None
    if solution.definition not in definitions:
        raise ToolError(f"Definition '{solution.definition}' not found in the dataset {root}. Available definitions: "
                        f"{', '.join(definitions)}")
    with tempfile.TemporaryDirectory(prefix="fib_tool_", dir=tmpdir) as folder:
        save_json_file(solution, Path(folder, "solution.json"))
        Path(folder, "workload.jsonl").write_text(workload.model_dump_json() + "\n", encoding="utf-8")
        arguments = [fib, command, str(Path(folder, "solution.json")), "--local", str(root),
                     "--workload", str(Path(folder, "workload.jsonl")), "--timeout", str(timeout), "--color", "never",
                     *options]
        variables = {**os.environ, **dict(environment), **({"TMPDIR": tmpdir} if tmpdir else {})}
        try:
            done = subprocess.run(arguments, capture_output=True, text=True, errors="replace", env=variables,
                                  timeout=timeout + 660)  # builds have a limit of their own
        except subprocess.TimeoutExpired:
            raise ToolError(f"fib {command} timed out after {timeout} seconds") from None
    return done.returncode, done.stdout + done.stderr


def cut(text, max_lines):
    """The first lines of a text, and how many more there are."""
    lines = text.split("\n")
    if not max_lines or len(lines) <= max_lines:
        return text
    return "\n".join([*lines[:max_lines], "", f"[Output truncated: {len(lines) - max_lines} more lines]"])
