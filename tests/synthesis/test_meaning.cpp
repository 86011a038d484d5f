#include "synthesis/meaning.h"
#include "synthesis/support.h"

using namespace fib;
using namespace fib::testing;
using synthesis::Meaning;

namespace {

std::optional<Meaning> meaning_for(const std::string& name, const std::string& dtype = "int32",
                                   const std::string& description = "",
                                   const std::string& shape = R"(["n"])") {
  const auto definition = definition_of(
      R"({"n": {"type": "var"}})", R"({")" + name + R"(": {"shape": )" + shape + R"(, "dtype": ")" + dtype +
                                       R"(", "description": ")" + description + R"("}})");
  return synthesis::meaning_of(definition, definition.inputs[0]);
}

}  // namespace

TEST_CASE("rules by name") {
  CHECK(meaning_for("kv_indptr") == Meaning::offsets);
  CHECK(meaning_for("cu_seqlens_q") == Meaning::offsets);
  CHECK(meaning_for("kv_indices") == Meaning::page_indices);
  CHECK(meaning_for("kv_last_page_len") == Meaning::last_page_lengths);
  CHECK(meaning_for("block_tables") == Meaning::block_table);
  CHECK(meaning_for("sparse_indices") == Meaning::sparse_indices);
  CHECK(meaning_for("seq_lens") == Meaning::lengths);
  CHECK(meaning_for("positions", "int64") == Meaning::positions);
  CHECK(meaning_for("initial_state_indices") == Meaning::state_indices);
  CHECK(meaning_for("slot_mapping", "int64") == Meaning::state_indices);
  CHECK(meaning_for("topk_ids") == Meaning::expert_indices);
  CHECK(meaning_for("topk_ids", "int32", "Packed topk_ids") == Meaning::packed_experts);
  CHECK(meaning_for("top_k") == Meaning::top_k);
  CHECK(meaning_for("input_ids", "int64") == Meaning::tokens);
  CHECK(meaning_for("custom_mask", "bool") == Meaning::mask);
  CHECK(meaning_for("gemm1_weights", "int8") == Meaning::bytes);
  CHECK(meaning_for("k_index_cache_fp8", "int8", "with embedded scale factors") == Meaning::bytes);
  CHECK(meaning_for("local_expert_offset", "int32", "", "null") == Meaning::expert_offset);
}

TEST_CASE("rules by description, and none where nothing is known") {
  CHECK(meaning_for("ids", "int32", "Page IDs of the cache") == Meaning::page_indices);
  CHECK(meaning_for("lens", "int32", "Sequence lengths") == Meaning::lengths);
  CHECK(meaning_for("magic") == std::nullopt);
  CHECK(meaning_for("count", "int32", "", "null") == std::nullopt);
  CHECK(meaning_for("kv_indptr", "float32") == std::nullopt);
}

TEST_CASE("a constraint says more than a name") {
  const auto definition = definition_of(
      R"({"n": {"type": "var"}, "all": {"type": "var"}})",
      R"({"magic": {"shape": ["n"], "dtype": "int32"}, "other": {"shape": ["n"], "dtype": "int32"}})",
      R"json(["2 * all + 1 == magic[-1].item()", "all == other[0].item()"])json");
  CHECK(synthesis::meaning_of(definition, definition.inputs[0]) == Meaning::offsets);
  CHECK(synthesis::last_element(definition, "magic", {{"n", 3}, {"all", 10}}) == 21);
  CHECK(synthesis::last_element(definition, "magic", {{"n", 3}}) == std::nullopt);
  CHECK(synthesis::meaning_of(definition, definition.inputs[1]) == std::nullopt);
}

TEST_CASE("what the format's random rule serves is not structural") {
  CHECK_FALSE(synthesis::is_structural(Meaning::bytes));
  CHECK_FALSE(synthesis::is_structural(Meaning::mask));
  CHECK(synthesis::is_structural(Meaning::offsets));
}
