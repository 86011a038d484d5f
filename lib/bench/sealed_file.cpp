#include "bench/sealed_file.h"

#include "util/error.h"
#include "util/files.h"
#include "util/hash.h"

namespace fib::bench {

util::UniqueFd open_sealed(const std::filesystem::path& file, const std::string& sha256) {
  const std::string content = util::read_file(file);
  if (!sha256.empty() && util::sha256_hex(content) != sha256)
    throw Error("the cache's file {} is not what was built", file.string());
  return util::make_sealed_document("fib-artifact", content);
}

}  // namespace fib::bench
