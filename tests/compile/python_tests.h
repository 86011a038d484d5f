#pragma once

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "compile/python_interpreter.h"
#include "model/definition.h"
#include "model/solution.h"

// What tests of Python solutions and torch extensions share.
namespace fib::testing {

// Inputs and outputs are vectors of n floats.
inline model::Definition definition(const std::vector<std::string>& inputs,
                                    const std::vector<std::string>& outputs) {
  const auto tensors = [](const std::vector<std::string>& names) {
    auto object = nlohmann::ordered_json::object();
    for (const auto& name : names) object[name] = {{"shape", {"n"}}, {"dtype", "float32"}};
    return object;
  };
  return model::parse_definition(nlohmann::ordered_json{
      {"name", "d"},
      {"op_type", "o"},
      {"axes", {{"n", {{"type", "var"}}}}},
      {"inputs", tensors(inputs)},
      {"outputs", tensors(outputs)},
      {"reference",
       "def run(): pass"}}.dump());
}

struct Source {
  std::string path;
  std::string content;
};

// A solution whose spec has the given members besides language, entry point and target hardware.
inline model::Solution solution(const std::string& language, const std::string& entry,
                                const std::vector<Source>& sources,
                                const nlohmann::json& more = nlohmann::json::object()) {
  nlohmann::json spec = {{"language", language}, {"target_hardware", {"cpu"}}, {"entry_point", entry}};
  spec.update(more);
  auto files = nlohmann::json::array();
  for (const auto& source : sources) files.push_back({{"path", source.path}, {"content", source.content}});
  return model::parse_solution(nlohmann::json{
      {"name", "s 1"}, {"definition", "d"}, {"author", "a"}, {"spec", spec}, {"sources", files}}
                                   .dump());
}

// An interpreter that is not there, with everything installed: for what runs nothing.
inline compile::PythonInterpreter complete_python() {
  return {"/usr/bin/python3",
          "3.11.2",
          "cpython-311-x86_64-linux-gnu",
          {{"torch", "2.9"},
           {"triton", "3.5"},
           {"tilelang", "0.1"},
           {"numpy", "2"},
           {"ninja", "1"},
           {"setuptools", "6"}},
          "13.0",
          true,
          true};
}

// The machine's own; nothing, with a word why, where a test must do without.
inline std::optional<compile::PythonInterpreter> real_python() {
  auto python = compile::find_python();
  if (!python) WARN("skipped: no python3 here");
  return python;
}

}  // namespace fib::testing
