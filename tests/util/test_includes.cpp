#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>

#include "support/places.h"

// The architecture's direction of includes: each module with what it may use besides itself and util.
namespace fs = std::filesystem;

namespace {

const std::map<std::string, std::set<std::string>>& allowed() {
  static const std::map<std::string, std::set<std::string>> rules = {
      {"util", {}},
      {"sandbox", {}},
      {"tvm_ffi", {"tensor"}},
      {"torch_headers", {"fib_torch", "tensor", "tvm_ffi"}},  // fib_torch/ is its own folder for includes
      {"tensor", {}},
      {"python", {}},
      {"cuda", {}},
      {"model", {"python"}},
      {"schema", {"model"}},
      {"scaffold", {"model", "tensor"}},
      {"profile", {"present"}},
      {"dataset", {"model"}},
      {"pack", {"model"}},
      {"present", {"model"}},
      {"roofline", {"model"}},
      {"feedback", {"model", "present", "roofline"}},
      {"report", {"model", "dataset", "present", "roofline", "feedback"}},
      {"chart", {"present"}},
      {"visual", {"model", "dataset", "present", "roofline", "report", "chart"}},
      {"export", {"model", "dataset", "present", "report", "compile"}},
      {"validate", {"model", "dataset", "tensor", "python", "present", "eval"}},
      {"device", {"tensor", "cuda"}},
      {"compile", {"model", "cuda", "python", "sandbox"}},
      {"arguments", {"model", "tensor", "tvm_ffi"}},
      {"calling", {"fib_torch", "tensor", "tvm_ffi"}},
      {"tracing", {"model", "dataset", "tensor", "cuda", "arguments"}},
      {"ops", {"tensor", "cuda"}},
      {"reference", {"python", "tensor", "ops"}},
      {"apply",
       {"model", "dataset", "tensor", "tvm_ffi", "cuda", "compile", "arguments", "calling", "device",
        "eval"}},
      {"c_api", {"model", "dataset", "apply", "tracing"}},
      {"synthesis", {"model", "tensor", "python", "eval"}},
      {"eval", {"model", "tensor"}},
      {"worker",
       {"model", "tensor", "synthesis", "eval", "device", "ops", "reference", "compile", "sandbox",
        "arguments", "calling", "tvm_ffi"}},
      {"bench",
       {"model", "dataset", "roofline", "feedback", "synthesis", "eval", "compile", "cuda", "worker",
        "sandbox"}},
  };
  return rules;
}

std::vector<std::string> violations_in(const fs::path& file, const std::string& module) {
  static const std::regex include("^\\s*#\\s*include\\s*\"([a-z_]+)/");
  const auto& rule = allowed().at(module);
  std::vector<std::string> found;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    std::smatch match;
    if (!std::regex_search(line, match, include)) continue;
    const std::string used = match[1];
    if (used == module || used == "util" || rule.contains(used)) continue;
    found.push_back(file.string() + ": " + line);
  }
  return found;
}

}  // namespace

TEST_CASE("includes point in one direction only") {
  for (const auto& entry : fs::recursive_directory_iterator(fib::testing::source_folder() / "lib")) {
    const auto extension = entry.path().extension();
    if (extension != ".h" && extension != ".cpp") continue;
    const std::string module =
        *entry.path().lexically_relative(fib::testing::source_folder() / "lib").begin();
    REQUIRE(allowed().contains(module));
    for (const auto& violation : violations_in(entry.path(), module)) FAIL_CHECK(violation);
  }
}

TEST_CASE("only cmd uses the command line library") {
  for (const auto& entry : fs::recursive_directory_iterator(fib::testing::source_folder() / "lib")) {
    if (!entry.is_regular_file()) continue;
    std::ifstream stream(entry.path());
    for (std::string line; std::getline(stream, line);) {
      if (line.find("#include <CLI/") != std::string::npos) FAIL_CHECK(entry.path().string());
    }
  }
}
