"""Solutions of rmsnorm_h4096, fused_add_rmsnorm_h4096 and gemm_n4096_k4096 for scripts/bench-throughput."""

# A row of a block in registers.
TRITON_ROW = '''import torch
import triton
import triton.language as tl


@triton.jit
def norm(x, r, w, y, FUSED: tl.constexpr, WIDTH: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    column = tl.arange(0, WIDTH)
    value = tl.load(x + row * WIDTH + column).to(tl.float32)
    if FUSED:
        value += tl.load(r + row * WIDTH + column).to(tl.float32)
    scale = tl.rsqrt(tl.sum(value * value, axis=0) / WIDTH + 1e-5)
    weight = tl.load(w + column).to(tl.float32)
    tl.store(y + row * WIDTH + column, (value * scale * weight).to(y.dtype.element_ty))


def run({inputs}, output):
    norm[(hidden_states.shape[0],)](hidden_states, {residual}, weight, output, FUSED={fused}, WIDTH=4096, num_warps={warps})
'''

# A row in pieces, read twice.
TRITON_PIECES = '''import torch
import triton
import triton.language as tl


@triton.jit
def norm(x, r, w, y, FUSED: tl.constexpr, WIDTH: tl.constexpr, PIECE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    squares = tl.zeros((PIECE,), dtype=tl.float32)
    for begin in range(0, WIDTH, PIECE):
        column = begin + tl.arange(0, PIECE)
        value = tl.load(x + row * WIDTH + column).to(tl.float32)
        if FUSED:
            value += tl.load(r + row * WIDTH + column).to(tl.float32)
        squares += value * value
    scale = tl.rsqrt(tl.sum(squares, axis=0) / WIDTH + 1e-5)
    for begin in range(0, WIDTH, PIECE):
        column = begin + tl.arange(0, PIECE)
        value = tl.load(x + row * WIDTH + column).to(tl.float32)
        if FUSED:
            value += tl.load(r + row * WIDTH + column).to(tl.float32)
        weight = tl.load(w + column).to(tl.float32)
        tl.store(y + row * WIDTH + column, (value * scale * weight).to(y.dtype.element_ty))


def run({inputs}, output):
    norm[(hidden_states.shape[0],)](hidden_states, {residual}, weight, output, FUSED={fused}, WIDTH=4096, PIECE=1024,
                                    num_warps=4)
'''

TORCH_FUNCTION = '''import torch


def run({inputs}):
    x = {sum}
    return (torch.nn.functional.rms_norm(x, x.shape[-1:], eps=1e-5) * weight.float()).to(hidden_states.dtype)
'''

TORCH_FORMULA = '''import torch


@torch.no_grad()
def run({inputs}):
    x = {sum}
    return (x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-5) * weight.float()).to(hidden_states.dtype)
'''

TRITON_GEMM = '''import torch
import triton
import triton.language as tl


@triton.jit
def gemm(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = (tl.program_id(1) * BM + tl.arange(0, BM)).to(tl.int64)
    columns = (tl.program_id(0) * BN + tl.arange(0, BN)).to(tl.int64)
    inner = tl.arange(0, BK)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for begin in range(0, k, BK):
        x = tl.load(a + rows[:, None] * k + begin + inner[None, :], mask=rows[:, None] < m, other=0.0)
        y = tl.load(b + columns[None, :] * k + begin + inner[:, None])
        total = tl.dot(x, y, total)
    tl.store(c + rows[:, None] * n + columns[None, :], total.to(c.dtype.element_ty), mask=rows[:, None] < m)


def run(A, B, C):
    m, k = A.shape
    n = B.shape[0]
    gemm[(n // {bn}, triton.cdiv(m, {bm}))](A, B, C, m, n, k, BM={bm}, BN={bn}, BK=64, num_warps={warps}, num_stages={stages})
'''

