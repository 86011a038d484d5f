#include <catch2/catch.hpp>
#include <cmath>

#include "dataset/load.h"
#include "model/shared_data.h"
#include "roofline/bound.h"
#include "roofline/shapes.h"
#include "util/error.h"

using namespace fib;
using Catch::Matchers::Contains;
using roofline::Arithmetic;
using roofline::Binds;
using roofline::Peak;
using roofline::Work;
using roofline::work_of;
using testing::at;
using testing::optional_tensor;
using testing::scalar;
using testing::shapes;
using testing::tensor;

namespace {

const char* const kAll = "all inputs and outputs once";

model::Definition gemm(const std::string& dtype) {
  return shapes("gemm", "gemm", {{"M", -1}, {"N", 128}, {"K", 2048}},
                {tensor("A", dtype, {"M", "K"}), tensor("B", dtype, {"N", "K"})},
                {tensor("C", dtype, {"M", "N"})});
}

model::Definition gqa_decode(int page_size) {
  return shapes("gqa_paged_decode", "gqa_paged",
                {{"batch_size", -1},
                 {"num_qo_heads", 32},
                 {"num_kv_heads", 4},
                 {"head_dim", 128},
                 {"num_pages", -1},
                 {"page_size", page_size},
                 {"len_indptr", -1},
                 {"num_kv_indices", -1}},
                {tensor("q", "bfloat16", {"batch_size", "num_qo_heads", "head_dim"}),
                 tensor("k_cache", "bfloat16", {"num_pages", "page_size", "num_kv_heads", "head_dim"}),
                 tensor("v_cache", "bfloat16", {"num_pages", "page_size", "num_kv_heads", "head_dim"}),
                 tensor("kv_indptr", "int32", {"len_indptr"}),
                 tensor("kv_indices", "int32", {"num_kv_indices"}), scalar("sm_scale")},
                {tensor("output", "bfloat16", {"batch_size", "num_qo_heads", "head_dim"}),
                 tensor("lse", "float32", {"batch_size", "num_qo_heads"})});
}

model::Definition gqa_ragged() {
  return shapes(
      "gqa_ragged_prefill_causal", "gqa_ragged",
      {{"h", 32}, {"kv", 4}, {"d", 128}, {"len_indptr", -1}, {"total_q", -1}, {"total_kv", -1}},
      {tensor("q", "bfloat16", {"total_q", "h", "d"}), tensor("k", "bfloat16", {"total_kv", "kv", "d"}),
       tensor("v", "bfloat16", {"total_kv", "kv", "d"}), tensor("qo_indptr", "int32", {"len_indptr"}),
       tensor("kv_indptr", "int32", {"len_indptr"})},
      {tensor("output", "bfloat16", {"total_q", "h", "d"}), tensor("lse", "float32", {"total_q", "h"})});
}

// 8 experts of 4 x 16 and 16 x 2 elements.
model::Definition experts(int all) {
  return shapes("moe", "moe",
                {{"T", -1},
                 {"num_experts", all},
                 {"num_local_experts", 8},
                 {"H", 16},
                 {"I", 2},
                 {"I2", 4},
                 {"top_k", 2}},
                {tensor("routing_logits", "float32", {"T", "num_experts"}),
                 tensor("hidden_states", "float8_e4m3fn", {"T", "H"}),
                 tensor("gemm1_weights", "float8_e4m3fn", {"num_local_experts", "I2", "H"}),
                 tensor("gemm2_weights", "float8_e4m3fn", {"num_local_experts", "H", "I"})},
                {tensor("output", "bfloat16", {"T", "H"})});
}

model::Definition state_pool() {
  return shapes(
      "mamba", "mamba_ssu", {{"batch_size", -1}, {"state_cache_size", -1}, {"nheads", 2}, {"d", 4}},
      {tensor("state", "bfloat16", {"state_cache_size", "nheads", "d"}),
       tensor("x", "bfloat16", {"batch_size", "nheads", "d"}), tensor("A", "float32", {"nheads", "d"}),
       tensor("state_batch_indices", "int32", {"batch_size"})},
      {tensor("output", "bfloat16", {"batch_size", "nheads", "d"}),
       tensor("new_state", "bfloat16", {"state_cache_size", "nheads", "d"})});
}

}  // namespace

