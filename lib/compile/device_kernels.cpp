#include "compile/device_kernels.h"

#include "compile/artifact_cache.h"
#include "compile/compiler_files.h"
#include "compile/nvrtc.h"
#include "util/error.h"
#include "util/files.h"
#include "util/hash.h"

namespace fib::compile {
namespace {

constexpr const char* kFile = "kernels.cubin";

NvrtcInput input_for(const std::string& architecture) {
  const auto& sources = kernel_sources();
  NvrtcInput input;
  input.name = sources.front().first;
  input.source = sources.front().second;
  input.headers.assign(sources.begin() + 1, sources.end());
  // No contraction and no flushing of subnormals: the bits must be the host's.
  input.options = {"--gpu-architecture=" + architecture, "--std=c++17", "--fmad=false", "--ftz=false"};
  return input;
}

std::string key_of(const NvrtcInput& input) {
  util::Sha256 hash;
  hash.add(nvrtc_version()).add(input.source);
  for (const auto& [name, content] : input.headers) hash.add(name).add(content);
  for (const auto& option : input.options) hash.add(option);
  return hash.hex();
}

}  // namespace

std::filesystem::path device_kernels(const std::string& architecture, const std::filesystem::path& cache) {
  const NvrtcInput input = input_for(check_architecture(architecture));
  const auto build = [&](const std::filesystem::path&, const std::filesystem::path& out) {
    const auto output = run_nvrtc(input);
    if (!output.succeeded)
      throw Error("fib's own kernels do not compile for {}:\n{}", architecture, output.log);
    util::write_file_atomic(out / kFile, output.cubin);
    return BuildAnswer{};
  };
  const CacheEntry entry{cache, "kernels", key_of(input), {kFile}};
  return through_cache(entry, files_of_compilers({}), build).folder / kFile;
}

}  // namespace fib::compile
