#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace fib::compile {

// Where an artifact lies: <cache>/<kind>/<first two digits of key>/<key>/, complete or not there.
struct CacheEntry {
  std::filesystem::path cache;
  std::string kind;                // "native", "nvrtc", …
  std::string key;                 // a digest of everything that decides the content
  std::vector<std::string> files;  // that a complete entry holds
};

struct CacheResult {
  std::filesystem::path folder;  // of the entry
  bool from_cache = false;
  std::string failure;  // what `build` said; empty: the entry is there
};

// Finds the entry, or has it built: `build` gets a temporary folder to work in and one whose content becomes
// the entry, and returns why it failed, or nothing. Concurrent processes that want the same entry take turns
// by a lock file, and the later ones find it built. Throws Error when the cache cannot be used, and whatever
// `build` throws.
[[nodiscard]] CacheResult through_cache(
    const CacheEntry& entry,
    const std::function<std::string(const std::filesystem::path& work, const std::filesystem::path& out)>&
        build);

}  // namespace fib::compile
