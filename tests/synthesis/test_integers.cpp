#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <set>

#include "synthesis/support.h"
#include "tensor/convert.h"

using namespace fib;
using namespace fib::testing;

namespace {

// Causal prefill over pages of `page` tokens.
model::Definition paged(int page) {
  return definition_of(
      R"({"len_indptr": {"type": "var"}, "total_q": {"type": "var"}, "num_kv_indices": {"type": "var"},
          "num_pages": {"type": "var"}, "page_size": {"type": "const", "value": )" +
          std::to_string(page) + "}}",
      R"({"kv_last_page_len": {"shape": ["len_indptr"], "dtype": "int32"},
          "kv_indptr": {"shape": ["len_indptr"], "dtype": "int32"},
          "kv_indices": {"shape": ["num_kv_indices"], "dtype": "int32"},
          "qo_indptr": {"shape": ["len_indptr"], "dtype": "int32"}})",
      R"json(["total_q == qo_indptr[-1].item()", "num_kv_indices == kv_indptr[-1].item()"])json");
}

void check_offsets(const Integers& offsets, std::int64_t end) {
  REQUIRE_FALSE(offsets.empty());
  CHECK(offsets.front() == 0);
  CHECK(offsets.back() == end);
  CHECK(std::is_sorted(offsets.begin(), offsets.end()));
}

void check_distinct(const Integers& numbers, std::int64_t below) {
  for (const auto number : numbers) CHECK((number >= 0 && number < below));
  CHECK(std::set<std::int64_t>(numbers.begin(), numbers.end()).size() == numbers.size());
}

model::Definition with_axis(const std::string& axis, std::int64_t value, const std::string& inputs) {
  return definition_of(R"({"n": {"type": "var"}, "k": {"type": "const", "value": 4}, ")" + axis +
                           R"(": {"type": "const", "value": )" + std::to_string(value) + "}}",
                       inputs);
}

model::AxisValues axes_for(const model::Definition& definition, std::int64_t n) {
  return model::axis_values(definition, {{"n", n}});
}

