#include <chrono>
#include <cstdio>

#include "gpu/gpu.h"
#include "ops/elementwise.h"
#include "ops/matmul.h"
#include "ops/reduce.h"
#include "reference/engine.h"
#include "reference/gpu_cases.h"
#include "tensor/fill.h"

// Not a test (scripts/bench-reference-gpu runs it): how long the reference engine takes for large workloads
// on the GPU.
namespace {

using namespace fib;        // NOLINT
using namespace fib::test;  // NOLINT: all of it is used
using ops::Runtime;
using ops::Tensor;

double seconds_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

HostTensor random_input(DType dtype, const Shape& shape, std::uint64_t key) {
  HostTensor tensor{dtype, shape, {}};
  const auto count = static_cast<std::size_t>(*tensor::element_count(shape));
  tensor.bytes.resize(tensor::bytes_of(dtype, count));
  tensor::fill_random(dtype, key, tensor.bytes.data(), count, 16);
  return tensor;
}

HostTensor integers(const std::vector<double>& values) {
  return make(DType::kInt32, {static_cast<std::int64_t>(values.size())}, values);
}

// One reference, three sets; `flops` of its matrix products.
void time_reference(const char* name, const std::string& source, std::vector<HostTensor>& inputs,
                    double flops, const std::vector<reference::Argument>& more = {}) {
  reference::EngineOptions options;
  options.threads = 16;
  options.gpu = ops::open_gpu(testing::gpu()->info.uuid, 16);
  reference::Engine engine(source, options);
  std::vector<reference::Argument> arguments;
  for (auto& input : inputs) arguments.emplace_back(input.argument());
  arguments.insert(arguments.end(), more.begin(), more.end());
  std::printf("%-44s", name);
  for (int i = 0; i < 3; ++i) {
    const double seconds = seconds_of([&] { (void)engine.run(arguments); });
    std::printf(" %7.3f s", seconds);
    if (i == 2) std::printf("   %7.1f TFLOP/s with transfers\n", flops / seconds / 1e12);
    std::fflush(stdout);
  }
}

const char* const kAttention = R"(
import torch
import math
def run(q, k_cache, v_cache, qo_indptr, kv_indptr, kv_indices, sm_scale):
    heads, kv_heads = q.shape[1], k_cache.shape[2]
    output = torch.zeros(q.shape, dtype=torch.bfloat16)
    lse = torch.full(q.shape[:2], -float("inf"), dtype=torch.float32)
    q_f32 = q.to(torch.float32)
    k_flat = k_cache.squeeze(1).to(torch.float32)
    v_flat = v_cache.squeeze(1).to(torch.float32)
    for b in range(qo_indptr.shape[0] - 1):
        qs, qe = int(qo_indptr[b].item()), int(qo_indptr[b + 1].item())
        ids = kv_indices[int(kv_indptr[b].item()):int(kv_indptr[b + 1].item())].to(torch.long)
        k, v = k_flat[ids], v_flat[ids]
        delta = k.shape[0] - (qe - qs)
        k_exp = k.permute(1, 0, 2).repeat_interleave(heads // kv_heads, dim=0)
        v_exp = v.permute(1, 0, 2).repeat_interleave(heads // kv_heads, dim=0)
        kv_pos = torch.arange(k.shape[0])
        for start in range(0, qe - qs, 512):
            end = min(start + 512, qe - qs)
            logits = torch.einsum("qhd,hkd->hqk", q_f32[qs + start:qs + end], k_exp) * sm_scale
            mask = kv_pos.unsqueeze(0) > torch.arange(start, end).unsqueeze(1) + delta
            logits.masked_fill_(mask.unsqueeze(0), float("-inf"))
            lse[qs + start:qs + end] = (torch.logsumexp(logits, dim=-1) / math.log(2.0)).permute(1, 0)
            attn = torch.softmax(logits, dim=-1)
            output[qs + start:qs + end] = torch.einsum("hqk,hkd->qhd", attn, v_exp).to(torch.bfloat16)
    return output, lse
)";

const char* const kLatent = R"(
import torch
import math
def run(q_nope, q_pe, ckv_cache, kpe_cache, kv_indices, sm_scale):
    output = torch.zeros(q_nope.shape, dtype=torch.bfloat16)
    lse = torch.full(q_nope.shape[:2], -float("inf"), dtype=torch.float32)
    Kc = ckv_cache.squeeze(1).to(torch.float32)[kv_indices.to(torch.long)]
    Kp = kpe_cache.squeeze(1).to(torch.float32)[kv_indices.to(torch.long)]
    qn_all = q_nope.to(torch.float32)
    qp_all = q_pe.to(torch.float32)
    for i in range(q_nope.shape[0]):
        logits = ((qn_all[i] @ Kc.T) + (qp_all[i] @ Kp.T)) * sm_scale
        mask = torch.arange(Kc.shape[0]) > i
        logits.masked_fill_(mask.unsqueeze(0), -float("inf"))
        lse[i] = torch.logsumexp(logits, dim=-1) / math.log(2.0)
        attn = torch.softmax(logits, dim=-1)
        output[i] = (attn @ Kc).to(torch.bfloat16)
    return output, lse
)";

const char* const kExperts = R"(
import torch
def run(logits, x8, x_scale, w13, s13, w2, s2):
    T, H = x8.shape
    I = w2.shape[2]
    x = (x8.to(torch.float32).view(T, H // 128, 128) * x_scale.permute(1, 0).contiguous().unsqueeze(-1)).view(T, H)
    s = torch.sigmoid(logits)
    _, top = torch.topk(s, k=8, dim=-1)
    M = torch.zeros_like(s)
    M.scatter_(1, top, 1.0)
    weights = s * M
    weights = weights / weights.sum(dim=-1, keepdim=True) * 2.5
    output = torch.zeros(T, H, dtype=torch.float32)
    for e in range(w13.shape[0]):
        mask = (top == e).any(dim=1)
        if not mask.any():
            continue
        rows = torch.nonzero(mask, as_tuple=False).squeeze(1)
        W13 = (w13[e].to(torch.float32).view(2 * I // 128, 128, H // 128, 128) * s13[e].unsqueeze(1).unsqueeze(3)).view(2 * I, H)
        g = x.index_select(0, rows) @ W13.t()
        c = torch.nn.functional.silu(g[:, I:]) * g[:, :I]
        W2 = (w2[e].to(torch.float32).view(H // 128, 128, I // 128, 128) * s2[e].unsqueeze(1).unsqueeze(3)).view(H, I)
        output.index_add_(0, rows, (c @ W2.t()) * weights[rows, e].unsqueeze(1))
    return output.to(torch.bfloat16)
)";

}  // namespace

TEST_CASE("time of large references on the GPU", "[.bench-reference]") {
  if (testing::gpu() == nullptr) return;
  const auto bf16 = DType::kBFloat16;
  {
    std::vector<HostTensor> inputs = {random_input(bf16, {8192, 4096}, 1),
                                      random_input(bf16, {28672, 4096}, 2)};
    time_reference("gemm_n28672_k4096, M = 8192",
                   "import torch\ndef run(A, B):\n    return torch.matmul(A, B.T)\n", inputs,
                   2.0 * 8192 * 28672 * 4096);
  }
  {
    std::vector<double> ids(16384);
    for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<double>(i * 7919 % 200000);
    std::vector<HostTensor> inputs = {random_input(bf16, {16384, 32, 128}, 1),
                                      random_input(bf16, {200000, 1, 4, 128}, 2),
                                      random_input(bf16, {200000, 1, 4, 128}, 3),
                                      integers({0, 8192, 16384}),
                                      integers({0, 8192, 16384}),
                                      integers(ids)};
    time_reference("gqa prefill, 2 x 8192 tokens, 32 heads", kAttention, inputs,
                   2.0 * 4 * 8192 * 8192 * 32 * 128, {0.088});
  }
  {
    std::vector<double> ids(8192);
    for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<double>(i * 7919 % 100000);
    std::vector<HostTensor> inputs = {
        random_input(bf16, {2048, 16, 512}, 1), random_input(bf16, {2048, 16, 64}, 2),
        random_input(bf16, {100000, 1, 512}, 3), random_input(bf16, {100000, 1, 64}, 4), integers(ids)};
    time_reference("mla prefill, 2048 tokens one by one, 8192 kv", kLatent, inputs,
                   2048.0 * 2 * 16 * 8192 * (512 + 64 + 512), {0.07});
  }
  {
    const std::int64_t tokens = 14107;
    std::vector<HostTensor> inputs = {random_input(DType::kFloat32, {tokens, 32}, 1),
                                      random_input(DType::kFloat8E4M3FN, {tokens, 7168}, 2),
                                      random_input(DType::kFloat32, {56, tokens}, 3),
                                      random_input(DType::kFloat8E4M3FN, {32, 4096, 7168}, 4),
                                      random_input(DType::kFloat32, {32, 32, 56}, 5),
                                      random_input(DType::kFloat8E4M3FN, {32, 7168, 2048}, 6),
                                      random_input(DType::kFloat32, {32, 56, 16}, 7)};
    time_reference("moe fp8, 14107 tokens, 8 of 32 experts", kExperts, inputs,
                   8.0 * 14107 * 2 * (4096.0 * 7168 + 7168 * 2048));
  }
}

TEST_CASE("speed of single operations of references on the GPU", "[.bench-reference]") {
  const auto* device = testing::gpu();
  if (device == nullptr) return;
  const Runtime runtime = runtime_with(ops::open_gpu(device->info.uuid, 16), 0);
  const auto wait = [&](const Tensor& t) {
    return ops::item_as_double(
        ops::to_dtype(runtime, ops::select(ops::try_view(t, {-1}).value(), 0, 0), DType::kFloat32));
  };
  const auto line = [&](const std::string& name, double amount, const char* unit,
                        const std::function<Tensor()>& work) {
    double best = 1e9;
    for (int i = 0; i < 4; ++i) {
      const double seconds = seconds_of([&] {
        for (int j = 0; j < 4; ++j) {
          const Tensor result = work();
          if (j == 3) (void)wait(result);
        }
      });
      best = std::min(best, seconds / 4);
    }
    std::printf("%-44s %9.3f ms %9.1f %s\n", name.c_str(), best * 1e3,
                amount / best / (unit[0] == 'T' ? 1e12 : 1e9), unit);
    std::fflush(stdout);
  };
  const auto random = [&](DType dtype, const Shape& shape) {
    const Tensor small = ops::converted(runtime, ops::scalar_tensor(runtime, DType::kFloat64, 0.5), dtype);
    return ops::converted(runtime, ops::expand(small, shape), dtype);
  };
  const auto product = [&](const char* name, DType dtype, std::int64_t m, std::int64_t n, std::int64_t k,
                           bool by_k) {
    const Tensor a = random(dtype, {m, k});
    const Tensor b = by_k ? ops::transpose(random(dtype, {n, k}), 0, 1) : random(dtype, {k, n});
    line(name, 2.0 * static_cast<double>(m * n) * static_cast<double>(k), "TFLOP/s",
         [&] { return ops::matmul(runtime, a, b); });
  };
  product("bfloat16 8192 x 28672 x 4096, a @ b.T", DType::kBFloat16, 8192, 28672, 4096, true);
  product("bfloat16 8192 x 8192 x 8192, a @ b", DType::kBFloat16, 8192, 8192, 8192, false);
  product("float16 64 x 8192 x 8192, a @ b.T", DType::kFloat16, 64, 8192, 8192, true);
  product("float32 8192 x 8192 x 8192, a @ b", DType::kFloat32, 8192, 8192, 8192, false);
  product("float32 8192 x 8192 x 8192, a @ b.T", DType::kFloat32, 8192, 8192, 8192, true);
  product("float32 16 x 8192 x 512, a @ b.T", DType::kFloat32, 16, 8192, 512, true);
  product("float32 16 x 512 x 8192, a @ b", DType::kFloat32, 16, 512, 8192, false);
  product("float64 4096 x 4096 x 4096, a @ b", DType::kFloat64, 4096, 4096, 4096, false);
  const Tensor x = random(DType::kFloat32, {16384, 16384});
  const Tensor h = random(DType::kBFloat16, {16384, 16384});
  const double gigabyte = 16384.0 * 16384 * 4;
  line("float32 x * 2", 2 * gigabyte, "GB/s", [&] {
    return ops::binary(runtime, ops::binary_op("mul"), {x, false}, {x, false});
  });
  line("float32 exp(x)", 2 * gigabyte, "GB/s", [&] { return ops::unary(runtime, ops::unary_op("exp"), x); });
  line("bfloat16 to float32", 1.5 * gigabyte, "GB/s",
       [&] { return ops::converted(runtime, h, DType::kFloat32); });
  line("float32 transposed copy", 2 * gigabyte, "GB/s",
       [&] { return ops::cloned(runtime, ops::transpose(x, 0, 1)); });
  line("float32 softmax of rows of 16384", 2 * gigabyte, "GB/s",
       [&] { return ops::softmax(runtime, ops::SoftmaxKind::kSoftmax, x, -1); });
  line("float32 sum over the last dimension", gigabyte, "GB/s",
       [&] { return ops::reduce(runtime, ops::Reduction::kSum, x, {1}, ops::KeepDim::kNo); });
  line("float32 sum over the first dimension", gigabyte, "GB/s",
       [&] { return ops::reduce(runtime, ops::Reduction::kSum, x, {0}, ops::KeepDim::kNo); });
  line("float32 sum of all", gigabyte, "GB/s",
       [&] { return ops::reduce(runtime, ops::Reduction::kSum, x, {}, ops::KeepDim::kNo); });

  std::vector<std::byte> host(std::size_t{512} << 20U);
  const auto block = runtime.gpu->allocate(host.size());
  for (int i = 0; i < 3; ++i) {
    const double up = seconds_of([&] {
      runtime.gpu->upload(block.address, host.data(), host.size());
      std::byte last;
      runtime.gpu->download(&last, block.address + host.size() - 1, 1);
    });
    const double down = seconds_of([&] { runtime.gpu->download(host.data(), block.address, host.size()); });
    std::printf("512 MiB to the device %28.1f ms %9.1f GB/s, back %.1f ms %.1f GB/s\n", up * 1e3,
                static_cast<double>(host.size()) / up / 1e9, down * 1e3,
                static_cast<double>(host.size()) / down / 1e9);
  }
}
