#include "compile/cuda_libraries.h"

#include <set>

#include "compile/cpp_includes.h"

namespace fib::compile {
namespace {

// Longer names before those that they begin with.
constexpr const char* kLibraries[] = {"cublasLt", "cublas",   "cudnn",    "curand",
                                      "cufft",    "cusparse", "cusolver", "nvrtc"};

}  // namespace

std::vector<std::string> cuda_libraries(const model::Solution& solution) {
  std::set<std::string> found;
  const auto add = [&](const std::string& name) {
    found.insert(name);
    if (name == "cublas") found.insert("cublasLt");  // which it is made of
  };
  for (const auto& source : solution.sources) {
    for (const auto& header : included_headers(source.content)) {
      // curand_kernel.h and its like are code for the device alone.
      if (header.find("kernel") != std::string::npos) continue;
      for (const char* library : kLibraries) {
        if (!header.starts_with(library)) continue;
        add(library);
        break;
      }
    }
  }
  for (const auto& name : solution.spec.dependencies.value_or(std::vector<std::string>{})) {
    for (const char* library : kLibraries) {
      if (name == library) add(name);
    }
  }
  return {found.begin(), found.end()};
}

}  // namespace fib::compile
