#include "pack/source_reader.h"

#include <algorithm>
#include <cstdint>

#include "util/error.h"
#include "util/files.h"

namespace fib::pack {

std::string SourceReader::read(const std::filesystem::path& file) {
  std::error_code gone;  // read_file() says so
  const std::uintmax_t bytes = std::filesystem::file_size(file, gone);
  if (!gone && bytes > left_)
    throw Error("{}: with this file the sources have more than {} MB, and no record of a solution may",
                file.string(), model::json::Limits{}.bytes >> 20U);
  std::string text = util::read_file(file);
  left_ -= std::min(left_, text.size());
  return text;
}

}  // namespace fib::pack
