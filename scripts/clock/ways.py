"""The same kernel, y = 2x + 1, launched in many ways: the third table of scripts/bench-clock.

A C launcher, a graph, streams, waits inside, a torch extension and Triton give the device the same work, so each has to
read what Nsight Compute reads for the kernels alone."""

import csv
import json
import pathlib
import statistics
import subprocess
import sys

K, M = 1024, 1024 * 1024
SIZES = [16 * K, 64 * K, M, 16 * M]
CLOCKS = ["auto", "events", "cupti-kernel", "cupti-concurrent"]
# For the clocks that auto does not take.
FEW = ["--num-trials", "1", "--iterations", "30"]
FEW_SIZES = [16 * K, M]
# In microseconds, beyond what is allowed: what these ways give the device besides the kernels.
MORE = {
    "halves": 0.5,  # what lies between two launches on one stream
    "halves, two streams": 12,
    "C, copies back": 12,
    "Triton, halves": 0.5,
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
BINDING = """#include <torch/extension.h>
void twice(const float* x, float* y, long long n, bool waits);
void run(torch::Tensor x, torch::Tensor y) { twice(x.data_ptr<float>(), y.data_ptr<float>(), x.numel(), WAITS); }
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("run", &run); }
"""
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

tensors = [(torch.rand(n, device="cuda"), torch.empty(n, device="cuda")) for n in SIZES]
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


def make_dataset(root, has_torch, sizes):
    """One definition, a workload a size, a solution a way; the names of the ways."""
    tensor = {"shape": ["n"], "dtype": "float32"}
    definition = {"name": "ways", "op_type": "clock", "axes": {"n": {"type": "var"}}, "inputs": {"x": tensor},
                  "outputs": {"y": tensor}, "reference": "def run(x):\n    return x * 2 + 1\n"}
    for folder in ("definitions/clock", "workloads/clock"):
        (root / folder).mkdir(parents=True, exist_ok=True)
    (root / "definitions/clock/ways.json").write_text(json.dumps(definition))
    lines = [{"definition": "ways", "solution": None, "evaluation": None,
              "workload": {"axes": {"n": n}, "inputs": {"x": {"type": "random"}}, "uuid": f"n{n}"}} for n in sizes]
    (root / "workloads/clock/ways.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    plan = {"kernel": "twice_plus_one", "grid": ["ceil_div(n, 256)"], "block": [256], "args": ["x", "y", "0", "n"]}
    solution(root, "launch plan", {"language": "cuda", "entry_point": "kernel.cu::run", "launch": plan},
             {"kernel.cu": KERNEL})
    for name, body in C_WAYS.items():
        solution(root, name, {"language": "cuda", "entry_point": "kernel.cu::run"}, {"kernel.cu": C_HEAD + body + C_TAIL})
    names = ["launch plan", *C_WAYS]
    if not has_torch:
        return names
    for name, waits in (("torch extension", "false"), ("torch extension, waits", "true")):
        solution(root, name, {"language": "cuda", "binding": "torch", "entry_point": "binding.cpp::run"},
                 {"binding.cpp": BINDING.replace("WAITS", waits), "twice.cu": BOUND})
    for name, body in TRITON_WAYS.items():
        solution(root, name, {"language": "triton", "entry_point": "main.py::run"}, {"main.py": TRITON + body})
    return names + ["torch extension", "torch extension, waits", *TRITON_WAYS]


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


def ncu(command, kernel):
    """Durations in us of all launches of this kernel."""
    options = ["--metrics", "gpu__time_duration.sum", "--cache-control", "all", "--clock-control", "none", "--csv",
               "--print-units", "base", "--kernel-name", kernel]
    output = subprocess.run([command[0], *options, *command[1:]], check=True, capture_output=True, text=True).stdout
    lines = [line for line in output.splitlines() if line.startswith('"')]
    return [float(row["Metric Value"].replace(",", "")) / 1000 for row in csv.DictReader(lines)]


PROGRAM = LAUNCH + """int main() {
  const long long sizes[] = {SIZES};
  float *x, *y;
  cudaMalloc(&x, 64LL << 20);
  cudaMalloc(&y, 64LL << 20);
  cudaMemset(x, 0x3e, 64LL << 20);
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


def truths(folder, nvcc, ncu_tool, has_torch):
    """Nsight Compute's time in us of the whole kernel, of its two halves together, and of Triton's, by size."""
    text = ", ".join(str(n) for n in SIZES)
    (folder / "ways.cu").write_text(PROGRAM.replace("SIZES", text))
    subprocess.run([nvcc, "-std=c++17", "-arch=native", "-O3", "-o", folder / "ways", folder / "ways.cu"], check=True)
    all_us = ncu([ncu_tool, str(folder / "ways")], "twice_plus_one")
    step = 3 * len(SIZES)
    middle = [statistics.median(all_us[i::step]) for i in range(step)]
    whole = {n: middle[3 * i] for i, n in enumerate(SIZES)}
    halves = {n: middle[3 * i + 1] + middle[3 * i + 2] for i, n in enumerate(SIZES)}
    if not has_torch:
        return whole, halves, {}, {}
    (folder / "ways.py").write_text(TRITON_PROGRAM.replace("SIZES", f"[{text}]"))
    all_us = ncu([ncu_tool, sys.executable, str(folder / "ways.py")], "scale")
    middle = [statistics.median(all_us[i::step]) for i in range(step)]
    return whole, halves, {n: middle[3 * i] for i, n in enumerate(SIZES)}, {
        n: middle[3 * i + 1] + middle[3 * i + 2] for i, n in enumerate(SIZES)}


def truth_of(name, whole, halves, triton, triton_halves):
    if name.startswith("Triton"):
        return triton_halves if "halves" in name else triton
    return halves if name.startswith("halves") else whole


def table(fib, folder, nvcc, ncu_tool, clocks):
    """Prints the table; how many readings of auto are outside of 0.5 us or 2 %. Those outside of 0.2 us or 1 % are marked."""
    has_torch = subprocess.run([sys.executable, "-c", "import torch, triton"], capture_output=True).returncode == 0
    folder = pathlib.Path(folder)
    measured = truths(folder, nvcc, ncu_tool, has_torch)
    found = {}
    for clock in clocks:
        root = folder / ("all_sizes" if clock == "auto" else "few_sizes")
        names = make_dataset(root, has_torch, SIZES if clock == "auto" else FEW_SIZES)
        found[clock] = fib_latencies(fib, root, clock)
    bad = 0
    print(f"{'way':30} {'n':>9} {'ncu us':>8} " + " ".join(f"{clock:>16}" for clock in clocks) + "  auto's clock, difference")
    for name in names:
        for n, truth in truth_of(name, *measured).items():
            readings = [found[clock].get((slug(name), n)) for clock in clocks]
            auto, clock_name = readings[0] or (float("nan"), "none")
            off = abs(auto - truth) - MORE.get(name, 0)
            near, good = off <= max(0.2, 0.01 * truth), off <= max(0.5, 0.02 * truth)
            bad += not good
            print(f"{name:30} {n:9} {truth:8.2f} " + " ".join(f"{reading[0]:16.2f}" if reading else 16 * " " for reading in readings)
                  + f"  {clock_name} {auto - truth:+.2f}{'' if near else '  <' if good else '  <--'}")
    return bad
