#include <limits>
#include <map>

#include "python/parser.h"
#include "validate/broken_constraint.h"
#include "validate/constraint.h"
#include "validate/support.h"

using namespace fib;
using namespace fib::testing;
using validate::Verdict;

namespace {

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();

// Values of axes; a tensor t of shape (2, 3) with the elements 10, 11, 12.
class FixedValues : public validate::Values {
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
class ValuesByName : public validate::Values {
 public:
  using Number = std::optional<std::int64_t>;
  [[nodiscard]] Number value(const std::string& name) const override {
    return static_cast<std::int64_t>(name.size());
  }
  [[nodiscard]] Number size(const std::string&, std::int64_t index) const override { return 100 + index; }
  [[nodiscard]] Number element(const std::string&, std::int64_t index) const override { return 1000 + index; }
};

validate::Judgement judged(const std::string& text) {
  return validate::judge(*python::parse_expression(text), FixedValues());
}

Lines said_of(const std::string& constraint, const std::string& workloads) {
  Json definition = definition_json();
  definition["constraints"] = {constraint};
  const Checked files(definition);
  if (!workloads.empty()) files.workloads(workloads);
  return files.said("constraints");
}

std::string integers_workload(const std::string& path) {
  return record(
      Json{{"axes", {{"len", 3}, {"total", 7}}}, {"inputs", {{"p", blob_input(path)}}}, {"uuid", "w"}});
}

// total == p[-1].item() over a tensor of indices.
Json indexed_definition(const std::string& constraint) {
  Json definition = definition_json();
  definition["axes"] = {{"len", {{"type", "var"}}}, {"total", {{"type", "var"}}}};
  definition["inputs"] = {{"p", {{"shape", {"len"}}, {"dtype", "int32"}}}};
  definition["outputs"] = {{"B", {{"shape", {"total"}}, {"dtype", "int32"}}}};
  definition["constraints"] = {constraint};
  return definition;
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
    const auto judgement = validate::judge(*python::parse_expression(text), ValuesByName());
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
  const auto names =
      validate::names_in(*python::parse_expression("a + t.shape[i] == max(a, -x[-1].item()) and k < 3"));
  CHECK(names == Lines{"a", "t", "i", "x", "k"});
}

TEST_CASE("constraints: a definition's constants are judged without workloads") {
  CHECK(said_of("N == 4", "") == Lines{});
  CHECK(said_of("N > 4", "") ==
        Lines{"error: constraint 'N > 4' does not hold, for 4 > 4 is false; correct the "
              "constraint or the constant axes"});
  CHECK(said_of("A.shape[1] == 2 * N", record(workload_json("w")) + record(workload_json("v"))) ==
        Lines{"error: constraint 'A.shape[1] == 2 * N' does not hold, for 4 == 8 is false; correct the "
              "constraint or "
              "the constant axes"});
}

TEST_CASE("constraints: each workload's axes") {
  const std::string workloads = record(workload_json("w")) + record(workload_json("v"));
  CHECK(said_of("M <= N", workloads) == Lines{});
  const std::string rest =
      ": constraint 'B.shape[0] > N' does not hold, for 2 > 4 is false; correct the constraint or the "
      "workload's axes "
      "or tensors";
  CHECK(said_of("B.shape[0] > N", workloads) ==
        Lines{"error: workload w" + rest, "error: workload v" + rest});
}

TEST_CASE("constraints: what a blob holds; nothing is said about random inputs and missing blobs") {
  const Checked files(indexed_definition("total == p[-1].item()"));
  files.workloads(
      record(Json{{"axes", {{"len", 3}, {"total", 7}}}, {"inputs", {{"p", random_input()}}}, {"uuid", "w"}}));
  CHECK(files.said("constraints") == Lines{});
  files.workloads(integers_workload("blob/p.safetensors"));
  CHECK(files.said("constraints") == Lines{});
  files.blob("blob/p.safetensors", tensor::DType::kInt32, {3}, std::vector<std::int32_t>{0, 3, 7});
  CHECK(files.said("constraints") == Lines{});
  files.blob("blob/p.safetensors", tensor::DType::kInt32, {3}, std::vector<std::int32_t>{0, 7, 9});
  CHECK(files.said("constraints") == Lines{"error: workload w: constraint 'total == p[-1].item()' does not "
                                           "hold, for 7 == 9 is false; correct the "
                                           "constraint or the workload's axes or tensors"});
  files.blob("blob/p.safetensors", tensor::DType::kInt64, {3}, std::vector<std::int64_t>{0, 7, 8});
  CHECK_THAT(files.said("constraints").at(0), Catch::Contains("for 7 == 8 is false"));
}

TEST_CASE("constraints: an element that is not there decides nothing") {
  const Checked files(indexed_definition("total == p[3].item()"));
  files.workloads(integers_workload("blob/p.safetensors"));
  files.blob("blob/p.safetensors", tensor::DType::kInt32, {3}, std::vector<std::int32_t>{0, 3, 7});
  CHECK(files.said("constraints") == Lines{});
}

TEST_CASE("constraints: a name that is nothing") {
  CHECK(said_of("M == Q", record(workload_json("w"))) ==
        Lines{"warning: constraint 'M == Q' names 'Q', which is neither axis nor tensor; correct the name"});
}

TEST_CASE("the first constraint that a single workload breaks is a sentence") {
  const auto reason = [](const Json& constraints, const Json& workload) {
    Json definition = definition_json();
    definition["constraints"] = constraints;
    return validate::broken_constraint(model::parse_definition(definition.dump()),
                                       model::parse_workload(workload.dump()));
  };
  const Json workload = workload_json("w");  // M = 2, N = 4
  CHECK(reason(Json::array({"M < N"}), workload).empty());
  CHECK(reason(Json::array({"M < N", "M == N"}), workload) ==
        "constraint 'M == N' does not hold, for 2 == 4 is false");
  CHECK(reason(Json::array({"A.shape[0] > 2"}), workload) ==
        "constraint 'A.shape[0] > 2' does not hold, for 2 > 2 is false");
  const Json from_file = workload_json("w", blob_input("no/such/file"));
  CHECK(reason(Json::array({"A[0].item() == 1"}), from_file).empty());
  CHECK(validate::broken_constraint({}, model::parse_workload(workload.dump())).empty());
}
