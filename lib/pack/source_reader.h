#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "model/json_value.h"

namespace fib::pack {

// Reads the sources of one solution, which have to fit into one record together. One thread.
class SourceReader {
 public:
  // As util::read_file(). Throws Error, before anything is read, where the sources would be too long with
  // this one.
  [[nodiscard]] std::string read(const std::filesystem::path& file);

 private:
  std::size_t left_ = model::json::Limits{}.bytes;
};

}  // namespace fib::pack
