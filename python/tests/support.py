"""What tests share."""

import importlib.util
import os
import tempfile
import unittest

from fib import (AxisConst, AxisVar, BuildSpec, Correctness, Definition, Environment, Evaluation, Performance,
                 RandomInput, Solution, SourceFile, TensorSpec, Trace, TraceSet, Workload)

has_torch = importlib.util.find_spec("torch") is not None
needs_torch = unittest.skipUnless(has_torch, "torch is not installed")


class TemporaryCache(unittest.TestCase):
    """Tests with a cache, and a folder, of their own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        former = os.environ.get("FIB_CACHE_PATH")
        os.environ["FIB_CACHE_PATH"] = os.path.join(self.folder, "cache")
        self.addCleanup(lambda: os.environ.pop("FIB_CACHE_PATH") if former is None
                        else os.environ.__setitem__("FIB_CACHE_PATH", former))


def definition(name="scale", **changes):
    fields = {
        "name": name, "op_type": "op", "axes": {"M": AxisVar(), "N": AxisConst(value=16)},
        "inputs": {"x": TensorSpec(shape=["M", "N"], dtype="float32")},
        "outputs": {"y": TensorSpec(shape=["M", "N"], dtype="float32")},
        "reference": "def run(x):\n    return x * 2\n"}
    return Definition(**{**fields, **changes})


def solution(name, content, language="python", entry="main.py::run", of="scale", **spec):
    return Solution(
        name=name, definition=of, author="me",
        spec=BuildSpec(language=language, target_hardware=["cpu"], entry_point=entry, **spec),
        sources=[SourceFile(path=entry.split("::")[0], content=content)])


def trace(solution_name, rows, speedup, of="scale", **correctness):
    return Trace(
        definition=of, workload=Workload(axes={"M": rows}, inputs={"x": RandomInput()}, uuid=f"w{rows}"),
        solution=solution_name,
        evaluation=Evaluation(
            status="PASSED", environment=Environment(hardware="cpu"), timestamp="t",
            correctness=Correctness(**correctness),
            performance=Performance(latency_ms=1 / speedup, reference_latency_ms=1.0, speedup_factor=speedup)))


def trace_set(solutions, traces, root=None, of=None):
    of = of or definition()
    return TraceSet(root=root, definitions={of.name: of}, solutions={of.name: solutions}, traces={of.name: traces})
