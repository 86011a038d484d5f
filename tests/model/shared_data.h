#pragma once

#include <catch2/catch.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "support/places.h"
#include "util/files.h"

namespace fib::testing {

// A folder of the shared data, or nothing (with a message) when it is not on this machine: the test then does
// nothing.
inline std::optional<std::filesystem::path> shared_data(const std::string& name) {
  const std::filesystem::path path = testing::source_folder() / "../shared/data" / name;
  if (std::filesystem::exists(path)) return path;
  WARN("skipped: " << path.string() << " is not there");
  return std::nullopt;
}

inline std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end = text.find(separator); end != std::string::npos; end = text.find(separator, begin)) {
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  if (begin < text.size()) parts.push_back(text.substr(begin));
  return parts;
}

// The cells of a tab-separated file, without its header.
inline std::vector<std::vector<std::string>> read_table(const std::filesystem::path& path) {
  std::vector<std::vector<std::string>> rows;
  for (const std::string& line : split(util::read_file(path), '\n')) rows.push_back(split(line, '\t'));
  rows.erase(rows.begin());
  return rows;
}

}  // namespace fib::testing
