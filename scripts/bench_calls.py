#!/usr/bin/env python3
"""What one call costs at real sizes on this machine's GPU, beside what it may cost. Part of scripts/bench-harness.

usage: bench_calls.py FIB DATASET

Of rmsnorm_h4096 (a kernel that fib launches) and gemm_n4096_k4096 (torch): what one call takes of judge, worker and
reference, as --timeline tells, and of fib itself between requests, without the first two calls, which load code, and
without a count by the device's own counters, which takes as long however many calls there are. The
bound is 0.3 ms, the reference's own time and the solution's, and 1.3 times what fib has to move over the bandwidths that
scripts/bench-kernels measures. Exits with 1 when a call costs more.
"""

import collections
import importlib.machinery
import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile

import throughput_solutions

SIZES = {"rmsnorm_h4096": (1, 64, 14418), "gemm_n4096_k4096": (972, 8192)}
COPY = 4.2e9  # bytes a millisecond
FILL = {"bfloat16": 0.87e9, "float16": 0.87e9}
FLUSH = 150e6  # bytes of two and a half L2 caches
CALLS = 90
TIMED = 3  # of the reference's, one in so many is timed: as many as one trial has
FIRST = 2  # calls that load, allocate and warm up, each with a reference's call of its own


def load_throughput():
    path = pathlib.Path(__file__).resolve().parent / "bench-throughput"
    loader = importlib.machinery.SourceFileLoader("bench_throughput", str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("bench_throughput", loader))
    loader.exec_module(module)
    return module


def tensor_bytes(definition, tensors, axes):
    """Bytes of the tensors that have a shape, all of 16-bit floats."""
    sizes = {name: axis.get("value", axes.get(name)) for name, axis in definition["axes"].items()}
    total = 0
    for tensor in tensors.values():
        elements = 1
        for axis in tensor["shape"] or []:
            elements *= sizes[axis]
        total += 2 * elements
    return total


def moved_ms(definition, axes):
    """What judge, worker and reference move for one call and its reference's, at the bandwidths above. The inputs are
    drawn once and copied. Of the solution's call: the private copies, twice the outputs back, the check of inputs, a
    flush, the copy that is judged, and the comparison. Of the reference's: the inputs to it, the outputs back and the
    copy that is kept; of one in three, which are timed, as much beside that as of the solution's."""
    inputs = tensor_bytes(definition, definition["inputs"], axes)
    outputs = tensor_bytes(definition, definition["outputs"], axes)
    fill = FILL[next(iter(definition["inputs"].values()))["dtype"]]
    call = 4 * inputs + 6 * outputs + FLUSH  # two copies, each read and written, and of the inputs a look
    judged = 2 * inputs + 4 * outputs
    reference = 2 * inputs + 4 * outputs + (2 * inputs + 4 * outputs + FLUSH) / TIMED
    return inputs / fill + (call + judged + reference) / COPY


def evaluation_of(throughput, root, fib):
    """The evaluation, and its timeline's events."""
    timeline = root / "timeline.json"
    command = [fib, "run", "--local", str(root), "--device", "cuda:0", "--log-level", "error", "--warmup-runs", "0",
               "--iterations", str(CALLS // TIMED), "--num-trials", str(TIMED), "--call-budget", "1000",
               "--count-work", "none", "--timeline", str(timeline)]
    subprocess.run(command, capture_output=True, check=True)
    evaluation = list(throughput.traces(root))[-1]["evaluation"]
    if evaluation["status"] != "PASSED":
        sys.exit("%s: %s" % (evaluation["status"], evaluation["log"]))
    return evaluation, json.loads(timeline.read_text(encoding="utf-8"))


def ms_a_call(events):
    """What a call takes, by who takes it: {(owner, request): ms}."""
    owners = {event["pid"]: event["args"]["name"] for event in events if event["ph"] == "M"}
    spans = sorted((event for event in events if event["ph"] == "X"), key=lambda event: event["ts"])
    compared = [event["ts"] + event["dur"] for event in spans if event["name"] == "compare"]
    begin, end = compared[FIRST - 1], compared[-1]
    taken = collections.Counter()
    calls = len(compared) - FIRST
    for event in spans:
        if begin <= event["ts"] < end and owners[event["pid"]] not in ("fib", "the device"):
            taken[owners[event["pid"]].replace("the ", "").replace("'s worker", ""), event["name"]] += event["dur"] / calls / 1e3
    taken["fib", "between"] = (end - begin) / calls / 1e3 - sum(taken.values())
    return taken


def main(fib, dataset):
    throughput = load_throughput()
    above = 0
    print("%-20s %6s %12s %12s %12s" % ("definition", "size", "ms a call", "at most", "reference"))
    for name, sizes in SIZES.items():
        for size in sizes:
            with tempfile.TemporaryDirectory() as folder:
                root = pathlib.Path(folder)
                solution = (throughput_solutions.launch_solution((256, 0)) if name == "rmsnorm_h4096" else
                            throughput_solutions.solutions(name)[3])
                throughput.make_dataset(root, pathlib.Path(dataset), {name: (size,)}, lambda _, one=solution: [one])
                definition = json.loads(next(root.glob("definitions/*/*.json")).read_text(encoding="utf-8"))
                evaluation, events = evaluation_of(throughput, root, fib)
            performance = evaluation["performance"]
            taken = ms_a_call(events)
            cost = sum(taken.values())
            axes = {axis: size for axis, value in definition["axes"].items() if "value" not in value}
            most = (0.3 + performance["reference_latency_ms"] + performance["latency_ms"] +
                    1.3 * moved_ms(definition, axes))
            above += cost > most
            print("%-20s %6d %12.3f %12.3f %12.3f%s" % (
                name, size, cost, most, performance["reference_latency_ms"], "  <--" if cost > most else ""))
            print("    of it " + ", ".join("%s's %s %.3f" % (*kind, ms) for kind, ms in taken.items() if ms >= 0.001),
                  flush=True)
    return 1 if above else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:])) if len(sys.argv) == 3 else sys.exit(__doc__)
