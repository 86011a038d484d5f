#pragma once

#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "model/error_code.h"
#include "support/fib_run.h"
#include "support/schema_check.h"

// A table of solutions that fail, each with all that a program is told of why.
namespace fib::testing {

struct Broken {
  std::string name;
  std::string source;
  std::string code;          // failure.code
  std::string stage;         // failure.stage
  int line = 0;              // of the first diagnostic with a place in the source; 0: there is none
  std::string pattern = "";  // of the wrong elements; empty: any
  std::string error = "";    // failure.error; empty: any
};

// The kind of solution that a table is of: what its spec says, and the file of its source.
struct BrokenKind {
  nlohmann::ordered_json spec;
  std::string file;
};

// y = 2 x + 1 over float32[m][n]; 48 x 48 elements, so that what is transposed has the right shape.
inline void add_grid(DatasetBuilder& dataset) {
  const nlohmann::ordered_json tensor = {{"shape", {"m", "n"}}, {"dtype", "float32"}};
  const nlohmann::ordered_json definition = {
      {"name", "grid"},
      {"op_type", "test"},
      {"axes", {{"m", {{"type", "var"}}}, {"n", {{"type", "var"}}}}},
      {"inputs", {{"x", tensor}}},
      {"outputs", {{"y", tensor}}},
      {"reference", "import torch\n\n\ndef run(x):\n    return 2 * x + 1\n"}};
  const nlohmann::ordered_json workload = {
      {"definition", "grid"},
      {"workload",
       {{"axes", {{"m", 48}, {"n", 48}}}, {"inputs", {{"x", {{"type", "random"}}}}}, {"uuid", "w"}}},
      {"solution", nullptr},
      {"evaluation", nullptr}};
  dataset.definition("test", "grid", definition.dump(), {workload.dump()});
}

inline void add_broken(DatasetBuilder& dataset, const BrokenKind& kind, const std::vector<Broken>& table) {
  for (const Broken& broken : table)
    dataset.any_solution(broken.name, "grid", kind.spec, {{kind.file, broken.source}});
}

// Checks the failure of one solution against the table and against what its code always means.
inline void check_broken(const TraceLine& trace, const Broken& broken) {
  INFO(broken.name << ": " << trace.status << ": " << trace.log.substr(0, 3000));
  const auto fib = nlohmann::json::parse(trace.text).at("evaluation").at("fib");
  REQUIRE(fib.at("failure").is_object());
  const auto& failure = fib.at("failure");
  INFO(failure.dump(1));
  CHECK(failure.at("code") == broken.code);
  CHECK(failure.at("stage") == broken.stage);
  const auto* facts = model::find_error_facts(failure.at("code").get<std::string>());
  REQUIRE(facts != nullptr);
  CHECK(failure.at("fault") == (broken.code == "device_error" ? "machine" : "solution"));
  CHECK(failure.at("retryable") == facts->retryable);
  CHECK(failure.at("violation") == facts->violation);
  if (!broken.pattern.empty()) CHECK(failure.at("mismatch").at("pattern") == broken.pattern);
  if (!broken.error.empty()) CHECK(failure.at("error") == broken.error);
  if (broken.line == 0) return;
  int line = 0;
  std::string file;
  for (const auto& diagnostic : failure.at("diagnostics")) {
    if (line > 0 || diagnostic.at("line").is_null()) continue;
    line = diagnostic.at("line");
    file = diagnostic.at("file");
  }
  CHECK(line == broken.line);
  // That of its source, by which editors and agents find it.
  CHECK_THAT(file, Catch::StartsWith("main.") || Catch::StartsWith("kernel."));
}

inline void check_all_broken(const FibRun& run, const std::vector<std::vector<Broken>>& tables) {
  const auto traces = traces_by_solution(run.dataset.root());
  if (has_jsonschema()) {
    std::vector<std::string> lines;
    for (const auto& [name, trace] : traces) lines.push_back(trace.text);
    CHECK(schema_problems("trace", lines) == "");
  }
  std::set<std::string> names;
  for (const auto& table : tables) {
    for (const Broken& broken : table) {
      INFO(broken.name);
      CHECK(names.insert(broken.name).second);
      REQUIRE(traces.contains(broken.name));
      check_broken(traces.at(broken.name), broken);
    }
  }
}

}  // namespace fib::testing
