"""Host launchers that use libraries, workspaces and allocations: the fourth table of scripts/bench-clock.

Every launcher computes y = 2x + 1. It is called by TVM-FFI (where its headers are; else by the C convention) and as a torch
extension, and is also compiled into a plain program: Nsight Compute adds up the kernels of a call there, and event pairs time
the call as a whole, what lies between its kernels included."""

import pathlib
import statistics
import subprocess

import nsight
import ways

SIZES = [16 * ways.K, ways.M, 16 * ways.M]
CALLS = 12

HEAD = ways.LAUNCH + """#include <cub/cub.cuh>
#include <cublas_v2.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/transform.h>
struct TwicePlusOne {
  __host__ __device__ float operator()(float x) const { return 2 * x + 1; }
};
struct Every {
  __host__ __device__ bool operator()(float) const { return true; }
};
__global__ void plus(const float* x, float* y, float more, long long n) {
  const long long i = blockIdx.x * 256LL + threadIdx.x;
  if (i < n) y[i] = x[i] + more;
}
static unsigned blocks(long long n) { return static_cast<unsigned>((n + 255) / 256); }
"""
GO = "static int go(const float* x, float* y, long long n, cudaStream_t stream) {\n"
# Statements that return an error code where something fails.
LAUNCHERS = {
    "workspace": """  static float* between = nullptr;
  static long long size = 0;
  if (size < n) {
    cudaFree(between);
    if (const int error = cudaMalloc(&between, n * sizeof(float))) return error;
    size = n;
  }
  plus<<<blocks(n), 256, 0, stream>>>(x, between, 0, n);
  plus<<<blocks(n), 256, 0, stream>>>(between, between, 0, n);
  launch(between, y, 0, n, stream);
""",
    "allocates in order": """  void* between = nullptr;
  if (const int error = cudaMallocAsync(&between, n * sizeof(float), stream)) return error;
  plus<<<blocks(n), 256, 0, stream>>>(x, static_cast<float*>(between), 0, n);
  launch(static_cast<float*>(between), y, 0, n, stream);
  if (const int error = cudaFreeAsync(between, stream)) return error;
""",
    "thrust": "  thrust::transform(thrust::cuda::par.on(stream), x, x + n, y, TwicePlusOne());\n",
    "CUB select": """  static void* storage = nullptr;
  static std::size_t size = 0;
  static long long* selected = nullptr;
  const auto values = thrust::make_transform_iterator(x, TwicePlusOne());
  std::size_t needed = 0;
  if (const int error = cub::DeviceSelect::If(nullptr, needed, values, y, selected, n, Every(), stream)) return error;
  if (size < needed) {
    cudaFree(storage);
    if (selected == nullptr) cudaMalloc(&selected, sizeof *selected);
    if (const int error = cudaMalloc(&storage, needed)) return error;
    size = needed;
  }
  if (const int error = cub::DeviceSelect::If(storage, needed, values, y, selected, n, Every(), stream)) return error;
""",
    "cuBLAS": """  static cublasHandle_t handle = nullptr;
  static float* ones = nullptr;
  static long long size = 0;
  if (handle == nullptr && cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) return 1;
  if (size < n) {
    cudaFree(ones);
    if (const int error = cudaMalloc(&ones, n * sizeof(float))) return error;
    cudaMemset(ones, 0, n * sizeof(float));
    plus<<<blocks(n), 256>>>(ones, ones, 1, n);
    cudaDeviceSynchronize();
    size = n;
  }
  const float one = 1, two = 2;
  const int rows = 1024, columns = static_cast<int>(n / rows);
  cublasSetStream(handle, stream);
  if (cublasSgeam(handle, CUBLAS_OP_N, CUBLAS_OP_N, rows, columns, &two, x, rows, &one, ones, rows, y, rows) !=
      CUBLAS_STATUS_SUCCESS)
    return 1;
""",
}
TAIL = "  return cudaGetLastError();\n}\n"
C_RUN = 'extern "C" int run(const float* x, float* y, std::int64_t n, cudaStream_t stream) { return go(x, y, n, stream); }\n'
FFI_INCLUDES = """#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/function.h>
"""
FFI_RUN = """static void f(tvm::ffi::TensorView x, tvm::ffi::TensorView y) {
  auto stream = static_cast<cudaStream_t>(TVMFFIEnvGetStream(x.device().device_type, x.device().device_id));
  if (go(static_cast<const float*>(x.data_ptr()), static_cast<float*>(y.data_ptr()), x.shape()[0], stream) != 0)
    TVM_FFI_THROW(RuntimeError) << "a launch failed";
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, f);
"""
TORCH_INCLUDES = "#include <torch/extension.h>\n#include <ATen/cuda/CUDAContext.h>\n"
TORCH_RUN = """static void run(torch::Tensor x, torch::Tensor y) {
  const int error = go(x.data_ptr<float>(), y.data_ptr<float>(), x.numel(), at::cuda::getCurrentCUDAStream());
  TORCH_CHECK(error == 0, "a launch failed");
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("run", &run); }
"""
PROGRAM = """#include <cstdio>
#include <cstdlib>
#include "event_pairs.cuh"
__global__ void a_call_begins() {}
int main(int argc, char** argv) {
  const long long n = std::atoll(argv[1]);
  float *x, *y;
  cudaMalloc(&x, n * 4);
  cudaMalloc(&y, n * 4);
  cudaMemset(x, 0x3e, n * 4);
  if (argc > 2) {
    // As fib's: two streams of one process differ by up to 0.25 us.
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    if (const int error = go(x, y, n, stream)) return error;
    EventPairs events(stream);
    printf("%.3f\\n", events.time([&] { go(x, y, n, stream); }));
    return cudaDeviceSynchronize();
  }
  for (int i = 0; i < CALLS; ++i) {
    a_call_begins<<<1, 1>>>();
    if (const int error = go(x, y, n, 0)) return error;
  }
  return cudaDeviceSynchronize();
}
"""