TEST_CASE("a gemm moves its three matrices and multiplies 2 M N K") {
  const Work work = work_of(gemm("float16"), at({{"M", 64}}));
  CHECK(work.bytes == 802816);  // 2 * (64 * 2048 + 128 * 2048 + 64 * 128)
  CHECK(work.flops == 33554432);
  CHECK(work.arithmetic == Arithmetic::fp16);
  CHECK(work.bytes_rule == kAll);
  CHECK(work.flops_rule == "2 * M * N * K");
  CHECK(work_of(gemm("float32"), at({{"M", 64}})).bytes == 2 * 802816);
  CHECK(work_of(gemm("float4_e2m1"), at({{"M", 64}})).bytes == 802816 / 4);
  CHECK(work_of(gemm("float8_e4m3fn"), at({{"M", 64}})).arithmetic == Arithmetic::fp8);
  CHECK_THROWS_AS(work_of(gemm("float16"), at({})), Error);
  CHECK_THROWS_AS(work_of(gemm("float16"), at({{"M", 1}, {"Q", 1}})), Error);
}

TEST_CASE("scales and biases of a gemm do not hide its product; two products in one do") {
  auto scaled = gemm("float8_e4m3fn");
  scaled.inputs.push_back(tensor("scale", "float32", {"N"}));
  CHECK(work_of(scaled, at({{"M", 64}})).flops == 33554432);
  scaled.inputs.push_back(tensor("B2", "float8_e4m3fn", {"N", "K"}));
  CHECK_FALSE(work_of(scaled, at({{"M", 64}})).flops);
  auto norm = gemm("float16");
  norm.op_type = "norm";
  CHECK(work_of(norm, at({{"M", 64}})).flops == 33554432);  // two operands are a contraction under any name
  norm.inputs.push_back(tensor("bias", "float16", {"N"}));
  CHECK_FALSE(work_of(norm, at({{"M", 64}})).flops);
}

TEST_CASE("operands of different types count as the narrower one") {
  auto mixed = gemm("bfloat16");
  mixed.inputs[1].dtype = "float8_e4m3fn";
  CHECK(work_of(mixed, at({{"M", 64}})).arithmetic == Arithmetic::fp8);
  mixed.inputs[1].dtype = "float32";
  CHECK(work_of(mixed, at({{"M", 64}})).arithmetic == Arithmetic::fp16);
}

TEST_CASE("norms, sampling and rotations are bound by bytes alone") {
  const auto norm = shapes(
      "rmsnorm", "rmsnorm", {{"b", -1}, {"h", 4096}},
      {tensor("hidden_states", "bfloat16", {"b", "h"}), tensor("weight", "bfloat16", {"h"}), scalar("eps")},
      {tensor("output", "bfloat16", {"b", "h"})});
  const Work work = work_of(norm, at({{"b", 8}}));
  CHECK(work.bytes == 139264);  // 2 * (8 * 4096 * 2 + 4096)
  CHECK_FALSE(work.flops);
  const auto sampling =
      shapes("top_k_sampling_from_probs", "sampling", {{"batch_size", -1}, {"vocab", 1000}},
             {tensor("probs", "float32", {"batch_size", "vocab"}), tensor("top_k", "int32", {"batch_size"})},
             {tensor("samples", "int64", {"batch_size"})});
  CHECK(work_of(sampling, at({{"batch_size", 4}})).bytes == 16048);  // 4 * (1000 * 4 + 4 + 8)
  CHECK(work_of(sampling, at({{"batch_size", 4}})).bytes_rule == kAll);
}

TEST_CASE("positions look up at least one row of a table of angles, whatever its length") {
  const auto rope = shapes(
      "rope", "rope", {{"num_tokens", -1}, {"heads", -1}, {"d", 128}, {"rd", 64}, {"max", -1}},
      {tensor("q", "bfloat16", {"num_tokens", "heads", "d"}),
       tensor("cos_sin_cache", "float32", {"max", "rd"}), tensor("positions", "int64", {"num_tokens"})},
      {tensor("q_out", "bfloat16", {"num_tokens", "heads", "d"})});
  const Work work = work_of(rope, at({{"num_tokens", 3}, {"heads", 2}, {"max", 4096}}));
  CHECK(work.bytes == 2 * 3 * 2 * 128 * 2 + 64 * 4 + 3 * 8);
  CHECK_THAT(work.bytes_rule, Contains("of cos_sin_cache: one row"));
}

