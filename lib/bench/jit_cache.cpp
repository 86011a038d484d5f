#include "bench/jit_cache.h"

#include <algorithm>
#include <chrono>
#include <system_error>
#include <vector>

#include "util/error.h"
#include "util/files.h"
#include "util/hash.h"

namespace fib::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kDigestDigits = 64;

struct Kept {
  fs::file_time_type written;
  std::uint64_t bytes = 0;
  fs::path path;
};

// Those too that a process left which was killed while it wrote. What comes and goes meanwhile is left out.
std::vector<Kept> files_below(const fs::path& folder) {
  std::vector<Kept> files;
  for (const auto& part : util::entries_of(folder)) {
    for (const auto& file : util::entries_of(part.path())) {
      std::error_code error;
      Kept kept{file.last_write_time(error), 0, file.path()};
      if (!error) kept.bytes = file.file_size(error);
      if (!error) files.push_back(std::move(kept));
    }
  }
  return files;
}

}  // namespace

std::string jit_key(const model::Solution& solution, const std::string& architecture) {
  return util::Sha256().add(model::content_sha256(solution)).add(architecture).hex();
}

fs::path JitCache::place_of(const std::string& key) const { return folder_ / key.substr(0, 2) / key; }

std::string JitCache::find(const std::string& key) const try {
  {
    const std::lock_guard lock(mutex_);
    if (kept_.contains(key)) return {};
  }
  std::string content = util::read_file(place_of(key));
  if (content.size() < kDigestDigits) return {};
  const std::string digest = content.substr(content.size() - kDigestDigits);
  content.resize(content.size() - kDigestDigits);
  return util::sha256_hex(content) == digest ? content : std::string();
} catch (const Error&) {  // in most cases it was never there
  return {};
}

void JitCache::keep(const std::string& key, const std::string& content) {
  const std::lock_guard lock(mutex_);
  kept_.insert(key);
  util::write_file_atomic(place_of(key), content + util::sha256_hex(content));
  remove_oldest();
}

void JitCache::remove_oldest() const {
  auto files = files_below(folder_);
  std::sort(files.begin(), files.end(), [](const Kept& a, const Kept& b) { return a.written < b.written; });
  std::uint64_t bytes = 0;
  for (const auto& file : files) bytes += file.bytes;
  for (const auto& file : files) {
    if (bytes <= most_bytes_) return;
    std::error_code error;
    fs::remove(file.path, error);
    bytes -= file.bytes;
  }
}

}  // namespace fib::bench
