#include <catch2/catch.hpp>
#include <limits>
#include <map>

#include "model/constraint.h"
#include "python/parser.h"

using namespace fib;
using Verdict = model::ConstraintVerdict;

namespace {

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();

// Values of axes; a tensor t of shape (2, 3) with the elements 10, 11, 12.
class FixedValues : public model::ConstraintValues {
 public:
  using Number = std::optional<std::int64_t>;
  [[nodiscard]] Number value(const std::string& name) const override {
    static const std::map<std::string, std::int64_t> values{
        {"a", 7}, {"b", 2}, {"n", -7}, {"z", 0}, {"max", kLargest}};
    const auto found = values.find(name);
    return found != values.end() ? Number(found->second) : std::nullopt;
  }
  [[nodiscard]] Number size(const std::string& tensor, std::int64_t index) const override {
    if (tensor != "t") return std::nullopt;
    return index == 0 || index == -2 ? 2 : 3;
  }
  [[nodiscard]] Number element(const std::string& tensor, std::int64_t index) const override {
    return tensor == "t" ? Number(index < 0 ? 13 + index : 10 + index) : std::nullopt;
  }
};

// An axis is as large as its name is long; dimension i of every tensor is 100 + i, its element i is 1000 + i.
class ValuesByName : public model::ConstraintValues {
 public:
  using Number = std::optional<std::int64_t>;
  [[nodiscard]] Number value(const std::string& name) const override {
    return static_cast<std::int64_t>(name.size());
  }
  [[nodiscard]] Number size(const std::string&, std::int64_t index) const override { return 100 + index; }
  [[nodiscard]] Number element(const std::string&, std::int64_t index) const override { return 1000 + index; }
};

model::ConstraintJudgement judged(const std::string& text) {
  return model::judge_constraint(*python::parse_expression(text), FixedValues());
}

}  // namespace

TEST_CASE("constraints that hold") {
  for (const std::string text : {"a == 7",
                                 "a != b",
                                 "b < a",
                                 "b <= 2",
                                 "a > b",
                                 "a >= b + 5",
                                 "a == 2 * b + 3",
                                 "a - b == 5",
                                 "a % b == 1",
                                 "a // b == 3",
                                 "n % b == 1",
                                 "n // b == -4",
                                 "n == -a",
                                 "+a == a",
                                 "1 < b < a",
                                 "t.shape[0] == b",
                                 "t.shape[-1] == 3",
                                 "t[-1].item() == 12",
                                 "t[0].item() == 10",
                                 "a == 7 and b == 2",
                                 "a == 8 or b == 2",
                                 "(a + b) * b == 18"}) {
    INFO(text);
    CHECK(judged(text).verdict == Verdict::holds);
  }
}

TEST_CASE("constraints that do not hold show the values of the pair that breaks them") {
  for (const auto& [text, values] : std::map<std::string, std::string>{{"a == b", "7 == 2"},
                                                                       {"1 < b < z", "2 < 0"},
                                                                       {"a == t[-1].item()", "7 == 12"},
                                                                       {"a == 7 and b == 3", "2 == 3"},
                                                                       {"a == 8 or b == 3", "2 == 3"},
                                                                       {"b == 3 and q == 1", "2 == 3"},
                                                                       {"2 * b > a", "4 > 7"}}) {
    INFO(text);
    CHECK(judged(text).verdict == Verdict::broken);
    CHECK(judged(text).comparison == values);
  }
}

TEST_CASE("every constraint of the published dataset is decided, as Python decides it") {
  // With the values of the comparison that does not hold; empty: it holds.
  const std::vector<std::pair<std::string, std::string>> constraints = {
      {"num_kv_indices == kv_indptr[-1].item()", "14 == 999"},
      {"total_q == qo_indptr[-1].item()", "7 == 999"},
      {"len_indptr == batch_size + 1", "10 == 11"},
      {"gemm1_weights.shape[1] == 2 * intermediate_size", "101 == 34"},
      {"gemm2_weights.shape[1] == hidden_size", "101 == 11"},
      {"gemm2_weights.shape[2] == intermediate_size", "102 == 17"},
      {"total_kv == kv_indptr[-1].item()", "8 == 999"},
      {"num_v_heads >= num_q_heads", ""},
      {"num_v_heads % num_q_heads == 0", ""},
      {"num_k_heads == num_q_heads", ""},
      {"seq_len > 1", ""},
      {"len_cu_seqlens == num_seqs + 1", "14 == 9"},
      {"total_seq_len == cu_seqlens[-1].item()", "13 == 999"},
      {"sparse_indices.shape[0] == num_tokens", "100 == 10"},
      {"sparse_indices.shape[-1] == topk", "99 == 4"},
      {"ckv_cache.shape[1] == page_size", "101 == 9"},
      {"nheads % ngroups == 0", "6 == 0"},
      {"state_cache_size >= batch_size", ""},
      {"topk <= max_num_pages * page_size", ""}};
  for (const auto& [text, comparison] : constraints) {
    INFO(text);
    const auto judgement = model::judge_constraint(*python::parse_expression(text), ValuesByName());
    CHECK(judgement.verdict == (comparison.empty() ? Verdict::holds : Verdict::broken));
    CHECK(judgement.comparison == comparison);
  }
}

TEST_CASE("constraints that cannot be decided") {
  for (const std::string text :
       {"q == 1", "q + a == 7", "a % z == 0", "a // z == 0", "max + 1 == 0", "max * 2 == 0",
        "u.shape[0] == 1", "u[0].item() == 1", "t[0] == 10", "t.size(0) == 2", "a / 2 == 3", "a == 1.5",
        "len(t) == 2", "a in t", "a", "a == 7 and q == 1"}) {
    INFO(text);
    CHECK(judged(text).verdict == Verdict::unknown);
  }
}

TEST_CASE("names of a constraint, without functions and attributes") {
  const auto names = model::names_in_constraint(
      *python::parse_expression("a + t.shape[i] == max(a, -x[-1].item()) and k < 3"));
  CHECK(names == std::vector<std::string>{"a", "t", "i", "x", "k"});
}

TEST_CASE("the number of an expression") {
  const auto number = [](const std::string& text) {
    return model::number_of(*python::parse_expression(text), FixedValues());
  };
  CHECK(number("2 * a + t.shape[-1]") == 17);
  CHECK(number("t[-1].item()") == 12);
  CHECK(number("q") == std::nullopt);
  CHECK(number("a == 7") == std::nullopt);
}
