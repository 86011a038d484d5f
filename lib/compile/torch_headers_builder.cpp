#include "compile/torch_headers_builder.h"

#include <algorithm>

#include "compile/artifact_cache.h"
#include "compile/builder.h"
#include "compile/compiler_files.h"
#include "compile/compiler_log.h"
#include "compile/elf_symbols.h"
#include "compile/native_build.h"
#include "compile/sources.h"
#include "compile/torch_builder.h"
#include "compile/torch_headers.h"
#include "util/files.h"
#include "util/hash.h"

namespace fib::compile {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr std::uint64_t kTorchHeadersCacheFormat = 3;  // raise when what is built or how changes
constexpr const char* kModulePrefix = "fib_torch_extension_";
constexpr const char* kHeaders = "torch";  // the headers' folder beside the sources

bool on_cuda(const BuildTarget& target) { return target.device == model::DeviceKind::cuda; }

std::string module_of(const model::Solution& solution) { return model::package_name(solution, "torch_"); }

std::string torch_headers_key(const model::Solution& solution, const BuildTarget& target,
                              const Toolchain& toolchain) {
  const fs::path runtime = torch_headers_runtime();
  util::Sha256 hash;
  hash.add(kTorchHeadersCacheFormat).add(native_key(solution, target, toolchain)).add(torch_headers_digest());
  hash.add(module_of(solution));  // the exported symbol has its name
  hash.add(runtime.string()).add(fmt::format("{}", fmt::join(exported_functions(runtime), ",")));
  hash.add(on_cuda(target) ? version_of(toolchain.nvcc) : "");
  return hash.hex();
}

bool mentions(const model::Solution& solution, std::string_view word) {
  return std::any_of(solution.sources.begin(), solution.sources.end(),
                     [&](const auto& source) { return source.content.find(word) != std::string::npos; });
}

// Torch's own flags, as torch.utils.cpp_extension gives them.
NativeOptions options_for(const model::Solution& solution, const BuildTarget& target,
                          const fs::path& headers) {
  NativeOptions options;
  options.includes = {"-I" + headers.string(), "-DTORCH_EXTENSION_NAME=" + module_of(solution),
                      "-DTORCH_API_INCLUDE_EXTENSION_H"};
  options.exported = {fmt::format("{}*", kModulePrefix)};
  if (!on_cuda(target)) return options;
  options.cuda_flags = {"-D__CUDA_NO_HALF_OPERATORS__", "-D__CUDA_NO_HALF_CONVERSIONS__",
                        "-D__CUDA_NO_BFLOAT16_CONVERSIONS__", "-D__CUDA_NO_HALF2_OPERATORS__",
                        "--expt-relaxed-constexpr"};
  options.cuda_sources = {(headers / kTorchDeviceCode).string()};
  link_to_cuda(options, solution);
  if (mentions(solution, "CUDABlasHandle")) options.libraries.emplace_back("-lcublas");
  return options;
}

constexpr const char* kNoModule =
    "the extension is no Python module: PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) is missing";

std::string missing_module(const fs::path& library, const std::string& module) {
  return exported_functions(library).contains(kModulePrefix + module) ? "" : kNoModule;
}

bool holds_any(std::string_view text, std::initializer_list<std::string_view> marks) {
  return std::any_of(marks.begin(), marks.end(),
                     [&](auto mark) { return text.find(mark) != std::string_view::npos; });
}

// The entry that says that only torch itself could build the solution.
CacheEntry marker(const fs::path& cache, const std::string& key) {
  return {cache, "torch_headers_lack", key, {"reason"}};
}

// With headers every extension for a GPU needs it, with torch alone those that have .cu sources.
bool lacks_nvcc(const BuildTarget& target) {
  if (!on_cuda(target)) return false;
  try {
    static_cast<void>(version_of(Toolchain().nvcc));
    return false;
  } catch (const Error&) {
    return true;
  }
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

BuildResult build_with_key(const std::string& key, const Toolchain& toolchain,
                           const model::Solution& solution, const model::Definition& definition,
                           const BuildTarget& target, const fs::path& cache) {
  const std::string module = module_of(solution);
  const fs::path runtime = torch_headers_runtime();
  const CacheEntry entry{cache, "torch_headers", key, {kLibraryName}};
  auto access = files_of_compilers(target);
  access.readable.push_back(runtime.parent_path());
  const auto result = through_cache(entry, access, [&](const fs::path& work, const fs::path& out) {
    const fs::path headers = work / kHeaders;
    write_torch_headers(headers);
    NativeBuild build(solution, target, toolchain, options_for(solution, target, headers), work, out);
    std::string failure = build.compile();
    if (failure.empty())
      failure = build.link({runtime.string(), (runtime.parent_path() / "libfib_tvm_ffi.so").string()});
    if (failure.empty()) failure = missing_module(out / kLibraryName, module);
    return BuildAnswer{without_folder(failure, headers), without_folder(build.log(), headers)};
  });
  if (!result.answer.failure.empty())
    return {BuildResult::Outcome::kFailed, {}, result.answer.failure, false};
  BuildResult built{BuildResult::Outcome::kBuilt, {}, result.answer.log, result.from_cache};
  built.artifact.kind = Artifact::Kind::kTorchHeaders;
  built.artifact.file = result.folder / kLibraryName;
  built.artifact.sha256 = result.digests.front();
  built.artifact.symbol = solution.spec.entry_symbol();
  built.artifact.module = module;
  built.artifact.runtime = runtime;
  built.artifact.style = calling_style(solution, definition);
  if (built.artifact.style.inferred) built.log = built.artifact.style.reason + "\n" + built.log;
  return built;
}

}  // namespace

bool is_verdict(const std::string& failure) {
  if (holds_any(failure, {"internal compiler error", "terminated program", "terminated with signal",
                          "died due to signal", "out of memory", "memory exhausted", "Cannot allocate memory",
                          "Memory allocation failure", "bad_alloc"}))
    return false;
  return failure == kNoModule ||
         holds_any(failure,
                   {": error:", ": fatal error:", ": error ", ": catastrophic error:", "error: unrecognized",
                    "undefined reference", "undefined symbol", "cannot find -l", "multiple definition of",
                    "nvcc fatal", "ptxas error", "ptxas fatal", "nvlink error"});
}

BuildResult build_torch_headers(const model::Solution& solution, const model::Definition& definition,
                                const BuildTarget& target, const fs::path& cache) {
  const Toolchain toolchain;
  return build_with_key(torch_headers_key(solution, target, toolchain), toolchain, solution, definition,
                        target, cache);
}

BuildResult build_torch_extension(const model::Solution& solution, const model::Definition& definition,
                                  const BuildTarget& target, const fs::path& cache) {
  if (target.torch == TorchWay::kReal) return build_torch(solution, definition, target, cache);
  if (target.torch == TorchWay::kHeaders) return build_torch_headers(solution, definition, target, cache);
  const auto no_torch = no_torch_reason(target.device, target.python);
  if (!no_torch && lacks_nvcc(target)) return build_torch(solution, definition, target, cache);
  const Toolchain toolchain;
  const std::string key = torch_headers_key(solution, target, toolchain);
  const auto lack = marker(cache, key);
  const bool lacks = !no_torch && is_cached(lack);
  bool learnt = false;  // in this build, that they lack something
  if (!lacks) {
    auto built = build_with_key(key, toolchain, solution, definition, target, cache);
    if (built.outcome == BuildResult::Outcome::kBuilt) return built;
    if (no_torch) {
      return {BuildResult::Outcome::kUnsupported,
              {},
              fmt::format("fib's torch headers do not build it ({}), and with torch itself: {}",
                          first_line(built.log), *no_torch),
              false};
    }
    learnt = is_verdict(built.log);
  }
  auto real = build_torch(solution, definition, target, cache);
  if (real.outcome == BuildResult::Outcome::kBuilt && learnt) {
    const auto note = [](const fs::path& /*work*/, const fs::path& out) {
      util::write_file_atomic(out / "reason", "built by torch alone\n");
      return BuildAnswer{};
    };
    static_cast<void>(through_cache(lack, files_of_compilers(target), note));
  }
  return real;
}

}  // namespace fib::compile
