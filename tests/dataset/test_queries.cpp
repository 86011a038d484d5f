#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "dataset/python_text.h"
#include "dataset/queries.h"
#include "dataset/temporary_dataset.h"
#include "model/shared_data.h"

using namespace fib;
using dataset::Queries;
using dataset::QueryError;
using dataset::Scope;
using testing::definition_text;
using testing::solution_text;
using testing::TemporaryDataset;
using testing::trace_line;
using Json = nlohmann::json;

namespace {

Json to_json(const dataset::Score& score) {
  Json json = {{"avg_speedup", score.avg_speedup}, {"definitions", score.definitions},
               {"workloads", score.workloads},     {"success_rate", score.success_rate},
               {"win_rate", score.win_rate},       {"best_solutions", nullptr}};
  if (score.best_solutions) json["best_solutions"] = *score.best_solutions;
  return json;
}

Json to_json(const std::optional<dataset::Score>& score) { return score ? to_json(*score) : Json(nullptr); }

Json to_json(const dataset::Ranking& ranking) {
  Json json = Json::array();
  for (const auto& [author, score] : ranking) json.push_back({author, to_json(score)});
  return json;
}

Json to_json(const dataset::Summary& summary) {
  return {{"total", summary.total},
          {"passed", summary.passed},
          {"failed", summary.failed},
          {"rankings", to_json(summary.rankings)}};
}

template <typename Ask>
Json answer(Ask&& ask) {
  try {
    return to_json(ask());
  } catch (const QueryError& error) {
    return {{"error", error.python_text()}};
  }
}

Json best(const dataset::TraceRow* trace) {
  if (trace == nullptr) return nullptr;
  return {*trace->solution, trace->workload->uuid, trace->evaluation->performance->speedup_factor};
}

Json answers(const dataset::Dataset& dataset) {
  const Queries queries(dataset);
  Json json;
  json["rank_authors"] = answer([&] { return queries.rank_authors(); });
  json["summary"] = answer([&] { return queries.summary(); });
  json["solution_scores"] = Json::object();
  json["author_scores"] = Json::object();
  for (const auto& [name, solution] : dataset.solutions) {
    json["solution_scores"][name] = answer([&] { return queries.solution_score(name); });
    json["author_scores"][solution.author] = answer([&] { return queries.author_score(solution.author); });
  }
  for (const auto& [name, definition] : dataset.definitions) {
    json["best_trace " + name] = best(queries.best_trace(name));
    json["best_trace " + name + " M=2"] = best(queries.best_trace(name, {{"M", 2}}));
    Json& filtered = json["filter_traces " + name] = Json::array();
    for (const auto* trace : queries.filter_traces(name))
      filtered.push_back({*trace->solution, trace->workload->uuid});
  }
  return json;
}

constexpr const char* kGpu = "NVIDIA H200";

// A baseline for each kind of device, and one author with a solution on both.
void write_mixed(const TemporaryDataset& files) {
  files.write("definitions/d.json", definition_text("d"));
  files.write("solutions/base_cpu.json", solution_text("base_cpu", "baseline", "cpp", "CPU"));
  files.write("solutions/base_gpu.json", solution_text("base_gpu", "baseline", "cuda", "NVIDIA"));
  files.write("solutions/py.json", solution_text("py", "alice", "python"));
  files.write("traces/d.jsonl", trace_line("base_cpu", "w", 8) + "\n" + trace_line("base_gpu", "w", 3, kGpu) +
                                    "\n" + trace_line("py", "w", 2) + "\n" + trace_line("py", "w", 1, kGpu) +
                                    "\n");
}

}  // namespace

TEST_CASE("queries give the golden answers") {
  const auto golden = testing::shared_data("golden");
  if (!golden) return;
  const Json expected = Json::parse(util::read_file(*golden / "query_expected.json"));
  CHECK_FALSE(expected.empty());
  for (const auto& [name, answer] : expected.items()) {
    INFO(name);
    const auto loaded = dataset::load(*golden / "query_datasets" / name);
    CHECK(loaded.problems.empty());
    CHECK(answers(loaded) == answer);
  }
}