TEST_CASE("decoding over pages reads the pages that are named, and looks once at every key") {
  const auto workload =
      at({{"batch_size", 2}, {"num_pages", 100}, {"len_indptr", 3}, {"num_kv_indices", 30}});
  const Work work = work_of(gqa_decode(1), workload);
  CHECK(work.bytes == 94596);  // q, output 16384; k, v 30 * 4 * 128 * 2; indptr 12; indices 120; lse 256
  CHECK(work.flops == 4.0 * 32 * 128 * 30);
  CHECK(work.arithmetic == Arithmetic::fp16);
  CHECK_THAT(work.bytes_rule, Contains("of k_cache, v_cache: the tokens of the pages that kv_indices names"));
  const auto small = at({{"batch_size", 2}, {"num_pages", 10}, {"len_indptr", 3}, {"num_kv_indices", 30}});
  CHECK(work_of(gqa_decode(1), small).bytes == 94596 - 2 * 20 * 4 * 128 * 2);  // a pool counts at most once
}

TEST_CASE("the last page of a sequence may hold one token only") {
  const auto workload = at({{"batch_size", 2}, {"num_pages", 100}, {"len_indptr", 3}, {"num_kv_indices", 5}});
  const Work work = work_of(gqa_decode(64), workload);
  const double tokens = 3 * 64 + 2;
  CHECK(work.flops == 4 * 32 * 128 * tokens);
  CHECK(work.bytes == Approx(2 * 16384 + 256 + 12 + 20 + 2 * tokens * 4 * 128 * 2).epsilon(1e-12));
}

TEST_CASE("the latent attention multiplies latent and rotary parts for logits, latent ones for outputs") {
  const auto mla = shapes("mla_paged_decode", "mla_paged",
                          {{"batch_size", -1},
                           {"h", 16},
                           {"ckv", 512},
                           {"kpe", 64},
                           {"page_size", 1},
                           {"num_pages", -1},
                           {"len_indptr", -1},
                           {"num_kv_indices", -1}},
                          {tensor("q_nope", "bfloat16", {"batch_size", "h", "ckv"}),
                           tensor("q_pe", "bfloat16", {"batch_size", "h", "kpe"}),
                           tensor("ckv_cache", "bfloat16", {"num_pages", "page_size", "ckv"}),
                           tensor("kpe_cache", "bfloat16", {"num_pages", "page_size", "kpe"}),
                           tensor("kv_indptr", "int32", {"len_indptr"}),
                           tensor("kv_indices", "int32", {"num_kv_indices"}), scalar("sm_scale")},
                          {tensor("output", "bfloat16", {"batch_size", "h", "ckv"}),
                           tensor("lse", "float32", {"batch_size", "h"})});
  const Work work =
      work_of(mla, at({{"batch_size", 1}, {"num_pages", 1000}, {"len_indptr", 2}, {"num_kv_indices", 10}}));
  CHECK(work.bytes == 46448);
  CHECK(work.flops == 2.0 * 16 * (576 + 512) * 10);
}

TEST_CASE("one causal sequence tells its pairs by its shapes, several do not") {
  const auto one = at({{"len_indptr", 2}, {"total_q", 3}, {"total_kv", 5}});
  CHECK(work_of(gqa_ragged(), one).flops == 4.0 * 32 * 128 * 12);  // 3 + 4 + 5 keys
  CHECK(work_of(gqa_ragged(), one).bytes == 59792);
  const Work several = work_of(gqa_ragged(), at({{"len_indptr", 3}, {"total_q", 3}, {"total_kv", 5}}));
  CHECK_FALSE(several.flops);
  CHECK_THAT(several.flops_rule, Contains("index tensors"));
  const Work blind = work_of(gqa_ragged(), at({{"len_indptr", 2}, {"total_q", 10}, {"total_kv", 2}}));
  CHECK(blind.flops == 4.0 * 32 * 128 * 3);  // the last two queries see 1 and 2 keys
  CHECK_THAT(blind.bytes_rule, Contains("of q: as many rows as there are keys"));
  CHECK(blind.bytes == 2 * 32 * 128 * 2 + 10 * 32 * 128 * 2 + 2 * 2 * 4 * 128 * 2 + 16 + 10 * 32 * 4);
}

