#include "ops/gpu/programs.h"

#include <algorithm>

#include "util/error.h"

namespace fib::ops::gpu {
namespace {

std::string text_of(const Program& program) {
  std::string text = program.file;
  for (const auto& [name, value] : program.defines) text += " " + name + "=" + value;
  return text;
}

void check(const cuda::Nvrtc& nvrtc, nvrtcResult result, const char* function) {
  if (result != NVRTC_SUCCESS) throw Error("{}: {}", function, nvrtc.error_string(result));
}

// One program while it is compiled.
class Compilation {
 public:
  Compilation(const cuda::Nvrtc& nvrtc, const std::string& file) : nvrtc_(nvrtc) {
    std::vector<const char*> names;
    std::vector<const char*> contents;
    for (const auto& [name, content] : kernel_sources()) {
      names.push_back(name.c_str());
      contents.push_back(content.c_str());
    }
    const std::string main = "#include \"kernels/ops/" + file + ".cuh\"\n";
    check(nvrtc,
          nvrtc.create(&program_, main.c_str(), (file + ".cu").c_str(), static_cast<int>(names.size()),
                       contents.data(), names.data()),
          "nvrtcCreateProgram");
  }
  ~Compilation() { (void)nvrtc_.destroy(&program_); }
  Compilation(const Compilation&) = delete;
  Compilation& operator=(const Compilation&) = delete;

  bool run(const std::vector<std::string>& options) {
    std::vector<const char*> words;
    for (const auto& option : options) words.push_back(option.c_str());
    const nvrtcResult result = nvrtc_.compile(program_, static_cast<int>(words.size()), words.data());
    if (result != NVRTC_SUCCESS && result != NVRTC_ERROR_COMPILATION)
      check(nvrtc_, result, "nvrtcCompileProgram");
    return result == NVRTC_SUCCESS;
  }

  [[nodiscard]] std::string log() const {
    std::size_t size = 0;
    check(nvrtc_, nvrtc_.log_size(program_, &size), "nvrtcGetProgramLogSize");
    std::string text(size, '\0');
    if (size > 0) check(nvrtc_, nvrtc_.log(program_, text.data()), "nvrtcGetProgramLog");
    return text.c_str();
  }

  [[nodiscard]] std::string cubin() const {
    std::size_t size = 0;
    check(nvrtc_, nvrtc_.cubin_size(program_, &size), "nvrtcGetCUBINSize");
    std::string bytes(size, '\0');
    check(nvrtc_, nvrtc_.cubin(program_, bytes.data()), "nvrtcGetCUBIN");
    return bytes;
  }

 private:
  const cuda::Nvrtc& nvrtc_;
  nvrtcProgram program_ = nullptr;
};

}  // namespace

std::string compile(const cuda::Nvrtc& nvrtc, const std::string& architecture, const Program& program) {
  // No contraction, no flushing of subnormals, no short cuts: the CPU's bits as far as they can be had.
  std::vector<std::string> options = {"--gpu-architecture=" + architecture,
                                      "--std=c++17",
                                      "--fmad=false",
                                      "--ftz=false",
                                      "--prec-div=true",
                                      "--prec-sqrt=true"};
  for (const auto& [name, value] : program.defines) options.push_back("-D" + name + "=" + value);
  Compilation compilation(nvrtc, program.file);
  if (!compilation.run(options))
    throw Error("the reference engine's kernel {} does not compile for {}:\n{}", text_of(program),
                architecture, compilation.log());
  return compilation.cubin();
}

Programs::~Programs() {
  if (device_.driver.set_current(device_.context) != CUDA_SUCCESS) return;
  for (const auto& [text, module] : modules_) {
    if (module != nullptr) (void)device_.driver.module_unload(module);
  }
}

CUmodule Programs::module_of(const Program& program) {
  CUmodule& module = modules_[text_of(program)];
  if (module == nullptr) {
    const std::string cubin = compile(nvrtc_, device_.architecture, program);
    device_.check(device_.driver.module_load(&module, cubin.data()), "cuModuleLoadData");
  }
  return module;
}

CUfunction Programs::function(const Program& program, const std::string& kernel) {
  const CUmodule module = module_of(program);
  CUfunction& function = functions_[{module, kernel}];
  if (function == nullptr)
    device_.check(device_.driver.module_function(&function, module, kernel.c_str()), "cuModuleGetFunction");
  return function;
}

}  // namespace fib::ops::gpu