TEST_CASE("scores never mix hardware: each has its own baseline") {
  const TemporaryDataset files;
  write_mixed(files);
  const auto loaded = dataset::load(files.root());
  const Queries queries(loaded);
  CHECK(queries.hardware() == std::vector<std::string>{kGpu, "cpu"});
  CHECK_THROWS_AS(queries.rank_authors(), QueryError);
  Scope scope;
  scope.hardware = "cpu";
  CHECK(queries.rank_authors(scope).at(0).second.avg_speedup == 4);
  CHECK(queries.summary(scope).total == 2);
  scope.hardware = kGpu;
  CHECK(queries.rank_authors(scope).at(0).second.avg_speedup == 3);
  CHECK(queries.rank_authors(scope).size() == 1);
  CHECK_FALSE(queries.solution_score("base_gpu", scope));
}

TEST_CASE("of several baselines on one hardware only those that may run there count") {
  const TemporaryDataset files;
  write_mixed(files);
  files.write("solutions/base_py.json", solution_text("base_py", "baseline", "triton"));
  const auto loaded = dataset::load(files.root());
  Scope scope;
  scope.hardware = "cpu";
  CHECK_THROWS_WITH(
      Queries(loaded).solution_score("py", scope),
      "Multiple baseline solutions from author 'baseline' for definition 'd' on 'cpu': ['base_cpu', "
      "'base_py']");
  const TemporaryDataset single;
  write_mixed(single);
  single.write("traces/d.jsonl", trace_line("base_cpu", "w", 8) + "\n" + trace_line("py", "w", 2) + "\n");
  const auto one = dataset::load(single.root());
  CHECK(Queries(one).solution_score("py")->avg_speedup == 4);
}

TEST_CASE("in a mixed dataset a definition needs a baseline only where its solutions ran") {
  const TemporaryDataset files;
  write_mixed(files);
  std::filesystem::remove(files.root() / "solutions/base_cpu.json");
  const auto loaded = dataset::load(files.root());
  Scope scope;
  scope.hardware = "cpu";
  CHECK_THROWS_WITH(Queries(loaded).solution_score("py", scope),
                    "No baseline solution from author 'baseline' for definition 'd' on 'cpu'");
  scope.hardware = kGpu;
  CHECK(Queries(loaded).solution_score("py", scope)->avg_speedup == 3);
  scope.hardware = "somewhere else";
  CHECK_FALSE(Queries(loaded).solution_score("py", scope));
}

TEST_CASE("a definition without traces needs no baseline where the scope says so") {
  const TemporaryDataset files;
  write_mixed(files);
  std::filesystem::remove(files.root() / "solutions/base_cpu.json");
  std::filesystem::remove(files.root() / "solutions/base_gpu.json");
  files.write("traces/d.jsonl", "");
  const auto loaded = dataset::load(files.root());
  CHECK_THROWS_WITH(Queries(loaded).rank_authors(), Catch::Contains("No baseline solution"));
  Scope scope;
  scope.untried_need_baseline = false;
  CHECK(Queries(loaded).rank_authors(scope).empty());
}

TEST_CASE("the kind of device is what the trace says, else what the name says") {
  model::Evaluation evaluation;
  evaluation.environment.hardware = "NVIDIA H200";
  CHECK(dataset::device_kind(evaluation) == model::DeviceKind::cuda);
  evaluation.environment.hardware = "AMD EPYC";
  CHECK(dataset::device_kind(evaluation) == model::DeviceKind::cpu);
  evaluation.fib = {{"device", {{"kind", "cuda"}}}};
  CHECK(dataset::device_kind(evaluation) == model::DeviceKind::cuda);
  evaluation.fib = {{"device", "GPU-1234"}};
  CHECK(dataset::device_kind(evaluation) == model::DeviceKind::cpu);
}

