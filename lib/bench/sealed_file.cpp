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

std::vector<util::UniqueFd> kernels_beside(const worker::UseDevice& device) {
  std::vector<util::UniqueFd> files;
  if (device.is_cuda()) files.push_back(open_sealed(device.kernels_path, ""));
  return files;
}

}  // namespace fib::bench
