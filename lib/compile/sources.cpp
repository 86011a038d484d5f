#include "compile/sources.h"

#include <fmt/format.h>
#include <limits.h>

#include <algorithm>
#include <set>

#include "util/beneath.h"
#include "util/files.h"

namespace fib::compile {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kSuffix = 8;  // of temporary names, and the end of the string

// Why no file can have this name, whatever the disk says.
std::optional<std::string> unusable(const fs::path& path, const std::set<fs::path>& written) {
  if (path.native().find('\0') != std::string::npos) return "its name holds a NUL byte";
  if (!path.has_filename()) return "its name is that of a folder";
  if (path.native().size() + kSuffix > PATH_MAX) return "its path is too long";
  for (const auto& part : path) {
    if (part.native().size() + kSuffix > NAME_MAX) return "its name is too long";
  }
  for (const auto& other : written) {
    if (util::lies_in(path, other) || util::lies_in(other, path))
      return "another source has the name of its folder";
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> write_sources(const model::Solution& solution,
                                         const std::filesystem::path& folder) {
  std::set<std::filesystem::path> written;
  for (const auto& source : solution.sources) {
    const auto path = (folder / source.path).lexically_normal();
    if (written.contains(path)) return fmt::format("two sources are the same file \"{}\"", source.path);
    if (const auto why = unusable(path, written))
      return fmt::format("the source \"{}\" cannot be written: {}", source.path.substr(0, 80), *why);
    written.insert(path);
    util::write_file_atomic(path, source.content);
  }
  return std::nullopt;
}

bool is_cxx(const std::filesystem::path& path) {
  return path.extension() == ".cpp" || path.extension() == ".cc" || path.extension() == ".cxx";
}

bool is_c(const std::filesystem::path& path) { return path.extension() == ".c"; }

bool is_cuda(const std::filesystem::path& path) { return path.extension() == ".cu"; }

bool has_cuda_sources(const model::Solution& solution) {
  return std::any_of(solution.sources.begin(), solution.sources.end(),
                     [](const auto& source) { return is_cuda(source.path); });
}

}  // namespace fib::compile