TEST_CASE("filters that contradict or name nothing are refused with the format's messages") {
  const TemporaryDataset files;
  write_mixed(files);
  const auto loaded = dataset::load(files.root());
  const Queries queries(loaded);
  const Scope both{.op_type = "op", .definition = "d", .hardware = "cpu"};
  CHECK_THROWS_WITH(queries.author_score("alice", both),
                    "Only one of 'op_type' or 'definition_name' may be provided");
  CHECK_THROWS_AS(queries.rank_authors(both), QueryError);
  const Scope unknown{.definition = "x", .hardware = "cpu"};
  try {
    static_cast<void>(queries.author_score("alice", unknown));
    FAIL("no error");
  } catch (const QueryError& error) {
    CHECK(error.kind() == QueryError::Kind::key_error);
    CHECK(error.python_text() == "KeyError: \"Unknown definition: 'x'\"");
  }
  CHECK(queries.rank_authors({.op_type = "other", .hardware = "cpu"}).empty());
  CHECK(queries.rank_authors({.definition = "d", .hardware = "cpu"}).size() == 1);
}

TEST_CASE("authors with equal scores are ranked by name") {
  const TemporaryDataset files;
  files.write("definitions/d.json", definition_text("d"));
  files.write("solutions/base.json", solution_text("base", "baseline", "python"));
  std::string traces = trace_line("base", "w", 1) + "\n";
  for (const char* author : {"zoe", "amy", "bob"}) {
    files.write(std::string("solutions/") + author + ".json", solution_text(author, author, "python"));
    traces += trace_line(author, "w", 1) + "\n";
  }
  files.write("traces/d.jsonl", traces);
  const auto loaded = dataset::load(files.root());
  const auto ranking = Queries(loaded).rank_authors();
  REQUIRE(ranking.size() == 3);
  CHECK(ranking[0].first == "amy");
  CHECK(ranking[2].first == "zoe");
  CHECK(ranking[0].second.win_rate == 0);
}

TEST_CASE("one failure zeroes a score even when a retry passed; repeats take the fastest") {
  const TemporaryDataset files;
  files.write("definitions/d.json", definition_text("d"));
  files.write("solutions/base.json", solution_text("base", "baseline", "python"));
  files.write("solutions/fast.json", solution_text("fast", "amy", "python"));
  files.write("solutions/flaky.json", solution_text("flaky", "bob", "python"));
  files.write("traces/d.jsonl", trace_line("base", "w", 6) + "\n" + trace_line("base", "w", 4) + "\n" +
                                    trace_line("fast", "w", 3) + "\n" + trace_line("fast", "w", 2) + "\n" +
                                    trace_line("flaky", "w", 0) + "\n" + trace_line("flaky", "w", 1) + "\n");
  const auto loaded = dataset::load(files.root());
  const Queries queries(loaded);
  CHECK(queries.solution_score("fast")->avg_speedup == 2);
  CHECK(queries.solution_score("flaky")->avg_speedup == 0);
  CHECK(queries.solution_score("flaky")->success_rate == 0);
  CHECK(queries.summary().failed == 1);
}

TEST_CASE("the best trace is chosen by verdict alone when no limits are given, and by hardware") {
  const TemporaryDataset files;
  files.write("definitions/d.json", definition_text("d"));
  files.write("solutions/s.json", solution_text("s", "amy", "python"));
  std::string inexact = trace_line("s", "w2", 1, kGpu);
  inexact.replace(inexact.find("\"correctness\":{"), 15, "\"correctness\":{\"max_absolute_error\":0.5");
  files.write("traces/d.jsonl", trace_line("s", "w1", 2) + "\n" + inexact + "\n");
  const auto loaded = dataset::load(files.root());
  const Queries queries(loaded);
  CHECK(queries.best_trace("d")->workload->uuid == "w1");
  CHECK(queries.best_trace("d", {}, std::nullopt)->workload->uuid == "w2");
  CHECK(queries.best_trace("d", {}, std::nullopt, "cpu")->workload->uuid == "w1");
  CHECK(queries.best_trace("d", {{"M", 3}}) == nullptr);
  CHECK(queries.best_trace("unknown") == nullptr);
}

TEST_CASE("texts are quoted as Python quotes them") {
  CHECK(dataset::python_repr("a") == "'a'");
  CHECK(dataset::python_repr("it's") == "\"it's\"");
  CHECK(dataset::python_repr("'\"") == "'\\'\"'");
  CHECK(dataset::python_repr("a\\\n\t\r\x01") == "'a\\\\\\n\\t\\r\\x01'");
  CHECK(dataset::python_repr(std::vector<std::string>{"a", "b"}) == "['a', 'b']");
  CHECK(dataset::python_repr(std::vector<std::string>{}) == "[]");
}
