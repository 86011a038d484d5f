"""What apply() adds to a call from Python, for two and for five torch tensors with destination passing; scripts/bench-apply
runs it where torch is.

Rows: a function in Python that does nothing, called directly and through apply(), by fib and, where flashinfer_bench
can be imported, by its apply(); and, on CUDA, a kernel (spec.launch) launched by the driver's cuLaunchKernel from
Python with packed arguments, and through fib's apply(). Medians of 15 rounds of 2,000 calls, microseconds a call.
usage: bench_apply.py [cpu|cuda]"""

import ctypes
import importlib.util
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import torch

ROUNDS, CALLS, ELEMENTS = 15, 2000, 256
NAMES = "abcd"
HARDWARE = torch.cuda.get_device_name(0) if torch.cuda.is_available() else "cpu"


def definition(count):
    inputs = NAMES[:count - 1]
    tensor = {"shape": ["n"], "dtype": "float32"}
    reference = "import torch\n\ndef run(%s):\n    return %s\n" % (", ".join(inputs), " + ".join(inputs))
    return {"name": "sum_of_%d" % (count - 1), "op_type": "sum", "axes": {"n": {"type": "var"}},
            "inputs": {name: tensor for name in inputs}, "outputs": {"out": tensor}, "reference": reference}


def python_solution(of, count):
    source = "def run(%s, out):\n    pass\n" % ", ".join(NAMES[:count - 1])
    return {"name": "nothing_%d" % count, "definition": of, "author": "bench",
            "spec": {"language": "python", "target_hardware": ["cuda", "cpu"], "entry_point": "main.py::run",
                     "dependencies": [], "destination_passing_style": True},
            "sources": [{"path": "main.py", "content": source}]}


def launch_solution(of, count):
    inputs = NAMES[:count - 1]
    parameters = ", ".join("const float* %s" % name for name in inputs)
    source = 'extern "C" __global__ void sum(%s, float* out) {\n  out[threadIdx.x] = %s;\n}\n' % (
        parameters, " + ".join("%s[threadIdx.x]" % name for name in inputs))
    launch = [{"kernel": "sum", "grid": [1], "block": ELEMENTS, "args": [*inputs, "out"]}]
    return {"name": "launch_%d" % count, "definition": of, "author": "bench",
            "spec": {"language": "cuda", "target_hardware": ["cuda"], "entry_point": "main.cu::sum",
                     "dependencies": [], "destination_passing_style": True, "launch": launch},
            "sources": [{"path": "main.cu", "content": source}]}, source


def passed(of, solution):
    return {"definition": of, "solution": solution,
            "workload": {"uuid": "w-" + of, "axes": {"n": ELEMENTS},
                         "inputs": {name: {"type": "random"} for name in NAMES[:int(of[-1])]}},
            "evaluation": {"status": "PASSED", "log": "", "timestamp": "2025-01-01T00:00:00",
                           "environment": {"hardware": HARDWARE, "libs": {}},
                           "correctness": {"max_absolute_error": 0.0, "max_relative_error": 0.0},
                           "performance": {"latency_ms": 0.001, "reference_latency_ms": 0.002, "speedup_factor": 2.0}}}


def dataset(root, solution_of):
    for count in (2, 5):
        named = definition(count)
        solution = solution_of(named["name"], count)
        for folder, name, text in (
                ("definitions/sum", named["name"] + ".json", json.dumps(named)),
                ("solutions/bench/sum/" + named["name"], solution["name"] + ".json", json.dumps(solution)),
                ("traces/sum", named["name"] + ".jsonl", json.dumps(passed(named["name"], solution["name"])) + "\n")):
            path = Path(root, folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    return root


def microseconds(call):
    rounds = []
    for _ in range(ROUNDS):
        begin = time.perf_counter_ns()
        for _ in range(CALLS):
            call()
        rounds.append((time.perf_counter_ns() - begin) / CALLS / 1e3)
        if torch.cuda.is_available():
            torch.cuda.synchronize()
    return statistics.median(rounds)


def refuse(*_):
    raise RuntimeError("the fallback was called")


def through(apply, tensors):
    name = "sum_of_%d" % (len(tensors) - 1)
    arguments = tuple(tensors)
    return microseconds(lambda: apply(name, args=arguments, fallback=refuse))


def nothing(*_):
    pass


def direct_launch(count, tensors):
    """The kernel by cuLaunchKernel, on torch's current stream, its arguments packed once."""
    driver = ctypes.CDLL("libcuda.so.1")
    with tempfile.TemporaryDirectory() as folder:
        source, cubin = Path(folder, "k.cu"), Path(folder, "k.cubin")
        source.write_text(launch_solution("d", count)[1])
        major, minor = torch.cuda.get_device_capability()
        subprocess.run(["nvcc", "-cubin", "-arch=sm_%d%d" % (major, minor), "-o", cubin, source], check=True)
        image = cubin.read_bytes()
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    if driver.cuModuleLoadData(ctypes.byref(module), image) or driver.cuModuleGetFunction(
            ctypes.byref(function), module, b"sum"):
        raise RuntimeError("the kernel cannot be loaded")
    values = [ctypes.c_uint64(tensor.data_ptr()) for tensor in tensors]
    pointers = (ctypes.c_void_p * count)(*[ctypes.addressof(value) for value in values])
    stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
    launch = driver.cuLaunchKernel
    return microseconds(lambda: launch(function, 1, 1, 1, ELEMENTS, 1, 1, 0, stream, pointers, None))


def row(what, values):
    print("%-64s %8.2f %8.2f" % (what, *values))


def main():
    device = sys.argv[1] if len(sys.argv) > 1 else "cuda" if torch.cuda.is_available() else "cpu"
    import fib

    tensors = {count: [torch.zeros(ELEMENTS, device=device) for _ in range(count)] for count in (2, 5)}
    print("%s; torch %s, Python %s" % (HARDWARE if device == "cuda" else "CPU", torch.__version__, sys.version.split()[0]))
    print("%-64s %8s %8s" % ("microseconds a call", "2", "5"))
    with tempfile.TemporaryDirectory() as root:
        os.environ["FIB_CACHE_PATH"] = os.path.join(root, "cache")
        python = dataset(os.path.join(root, "python"), python_solution)
        calls = [microseconds(lambda: nothing(*tensors[count])) for count in (2, 5)]
        row("a function that does nothing", calls)
        config = fib.ApplyConfig(hardware=HARDWARE)
        with fib.enable_apply(python, config):
            row("  through fib.apply()", [through(fib.apply, tensors[count]) for count in (2, 5)])
        if importlib.util.find_spec("flashinfer_bench"):
            import flashinfer_bench
            peer = flashinfer_bench.enable_apply(python)
            row("  through flashinfer_bench.apply()",
                [through(flashinfer_bench.apply, tensors[count]) for count in (2, 5)])
            flashinfer_bench.disable_apply()
            del peer
        if device == "cuda":
            row("a kernel by cuLaunchKernel", [direct_launch(count, tensors[count]) for count in (2, 5)])
            launch = dataset(os.path.join(root, "launch"), lambda of, count: launch_solution(of, count)[0])
            with fib.enable_apply(launch, config):
                row("  through fib.apply()", [through(fib.apply, tensors[count]) for count in (2, 5)])
            for count in (2, 5):
                ones = [torch.ones(ELEMENTS, device=device) for _ in range(count)]
                with fib.enable_apply(launch, config):
                    fib.apply("sum_of_%d" % (count - 1), args=tuple(ones), fallback=refuse)
                if not (ones[-1] == count - 1).all():
                    raise RuntimeError("the kernel was not run")


if __name__ == "__main__":
    main()
