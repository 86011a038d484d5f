#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "sandbox/files.h"

namespace fib::compile {

// Where an artifact lies: <cache>/<kind>/<first two digits of key>/<key>/, complete or not there. Beside its
// files lies digests.json, which names the key and the SHA-256 of each file.
struct CacheEntry {
  std::filesystem::path cache;
  std::string kind;                // "native", "nvrtc", …
  std::string key;                 // a digest of everything that decides the content
  std::vector<std::string> files;  // that a complete entry holds: relative paths
};

// Whether a complete and undamaged entry is there now. Another process may make or remove it.
[[nodiscard]] bool is_cached(const CacheEntry& entry);

// What a build has to say.
struct BuildAnswer {
  std::string failure;  // why it failed, the solution's fault; empty: it is done
  std::string log;      // what the compiler printed
};

struct CacheResult {
  std::filesystem::path folder;  // of the entry
  bool from_cache = false;
  BuildAnswer answer;                // of the build, if there was one; without a failure the entry is there
  std::vector<std::string> digests;  // SHA-256 of the entry's files, in their order
};

// Makes the entry: gets a temporary folder to work in and one in it whose content becomes the entry.
using BuildStep =
    std::function<BuildAnswer(const std::filesystem::path& work, const std::filesystem::path& out)>;

// Finds the entry, or has it built by `build`, in a process of its own that reaches the files of `access` and
// its work folder alone (sandbox/confined_step.h). An entry is believed when every file has its digest;
// one that is damaged is made again. Concurrent processes that want the same entry take turns by a lock file,
// and the later ones find it built. Files are on disk before the entry has its name. Throws Error when the
// cache cannot be used, when a process of the build was ended by a signal, and whatever `build` throws.
[[nodiscard]] CacheResult through_cache(const CacheEntry& entry, const sandbox::FileAccess& access,
                                        const BuildStep& build);

}  // namespace fib::compile
