"""Which solution answers which key, and its cache file, as flashinfer-bench has them."""

import hashlib
import json
from collections import Counter
from dataclasses import dataclass, field
from typing import Dict

from .. import _json
from .._files import write_whole
from ..env import get_fib_cache_path
from ._native import Native, dataset_of
from .config import ApplyConfig
from .key import ApplyKey


def _apply_table_dir():
    return get_fib_cache_path() / "apply_table"


@dataclass
class ApplyTable:
    """`index` has, by definition, the best solution of each ApplyKey, `def_best` the solution that wins most often, and
    `digest` names the data and settings that they were made of."""

    digest: str
    index: Dict[str, Dict[ApplyKey, str]] = field(default_factory=dict)
    def_best: Dict[str, str] = field(default_factory=dict)

    @classmethod
    def load_or_build(cls, trace_set, config_registry, native=None):
        """The table of a dataset: from its cache file, which is written where it is not there. Raises ValidationError,
        FibError, OSError."""
        digest = cls._digest(trace_set, config_registry)
        path = _apply_table_dir() / f"{digest}.json"
        if path.exists():
            read = _json.loads(path.read_text(encoding="utf-8"))
            index = {name: {ApplyKey.model_validate_json(key): solution for key, solution in keys.items()}
                     for name, keys in read.get("index", {}).items()}
            return cls(digest, index, read.get("def_best", {}))
        table = cls._build(trace_set, config_registry, native)
        write_whole(path, [_json.dumps({
            "digest": digest,
            "index": {name: {key.model_dump_json(): solution for key, solution in keys.items()}
                      for name, keys in table.index.items()},
            "def_best": table.def_best,
        }).encode("utf-8")])
        return table

    @classmethod
    def _build(cls, trace_set, config_registry, native=None):
        native = native or Native(dataset_of(trace_set), config_registry.for_library())
        table = native.table()
        index = {}
        for name, rows in table["index"].items():
            # Of several kinds of hardware the fastest, as flashinfer-bench has it.
            for row in sorted(rows, key=lambda row: row["speedup"]):
                index.setdefault(name, {})[ApplyKey(axes=sorted(row["axes"].items()))] = row["solution"]
        best = {name: Counter(solutions.values()).most_common(1)[0][0] for name, solutions in table["def_best"].items()}
        return cls(cls._digest(trace_set, config_registry), index, best)

    @classmethod
    def _digest(cls, trace_set, config_registry):
        """SHA-256 of everything that decides, as flashinfer-bench computes it. Settings that it does not have are part
        of it where they are not the default."""
        data = trace_set.to_dict()
        for definition in data["definitions"].values():
            for name in ("description", "tags", "reference", "constraints"):
                definition.pop(name, None)
        for solutions in data["solutions"].values():
            for solution in solutions:
                solution["spec"]["dependencies"] = sorted(solution["spec"].get("dependencies") or [])
                solution["sources"] = [
                    {"path": source["path"], "sha1": hashlib.sha1(source["content"].encode("utf-8")).hexdigest()}
                    for source in solution["sources"]]
        traces = [_decisive(trace) for traces in data["traces"].values() for trace in traces]
        traces.sort(key=lambda trace: (trace["definition"], trace["solution"] or "", trace["axes"],
                                       trace["status"] or "", trace["speedup"] or 0.0))
        configs = {name: _settings(config_registry.per_definition[name])
                   for name in data["definitions"] if name in config_registry.per_definition}
        default = config_registry.default
        payload = {"cfg": {"default": _settings(default) if default else None, "per_def": configs},
                   "definitions": data["definitions"], "solutions": data["solutions"], "traces": traces}
        text = json.dumps(payload, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode("utf-8")).hexdigest()

    def match_solution(self, def_name, key):
        """The name of the best solution for a key, or None."""
        return self.index.get(def_name, {}).get(key)


def _decisive(trace):
    evaluation = trace["evaluation"] or {}
    correctness, performance = evaluation.get("correctness") or {}, evaluation.get("performance") or {}
    return {
        "definition": trace["definition"],
        "solution": trace.get("solution", ""),
        "axes": sorted(trace["workload"]["axes"].items()),
        "status": evaluation.get("status"),
        "max_abs_error": correctness.get("max_absolute_error"),
        "max_rel_error": correctness.get("max_relative_error"),
        "speedup": performance.get("speedup_factor"),
    }


def _settings(config):
    own = {name: getattr(config, name) for name in ("hardware", "require_hash", "require_trust")
           if getattr(config, name) != ApplyConfig._fields[name].default()}
    return {"max_atol": config.max_atol, "max_rtol": config.max_rtol, **own}
