#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "fuzz/targets.h"

// libFuzzer's entry. FIB_FUZZ_TARGET in the environment names the target; with FIB_FUZZ_SEEDS its seeds are
// written to that folder first.
namespace {

const fib::fuzz::Target& chosen() {
  const char* name = std::getenv("FIB_FUZZ_TARGET");
  for (const auto& target : fib::fuzz::targets()) {
    if (name != nullptr && std::strcmp(name, target.name) == 0) return target;
  }
  std::fprintf(stderr, "FIB_FUZZ_TARGET must be one of:");
  for (const auto& target : fib::fuzz::targets()) std::fprintf(stderr, " %s", target.name);
  std::fprintf(stderr, "\n");
  std::exit(2);
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  const char* folder = std::getenv("FIB_FUZZ_SEEDS");
  if (folder == nullptr) return 0;
  int number = 0;
  for (const auto& seed : chosen().seeds)
    std::ofstream(std::filesystem::path(folder) / ("seed" + std::to_string(number++)), std::ios::binary)
        << seed;
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto& target = chosen();
  target.read(std::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
