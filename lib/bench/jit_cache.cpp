#include "bench/jit_cache.h"

#include "util/error.h"
#include "util/files.h"
#include "util/hash.h"

namespace fib::bench {
namespace {

constexpr std::size_t kDigestDigits = 64;

}  // namespace

std::filesystem::path JitCache::place_of(const std::string& key) const {
  return cache_ / "jit" / key.substr(0, 2) / key;
}

std::string JitCache::find(const std::string& key) const try {
  std::string content = util::read_file(place_of(key));
  if (content.size() < kDigestDigits) return {};
  const std::string digest = content.substr(content.size() - kDigestDigits);
  content.resize(content.size() - kDigestDigits);
  return util::sha256_hex(content) == digest ? content : std::string();
} catch (const Error&) {  // in most cases it was never there
  return {};
}

void JitCache::keep(const std::string& key, const std::string& content) const {
  util::write_file_atomic(place_of(key), content + util::sha256_hex(content));
}

}  // namespace fib::bench
