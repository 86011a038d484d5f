#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace fib::pack {

struct UnpackedFile {
  std::string path;  // below the folder
  std::string content;
};

// The files that pack_folder() makes the solution of: the sources, and config.toml last. Packing them gives
// the bytes of `text` when it has the format's own form, and that form of it otherwise. A source whose path
// cannot be a file's here gets a file of another name, which config.toml says. Throws ParseError for what is
// no solution. Pure.
[[nodiscard]] std::vector<UnpackedFile> unpacked(std::string_view text);

// Writes such files into `folder`, which must be missing or empty: all of them or, on failure, none. Throws
// Error.
void write_unpacked(const std::vector<UnpackedFile>& files, const std::filesystem::path& folder);

}  // namespace fib::pack
