"""Traces: what came of running a solution on a workload."""

from enum import Enum

from .. import _library
from .._model import Field, optional, word_of
from ._record import Record, part
from .workload import Workload

_WORKLOAD = {"axes": {}, "inputs": {}, "uuid": "u"}
_ENVIRONMENT = {"hardware": "h"}


def _around(evaluation):
    return {"definition": "d", "workload": _WORKLOAD, "solution": "s", "evaluation": evaluation}


class EvaluationStatus(str, Enum):
    """How an evaluation ended."""

    PASSED = "PASSED"
    INCORRECT_SHAPE = "INCORRECT_SHAPE"
    INCORRECT_NUMERICAL = "INCORRECT_NUMERICAL"
    INCORRECT_DTYPE = "INCORRECT_DTYPE"
    RUNTIME_ERROR = "RUNTIME_ERROR"
    COMPILE_ERROR = "COMPILE_ERROR"
    TIMEOUT = "TIMEOUT"


class _Part(Record):
    _kind = _library.TRACE


class Correctness(_Part):
    """How far outputs were from the reference's: `max_relative_error`, `max_absolute_error`, `extra`. Infinity and NaN
    are allowed."""

    _fields = {
        "max_relative_error": Field(float, default=0.0),
        "max_absolute_error": Field(float, default=0.0),
        "extra": Field(default=None),
    }

    @classmethod
    def _around(cls, data):
        return _around({"status": "INCORRECT_NUMERICAL", "environment": _ENVIRONMENT, "timestamp": "t",
                        "correctness": data}), ("evaluation", "correctness")


class Performance(_Part):
    """`latency_ms`, `reference_latency_ms`, `speedup_factor`."""

    _fields = {
        "latency_ms": Field(float, default=0.0),
        "reference_latency_ms": Field(float, default=0.0),
        "speedup_factor": Field(float, default=0.0),
    }

    @classmethod
    def _around(cls, data):
        return _around({"status": "PASSED", "environment": _ENVIRONMENT, "timestamp": "t", "correctness": {},
                        "performance": data}), ("evaluation", "performance")


class Environment(_Part):
    """Where an evaluation ran: `hardware`, and `libs` with their versions."""

    _fields = {"hardware": Field(), "libs": Field(dict, default=dict)}

    @classmethod
    def _around(cls, data):
        return _around({"status": "TIMEOUT", "environment": data, "timestamp": "t"}), ("evaluation", "environment")


class Evaluation(_Part):
    """`status`, `environment`, `timestamp`, `log`, `correctness` (of PASSED and INCORRECT_NUMERICAL), `performance` (of
    PASSED). What fib adds is in `model_extra["fib"]`."""

    _fields = {
        "status": Field(word_of(EvaluationStatus)),
        "environment": Field(part(Environment)),
        "timestamp": Field(),
        "log": Field(default=""),
        "correctness": Field(optional(part(Correctness)), default=None),
        "performance": Field(optional(part(Performance)), default=None),
    }

    @classmethod
    def _around(cls, data):
        return _around(data), ("evaluation",)


class Trace(_Part):
    """`definition`, `workload`, `solution`, `evaluation`. One without a solution and an evaluation is a workload's
    record."""

    _fields = {
        "definition": Field(),
        "workload": Field(part(Workload)),
        "solution": Field(default=None),
        "evaluation": Field(optional(part(Evaluation)), default=None),
    }

    def is_workload_trace(self):
        """Whether it is a workload's record, not a result."""
        return self.solution is None and self.evaluation is None

    def is_successful(self):
        """Whether it is a result that passed."""
        return self.evaluation is not None and self.evaluation.status == EvaluationStatus.PASSED
