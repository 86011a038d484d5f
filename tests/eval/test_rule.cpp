#include <catch2/catch.hpp>

#include "eval/rule.h"

using namespace fib;
using eval::Rule;

namespace {

model::Definition definition(const std::string& name, const std::string& op_type,
                             const std::string& dtype = "int64") {
  return model::parse_definition(R"({"name": ")" + name + R"(", "op_type": ")" + op_type +
                                 R"(", "axes": {}, "inputs": {}, "outputs": {"y": {"shape": [], "dtype": ")" +
                                 dtype + R"("}}, "reference": "def run(): pass"})");
}

Rule rule(const std::string& name, const std::string& op_type) {
  return eval::rule_of(definition(name, op_type));
}

}  // namespace

TEST_CASE("the rule of judging follows from op_type and name") {
  CHECK(rule("gemm_n1", "gemm") == Rule::kDefault);
  CHECK(rule("anything", "sampling") == Rule::kSampling);
  CHECK(rule("top_k_sampling_from_probs", "other") == Rule::kDefault);
  CHECK(rule("my_moe_fp8_block_scale_e32", "other") == Rule::kLowBit);
  CHECK(rule("moe_bf16", "moe") == Rule::kDefault);
  CHECK(rule("dsa_sparse_attention_h16_ckv512_kpe64_topk2048_ps1", "dsa_paged") == Rule::kDsaAttention);
  CHECK(rule("dsa_sparse_attention_h16_ckv512_kpe64_topk2048_ps64", "dsa_paged") == Rule::kDsaAttention);
  CHECK(rule("dsa_sparse_attention_h32_ckv512_kpe64_topk2048_ps64", "dsa_paged") == Rule::kDefault);
  CHECK(rule("dsa_topk_indexer_fp8_x", "dsa_paged") == Rule::kDsaIndexer);
  CHECK(rule("x_dsa_topk_indexer", "dsa_paged") == Rule::kDefault);
}

TEST_CASE("op_type sampling with an output of floats is compared like any other") {
  CHECK(eval::rule_of(definition("top_k_renorm", "sampling", "float32")) == Rule::kDefault);
  CHECK(eval::rule_of(definition("sample", "sampling", "int32")) == Rule::kSampling);
}

TEST_CASE("two rules for one definition are an error that names both") {
  CHECK_THROWS_WITH(rule("moe_fp8_block_scale", "sampling"),
                    Catch::Contains("sampling and low-bit") && Catch::Contains("moe_fp8_block_scale"));
}

TEST_CASE("mixtures of experts need 0.95 of their elements, others all") {
  CHECK(eval::usual_matched_ratio(Rule::kDefault, definition("a", "gemm")) == 1);
  CHECK(eval::usual_matched_ratio(Rule::kDefault, definition("a", "moe")) == 0.95);
  CHECK(eval::usual_matched_ratio(Rule::kLowBit, definition("a", "other")) == 0.95);
}

TEST_CASE("only sparse attention may return fewer outputs") {
  CHECK(eval::least_outputs(Rule::kDsaAttention, 2) == 1);
  CHECK(eval::least_outputs(Rule::kDefault, 2) == 2);
  CHECK(eval::least_outputs(Rule::kSampling, 1) == 1);
}
