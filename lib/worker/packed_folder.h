#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace fib::worker {

// How much just-in-time compilers may make for it to be handed on, paths included, and how long that is when
// it is packed. Triton's kernels take some 0.2 MB each.
constexpr std::size_t kMostJitBytes = std::size_t{64} << 20U;
constexpr std::size_t kMostPackedBytes = kMostJitBytes + kMostJitBytes / 8;

// The regular files of a folder and of its folders as one string, in the order of their paths, with neither
// modes nor times: equal files, equal strings. Empty where there are none, or where they and their paths take
// more than `limit` bytes together. What comes and goes meanwhile may be left out.
[[nodiscard]] std::string pack_folder(const std::filesystem::path& folder, std::size_t limit);

// Writes such files below `folder`, an absolute path. Throws Error where the string is not one of these, or a
// file cannot be written; some may be written then.
void unpack_folder(std::string_view packed, const std::filesystem::path& folder);

}  // namespace fib::worker
