"""The same kernel, y = 2x + 1, launched in many ways: the third table of scripts/bench-clock.

A C launcher, a graph, streams, waits inside, TVM-FFI, torch extensions and Triton give the device the same work, so each has to
read what Nsight Compute reads for the kernels alone; two kernels in a row what event pairs read."""

import importlib.util
import json
import os
import pathlib
import statistics
import subprocess
import sys

import nsight

K, M = 1024, 1024 * 1024
SIZES = [16 * K, 64 * K, M, 16 * M]
CLOCKS = ["auto", "events", "cupti-kernel", "cupti-concurrent"]
# For the clocks that auto does not take.
FEW = ["--num-trials", "1", "--iterations", "30"]
FEW_SIZES = [16 * K, M]
# In microseconds, beyond what is allowed.
MORE = {
    "halves, two streams": 12,  # two spins do not end at the same moment
    "C, copies back": 20,  # its end is known when the host has returned from it
    # The pause between two kernels in a row differs by up to 1 us with how they came into the queue, also by event pairs
    # alone: programs of this file in C and in Triton read 5.7 and 4.7 for halves that take 2.4 us each.
    "halves": 1,
    "Triton, halves": 1,
}

KERNEL = """__global__ void twice_plus_one(const float* x, float* y, long long first, long long last) {
  const long long i = first + blockIdx.x * 256LL + threadIdx.x;
  if (i < last) y[i] = 2 * x[i] + 1;
}
"""
LAUNCH = KERNEL + """#include <cstdint>
static void launch(const float* x, float* y, long long first, long long last, cudaStream_t stream) {
  twice_plus_one<<<static_cast<unsigned>((last - first + 255) / 256), 256, 0, stream>>>(x, y, first, last);
}
"""
C_HEAD = LAUNCH + 'extern "C" int run(const float* x, float* y, std::int64_t n, cudaStream_t stream) {\n'
C_TAIL = "  return cudaGetLastError();\n}\n"
SIDE = """  static cudaStream_t side = nullptr;
  static cudaEvent_t before, after;
  if (side == nullptr) {
    cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&before, cudaEventDisableTiming);
    cudaEventCreateWithFlags(&after, cudaEventDisableTiming);
  }
"""
GRAPH = """  static cudaGraphExec_t graph = nullptr;
  static const float* recorded = nullptr;
  static std::int64_t recorded_n = 0;
  if (recorded != x || recorded_n != n) {
    cudaStream_t side;
    cudaGraph_t nodes;
    cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
    cudaStreamBeginCapture(side, cudaStreamCaptureModeThreadLocal);
    launch(x, y, 0, n, side);
    cudaStreamEndCapture(side, &nodes);
    if (const int error = cudaGraphInstantiate(&graph, nodes, 0)) return error;
    recorded = x;
    recorded_n = n;
  }
  cudaGraphLaunch(graph, stream);
"""
WHOLE = "  launch(x, y, 0, n, stream);\n"
JOINED = SIDE + """  cudaEventRecord(before, stream);
  cudaStreamWaitEvent(side, before, 0);
  launch(x, y, 0, n, side);
  cudaEventRecord(after, side);
  cudaStreamWaitEvent(stream, after, 0);
"""
OWN = SIDE + "  launch(x, y, 0, n, side);\n"
FIRST, SECOND = "  launch(x, y, 0, n / 2, stream);\n", "  launch(x, y, n / 2, n, stream);\n"
C_WAYS = {
    "C": WHOLE,
    "C, waits for the device": WHOLE + "  cudaDeviceSynchronize();\n",
    "C, waits for the stream": WHOLE + "  cudaStreamSynchronize(stream);\n",
    "C, waits for an event": SIDE + WHOLE + "  cudaEventRecord(after, stream);\n  cudaEventSynchronize(after);\n",
    "C, asks until ready": SIDE + WHOLE + "  while (cudaStreamQuery(stream) == cudaErrorNotReady) {}\n",
    "C, own stream, joined": JOINED,
    "C, own stream, waits": OWN + "  cudaStreamSynchronize(side);\n",
    "C, own stream, no wait": OWN,
    "C, default stream": "  launch(x, y, 0, n, 0);\n",
    "C, graph": GRAPH,
    "C, graph, waits": GRAPH + "  cudaStreamSynchronize(stream);\n",
    "C, allocates and frees": "  void* p;\n  cudaMalloc(&p, 1 << 20);\n" + WHOLE + "  cudaFree(p);\n",
    "C, copies back": "  float first;\n" + WHOLE + "  cudaMemcpy(&first, y, 4, cudaMemcpyDeviceToHost);\n",
    "halves": FIRST + SECOND,
    "halves, two streams": SIDE + FIRST + SECOND.replace("stream", "side"),
    "halves, waits between": FIRST + "  cudaDeviceSynchronize();\n" + SECOND,
    "halves, waits twice": FIRST + "  cudaDeviceSynchronize();\n" + SECOND + "  cudaStreamSynchronize(stream);\n",
}
# By TVM-FFI, where its headers are: into the output, and into memory that it asks its environment for.
FFI_HEAD = LAUNCH + """#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/function.h>
namespace ffi = tvm::ffi;
static void twice(ffi::TensorView x, void* y) {
  auto stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(x.device().device_type, x.device().device_id));
  launch(static_cast<const float*>(x.data_ptr()), static_cast<float*>(y), 0, x.shape()[0], stream);
}
"""
FFI_TAIL = "TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, f);\n"
FFI_WAYS = {
    "TVM-FFI": (True, "void f(ffi::TensorView x, ffi::TensorView y) { twice(x, y.data_ptr()); }\n"),
    "TVM-FFI, waits": (True, "void f(ffi::TensorView x, ffi::TensorView y) { twice(x, y.data_ptr()); cudaDeviceSynchronize(); }\n"),
    "TVM-FFI, returns": (False, "ffi::Tensor f(ffi::TensorView x) {\n"
                         "  auto y = ffi::Tensor::FromEnvAlloc(TVMFFIEnvTensorAlloc, x.shape(), x.dtype(), x.device());\n"
                         "  twice(x, y.data_ptr());\n  return y;\n}\n"),
}
BINDING = """#include <torch/extension.h>
void twice(const float* x, float* y, long long n, bool waits);
void run(torch::Tensor x, torch::Tensor y) { twice(x.data_ptr<float>(), y.data_ptr<float>(), x.numel(), WAITS); }
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("run", &run); }
"""
# fib's torch headers build these, but for those with a function that only torch has.
ONLY_TORCH = "torch::Tensor unused(torch::Tensor x) { return x.exp(); }\n"
TORCH_WAYS = {
    "torch extension": ("false", ""),
    "torch extension, waits": ("true", ""),
    "torch extension, by torch": ("false", ONLY_TORCH),
    "torch extension, by torch, waits": ("true", ONLY_TORCH),
}
BOUND = LAUNCH + """void twice(const float* x, float* y, long long n, bool waits) {
  launch(x, y, 0, n, 0);
  if (waits) cudaDeviceSynchronize();
}
"""
TRITON = """import torch
import triton
import triton.language as tl


@triton.jit
def scale(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, 2 * tl.load(x + i, mask=i < n) + 1, mask=i < n)


side = torch.cuda.Stream()


def run(x, y):
    n = x.shape[0]
"""
TRITON_CALL = "scale[(triton.cdiv(n, 1024),)](x, y, n, BLOCK=1024)\n"
TRITON_FIRST = "    h = n // 2\n    scale[(triton.cdiv(h, 1024),)](x, y, h, BLOCK=1024)\n"
TRITON_SECOND = "    scale[(triton.cdiv(h, 1024),)](x[h:], y[h:], h, BLOCK=1024)\n"
TRITON_WAYS = {
    "Triton": f"    {TRITON_CALL}",
    "Triton, waits": f"    {TRITON_CALL}    torch.cuda.synchronize()\n",
    "Triton, own stream": "    side.wait_stream(torch.cuda.current_stream())\n    with torch.cuda.stream(side):\n"
                          f"        {TRITON_CALL}    torch.cuda.current_stream().wait_stream(side)\n",
    "Triton, halves": TRITON_FIRST + TRITON_SECOND,
    "Triton, halves, waits between": TRITON_FIRST + "    torch.cuda.synchronize()\n" + TRITON_SECOND,
}
TRITON_PROGRAM = TRITON + f"    {TRITON_CALL}{TRITON_FIRST}{TRITON_SECOND}" + """

import statistics, sys

tensors = [(torch.rand(n, device="cuda"), torch.empty(n, device="cuda")) for n in SIZES]


def event_pairs(work, before=lambda: None):
    # The median time of the work in us between two events behind a queue.
    times = []
    flush = torch.zeros(40 << 20, device="cuda")
    for _ in range(60):
        flush.sum()
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        torch.cuda.synchronize()
        before()
        torch.cuda.synchronize()
        torch.cuda._sleep(2_000_000)
        begin.record()
        work()
        end.record()
        torch.cuda.synchronize()
        times.append(1000 * begin.elapsed_time(end))
    return statistics.median(times)


def whole(x, y):
    n = x.shape[0]
    TRITON_CALL

def first(x, y):
    n = x.shape[0]
TRITON_FIRST

def second(x, y):
    n = x.shape[0]
    h = n // 2
TRITON_SECOND

def halves(x, y):
    first(x, y)
    second(x, y)



if sys.argv[1:] == ["events"]:
    for x, y in tensors:
        halves(x, y)
        empty = event_pairs(lambda: None)
        row = event_pairs(lambda: halves(x, y)) - empty
        after = event_pairs(lambda: second(x, y), before=lambda: first(x, y))
        print(row, after - event_pairs(lambda: second(x, y)), event_pairs(lambda: whole(x, y)) - empty)
    sys.exit()
for _ in range(15):
    for x, y in tensors:
        run(x, y)
torch.cuda.synchronize()
"""


