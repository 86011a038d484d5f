"""Running the solutions of a dataset, by the program `fib`."""

import json
import logging
import os
import subprocess
import tempfile
from pathlib import Path

from .. import _json
from .._library import FibError, program
from ..data import TraceSet, save_json_file, save_jsonl_file
from .config import BenchmarkConfig

logger = logging.getLogger(__name__)


class Benchmark:
    """Runs the solutions of a TraceSet on its workloads. Each runs in a sandboxed process of its own."""

    def __init__(self, trace_set, config=None):
        """`config` is a BenchmarkConfig; by default BenchmarkConfig.default()."""
        self._trace_set = trace_set
        self._config = config if config is not None else BenchmarkConfig.default()

    def get_trace_set(self):
        """The TraceSet."""
        return self._trace_set

    def run_all(self, dump_traces=True, resume=False, progress=None, options=()):
        """Runs what the settings say, and returns a TraceSet with the results of this run alone.

        `dump_traces`: the results are also added to the TraceSet and its folder. `resume`: what has a result of the
        same settings is not run again. `progress`: a function that is called with every event of the run, a dict
        (docs/run-events.md). `options`: more options of `fib run`, such as ["--device", "cpu"].

        Raises FibError when the run cannot begin, or breaks off."""
        trace_set = self._trace_set
        for name in trace_set.definitions:
            if self._is_chosen(name) and not trace_set.solutions.get(name):
                logger.warning("No solutions found for def=%s, skipping definition", name)
        traces = self._run(dump_traces, resume, progress, options) if self._has_work() else []
        if dump_traces:
            for trace in traces:
                trace_set.traces.setdefault(trace.definition, []).append(trace)
                trace_set._index(trace)
        by_definition = {}
        for trace in traces:
            by_definition.setdefault(trace.definition, []).append(trace)
        return TraceSet(root=trace_set.root, definitions=dict(trace_set.definitions),
                        solutions=dict(trace_set.solutions), workloads=dict(trace_set.workloads), traces=by_definition)

    def close(self):
        """Does nothing: no process outlives `run_all`."""

    def _is_chosen(self, name):
        return self._config.definitions is None or name in self._config.definitions

    def _has_work(self):
        return any(self._is_chosen(name) and self._trace_set.solutions.get(name) and self._trace_set.workloads.get(name)
                   for name in self._trace_set.definitions)

    def _run(self, dump_traces, resume, progress, options):
        with tempfile.TemporaryDirectory(prefix="fib_run_") as temporary:
            # In the dataset's own folder only what is saved may appear.
            root = self._trace_set.root if dump_traces else None
            if root is None:
                root = Path(temporary, "dataset")
                _write(self._trace_set, root)
            settings = Path(temporary, "config.yaml")
            # JSON is YAML.
            settings.write_text(_json.dumps(self._config.model_dump(mode="json", exclude_none=True)), encoding="utf-8")
            command = [program(), "run", "--local", str(root), "--config", str(settings), "--format", "jsonl",
                       "--quiet", *(["--resume"] if resume else []), *options]
            run_id = _events(command, progress)
            if run_id is None:
                return []
            return [trace for traces in TraceSet.from_path(root).traces.values() for trace in traces
                    if trace.evaluation and (trace.evaluation.model_extra.get("fib") or {}).get("run_id") == run_id]


def _events(command, progress):
    """Runs fib, and returns the run's id; None where nothing ran. Raises FibError."""
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as errors:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, encoding="utf-8")
        last = None
        try:
            for line in process.stdout:
                last = json.loads(line)
                if last["event"] == "warning":
                    logger.warning("%s", last["text"])
                if progress is not None:
                    progress(last)
            process.wait()
        finally:
            if process.poll() is None:
                process.terminate()
                process.wait()
            process.stdout.close()
        if last is None or last["event"] != "run_ended":
            errors.seek(0)
            said = errors.read().strip() or f"it ended with code {process.returncode}"
            raise FibError(f"fib run failed: {said}")
        for item in last.get("not_done") or []:
            logger.warning("%s on %s was not done: %s", item.get("solution"), item.get("workload"), item.get("reason"))
        return last["run_id"]


def _write(trace_set, root):
    """Writes a dataset to a new folder. Its blobs are linked."""
    for index, definition in enumerate(trace_set.definitions.values()):
        save_json_file(definition, root / "definitions" / f"{index}.json")
        save_jsonl_file(trace_set.workloads.get(definition.name, []), root / "workloads" / f"{index}.jsonl")
        save_jsonl_file(trace_set.traces.get(definition.name, []), root / "traces" / f"{index}.jsonl")
    solutions = [solution for solutions in trace_set.solutions.values() for solution in solutions]
    for index, solution in enumerate(solutions):
        save_json_file(solution, root / "solutions" / f"{index}.json")
    if trace_set.root is not None and trace_set.blob_path.exists():
        os.symlink(trace_set.blob_path.resolve(), root / "blob")
