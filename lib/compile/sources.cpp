#include "compile/sources.h"

#include <fmt/format.h>

#include <set>

#include "util/files.h"

namespace fib::compile {

std::optional<std::string> write_sources(const model::Solution& solution,
                                         const std::filesystem::path& folder) {
  std::set<std::filesystem::path> written;
  for (const auto& source : solution.sources) {
    const auto path = (folder / source.path).lexically_normal();
    if (!written.insert(path).second) return fmt::format("two sources are the same file \"{}\"", source.path);
    util::write_file_atomic(path, source.content);
  }
  return std::nullopt;
}

bool is_cxx(const std::filesystem::path& path) {
  return path.extension() == ".cpp" || path.extension() == ".cc" || path.extension() == ".cxx";
}

bool is_c(const std::filesystem::path& path) { return path.extension() == ".c"; }

bool is_cuda(const std::filesystem::path& path) { return path.extension() == ".cu"; }

}  // namespace fib::compile
