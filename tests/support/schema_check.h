#pragma once

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/places.h"
#include "support/process.h"
#include "support/temporary.h"
#include "util/files.h"

// JSON against the schemas that fib prints, by Python's jsonschema.
namespace fib::testing {

// Whether the Python on PATH has the package.
inline bool has_jsonschema() {
  return run_process({"python3", "-c", "import jsonschema; jsonschema.Draft202012Validator"}).exit_code == 0;
}

// What is wrong with these documents, a line each, and with the schema itself; "" when nothing is.
inline std::string schema_problems(const std::string& schema, const std::vector<std::string>& documents) {
  const TemporaryFolder folder;
  const auto printed = run_process({fib_binary(), "schema", schema});
  if (printed.exit_code != 0 || !printed.err.empty()) return printed.err;
  util::write_file_atomic(folder.path() / "schema", printed.out);
  std::vector<std::string> words = {"python3", "-c", R"(
import json, jsonschema, sys
schema = json.load(open(sys.argv[1]))
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
for name in sys.argv[2:]:
    for error in validator.iter_errors(json.load(open(name))):
        print(name, "/".join(map(str, error.absolute_path)), error.message[:300])
)",
                                    (folder.path() / "schema").string()};
  for (std::size_t i = 0; i < documents.size(); ++i) {
    words.push_back((folder.path() / std::to_string(i)).string());
    util::write_file_atomic(words.back(), documents[i]);
  }
  const auto checked = run_process(words);
  return checked.out + checked.err;
}

// What a command has printed, held against its schema where the package is there.
inline nlohmann::json checked_json(const std::string& schema, const std::string& text) {
  static const bool is_checked = has_jsonschema();
  if (is_checked) CHECK(schema_problems(schema, {text}) == "");
  return nlohmann::json::parse(text);
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (end > begin) lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

}  // namespace fib::testing
