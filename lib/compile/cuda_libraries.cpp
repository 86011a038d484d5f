#include "compile/cuda_libraries.h"

#include <regex>
#include <set>

namespace fib::compile {

std::vector<std::string> cuda_libraries(const model::Solution& solution) {
  static const std::regex include(
      R"re((?:^|\n)[ \t]*#[ \t]*include[ \t]*[<"]((cublasLt|cublas|cudnn|curand|cufft|cusparse|cusolver|nvrtc)[^>"]*)[>"])re");
  std::set<std::string> found;
  const auto add = [&](const std::string& name) {
    found.insert(name);
    if (name == "cublas") found.insert("cublasLt");  // which it is made of
  };
  for (const auto& source : solution.sources) {
    for (std::sregex_iterator match(source.content.begin(), source.content.end(), include), end; match != end;
         ++match) {
      // curand_kernel.h and its like are code for the device alone.
      if ((*match)[1].str().find("kernel") == std::string::npos) add((*match)[2].str());
    }
  }
  for (const auto& name : solution.spec.dependencies.value_or(std::vector<std::string>{})) {
    for (const char* library :
         {"cublas", "cublasLt", "cudnn", "curand", "cufft", "cusparse", "cusolver", "nvrtc"}) {
      if (name == library) add(name);
    }
  }
  return {found.begin(), found.end()};
}

}  // namespace fib::compile
