#include "compile/builder.h"

#include <set>

#include "compile/native_builder.h"
#include "compile/python_builder.h"
#include "compile/python_source.h"
#include "compile/torch_headers_builder.h"
#include "compile/tvm_ffi_builder.h"
#include "util/text.h"
#if FIB_CUDA
#include "compile/nvrtc_builder.h"
#endif

namespace fib::compile {

using model::Binding;
using model::DeviceKind;
using model::Language;
using model::Obstacle;
using model::ObstacleCode;
using FoundPython = std::optional<PythonInterpreter>;

namespace {

bool is_python_language(Language language) {
  return language == Language::python || language == Language::triton || language == Language::tilelang;
}

// Packages that fib knows of, by the names that they are imported by, and those that they are installed by.
constexpr std::pair<const char*, const char*> kPackagesOfLanguages[] = {
    {"torch", "torch"},
    {"triton", "triton"},
    {"tilelang", "tilelang"},
    {"numpy", "numpy"},
    {"cutlass", "nvidia-cutlass-dsl"},
    {"cuda.tile", "cuda-tile"},
    {"cudnn", "nvidia-cudnn-frontend"},
    {"flashinfer", "flashinfer-python"},
    {"tvm_ffi", "apache-tvm-ffi"},
    {"ninja", "ninja"},
    {"setuptools", "setuptools"},
};

// The first name that the interpreter lacks.
std::optional<std::string> missing_package(const PythonInterpreter& python,
                                           const std::set<std::string>& names) {
  for (const auto& [package, distribution] : kPackagesOfLanguages) {
    if (names.contains(package) && !python.has(package)) {
      const std::string what =
          std::string_view(package) == distribution ? "it" : fmt::format("it: pip install {}", distribution);
      return fmt::format("it needs {}, which {} does not have (install {}, or set FIB_PYTHON)", package,
                         python.path.string(), what);
    }
  }
  return std::nullopt;
}

// Sources that have a package's name hide it.
void leave_out_own_modules(const model::Solution& solution, std::set<std::string>& names) {
  for (const auto& source : solution.sources) {
    if (!source.path.ends_with(".py")) continue;
    const std::string own = source.path.substr(0, source.path.find_first_of("./"));
    std::erase_if(names, [&](const std::string& name) { return name == own || name.starts_with(own + "."); });
  }
}

Obstacle unsupported(std::string why) { return {ObstacleCode::unsupported_solution, std::move(why)}; }

std::string about_language(const std::string& language) {
  const std::string word = util::lowered(language);
  const char* maker = nullptr;
  if (word == "hip" || word == "rocm") maker = "AMD";
  if (word == "sycl" || word == "dpcpp") maker = "Intel";
  if (word == "metal" || word == "msl" || word == "mlx") maker = "Apple";
  if (maker != nullptr)
    return fmt::format("language \"{}\" is for GPUs of {}, which fib does not run on", language, maker);
  return fmt::format("language \"{}\" is not supported by this version of fib", language);
}

std::optional<std::string> no_cuda_in_torch(const PythonInterpreter& python, DeviceKind device) {
  if (device != DeviceKind::cuda || !python.torch_cuda.empty()) return std::nullopt;
  return fmt::format("it needs a torch with CUDA; that of {} has none (install one, or set FIB_PYTHON)",
                     python.path.string());
}

std::optional<Obstacle> missing_tool(std::optional<std::string> why) {
  if (!why) return std::nullopt;
  return Obstacle{ObstacleCode::missing_tool, std::move(*why)};
}

constexpr const char* kNoPython = "it needs Python, and no python3 was found (set FIB_PYTHON to one)";

std::optional<Obstacle> unsupported_in_python(const model::Solution& solution, DeviceKind device,
                                              const FoundPython& python) {
  if (!python) return missing_tool(kNoPython);
  std::set<std::string> names;
  for (const auto& source : solution.sources) {
    if (source.path.ends_with(".py")) names.merge(imported_packages(source.content));
  }
  leave_out_own_modules(solution, names);
  if (device == DeviceKind::cuda) names.insert("torch");  // arguments there are torch's tensors
  if (auto reason = missing_package(*python, names)) return missing_tool(std::move(reason));
  if (device == DeviceKind::cpu && solution.spec.language == Language::triton && !python->interprets_triton)
    return Obstacle{
        ObstacleCode::other_device,
        "Triton needs a GPU; on the CPU set TRITON_INTERPRET=1, which runs it in Triton's own interpreter"};
  return names.contains("torch") ? missing_tool(no_cuda_in_torch(*python, device)) : std::nullopt;
}

std::optional<Obstacle> unsupported_tvm_ffi(const model::Solution& solution,
                                            const std::optional<TvmFfi>& tvm_ffi) {
  if (tvm_ffi || !includes_tvm_ffi(solution)) return std::nullopt;
  return missing_tool(
      "it needs the headers of TVM-FFI: install apache-tvm-ffi for the Python that fib uses (pip install "
      "apache-tvm-ffi), or set FIB_TVM_FFI_HOME to a folder with include/tvm/ffi");
}

std::optional<Obstacle> unsupported_library(const model::Spec& spec) {
  if (spec.binding != Binding::none) {
    const std::string text = spec.binding_text.value_or(std::nullopt).value_or("");
    return unsupported(fmt::format("binding \"{}\" is not supported by this version of fib", text));
  }
  if (!spec.destination_passing_style())
    return unsupported("value-returning functions cannot be called by the C calling convention");
  return std::nullopt;
}

// By spec.launch; without CUDA support the plan has said so.
bool is_launched(const model::Spec& spec, DeviceKind device) {
  return spec.launch && device == DeviceKind::cuda && !is_python_language(spec.language);
}

}  // namespace

const char* name_of(TorchWay way) {
  switch (way) {
    case TorchWay::kAuto:
      return "auto";
    case TorchWay::kHeaders:
      return "headers";
    case TorchWay::kReal:
      break;
  }
  return "real";
}

bool needs_python(const model::Solution& solution) { return is_python_language(solution.spec.language); }

bool is_torch_extension(const model::Solution& solution, DeviceKind device) {
  const auto& spec = solution.spec;
  const bool compiled = spec.language == Language::cpp || spec.language == Language::cuda;
  return compiled && spec.binding == Binding::torch && !is_launched(spec, device);
}

std::optional<std::string> no_torch_reason(DeviceKind device, const FoundPython& python) {
  if (!python) return kNoPython;
  if (auto reason = missing_package(*python, {"torch", "ninja", "setuptools"})) return reason;
  if (!python->has_headers) {
    return fmt::format("it needs Python's header files, which {} does not have (install python3-dev)",
                       python->path.string());
  }
  return no_cuda_in_torch(*python, device);
}

std::optional<Obstacle> unsupported_reason(const model::Solution& solution, DeviceKind device,
                                           const FoundPython& python, const std::optional<TvmFfi>& tvm_ffi,
                                           TorchWay torch) {
  const auto& spec = solution.spec;
  if (device == DeviceKind::cuda && !FIB_CUDA) return missing_tool("this fib was built without CUDA support");
  if (needs_python(solution)) return unsupported_in_python(solution, device, python);
  if (is_torch_extension(solution, device))
    return torch == TorchWay::kReal ? missing_tool(no_torch_reason(device, python)) : std::nullopt;
  if (spec.language != Language::cpp && spec.language != Language::cuda)
    return unsupported(about_language(spec.language_text));
  if (is_launched(spec, device)) return std::nullopt;
  return is_tvm_ffi(solution) ? unsupported_tvm_ffi(solution, tvm_ffi) : unsupported_library(spec);
}

BuildResult build(const model::Solution& solution, const model::Definition& definition,
                  const BuildTarget& target, const std::filesystem::path& cache) {
  if (auto obstacle =
          unsupported_reason(solution, target.device, target.python, target.tvm_ffi, target.torch))
    return {BuildResult::Outcome::kUnsupported, {}, std::move(obstacle->why), false};
  if (needs_python(solution)) return build_python(solution, definition, target, cache);
  if (is_torch_extension(solution, target.device))
    return build_torch_extension(solution, definition, target, cache);
#if FIB_CUDA
  if (is_launched(solution.spec, target.device)) return build_kernels(solution, definition, target, cache);
#endif
  if (is_tvm_ffi(solution)) return build_tvm_ffi(solution, definition, target, cache);
  return build_native(solution, target, cache);
}

}  // namespace fib::compile