std::string error_of(const model::Definition& definition, const model::AxisValues& axes) {
  try {
    (void)make_all(definition, axes);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("causal prefill over pages: every sequence has at least as many keys as queries") {
  for (const int page : {1, 16}) {
    const auto definition = paged(page);
    const std::int64_t pages = page == 1 ? 400 : 60;
    const model::AxisValues axes = {{"len_indptr", 9},
                                    {"total_q", 300},
                                    {"num_kv_indices", pages},
                                    {"num_pages", 500},
                                    {"page_size", page}};
    for (const std::string seed : {"a", "b", "c"}) {
      const auto made = make_all(definition, axes, seed);
      const auto& queries = made.at("qo_indptr");
      const auto& keys = made.at("kv_indptr");
      const auto& last = made.at("kv_last_page_len");
      check_offsets(queries, 300);
      check_offsets(keys, pages);
      check_distinct(made.at("kv_indices"), 500);
      CHECK(made.at("kv_indices").size() == static_cast<std::size_t>(pages));
      REQUIRE(last.size() == 9);
      std::set<std::int64_t> lengths;
      for (std::size_t i = 0; i < 8; ++i) {
        CHECK((last[i] >= 1 && last[i] <= page));
        const std::int64_t tokens = (keys[i + 1] - keys[i] - 1) * page + last[i];
        CHECK(tokens >= queries[i + 1] - queries[i]);
        CHECK(queries[i + 1] > queries[i]);
        lengths.insert(tokens);
      }
      CHECK(lengths.size() > 3);  // uneven
    }
  }
}

TEST_CASE("where there are fewer keys than queries every sequence has some") {
  // As in the published workloads of chunked prefill.
  const auto made = make_all(
      paged(1),
      {{"len_indptr", 5}, {"total_q", 178}, {"num_kv_indices", 6}, {"num_pages", 10}, {"page_size", 1}});
  check_offsets(made.at("kv_indptr"), 6);
  for (std::size_t i = 0; i < 4; ++i) CHECK(made.at("kv_indptr")[i + 1] > made.at("kv_indptr")[i]);
}

TEST_CASE("sequences that cannot all have something are partly empty, and their last page too") {
  const auto made = make_all(
      paged(16),
      {{"len_indptr", 5}, {"total_q", 2}, {"num_kv_indices", 2}, {"num_pages", 10}, {"page_size", 16}});
  check_offsets(made.at("qo_indptr"), 2);
  const auto& keys = made.at("kv_indptr");
  check_offsets(keys, 2);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK((made.at("kv_last_page_len")[i] == 0) == (keys[i + 1] == keys[i]));
  }
}

TEST_CASE("the same seed gives the same tensors, whichever are asked for, and another gives others") {
  const auto definition = paged(16);
  const model::AxisValues axes = {
      {"len_indptr", 9}, {"total_q", 300}, {"num_kv_indices", 60}, {"num_pages", 80}, {"page_size", 16}};
  const auto all = make_all(definition, axes);
  CHECK(make_all(definition, axes) == all);
  CHECK(make_all(definition, axes, "t").at("kv_indices") != all.at("kv_indices"));
  CHECK(synthesis::make_integers(definition, axes, "s", {"kv_last_page_len"}) ==
        std::map<std::string, Integers>{{"kv_last_page_len", all.at("kv_last_page_len")}});
}

TEST_CASE("what is given decides what is made beside it") {
  const auto definition = paged(4);
  const model::AxisValues axes = {
      {"len_indptr", 3}, {"total_q", 9}, {"num_kv_indices", 5}, {"num_pages", 8}, {"page_size", 4}};
  const auto made = synthesis::make_integers(definition, axes, "s", {"kv_indptr", "kv_last_page_len"},
                                             {{"qo_indptr", {0, 8, 9}}});
  CHECK(made.size() == 2);
  const auto& keys = made.at("kv_indptr");
  CHECK(keys[1] >= 2);
  CHECK((keys[1] - 1) * 4 + made.at("kv_last_page_len")[0] >= 8);
  CHECK_THROWS_WITH(
      synthesis::make_integers(definition, axes, "s", {"kv_indptr"}, {{"qo_indptr", {0, 3, 4}}}),
      Catch::Contains("\"total_q == qo_indptr[-1].item()\" does not hold, for 9 == 4 is false"));
}

TEST_CASE("what is given has the size that the axes say") {
  CHECK_THROWS_WITH(
      synthesis::make_integers(
          paged(4),
          {{"len_indptr", 3}, {"total_q", 9}, {"num_kv_indices", 5}, {"num_pages", 8}, {"page_size", 4}}, "s",
          {"kv_indptr"}, {{"qo_indptr", {0, 9}}}),
      Catch::Contains("input \"qo_indptr\" has 2 elements"));
}

TEST_CASE("sparse indices are distinct in their row, and short rows end with -1 where the format says so") {
  const auto of = [](const std::string& description, std::int64_t pages) {
    const auto definition = definition_of(
        R"({"n": {"type": "var"}, "topk": {"type": "const", "value": 32}, "num_pages": {"type": "var"},
            "page_size": {"type": "const", "value": 4}})",
        R"({"sparse_indices": {"shape": ["n", "topk"], "dtype": "int32", "description": ")" + description +
            R"("}})");
    return make_all(definition, {{"n", 6}, {"topk", 32}, {"num_pages", pages}, {"page_size", 4}})
        .at("sparse_indices");
  };
  for (const std::int64_t pages : {100, 3}) {
    const Integers indices = of("-1 is padding", pages);
    REQUIRE(indices.size() == 6 * 32);
    std::size_t padded = 0;
    for (std::size_t row = 0; row < 6; ++row) {
      Integers used(indices.begin() + static_cast<std::ptrdiff_t>(row * 32),
                    indices.begin() + static_cast<std::ptrdiff_t>(row * 32 + 32));
      while (!used.empty() && used.back() == -1) used.pop_back();
      padded += 32 - used.size();
      CHECK_FALSE(used.empty());
      check_distinct(used, pages * 4);
    }
    CHECK(padded > 0);
  }
  const Integers whole = of("", 100);
  CHECK(std::find(whole.begin(), whole.end(), -1) == whole.end());
}