def slug(name):
    return "".join(c if c.isalnum() else "_" for c in name)


def solution(root, name, spec, sources):
    spec = {"target_hardware": ["cuda"], **spec}
    document = {"name": slug(name), "definition": "ways", "author": "clock", "spec": spec,
                "sources": [{"path": path, "content": content} for path, content in sources.items()]}
    path = root / f"solutions/clock/clock/ways/{slug(name)}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document))


def has_tvm_ffi():
    return bool(os.environ.get("FIB_TVM_FFI_HOME")) or importlib.util.find_spec("tvm_ffi") is not None


def make_definition(root, sizes):
    """One definition and a workload a size."""
    tensor = {"shape": ["n"], "dtype": "float32"}
    definition = {"name": "ways", "op_type": "clock", "axes": {"n": {"type": "var"}}, "inputs": {"x": tensor},
                  "outputs": {"y": tensor}, "reference": "def run(x):\n    return x * 2 + 1\n"}
    for folder in ("definitions/clock", "workloads/clock"):
        (root / folder).mkdir(parents=True, exist_ok=True)
    (root / "definitions/clock/ways.json").write_text(json.dumps(definition))
    lines = [{"definition": "ways", "solution": None, "evaluation": None,
              "workload": {"axes": {"n": n}, "inputs": {"x": {"type": "random"}}, "uuid": f"n{n}"}} for n in sizes]
    (root / "workloads/clock/ways.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def make_dataset(root, has_torch, sizes):
    """The definition, and a solution a way; the names of the ways."""
    make_definition(root, sizes)
    plan = {"kernel": "twice_plus_one", "grid": ["ceil_div(n, 256)"], "block": [256], "args": ["x", "y", "0", "n"]}
    solution(root, "launch plan", {"language": "cuda", "entry_point": "kernel.cu::run", "launch": plan},
             {"kernel.cu": KERNEL})
    for name, body in C_WAYS.items():
        solution(root, name, {"language": "cuda", "entry_point": "kernel.cu::run"}, {"kernel.cu": C_HEAD + body + C_TAIL})
    names = ["launch plan", *C_WAYS]
    if has_tvm_ffi():
        for name, (passing, body) in FFI_WAYS.items():
            solution(root, name, {"language": "cuda", "binding": "tvm-ffi", "entry_point": "kernel.cu::run",
                                  "destination_passing_style": passing}, {"kernel.cu": FFI_HEAD + body + FFI_TAIL})
        names += FFI_WAYS
    for name, (waits, more) in TORCH_WAYS.items():
        if has_torch or not more:
            solution(root, name, {"language": "cuda", "binding": "torch", "entry_point": "binding.cpp::run"},
                     {"binding.cpp": BINDING.replace("WAITS", waits) + more, "twice.cu": BOUND})
            names.append(name)
    if not has_torch:
        return names
    for name, body in TRITON_WAYS.items():
        solution(root, name, {"language": "triton", "entry_point": "main.py::run"}, {"main.py": TRITON + body})
    return names + list(TRITON_WAYS)


def fib_latencies(fib, root, clock):
    """(latency in us, name of the clock) by solution and size; failures are printed."""
    for trace in root.glob("traces/*/*/*.jsonl"):
        trace.unlink()
    subprocess.run([fib, "run", "--local", root, "--device", "cuda:0", "--clock", clock, "--log-level", "error",
                    *([] if clock == "auto" else FEW)], check=False, stdout=subprocess.DEVNULL)
    found = {}
    for path in root.glob("traces/*/*/*.jsonl"):
        for line in path.read_text().splitlines():
            trace = json.loads(line)
            evaluation, size = trace["evaluation"], trace["workload"]["axes"]["n"]
            if evaluation["status"] != "PASSED":
                print(f"  {trace['solution']} n={size} --clock {clock}: {evaluation['status']}: {evaluation['log'][:200]}", flush=True)
                continue
            found[trace["solution"], size] = 1000 * evaluation["performance"]["latency_ms"], evaluation["fib"]["clock"]
    return found


def medians_of(runs):
    """What fib_latencies() gives, of several runs: what equal processes differ by is no difference between ways. What
    failed in one of them is not there."""
    return {key: (statistics.median(run[key][0] for run in runs), clock_name)
            for key, (_, clock_name) in runs[0].items() if all(key in run for run in runs)}


PROGRAM = LAUNCH + """#include <cstdio>
#include "event_pairs.cuh"
int main(int argc, char**) {
  const long long sizes[] = {SIZES};
  float *x, *y;
  cudaMalloc(&x, 64LL << 20);
  cudaMalloc(&y, 64LL << 20);
  cudaMemset(x, 0x3e, 64LL << 20);
  if (argc > 1) {
    EventPairs events;
    for (const long long n : sizes) {
      const auto first = [&] { launch(x, y, 0, n / 2, 0); };
      const auto second = [&] { launch(x, y, n / 2, n, 0); };
      const float row = events.time([&] { first(), second(); });
      printf("%.3f %.3f %.3f\\n", row, events.time_after(first, second) - events.time(second),
             events.time([&] { launch(x, y, 0, n, 0); }));
    }
    return cudaDeviceSynchronize();
  }
  for (int i = 0; i < 15; ++i) {
    for (const long long n : sizes) {
      launch(x, y, 0, n, 0);
      launch(x, y, 0, n / 2, 0);
      launch(x, y, n / 2, n, 0);
    }
  }
  return cudaDeviceSynchronize();
}
"""


def durations(ncu_tool, command, kernel, name, repeat):
    """By Nsight Compute, by size: of the whole kernel, and of its two halves together, in us. The medians of `repeat`
    processes, since one process differs from the next; prints by how much."""
    runs = []
    for _ in range(repeat):
        all_us = nsight.durations(ncu_tool, command, kernel)
        runs.append([statistics.median(all_us[i::3 * len(SIZES)]) for i in range(3 * len(SIZES))])
    print(f"Nsight Compute, {repeat} processes, {name}: " + ", ".join(
        f"{min(run[3 * i] for run in runs):.2f} to {max(run[3 * i] for run in runs):.2f} us at {n}" for i, n in enumerate(SIZES)))
    middle = [statistics.median(run[i] for run in runs) for i in range(3 * len(SIZES))]
    return ({n: middle[3 * i] for i, n in enumerate(SIZES)},
            {n: middle[3 * i + 1] + middle[3 * i + 2] for i, n in enumerate(SIZES)})


def event_pairs(command):
    """By event pairs, by size: two halves in a row, with what lies between them; what the second one takes more where the
    first one ran just before than from clean caches; and the whole kernel."""
    output = subprocess.run([*command, "events"], check=True, capture_output=True, text=True).stdout
    rows = [[float(number) for number in line.split()] for line in output.splitlines()]
    return tuple({n: row[i] for n, row in zip(SIZES, rows)} for i in range(3))


class Truths:
    """Times in us by size: of the kernel (`whole`), of its halves, each from clean caches (`halves`), in a row (`row`),
    and in a row with a wait between (`apart`): the second one then finds lines in the cache that have to be written back.
    Event pairs are taken less what they read beyond Nsight Compute for the whole kernel (`offset`)."""

    def __init__(self, name, ncu_tool, command, kernel, repeat):
        self.whole, self.halves = durations(ncu_tool, command, kernel, name, repeat)
        row, later, whole = event_pairs(command)
        offset = {n: whole[n] - self.whole[n] for n in SIZES}
        print(f"event pairs less Nsight Compute, {name}: " + ", ".join(f"{offset[n]:+.2f} us at {n}" for n in SIZES))
        self.row = {n: row[n] - offset[n] for n in SIZES}
        self.apart = {n: self.halves[n] + later[n] for n in SIZES}

    def of(self, name):
        if name in ("halves", "Triton, halves"):
            return self.row
        if "halves, waits" in name:
            return self.apart
        return self.halves if "halves" in name else self.whole


def truths(folder, nvcc, ncu_tool, has_torch, repeat):
    """Of the C ways, and of Triton's."""
    text = ", ".join(str(n) for n in SIZES)
    (folder / "ways.cu").write_text(PROGRAM.replace("SIZES", text))
    subprocess.run([nvcc, "-std=c++17", "-arch=native", "-O3", "-I", pathlib.Path(__file__).parent, "-o", folder / "ways",
                    folder / "ways.cu"], check=True)
    of_c = Truths("C", ncu_tool, [str(folder / "ways")], "twice_plus_one", repeat)
    if not has_torch:
        return of_c, None
    program = TRITON_PROGRAM.replace("SIZES", f"[{text}]").replace("TRITON_FIRST", TRITON_FIRST).replace("TRITON_CALL", TRITON_CALL)
    program = program.replace("TRITON_SECOND", TRITON_SECOND)
    (folder / "ways.py").write_text(program)
    return of_c, Truths("Triton", ncu_tool, [sys.executable, str(folder / "ways.py")], "scale", repeat)


def table(fib, folder, nvcc, ncu_tool, clocks, repeat):
    """Prints the table, of auto the medians of `repeat` runs; how many readings of auto are outside of 0.5 us or 2 %. Those
    outside of 0.2 us or 1 % are marked."""
    has_torch = subprocess.run([sys.executable, "-c", "import torch, triton"], capture_output=True).returncode == 0
    folder = pathlib.Path(folder)
    of_c, of_triton = truths(folder, nvcc, ncu_tool, has_torch, repeat)
    found = {}
    for clock in clocks:
        root = folder / ("all_sizes" if clock == "auto" else "few_sizes")
        names = make_dataset(root, has_torch, SIZES if clock == "auto" else FEW_SIZES)
        found[clock] = medians_of([fib_latencies(fib, root, clock) for _ in range(repeat if clock == "auto" else 1)])
    bad = singles = near_singles = 0
    print(f"{'way':30} {'n':>9} {'truth us':>8} " + " ".join(f"{clock:>16}" for clock in clocks) + "  auto's clock, difference")
    for name in names:
        for n, truth in (of_triton if name.startswith("Triton") else of_c).of(name).items():
            readings = [found[clock].get((slug(name), n)) for clock in clocks]
            auto, clock_name = readings[0] or (float("nan"), "none")
            off = abs(auto - truth) - MORE.get(name, 0)
            near, good = off <= max(0.2, 0.01 * truth), off <= max(0.5, 0.02 * truth)
            bad += not good
            if "halves" not in name and name != "C, copies back":
                singles, near_singles = singles + 1, near_singles + near
            print(f"{name:30} {n:9} {truth:8.2f} " + " ".join(f"{reading[0]:16.2f}" if reading else 16 * " " for reading in readings)
                  + f"  {clock_name} {auto - truth:+.2f}{'' if near else '  <' if good else '  <--'}")
    print(f"{near_singles} of {singles} readings of one kernel are within 0.2 us or 1 % of Nsight Compute")
    return bad
