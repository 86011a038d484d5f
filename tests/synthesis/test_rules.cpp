#include "synthesis/rules.h"
#include "synthesis/support.h"

using namespace fib;
using namespace fib::testing;
using synthesis::Rule;

namespace {

std::optional<Rule> rule_for(const std::string& name, const std::string& dtype = "int32",
                             const std::string& description = "", const std::string& shape = R"(["n"])") {
  const auto definition = definition_of(
      R"({"n": {"type": "var"}})", R"({")" + name + R"(": {"shape": )" + shape + R"(, "dtype": ")" + dtype +
                                       R"(", "description": ")" + description + R"("}})");
  return synthesis::rule_of(definition, definition.inputs[0]);
}

}  // namespace

TEST_CASE("rules by name") {
  CHECK(rule_for("kv_indptr") == Rule::offsets);
  CHECK(rule_for("cu_seqlens_q") == Rule::offsets);
  CHECK(rule_for("kv_indices") == Rule::page_indices);
  CHECK(rule_for("kv_last_page_len") == Rule::last_page_lengths);
  CHECK(rule_for("block_tables") == Rule::block_table);
  CHECK(rule_for("sparse_indices") == Rule::sparse_indices);
  CHECK(rule_for("seq_lens") == Rule::lengths);
  CHECK(rule_for("positions", "int64") == Rule::positions);
  CHECK(rule_for("initial_state_indices") == Rule::state_indices);
  CHECK(rule_for("slot_mapping", "int64") == Rule::state_indices);
  CHECK(rule_for("topk_ids") == Rule::expert_indices);
  CHECK(rule_for("topk_ids", "int32", "Packed topk_ids") == Rule::packed_experts);
  CHECK(rule_for("top_k") == Rule::top_k);
  CHECK(rule_for("input_ids", "int64") == Rule::tokens);
  CHECK(rule_for("custom_mask", "bool") == Rule::mask);
  CHECK(rule_for("gemm1_weights", "int8") == Rule::bytes);
  CHECK(rule_for("k_index_cache_fp8", "int8", "with embedded scale factors") == Rule::bytes);
  CHECK(rule_for("local_expert_offset", "int32", "", "null") == Rule::expert_offset);
}

TEST_CASE("rules by description, and none where nothing is known") {
  CHECK(rule_for("ids", "int32", "Page IDs of the cache") == Rule::page_indices);
  CHECK(rule_for("lens", "int32", "Sequence lengths") == Rule::lengths);
  CHECK(rule_for("magic") == std::nullopt);
  CHECK(rule_for("count", "int32", "", "null") == std::nullopt);
  CHECK(rule_for("kv_indptr", "float32") == std::nullopt);
}

TEST_CASE("a constraint says more than a name") {
  const auto definition = definition_of(
      R"({"n": {"type": "var"}, "all": {"type": "var"}})",
      R"({"magic": {"shape": ["n"], "dtype": "int32"}, "other": {"shape": ["n"], "dtype": "int32"}})",
      R"json(["2 * all + 1 == magic[-1].item()", "all == other[0].item()"])json");
  CHECK(synthesis::rule_of(definition, definition.inputs[0]) == Rule::offsets);
  CHECK(synthesis::last_element(definition, "magic", {{"n", 3}, {"all", 10}}) == 21);
  CHECK(synthesis::last_element(definition, "magic", {{"n", 3}}) == std::nullopt);
  CHECK(synthesis::rule_of(definition, definition.inputs[1]) == std::nullopt);
}

TEST_CASE("what the format's random rule serves is not structural") {
  CHECK_FALSE(synthesis::is_structural(Rule::bytes));
  CHECK_FALSE(synthesis::is_structural(Rule::mask));
  CHECK(synthesis::is_structural(Rule::offsets));
}