TEST_CASE("a block table's pages are nobody else's, and lengths fit it") {
  const auto definition = definition_of(
      R"({"batch_size": {"type": "var"}, "max_num_pages": {"type": "var"}, "num_pages": {"type": "var"},
          "page_size": {"type": "const", "value": 64}})",
      R"({"seq_lens": {"shape": ["batch_size"], "dtype": "int32"},
          "block_table": {"shape": ["batch_size", "max_num_pages"], "dtype": "int32"}})");
  const auto made =
      make_all(definition, {{"batch_size", 5}, {"max_num_pages", 7}, {"num_pages", 40}, {"page_size", 64}});
  check_distinct(made.at("block_table"), 40);
  for (const auto length : made.at("seq_lens")) CHECK((length >= 1 && length <= 7 * 64));
}

TEST_CASE("states are nobody else's; positions, tokens and top_k keep their range") {
  const auto one = [](const std::string& name, const std::string& axis, std::int64_t value) {
    const auto definition =
        with_axis(axis, value, R"({")" + name + R"(": {"shape": ["n"], "dtype": "int32"}})");
    return make_all(definition, axes_for(definition, 200)).at(name);
  };
  check_distinct(one("state_batch_indices", "state_cache_size", 200), 200);
  check_distinct(one("initial_state_indices", "pool_size", 900), 900);
  for (const auto position : one("positions", "max_seq_len", 10)) CHECK((position >= 0 && position < 10));
  for (const auto token : one("input_ids", "vocab_size", 10)) CHECK((token >= 0 && token < 10));
  for (const auto k : one("top_k", "vocab_size", 10)) CHECK((k >= 1 && k <= 10));
}

TEST_CASE("the number of states or positions is also that of their cache") {
  const auto definition = definition_of(R"({"n": {"type": "var"}, "s": {"type": "const", "value": 7}})",
                                        R"({"ssm_state": {"shape": ["s", "n"], "dtype": "float32"},
          "state_indices": {"shape": ["n"], "dtype": "int32"}})");
  check_distinct(make_all(definition, {{"n", 7}, {"s", 7}}).at("state_indices"), 7);
}

TEST_CASE("positions are rows of the table of angles") {
  const auto definition = definition_of(R"({"n": {"type": "var"}, "s": {"type": "const", "value": 3}})",
                                        R"({"k_cache": {"shape": ["n", "s"], "dtype": "float32"},
          "cos_sin_cache": {"shape": ["s", "s"], "dtype": "float32"},
          "positions": {"shape": ["n"], "dtype": "int64"}})");
  const auto made = make_all(definition, {{"n", 50}, {"s", 3}});
  for (const auto position : made.at("positions")) CHECK((position >= 0 && position < 3));
}

TEST_CASE("sizes beyond all memory are an error") {
  const auto definition =
      definition_of(R"({"n": {"type": "var"}, "num_pages": {"type": "var"}, "page_size": {"type": "var"}})",
                    R"({"sparse_indices": {"shape": ["n", "n"], "dtype": "int32"},
          "kv_indptr": {"shape": ["n"], "dtype": "int64"}})",
                    R"json(["num_pages == kv_indptr[-1].item()"])json");
  const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  CHECK_THROWS_WITH(synthesis::make_integers(definition, {{"n", 2}, {"num_pages", huge}, {"page_size", huge}},
                                             "s", {"sparse_indices"}),
                    Catch::Contains("there are too many pages"));
  CHECK_THROWS_WITH(synthesis::make_integers(definition, {{"n", 2}, {"num_pages", huge}, {"page_size", 1}},
                                             "s", {"kv_indptr"}),
                    Catch::Contains("it cannot end with"));
}

TEST_CASE("experts are distinct in a row; packed ones carry weights that sum to 1") {
  const auto plain = with_axis("num_experts", 6, R"({"topk_ids": {"shape": ["n", "k"], "dtype": "int32"}})");
  const auto rows = make_all(plain, axes_for(plain, 20)).at("topk_ids");
  for (std::size_t row = 0; row < 20; ++row) {
    const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(4 * row);
    check_distinct(Integers(begin, begin + 4), 6);
  }
  const auto packed = with_axis(
      "num_experts", 6,
      R"({"topk_ids": {"shape": ["n", "k"], "dtype": "int32", "description": "Packed: expert, bfloat16"}})");
  const auto words = make_all(packed, axes_for(packed, 20)).at("topk_ids");
  for (std::size_t row = 0; row < 20; ++row) {
    float sum = 0;
    Integers experts;
    for (std::size_t i = 4 * row; i < 4 * row + 4; ++i) {
      experts.push_back(words[i] >> 16);
      sum += tensor::bfloat16_to_float(static_cast<std::uint16_t>(words[i] & 0xffff));
    }
    check_distinct(experts, 6);
    CHECK(sum == Approx(1).margin(0.02));
  }
}