TEST_CASE("experts count as far as a token is certain to choose them") {
  const Work local = work_of(experts(8), at({{"T", 3}}));
  // Logits 96, hidden 48, two of eight experts of 64 + 32 bytes, output 96.
  CHECK(local.bytes == 96 + 48 + 2 * 96 + 96);
  CHECK(local.flops == 3.0 * 2 * 2 * (4 * 16 + 16 * 2));
  CHECK(local.arithmetic == Arithmetic::fp8);
  const Work sharded = work_of(experts(256), at({{"T", 3}}));
  CHECK(sharded.bytes == 3 * 256 * 4 + 48 + 96);
  CHECK_FALSE(sharded.flops);
  CHECK_THAT(sharded.flops_rule, Contains("routing"));
  CHECK(work_of(experts(8), at({{"T", 0}})).bytes == 0);
}

TEST_CASE("of pools of states the named rows count, read and written; parameters count whole") {
  const Work work = work_of(state_pool(), at({{"batch_size", 3}, {"state_cache_size", 50}}));
  CHECK(work.bytes == Approx(4 * 3 * 2 * 4 * 2 + 2 * 4 * 4 + 3 * 4).epsilon(1e-12));
  CHECK_THAT(work.bytes_rule, Contains("of state, new_state: the rows that state_batch_indices names"));
}

TEST_CASE("of sparse attention one line of indices counts, of padded tables nothing") {
  const auto sparse = shapes(
      "dsa", "dsa_paged", {{"num_tokens", -1}, {"d", 8}, {"page_size", 64}, {"topk", 16}, {"num_pages", -1}},
      {tensor("q", "bfloat16", {"num_tokens", "d"}),
       tensor("ckv_cache", "bfloat16", {"num_pages", "page_size", "d"}),
       tensor("sparse_indices", "int32", {"num_tokens", "topk"})},
      {tensor("output", "bfloat16", {"num_tokens", "d"})});
  const Work work = work_of(sparse, at({{"num_tokens", 4}, {"num_pages", 2}}));
  CHECK(work.bytes == 2 * 4 * 8 * 2 + 16 * 8 * 2 + 4 * 16 * 4);
  const auto padded =
      shapes("indexer", "dsa_paged", {{"batch_size", -1}, {"d", 8}, {"most", -1}, {"num_pages", -1}},
             {tensor("k_cache", "int8", {"num_pages", "d"}), tensor("seq_lens", "int32", {"batch_size"}),
              tensor("block_table", "int32", {"batch_size", "most"})},
             {tensor("out", "int32", {"batch_size", "d"})});
  CHECK(work_of(padded, at({{"batch_size", 2}, {"most", 100}, {"num_pages", 9}})).bytes == 2 * 4 + 2 * 8 * 4);
}

TEST_CASE("optional inputs and unknown element types count nothing") {
  const auto odd = shapes(
      "odd", "x", {{"n", 8}},
      {tensor("a", "bool", {"n"}), optional_tensor("b", "float32", {"n"}), tensor("c", "complex64", {"n"})},
      {tensor("d", "float32", {"n"})});
  CHECK(work_of(odd, at({})).bytes == 8 + 32);
  CHECK_THAT(work_of(odd, at({})).bytes_rule, Contains("of b: nothing, since it is optional"));
}

TEST_CASE("the bound is the slower of memory and arithmetic") {
  const Peak h200 = roofline::peak_of("NVIDIA H200").value();
  const auto small = bound_of(work_of(gemm("float16"), at({{"M", 64}})), h200);
  REQUIRE(small);
  CHECK(small->binds == Binds::memory);
  CHECK(small->ms == Approx(802816 / 4.8e12 * 1e3));
  const auto large = bound_of(Work{1e6, "", 1e12, Arithmetic::fp16, ""}, h200);
  CHECK(large->binds == Binds::compute);
  CHECK(large->ms == Approx(1e12 / 989.4e12 * 1e3));
  CHECK(bound_of(Work{1e6, "", 1e12, Arithmetic::fp16, ""}, Peak{1e9})->ms == Approx(1));
  CHECK_FALSE(bound_of(Work{1e6, "", std::nullopt, Arithmetic::fp32, ""}, Peak{}));
}