def make_dataset(root):
    """The solutions' names, with the launcher of each."""
    ways.make_definition(root, SIZES)
    bindings = {"torch": ({"binding": "torch"}, TORCH_INCLUDES, TORCH_RUN)}
    if ways.has_tvm_ffi():
        bindings["TVM-FFI"] = ({"binding": "tvm-ffi"}, FFI_INCLUDES, FFI_RUN)
    else:
        bindings["C"] = ({}, "", C_RUN)
    names = {}
    for launcher, body in LAUNCHERS.items():
        for kind, (binding, includes, run) in bindings.items():
            spec = {"language": "cuda", "entry_point": "main.cu::run", "destination_passing_style": True,
                    "dependencies": ["cublas"], **binding}
            name = f"{launcher}, {kind}"
            ways.solution(root, name, spec, {"main.cu": includes + HEAD + GO + body + TAIL + run})
            names[name] = launcher
    return names


def build(folder, nvcc, launcher):
    source = folder / (ways.slug(launcher) + ".cu")
    source.write_text(HEAD + GO + LAUNCHERS[launcher] + TAIL + PROGRAM.replace("CALLS", str(CALLS)))
    subprocess.run([nvcc, "-std=c++17", "-arch=native", "-O3", "-I", pathlib.Path(__file__).parent, "-o", source.with_suffix(""), source,
                    "-lcublas"], check=True)
    return source.with_suffix("")


def kernels_of_a_call(ncu_tool, program, n):
    """How many kernels a call launches, and how long they take together in us: the median of the calls but the first, of
    one process."""
    calls = []
    for kernel, duration in nsight.launches(ncu_tool, [program, str(n)]):
        if kernel.startswith("a_call_begins"):
            calls.append([])
        elif calls:
            calls[-1].append(duration)
    return len(calls[-1]), statistics.median(sum(call) for call in calls[1:])


def pairs_of(program, n):
    return float(subprocess.run([program, str(n), "events"], check=True, capture_output=True, text=True).stdout)


def truth_of(ncu_tool, program, n, repeat):
    """How many kernels a call launches, their sum by Nsight Compute, and the call by event pairs, in us: medians of
    `repeat` processes each. Of one kernel there is nothing between; and thrust waits for its kernel, which the queue of
    event pairs holds: there the second is the first."""
    runs = [kernels_of_a_call(ncu_tool, program, n) for _ in range(repeat)]
    kernels, ncu = runs[0][0], statistics.median(sum_us for _, sum_us in runs)
    if kernels == 1:
        return kernels, ncu, ncu
    return kernels, ncu, statistics.median(pairs_of(program, n) for _ in range(2 * repeat + 1))


def table(fib, folder, nvcc, ncu_tool, repeat):
    """Prints the table, medians of `repeat` runs; how many latencies are more than 5 % (below 10 us: 0.5 us) away both from
    the sum of the kernels and, where gaps between kernels belong to the call, from event pairs. Those beyond 5 % are
    marked, too."""
    folder = pathlib.Path(folder) / "launchers"
    names = make_dataset(folder)
    runs = ways.medians_of([ways.fib_latencies(fib, folder, "auto") for _ in range(repeat)])
    truths = {}
    for launcher in LAUNCHERS:
        program = build(folder, nvcc, launcher)
        for n in SIZES:
            truths[launcher, n] = truth_of(ncu_tool, program, n, repeat)
    bad = near_count = count = 0
    print(f"{'launcher':30} {'n':>9} {'kernels':>7} {'ncu us':>8} {'pairs us':>8} {'fib us':>8}  clock, difference to ncu")
    for name, launcher in names.items():
        for n in SIZES:
            kernels, ncu, pairs = truths[launcher, n]
            latency, clock = runs.get((ways.slug(name), n), (float("nan"), "none"))
            near = any(abs(latency - truth) <= 0.05 * truth for truth in (ncu, pairs))
            good = any(abs(latency - truth) <= max(0.5, 0.05 * truth) for truth in (ncu, pairs))
            bad, near_count, count = bad + (not good), near_count + near, count + 1
            print(f"{name:30} {n:9} {kernels:7} {ncu:8.2f} {pairs:8.2f} {latency:8.2f}  {clock} {latency - ncu:+.2f}"
                  + ("" if near else "  <" if good else "  <--"))
    print(f"{near_count} of {count} latencies are within 5 % of the sum of the kernels or of the event pairs")
    return bad