TEST_CASE("local experts begin at a multiple of their number") {
  const auto definition = definition_of(
      R"({"num_experts": {"type": "const", "value": 384}, "num_local_experts": {"type": "const", "value": 48}})",
      R"({"local_expert_offset": {"shape": null, "dtype": "int32"}})");
  std::set<std::int64_t> seen;
  for (int seed = 0; seed < 50; ++seed) {
    const auto made =
        make_all(definition, {{"num_experts", 384}, {"num_local_experts", 48}}, std::to_string(seed));
    REQUIRE(made.at("local_expert_offset").size() == 1);
    const std::int64_t offset = made.at("local_expert_offset")[0];
    CHECK(offset % 48 == 0);
    CHECK((offset >= 0 && offset <= 384 - 48));
    seen.insert(offset);
  }
  CHECK(seen.size() > 4);
}

TEST_CASE("of every row of a mask something is true") {
  const auto definition = with_axis("m", 3, R"({"mask": {"shape": ["n", "m"], "dtype": "bool"}})");
  const auto mask = make_all(definition, axes_for(definition, 40)).at("mask");
  for (std::size_t row = 0; row < 40; ++row) {
    CHECK(mask[3 * row] + mask[3 * row + 1] + mask[3 * row + 2] >= 1);
    for (std::size_t i = 0; i < 3; ++i) CHECK((mask[3 * row + i] == 0 || mask[3 * row + i] == 1));
  }
  CHECK(std::accumulate(mask.begin(), mask.end(), std::int64_t{0}) < 120);
}

TEST_CASE("an input without a rule, or without what the rule needs, is an error that names it") {
  const auto unknown = with_axis("m", 3, R"({"magic": {"shape": ["n"], "dtype": "int32"}})");
  CHECK_THAT(error_of(unknown, axes_for(unknown, 4)),
             Catch::Contains("nothing is known of what the int32 elements of input \"magic\" mean"));
  const auto pages = with_axis("m", 3, R"({"kv_indices": {"shape": ["n"], "dtype": "int32"}})");
  CHECK_THAT(error_of(pages, axes_for(pages, 4)),
             Catch::Contains("input \"kv_indices\" cannot be made") && Catch::Contains("\"num_pages\""));
  const auto ends = with_axis("m", 3, R"({"kv_indptr": {"shape": ["n"], "dtype": "int32"}})");
  CHECK_THAT(error_of(ends, axes_for(ends, 4)), Catch::Contains("no constraint says where it ends"));
  const auto none = with_axis("num_pages", 0, R"({"kv_indices": {"shape": ["n"], "dtype": "int32"}})");
  CHECK_THAT(error_of(none, axes_for(none, 4)), Catch::Contains("there are no pages to choose from"));
  CHECK_THAT(
      error_of(
          paged(1),
          {{"len_indptr", 1}, {"total_q", 3}, {"num_kv_indices", 0}, {"num_pages", 1}, {"page_size", 1}}),
      Catch::Contains("it has one element, so it cannot begin with 0 and end with 3"));
}

TEST_CASE("elements as bytes, and back") {
  for (const std::string dtype : {"int64", "int32", "int16", "int8"}) {
    const Integers elements = {0, -1, 127, -128};
    const auto bytes = synthesis::to_bytes(elements, dtype);
    CHECK(synthesis::from_bytes(bytes.data(), 4, dtype) == elements);
  }
  CHECK(synthesis::to_bytes({1, 0}, "bool") == std::vector<std::byte>{std::byte{1}, std::byte{0}});
  CHECK_THROWS_WITH(synthesis::to_bytes({40000}, "int16"), "40000 does not fit int16");
  CHECK_THROWS_WITH(synthesis::to_bytes({1}, "float32"), Catch::Contains("not an integer dtype"));
}