TEST_CASE("peaks are known by the words of a name") {
  using roofline::peak_of;
  CHECK(peak_of("NVIDIA H100 80GB HBM3")->bytes_per_s == 3352e9);
  CHECK(peak_of("NVIDIA H100 PCIe")->bytes_per_s == 2039e9);
  CHECK(peak_of("NVIDIA A100-SXM4-40GB")->bytes_per_s == 1555e9);
  CHECK(peak_of("NVIDIA A100 80GB PCIe")->bytes_per_s == 1935e9);
  CHECK(peak_of("NVIDIA A800-SXM4-80GB")->bytes_per_s == 2039e9);
  CHECK(peak_of("NVIDIA A10")->bytes_per_s == 600e9);
  CHECK(peak_of("NVIDIA L4")->bytes_per_s == 300e9);
  CHECK(peak_of("NVIDIA L40S")->bytes_per_s == 864e9);
  CHECK(peak_of("NVIDIA GeForce RTX 4090")->bytes_per_s == 1008e9);
  CHECK(peak_of("Tesla V100-SXM2-16GB")->fp16 == 125e12);
  CHECK(peak_of("NVIDIA B200")->fp4 == 9000e12);
  for (const char* name :
       {"", "AMD EPYC 9555 64-Core Processor", "NVIDIA A10G", "NVIDIA GB200", "H100", "L4"})
    CHECK_FALSE(peak_of(name));
}

TEST_CASE("what a device has no unit for is widened; float32 may go through tf32") {
  const Peak a100 = roofline::peak_of("NVIDIA A100-SXM4-80GB").value();
  CHECK(a100.flops_per_s(Arithmetic::fp8) == 312e12);
  CHECK(a100.flops_per_s(Arithmetic::int8) == 624e12);
  CHECK(a100.flops_per_s(Arithmetic::fp32) == 156e12);
  CHECK(roofline::peak_of("NVIDIA H200")->flops_per_s(Arithmetic::fp4) == 1978.9e12);
  CHECK(roofline::peak_of("NVIDIA L4")->flops_per_s(Arithmetic::fp64) == 0);
}

TEST_CASE("the SOL score is 0.5 at the baseline and 1 at the bound and below") {
  using roofline::sol_score;
  CHECK(sol_score(5, 5, 1) == 0.5);
  CHECK(sol_score(1, 5, 1) == 1.0);
  CHECK(sol_score(0.1, 5, 1) == 1.0);
  CHECK(sol_score(3, 5, 1) == Approx(1 / 1.5));
  CHECK(sol_score(9, 5, 1) == Approx(1 / 3.0));
  CHECK_FALSE(sol_score(3, 1, 1));
  CHECK_FALSE(sol_score(3, 0.5, 1));
  CHECK_FALSE(sol_score(0, 5, 1));
  CHECK_FALSE(sol_score(INFINITY, 5, 1));
  CHECK_FALSE(sol_score(3, INFINITY, 1));
  CHECK_FALSE(sol_score(3, 5, 0));
}

TEST_CASE("every workload of the real dataset has a bound, and never more bytes than its tensors hold") {
  const auto root = testing::shared_data("flashinfer_trace");
  if (!root) return;
  const auto loaded = dataset::load(*root);
  const Peak peak = roofline::peak_of("NVIDIA H200").value();
  std::size_t workloads = 0;
  std::size_t with_flops = 0;
  for (const auto& [name, list] : loaded.workloads) {
    for (const model::Workload& workload : list) {
      INFO(name << " " << workload.uuid);
      const Work work = work_of(loaded.definitions.at(name), workload);
      CHECK(work.bytes > 0);
      CHECK(std::isfinite(work.bytes));
      CHECK(bound_of(work, peak).has_value());
      if (work.flops) CHECK(*work.flops > 0);
      with_flops += work.flops ? 1 : 0;
      ++workloads;
    }
  }
  CHECK(workloads > 0);
  CHECK(with_flops > 0);
}

TEST_CASE("every real definition has bytes when all its axes are 7") {
  const auto root = testing::shared_data("flashinfer_trace");
  if (!root) return;
  for (const auto& [name, definition] : dataset::load(*root).definitions) {
    INFO(name);
    model::Workload workload;
    for (const std::string& axis : model::var_axes(definition))
      workload.axes.emplace_back(axis, model::Integer(7));
    const Work work = work_of(definition, workload);
    CHECK(work.bytes > 0);
    double whole = 0;
    const auto values = model::axis_values(definition, workload.axes);
    for (const auto* tensors : {&definition.inputs, &definition.outputs}) {
      for (const auto& tensor : *tensors) {
        const auto shape = model::shape_of(tensor, values);
        if (!shape) continue;
        double bytes = 8;
        for (const auto size : *shape) bytes *= static_cast<double>(size);
        whole += bytes;
      }
    }
    CHECK(work.bytes < whole);
  }
}