# One block a row; the row stays in registers. VECTORS loads of 16 bytes a thread: VECTORS * THREADS * 8 is 4096.
CUDA_ROW = '''#include <cuda_bf16.h>

struct alignas(16) Eight {{
  __nv_bfloat162 pair[4];
}};

extern "C" __global__ void __launch_bounds__({threads}) rms_norm(const Eight* x, const Eight* w, Eight* y) {{
  constexpr int kThreads = {threads};
  constexpr int kVectors = 512 / kThreads;
  __shared__ float sums[kThreads / 32];
  const Eight* row = x + blockIdx.x * 512ll;
  Eight values[kVectors];
  float sum = 0;
  for (int i = 0; i < kVectors; ++i) {{
    values[i] = row[i * kThreads + threadIdx.x];
    for (int j = 0; j < 4; ++j) {{
      const float2 pair = __bfloat1622float2(values[i].pair[j]);
      sum += pair.x * pair.x + pair.y * pair.y;
    }}
  }}
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = 0;
  for (int warp = 0; warp < kThreads / 32; ++warp) sum += sums[warp];
  const float scale = rsqrtf(sum / 4096 + 1e-5f);
  for (int i = 0; i < kVectors; ++i) {{
    const Eight weights = w[i * kThreads + threadIdx.x];
    for (int j = 0; j < 4; ++j) {{
      const float2 a = __bfloat1622float2(values[i].pair[j]);
      const float2 b = __bfloat1622float2(weights.pair[j]);
      values[i].pair[j] = __floats2bfloat162_rn(a.x * scale * b.x, a.y * scale * b.y);
    }}
    y[blockIdx.x * 512ll + i * kThreads + threadIdx.x] = values[i];
  }}
}}
'''


def norms(fused):
    words = {
        "inputs": "hidden_states, residual, weight" if fused else "hidden_states, weight",
        "residual": "residual" if fused else "hidden_states",
        "sum": "hidden_states.float() + residual.float()" if fused else "hidden_states.float()",
        "fused": fused,
    }
    yield "triton_row_8", "triton", TRITON_ROW.format(**words, warps=8)
    yield "triton_row_4", "triton", TRITON_ROW.format(**words, warps=4)
    yield "triton_pieces", "triton", TRITON_PIECES.format(**words)
    yield "torch_function", "python", TORCH_FUNCTION.format(**words)
    yield "torch_formula", "python", TORCH_FORMULA.format(**words)


def gemms():
    yield "triton_128_128", "triton", TRITON_GEMM.format(bm=128, bn=128, warps=8, stages=4)
    yield "triton_64_128", "triton", TRITON_GEMM.format(bm=64, bn=128, warps=4, stages=4)
    yield "triton_16_64", "triton", TRITON_GEMM.format(bm=16, bn=64, warps=4, stages=4)
    yield "torch_linear", "python", "import torch\n\n\ndef run(A, B):\n    return torch.nn.functional.linear(A, B)\n"
    yield "torch_matmul", "python", "import torch\n\n\ndef run(A, B):\n    return A @ B.T\n"


def python_solution(definition, name, language, code):
    return {"name": definition + "_" + name, "definition": definition, "author": "bench",
            "spec": {"language": language, "target_hardware": ["cuda"], "entry_point": "main.py::run", "dependencies": [],
                     "destination_passing_style": language == "triton"},
            "sources": [{"path": "main.py", "content": code}]}


# Threads of a block, and a number that tells equal kernels apart.
LAUNCHES = [(threads, copy) for threads in (64, 128, 256, 512) for copy in (0, 1)][:7]


def launch_solution(launch):
    """An rmsnorm_h4096 kernel that fib launches itself."""
    threads, copy = launch
    name = "launch_%d_%d" % launch
    return {"name": "rmsnorm_h4096_" + name, "definition": "rmsnorm_h4096", "author": "bench",
            "spec": {"language": "cuda", "target_hardware": ["cuda"], "entry_point": "main.cu::rms_norm", "dependencies": [],
                     "destination_passing_style": True,
                     "launch": {"grid": ["batch_size"], "block": [threads], "args": ["hidden_states", "weight", "output"]}},
            "sources": [{"path": "main.cu", "content": CUDA_ROW.format(threads=threads) + "// %d\n" % copy}]}


def solutions(definition):
    """Five for each of the three definitions."""
    if definition == "gemm_n4096_k4096":
        made = gemms()
    else:
        made = norms(definition.startswith("fused"))
    return [python_solution(definition, *solution) for solution in made]
