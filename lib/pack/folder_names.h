#pragma once

#include <string_view>

// The names that a folder of sources has. All functions are pure.
namespace fib::pack {

inline constexpr std::string_view kConfigFile = "config.toml";
inline constexpr std::string_view kSolutionFolder = "solution";  // solution/<language> holds the sources

// Whether a file of that name is a source when config.toml does not list its files.
[[nodiscard]] bool has_source_suffix(std::string_view path);
inline constexpr std::string_view kSourceSuffixes = ".py .cu .cuh .cpp .c .h .hpp .cc .cxx";

// Whether `path` names exactly one place below a folder, where anybody looks: relative, no component that is
// empty or begins with "." (".git/config" is a program's own), no control characters, not longer than file
// systems take, and at most 32 components.
[[nodiscard]] bool is_plain_path(std::string_view path);

}  // namespace fib::pack
