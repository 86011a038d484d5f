#include <catch2/catch.hpp>

#include "model/definition.h"
#include "model/shared_data.h"
#include "model/solution.h"
#include "model/trace.h"
#include "util/files.h"
#include "util/hash.h"

using namespace fib;
using model::Mode;

namespace {

namespace fs = std::filesystem;

std::string compact(const model::json::Value& value, model::json::NonFinite non_finite) {
  return model::json::dump(value, model::json::Form::compact, non_finite);
}

// Reads `text` as `model` as upstream does, and writes it back.
std::string canonical(const std::string& model, const std::string& text) {
  using model::json::NonFinite;
  const model::json::Value value = model::json::parse(text);
  if (model == "Definition") {
    return compact(to_value(model::read_definition(value, Mode::upstream)), NonFinite::null);
  }
  if (model == "Solution") {
    return compact(to_value(model::read_solution(value, Mode::upstream), Mode::upstream), NonFinite::null);
  }
  if (model == "Workload") return to_json(model::read_workload(value, Mode::upstream), Mode::upstream);
  if (model == "Trace") return to_json(model::read_trace(value, Mode::upstream), Mode::upstream);
  if (model == "Evaluation") {
    return compact(to_value(model::read_evaluation(value, Mode::upstream), Mode::upstream), NonFinite::null);
  }
  if (model == "Correctness") {
    return compact(to_value(model::read_correctness(value, Mode::upstream)), NonFinite::strings);
  }
  if (model == "Performance") {
    return compact(to_value(model::read_performance(value, Mode::upstream)), NonFinite::null);
  }
  FAIL("unknown model " << model);
  return "";
}

fs::path find_file(const fs::path& data, const std::string& name) {
  if (!name.starts_with("real:")) return data / "flashinfer_trace" / name;
  for (const auto& entry : fs::recursive_directory_iterator(data / "real")) {
    if (entry.path().filename() == name.substr(5)) return entry.path();
  }
  FAIL("no file " << name);
  return {};
}

std::string rewritten(const std::string& kind, const std::string& text) {
  if (kind == "definition") return to_json(model::parse_definition(text, Mode::upstream));
  if (kind == "solution") {
    return to_json(model::parse_solution(text, Mode::upstream), model::json::Form::indented, Mode::upstream);
  }
  std::string result;
  for (const std::string& line : testing::split(text, '\n')) {
    if (!line.empty()) result += to_json(model::parse_trace(line, Mode::upstream), Mode::upstream) + "\n";
  }
  return result;
}

}  // namespace

TEST_CASE("documents are accepted, rejected and written as the golden cases say") {
  const auto file = testing::shared_data("golden/schema_cases.jsonl");
  if (!file) return;
  int count = 0;
  for (const std::string& line : testing::split(util::read_file(*file), '\n')) {
    const model::json::Value golden = model::json::parse(line);
    INFO(golden.find("model")->text << ": " << golden.find("label")->text);
    INFO("golden error: " << golden.find("error")->text);
    std::string dump;
    std::string error;
    try {
      dump = canonical(golden.find("model")->text, golden.find("json")->text);
    } catch (const model::ParseError& refused) {
      error = refused.what();
    }
    INFO("our error: " << error);
    CHECK(error.empty() == golden.find("ok")->boolean);
    CHECK(dump == golden.find("dump")->text);
    ++count;
  }
  CHECK(count > 0);
}

TEST_CASE("field errors name the golden cases' fields") {
  const auto file = testing::shared_data("golden/schema_cases.jsonl");
  if (!file) return;
  for (const std::string& line : testing::split(util::read_file(*file), '\n')) {
    const model::json::Value golden = model::json::parse(line);
    const std::string& expected = golden.find("error")->text;
    // Unions list every alternative, ours only the one that was meant.
    if (expected.empty() || expected.find("Input.") != std::string::npos || expected.starts_with(": "))
      continue;
    INFO(golden.find("model")->text << ": " << golden.find("label")->text << ": " << expected);
    try {
      static_cast<void>(canonical(golden.find("model")->text, golden.find("json")->text));
    } catch (const model::ParseError& refused) {
      const std::string path = expected.substr(0, expected.find(": "));
      INFO(refused.what());
      CHECK((refused.errors().front().path == path || path.find("RandomInput") != std::string::npos));
    }
  }
}

TEST_CASE("files are rewritten byte for byte as the golden hashes say") {
  const auto data = testing::shared_data("golden");
  if (!data) return;
  for (const auto& row : testing::read_table(*data / "roundtrip_sha1.tsv")) {
    INFO(row[0]);
    const std::string text = util::read_file(find_file(data->parent_path(), row[0]));
    const std::string result = rewritten(row[1], text);
    CHECK(util::sha1_hex(result) == row[2]);
    if (row[3] == "True") CHECK(result == text);
  }
}

TEST_CASE("hashes, package and unique names are the golden ones") {
  const auto data = testing::shared_data("golden");
  if (!data) return;
  for (const auto& row : testing::read_table(*data / "solution_hashes.tsv")) {
    INFO(row[0]);
    const model::Solution solution = model::parse_solution(util::read_file(data->parent_path() / row[0]));
    CHECK(solution.name == row[1]);
    CHECK(upstream_hash(solution) == row[2]);
    CHECK(legacy_hash(solution) == row[3]);
    CHECK(package_name(solution, "tvm_ffi_") == row[4]);
    CHECK(unique_name(solution) == row[5]);
  }
}

TEST_CASE("every file of the published dataset loads and survives a rewrite") {
  const auto data = testing::shared_data("flashinfer_trace");
  if (!data) return;
  for (const auto& entry : fs::recursive_directory_iterator(*data)) {
    if (entry.path().extension() != ".json") continue;
    INFO(entry.path().string());
    const model::Definition definition = model::parse_definition(util::read_file(entry.path()));
    const std::string once = to_json(definition);
    CHECK(to_json(model::parse_definition(once)) == once);
  }
}
