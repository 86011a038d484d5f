#include "compile/toolchain.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "util/command.h"
#include "util/error.h"

namespace fib::compile {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

Words split_words(const std::string& text) {
  Words words;
  std::string word;
  for (const char c : text + ' ') {
    if (c != ' ') {
      word += c;
    } else if (!word.empty()) {
      words.push_back(std::exchange(word, {}));
    }
  }
  return words;
}

Words compiler_from(const char* variable, const char* otherwise) {
  const char* value = std::getenv(variable);
  Words words = split_words(value != nullptr ? value : "");
  return words.empty() ? Words{otherwise} : words;
}

// nvcc of the CUDA toolkit, else whatever PATH has.
std::string default_nvcc() {
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    const char* root = std::getenv(variable);
    if (root != nullptr && fs::exists(fs::path(root) / "bin/nvcc"))
      return (fs::path(root) / "bin/nvcc").string();
  }
  return fs::exists("/usr/local/cuda/bin/nvcc") ? "/usr/local/cuda/bin/nvcc" : "nvcc";
}

// The CPU's own name and features decide what "-march=native" means.
std::string cpu_identity() {
  std::ifstream info("/proc/cpuinfo");
  std::string identity;
  for (std::string line; std::getline(info, line) && !line.empty();) {
    if (line.starts_with("model name") || line.starts_with("flags") || line.starts_with("Features"))
      identity += line;
  }
  return identity;
}

}  // namespace

Toolchain::Toolchain()
    : cxx(compiler_from("CXX", "c++")),
      cc(compiler_from("CC", "cc")),
      nvcc(compiler_from("NVCC", default_nvcc().c_str())) {}

std::string version_of(Words compiler) {
  compiler.push_back("--version");
  return util::run_command(compiler, "/").output;
}

// The first line that holds `mark`.
std::string version_line(const Words& compiler, std::string_view mark) try {
  std::istringstream lines(version_of(compiler));
  for (std::string line; std::getline(lines, line);) {
    if (line.find(mark) != std::string::npos) return line;
  }
  return {};
} catch (const Error&) {
  return {};
}

std::string native_cpu(const model::Solution& solution) {
  if (!solution.spec.compile_options) return {};
  for (const auto& flag : solution.spec.compile_options->cflags.value_or(Words{})) {
    if (flag.find("native") != std::string::npos) return cpu_identity();
  }
  return {};
}

}  // namespace fib::compile
