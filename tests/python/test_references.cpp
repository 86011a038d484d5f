#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "python/parser.h"
#include "support/places.h"
#include "util/files.h"

namespace {

namespace fs = std::filesystem;

TEST_CASE("Every reference and constraint of the FlashInfer-Trace dataset parses") {
  const fs::path folder = fib::testing::source_folder() / "../shared/data/flashinfer_trace/definitions";
  if (!fs::exists(folder)) {
    WARN("skipped: " << folder.string() << " is absent");
    return;
  }
  std::size_t definitions = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".json") continue;
    INFO(entry.path().string());
    const auto definition = nlohmann::json::parse(fib::util::read_file(entry.path()));
    const auto module = fib::python::parse_module(definition.at("reference").get<std::string>());
    CHECK(fib::python::find_function(module, "run") != nullptr);
    if (const auto constraints = definition.find("constraints");
        constraints != definition.end() && constraints->is_array()) {
      for (const auto& constraint : *constraints)
        CHECK_NOTHROW(fib::python::parse_expression(constraint.get<std::string>()));
    }
    ++definitions;
  }
  CHECK(definitions > 100);
}

}  // namespace
