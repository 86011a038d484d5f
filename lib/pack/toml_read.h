#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/json_value.h"
#include "util/error.h"

namespace fib::pack {

// A TOML document as JSON values; members keep the document's order. Any thread, on distinct documents.
struct TomlDocument {
  std::string file;         // as messages name it
  model::json::Value root;  // an object
  std::map<std::string, std::size_t, std::less<>>
      lines;  // of keys outside of arrays: "build.launch.grid" -> 12

  // The value of "build.entry_point", say; null when it is absent. Names with a dot are not found.
  [[nodiscard]] const model::json::Value* find(std::string_view path) const;
  // "<file>:<line>: <message>", with the line of `path` or of the nearest table around it that has one.
  [[nodiscard]] Error error(std::string_view path, const std::string& message) const;
};

// Reads those top-level tables; all others must only be TOML. Throws Error, "<file>:<line>: ..." in one
// sentence, for what is no TOML and for what JSON cannot hold: dates, times, nan and inf.
[[nodiscard]] TomlDocument parse_toml(std::string_view text, const std::string& file,
                                      const std::vector<std::string_view>& tables);

}  // namespace fib::pack
