#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/definition.h"
#include "support/places.h"
#include "synthesis/integers.h"
#include "synthesis/meaning.h"
#include "util/error.h"
#include "util/files.h"

namespace fib::testing {

using synthesis::Integers;

// A definition with these members of its JSON.
inline model::Definition definition_of(const std::string& axes, const std::string& inputs,
                                       const std::string& constraints = "[]",
                                       const std::string& op_type = "test") {
  return model::parse_definition(R"({"name": "d", "op_type": ")" + op_type + R"(", "axes": )" + axes +
                                 R"(, "inputs": )" + inputs + R"(, "outputs": {}, "constraints": )" +
                                 constraints + R"(, "reference": "def run(): pass"})");
}

// All integer inputs but bytes, which are random in every call.
inline std::vector<std::string> integer_inputs(const model::Definition& definition) {
  std::vector<std::string> names;
  for (const auto& input : definition.inputs) {
    const auto rule = synthesis::meaning_of(definition, input);
    if (synthesis::is_integer(input) && rule != synthesis::Meaning::bytes) names.push_back(input.name);
  }
  return names;
}

inline std::map<std::string, Integers> make_all(const model::Definition& definition,
                                                const model::AxisValues& axes,
                                                const std::string& seed = "s") {
  return synthesis::make_integers(definition, axes, seed, integer_inputs(definition));
}

inline const model::TensorSpec& input_named(const model::Definition& definition, const std::string& name) {
  for (const auto& input : definition.inputs) {
    if (input.name == name) return input;
  }
  FAIL("no input " << name);
  throw Error("no input {}", name);
}

// The definitions of the published dataset, by path; none, with a message, where it is not there.
inline std::vector<model::Definition> real_definitions() {
  namespace fs = std::filesystem;
  const fs::path root = testing::source_folder() / "../shared/data/flashinfer_trace/definitions";
  std::vector<fs::path> files;
  if (fs::exists(root)) {
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
      if (entry.path().extension() == ".json") files.push_back(entry.path());
    }
  } else {
    WARN("skipped: " << root.string() << " is not there");
  }
  std::sort(files.begin(), files.end());
  std::vector<model::Definition> definitions;
  for (const auto& file : files) definitions.push_back(model::parse_definition(util::read_file(file)));
  return definitions;
}

}  // namespace fib::testing
