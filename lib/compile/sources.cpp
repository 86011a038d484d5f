#include "compile/sources.h"

#include <fmt/format.h>
#include <limits.h>

#include <algorithm>
#include <unordered_set>

#include "util/files.h"

namespace fib::compile {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kSuffix = 8;  // of temporary names, and the end of the string

// The sources of one folder, and the folders between it and them.
class Places {
 public:
  explicit Places(const fs::path& root) : root_(root.lexically_normal()) {}

  [[nodiscard]] bool has_file(const fs::path& path) const { return files_.contains(path.native()); }

  // Whether a file lies below this one, or this below a file.
  [[nodiscard]] bool is_at_odds(const fs::path& path) const {
    if (folders_.contains(path.native())) return true;
    for (auto folder = path.parent_path(); is_inside(folder); folder = folder.parent_path()) {
      if (folders_.contains(folder.native())) return false;  // no file, and so is none above it
      if (has_file(folder)) return true;
    }
    return false;
  }

  void add(const fs::path& path) {
    files_.insert(path.native());
    for (auto folder = path.parent_path(); is_inside(folder); folder = folder.parent_path()) {
      if (!folders_.insert(folder.native()).second) return;
    }
  }

 private:
  [[nodiscard]] bool is_inside(const fs::path& folder) const {
    return folder.native().size() > root_.native().size();
  }

  fs::path root_;
  std::unordered_set<std::string> files_;
  std::unordered_set<std::string> folders_;
};

// Why no file can have this name, whatever the disk says.
std::optional<std::string> unusable(const fs::path& path, const Places& written) {
  if (path.native().find('\0') != std::string::npos) return "its name holds a NUL byte";
  if (!path.has_filename()) return "its name is that of a folder";
  if (path.native().size() + kSuffix > PATH_MAX) return "its path is too long";
  for (const auto& part : path) {
    if (part.native().size() + kSuffix > NAME_MAX) return "its name is too long";
  }
  if (written.is_at_odds(path)) return "another source has the name of its folder";
  return std::nullopt;
}

}  // namespace

std::optional<std::string> write_sources(const model::Solution& solution,
                                         const std::filesystem::path& folder) {
  Places written(folder);
  for (const auto& source : solution.sources) {
    const auto path = (folder / source.path).lexically_normal();
    if (written.has_file(path)) return fmt::format("two sources are the same file \"{}\"", source.path);
    if (const auto why = unusable(path, written))
      return fmt::format("the source \"{}\" cannot be written: {}", source.path.substr(0, 80), *why);
    written.add(path);
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
