#include "compile/nvrtc.h"

#include <algorithm>
#include <cctype>

#include "cuda/nvrtc.h"
#include "util/error.h"

namespace fib::compile {
namespace {

class Program {
 public:
  Program(const cuda::Nvrtc& nvrtc, const NvrtcInput& input) : nvrtc_(nvrtc) {
    std::vector<const char*> names;
    std::vector<const char*> contents;
    for (const auto& [name, content] : input.headers) {
      names.push_back(name.c_str());
      contents.push_back(content.c_str());
    }
    check(nvrtc_.create(&program_, input.source.c_str(), input.name.c_str(), static_cast<int>(names.size()),
                        contents.data(), names.data()),
          "nvrtcCreateProgram");
    for (const auto& kernel : input.kernels)
      check(nvrtc_.add_name(program_, kernel.c_str()), "nvrtcAddNameExpression");
  }
  ~Program() { nvrtc_.destroy(&program_); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  bool compile(const std::vector<std::string>& options) {
    std::vector<const char*> words;
    for (const auto& option : options) words.push_back(option.c_str());
    const nvrtcResult result = nvrtc_.compile(program_, static_cast<int>(words.size()), words.data());
    const bool sources_fault = result == NVRTC_ERROR_COMPILATION || result == NVRTC_ERROR_INVALID_OPTION;
    if (result != NVRTC_SUCCESS && !sources_fault) check(result, "nvrtcCompileProgram");
    return result == NVRTC_SUCCESS;
  }

  std::string log() const {
    std::size_t size = 0;
    check(nvrtc_.log_size(program_, &size), "nvrtcGetProgramLogSize");
    std::string text(size, '\0');
    if (size > 0) check(nvrtc_.log(program_, text.data()), "nvrtcGetProgramLog");
    while (!text.empty() && text.back() == '\0') text.pop_back();
    return text;
  }

  std::string cubin() const {
    std::size_t size = 0;
    check(nvrtc_.cubin_size(program_, &size), "nvrtcGetCUBINSize");
    std::string bytes(size, '\0');
    check(nvrtc_.cubin(program_, bytes.data()), "nvrtcGetCUBIN");
    return bytes;
  }

  std::string symbol(const std::string& kernel) const {
    const char* name = nullptr;
    check(nvrtc_.lowered_name(program_, kernel.c_str(), &name), "nvrtcGetLoweredName");
    return name;
  }

 private:
  void check(nvrtcResult result, const char* function) const {
    if (result != NVRTC_SUCCESS) throw Error("{}: {}", function, nvrtc_.error_string(result));
  }

  const cuda::Nvrtc& nvrtc_;
  nvrtcProgram program_ = nullptr;
};

// "sm_90a" -> 90.
int number_of(const std::string& architecture) {
  int number = 0;
  for (const char c : architecture) {
    if (std::isdigit(static_cast<unsigned char>(c)) != 0) number = 10 * number + (c - '0');
  }
  return number;
}

}  // namespace

NvrtcOutput run_nvrtc(const NvrtcInput& input) {
  const auto nvrtc = cuda::Nvrtc::open();
  Program program(nvrtc, input);
  NvrtcOutput output;
  output.succeeded = program.compile(input.options);
  output.log = program.log();
  if (!output.succeeded) return output;
  output.cubin = program.cubin();
  for (const auto& kernel : input.kernels) output.symbols.push_back(program.symbol(kernel));
  return output;
}

std::string nvrtc_version() {
  const auto nvrtc = cuda::Nvrtc::open();
  return fmt::format("{}.{}", nvrtc.major, nvrtc.minor);
}

std::string check_architecture(const std::string& wanted) {
  const auto nvrtc = cuda::Nvrtc::open();
  int count = 0;
  if (nvrtc.architecture_count(&count) != NVRTC_SUCCESS) return wanted;
  std::vector<int> known(static_cast<std::size_t>(count));
  if (nvrtc.architectures(known.data()) != NVRTC_SUCCESS) return wanted;
  if (std::find(known.begin(), known.end(), number_of(wanted)) != known.end()) return wanted;
  throw Error("NVRTC {}.{} ({}) cannot compile for {}; it knows {} to {}", nvrtc.major, nvrtc.minor,
              nvrtc.path, wanted, known.empty() ? 0 : known.front(), known.empty() ? 0 : known.back());
}

}  // namespace fib::compile
