#include <catch2/catch.hpp>

#include "validate/report_digest.h"

using namespace fib;
using validate::Level;

namespace {

validate::DefinitionReport definition(const std::string& name,
                                      const std::vector<validate::CheckResult>& checks) {
  return {name, name + ".json", checks};
}

validate::CheckResult check(const std::string& name, Level level, const std::vector<std::string>& texts) {
  validate::Messages messages;
  for (const auto& text : texts) messages.push_back({level, text, {}});
  return {name, messages};
}

}  // namespace

TEST_CASE("a digest has a line for each kind of message, errors first, the most found first") {
  validate::Report report;
  report.config.dataset = "here";
  report.notes = {"the benchmark check was skipped"};
  report.definitions = {
      definition("a", {check("workload", Level::error,
                             {"workload 1a: blob missing at ./x/1.safetensors",
                              "workload 2b: blob missing at ./x/2.safetensors"}),
                       check("blobs", Level::error, {"1a: blob missing at ./x/1.safetensors"}),
                       check("definition", Level::warning, {"missing description: axes.M"})}),
      definition("b",
                 {check("definition", Level::warning, {"missing description: inputs.A", "no such op type"}),
                  check("solution", Level::info, {"no solutions"})}),
  };
  report.dataset = {check("orphans", Level::warning, {"nobody reads blob/old.safetensors"}),
                    {"skipped", std::nullopt}};
  CHECK(validate::to_digest(report, {}) ==
        "here: 2 definitions: 0 ok, 1 warning, 1 error\n"
        "\n"
        "Errors:\n"
        "workload: workload 1a: blob missing at ./x/1.safetensors (a; 2 such in 1 definition)\n"
        "\n"
        "Warnings:\n"
        "definition: missing description: axes.M (a; 2 such in 2 definitions)\n"
        "definition: no such op type (b)\n"
        "orphans: nobody reads blob/old.safetensors (the dataset)\n"
        "\n"
        "Note: the benchmark check was skipped\n"
        "Each line is a kind of message with the first of its kind. All messages: --verbose\n");
}

TEST_CASE("the digest of a dataset without faults is one line") {
  validate::Report report;
  report.config.dataset = "here";
  report.definitions = {definition("a", {check("solution", Level::info, {"no solutions"})})};
  CHECK(validate::to_digest(report, {}) == "here: 1 definitions: 1 ok, 0 warning, 0 error\n");
}
