#include "pack/folder_names.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace fib::pack {
namespace {

// Shorter than a file system's 255, since files are written under a longer name first.
constexpr std::size_t kLongestComponent = 240;
constexpr std::size_t kLongestPath = 1000;
constexpr std::ptrdiff_t kMostComponents = 32;

// Calls `test` for the components of a path until one fails.
template <typename Test>
bool all_components(std::string_view path, Test&& test) {
  while (true) {
    const std::size_t slash = path.find('/');
    if (!test(path.substr(0, slash))) return false;
    if (slash == std::string_view::npos) return true;
    path.remove_prefix(slash + 1);
  }
}

}  // namespace

bool has_source_suffix(std::string_view path) {
  static constexpr std::array<std::string_view, 9> kSuffixes = {".py", ".cu",  ".cuh", ".cpp", ".c",
                                                                ".h",  ".hpp", ".cc",  ".cxx"};
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return false;
  return std::find(kSuffixes.begin(), kSuffixes.end(), name.substr(dot)) != kSuffixes.end();
}

bool is_plain_path(std::string_view path) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
  if (path.size() > kLongestPath || std::any_of(path.begin(), path.end(), is_control)) return false;
  if (std::count(path.begin(), path.end(), '/') >= kMostComponents) return false;
  return all_components(path, [](std::string_view component) {
    return !component.empty() && !component.starts_with('.') && component.size() <= kLongestComponent;
  });
}

}  // namespace fib::pack
