"""Datasets: definitions, solutions, workloads and traces."""

import logging
import shutil
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Dict, List, Optional

from .. import _library
from .._dataset import Dataset
from .._files import below
from .._library import ValidationError
from .._safetensors import load_file, save_file
from ..env import get_fib_dataset_path
from ._scores import SpeedupMetrics, TraceSetSummary, author_score, solution_score
from .definition import Definition
from .json_utils import append_jsonl_file
from .solution import Solution
from .trace import EvaluationStatus, Trace

logger = logging.getLogger(__name__)


@dataclass
class TraceSet:
    """A dataset in memory: `definitions` by name; `solutions`, `workloads` (traces without a result) and `traces` in
    lists, by definition. `root` is its folder; None: records that are added are kept in memory alone."""

    root: Optional[Path] = None
    definitions: Dict[str, Definition] = field(default_factory=dict)
    solutions: Dict[str, List[Solution]] = field(default_factory=dict)
    workloads: Dict[str, List[Trace]] = field(default_factory=dict)
    traces: Dict[str, List[Trace]] = field(default_factory=dict)
    _solution_by_name: Dict[str, Solution] = field(default_factory=dict, init=False, repr=False, compare=False)
    _traces_by_solution: Dict[str, List[Trace]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self):
        if self.root is not None:
            self.root = Path(self.root)
        for solutions in self.solutions.values():
            for solution in solutions:
                if solution.name in self._solution_by_name:
                    raise ValueError(f"Duplicate solution name found: {solution.name}")
                self._solution_by_name[solution.name] = solution
        for traces in self.traces.values():
            for trace in traces:
                self._index(trace)

    def _index(self, trace):
        if trace.solution:
            self._traces_by_solution.setdefault(trace.solution, []).append(trace)

    def _folder(self, *names):
        if self.root is None:
            raise ValueError("Root path is not set")
        return self.root.joinpath(*names)

    @property
    def definitions_path(self):
        """The folder of the definitions. Raises ValueError without a root, as the other paths do."""
        return self._folder("definitions")

    @property
    def solutions_path(self):
        """The folder of the solutions."""
        return self._folder("solutions")

    @property
    def workloads_path(self):
        """The folder of the workloads."""
        return self._folder("workloads")

    @property
    def traces_path(self):
        """The folder of the traces."""
        return self._folder("traces")

    @property
    def blob_path(self):
        """The folder of the blobs."""
        return self._folder("blob")

    @property
    def blob_workloads_path(self):
        """The folder of the workloads' tensors."""
        return self._folder("blob", "workloads")

    @classmethod
    def from_path(cls, path=None):
        """Reads the dataset in the folder `path`, by default FIB_DATASET_PATH; the folder is made where it is not
        there.

        What cannot be read is left out, with a warning. Raises ValueError when two definitions, or two solutions, have
        the same name, and FibError."""
        root = Path(path) if path else get_fib_dataset_path()
        root.mkdir(parents=True, exist_ok=True)
        return cls._read(root, Dataset.open(root))

    @classmethod
    def _read(cls, root, dataset):
        """The same of a dataset that libfib has read."""
        made = cls(root=root)
        for problem in dataset.problems():
            where = f"{problem['file']}:{problem['line']}" if problem["line"] else problem["file"]
            if "uplicate" in problem["message"] and problem["severity"] == "error":
                raise ValidationError(f"{where}: {problem['message']}")
            logger.warning("%s: %s", where, problem["message"])
        for data in dataset.records(_library.DEFINITION):
            made.definitions[data["name"]] = Definition._from_checked(data)
        for data in dataset.records(_library.SOLUTION):
            solution = Solution._from_checked(data)
            made.solutions.setdefault(solution.definition, []).append(solution)
            made._solution_by_name[solution.name] = solution
        for data in dataset.records(_library.WORKLOAD):
            made.workloads.setdefault(data["definition"], []).append(Trace._from_checked(data))
        for data in dataset.records(_library.TRACE):
            trace = Trace._from_checked(data)
            made.traces.setdefault(trace.definition, []).append(trace)
            made._index(trace)
        return made

    def to_dict(self):
        """Everything as data of JSON. The workloads' key is "workload", as flashinfer-bench has it."""
        def dumped(lists):
            return {name: [record.model_dump(mode="json") for record in records] for name, records in lists.items()}
        return {
            "definitions": {name: record.model_dump(mode="json") for name, record in self.definitions.items()},
            "solutions": dumped(self.solutions),
            "workload": dumped(self.workloads),
            "traces": dumped(self.traces),
        }

    def get_solution(self, name):
        """The solution of that name, or None."""
        return self._solution_by_name.get(name)

    def filter_traces(self, def_name, atol=1e-2, rtol=1e-2):
        """The traces of a definition that passed, with errors of at most `atol` and `rtol`."""
        return [trace for trace in self.traces.get(def_name, [])
                if trace.is_successful() and trace.evaluation.correctness
                and trace.evaluation.correctness.max_absolute_error <= atol
                and trace.evaluation.correctness.max_relative_error <= rtol]

    def get_best_trace(self, def_name, axes=None, max_abs_error=1e-2, max_rel_error=1e-2):
        """The trace with the highest speedup of those that `filter_traces` gives and that have these sizes of axes; the
        first of equals; None where there is none."""
        found = [trace for trace in self.filter_traces(def_name, max_abs_error, max_rel_error)
                 if all(trace.workload.axes.get(name) == size for name, size in (axes or {}).items())]
        return max(found, key=lambda trace: trace.evaluation.performance.speedup_factor, default=None)

    def summary(self, baseline_author="baseline", op_type=None, definition_name=None):
        """How many traces there are, how many passed, and the ranking of authors. Raises as `rank_authors`."""
        traces = [trace for traces in self.traces.values() for trace in traces]
        passed = sum(trace.is_successful() for trace in traces)
        rankings = self.rank_authors(baseline_author, op_type, definition_name) if traces else []
        return TraceSetSummary(total=len(traces), passed=passed, failed=len(traces) - passed, rankings=rankings)

    def get_solution_score(self, solution_name, baseline_author="baseline"):
        """How much faster a solution is than the one of `baseline_author`, as a mean over workloads; None for a
        solution that is unknown, is the baseline, or has no workload in common with it. One failure makes it 0.

        Raises ValueError when that author has not exactly one solution of the definition."""
        return solution_score(self, solution_name, baseline_author)

    def get_author_score(self, author, baseline_author="baseline", op_type=None, definition_name=None):
        """The mean, over definitions, of the scores of an author's best solutions; None where there are none.

        Raises KeyError for an unknown definition, and ValueError when both `op_type` and `definition_name` are
        given."""
        return author_score(self, author, baseline_author, self._scope(op_type, definition_name))

    def rank_authors(self, baseline_author="baseline", op_type=None, definition_name=None):
        """(author, score) of all authors, the fastest first. Raises as `get_author_score` and `get_solution_score`."""
        scope = self._scope(op_type, definition_name)
        authors = {solution.author for name in scope for solution in self.solutions.get(name, [])}
        scores = [(author, author_score(self, author, baseline_author, scope)) for author in authors]
        scores = [pair for pair in scores if pair[1] is not None]
        return sorted(scores, key=lambda pair: (-pair[1].avg_speedup, pair[0]))

    def _scope(self, op_type, definition_name):
        if op_type is not None and definition_name is not None:
            raise ValueError("Only one of 'op_type' or 'definition_name' may be provided")
        if definition_name is not None:
            if definition_name not in self.definitions:
                raise KeyError(f"Unknown definition: {definition_name!r}")
            return [definition_name]
        return [name for name, definition in self.definitions.items() if op_type in (None, definition.op_type)]

    def backup_traces(self):
        """Moves the folder of the traces to traces_bak_<time>, and makes an empty one. Raises OSError."""
        backup = self._folder(f"traces_bak_{datetime.now().strftime('%Y%m%d_%H%M%S')}")
        if self.traces_path.exists():
            shutil.move(str(self.traces_path), str(backup))
        else:
            backup.mkdir(parents=True, exist_ok=True)
        self.traces_path.mkdir(parents=True, exist_ok=True)

    def add_traces(self, traces):
        """Adds results, in memory and to the folder.

        Raises ValueError for one of an unknown definition or solution, and OSError; then none has been added."""
        files: Dict[Path, List[Trace]] = {}
        for trace in traces:
            definition = self._definition_of(trace)
            if trace.solution is None:
                raise ValueError("Cannot add workload-only trace with add_traces")
            solution = self._solution_by_name.get(trace.solution)
            if solution is None:
                raise ValueError(f"Unknown solution: {trace.solution}")
            self._to_file(files, trace, "traces", solution.author, definition)
        self._append(files)
        for trace in traces:
            self.traces.setdefault(trace.definition, []).append(trace)
            self._index(trace)

    def add_workload_traces(self, traces):
        """Adds workloads, in memory and to the folder. Raises ValueError for one of an unknown definition, and OSError;
        then none has been added."""
        files: Dict[Path, List[Trace]] = {}
        for trace in traces:
            self._to_file(files, trace, "workloads", None, self._definition_of(trace))
        self._append(files)
        for trace in traces:
            self.workloads.setdefault(trace.definition, []).append(trace)

    def _definition_of(self, trace):
        if trace.definition not in self.definitions:
            raise ValueError(f"Add trace failed: Definition {trace.definition} not found in TraceSet")
        return self.definitions[trace.definition]

    def _to_file(self, files, trace, folder, author, definition):
        if self.root is not None:
            names = [folder, *([author] if author else []), definition.op_type, f"{definition.name}.jsonl"]
            files.setdefault(below(self.root, *names), []).append(trace)

    @staticmethod
    def _append(files):
        for path, records in files.items():
            append_jsonl_file(records, path)

    def add_workload_blob_tensor(self, def_name, workload_uuid, tensors: Dict[str, Any]):
        """Writes a workload's tensors (of torch or numpy) to a safetensors file, whole or not at all, and returns its
        path relative to the root.

        Raises ValueError without a root, for an unknown definition, and when the file exists; OSError."""
        if self.root is None:
            raise ValueError("Root path is not set")
        if def_name not in self.definitions:
            raise ValueError(f"Definition {def_name} not found in TraceSet")
        path = below(self.blob_workloads_path, self.definitions[def_name].op_type, def_name,
                     f"{def_name}_{workload_uuid}.safetensors")
        if path.exists():
            raise ValueError(f"Tensor save path already exists: {path}")
        save_file(tensors, path)
        return str(path.relative_to(self.root))

    def get_workload_blob_tensor(self, path_str):
        """The tensors of a safetensors file below the root, by name, on the CPU. Needs torch.

        Raises ValueError when the file is not there, is outside of the root, or is no safetensors file."""
        path = self._folder(path_str)
        if not path.resolve().is_relative_to(self.root.resolve()):
            raise ValueError(f"{path_str} lies outside of the dataset")
        if not path.exists():
            raise ValueError(f"File not found: {path}")
        return load_file(path)


__all__ = ["EvaluationStatus", "SpeedupMetrics", "TraceSet", "TraceSetSummary"]
