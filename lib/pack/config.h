#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/fields.h"
#include "pack/toml_read.h"

namespace fib::pack {

// The keys that config.toml has for members of a solution and of its spec, in the order they are written.
// What TOML cannot express, and every other member, is in the key `json` of the same table: the text of a
// JSON object.
[[nodiscard]] const std::vector<std::string_view>& solution_keys();
[[nodiscard]] const std::vector<std::string_view>& build_keys();

// A source that config.toml lists.
struct ListedFile {
  std::string path;  // its path in the solution
  std::string file;  // where it lies, below the sources' folder
  model::Unknown more;
};

// A config.toml. Values are as written: the model judges them.
struct Config {
  TomlDocument document;
  model::json::Value solution;  // members of the solution, but spec and sources
  model::json::Value spec;      // members of its spec
  std::optional<std::vector<ListedFile>> files;
  std::optional<std::string> source_dir;
};

// Reads the text of a config.toml; `file` names it in messages. Other tables than [solution] and [build] are
// left alone. Throws Error in one sentence with file and line: no TOML, a missing, unknown or repeated key, a
// path that leaves the folder.
[[nodiscard]] Config parse_config(std::string_view text, const std::string& file);

// The language's text, or "" when it is none.
[[nodiscard]] std::string language_of(const Config& config);

}  // namespace fib::pack
