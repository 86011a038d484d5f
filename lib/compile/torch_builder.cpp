#include "compile/torch_builder.h"

#include <sys/wait.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "compile/artifact_cache.h"
#include "compile/compile_options.h"
#include "compile/compiler_files.h"
#include "compile/compiler_log.h"
#include "compile/elf_symbols.h"
#include "compile/python_scripts.h"
#include "compile/sources.h"
#include "compile/toolchain.h"
#include "util/error.h"
#include "util/files.h"
#include "util/hash.h"

namespace fib::compile {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr std::uint64_t kTorchCacheFormat = 2;  // raise when what is built or how changes

bool uses_cuda(const BuildTarget& target, const model::Solution& solution) {
  return target.device == model::DeviceKind::cuda &&
         (solution.spec.language == model::Language::cuda || has_cuda_sources(solution));
}

Words options_of(const std::optional<Words>& (*list)(const model::CompileOptions&),
                 const model::Solution& solution, const char* level) {
  Words words = {level};
  if (!solution.spec.compile_options) return words;
  const auto more = list(*solution.spec.compile_options).value_or(Words{});
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// The linker is told to warn of undefined symbols: what the interpreter itself defines is always among them.
struct LinkerWarnings {
  explicit LinkerWarnings(const std::string& output) {
    constexpr std::string_view kWarning = "warning: undefined reference to `";
    std::istringstream lines(output);
    for (std::string line; std::getline(lines, line);) {
      const auto at = line.find(kWarning);
      const bool where = line.find(": in function `") != std::string::npos;
      const bool more = line.find("warning: more undefined references to `") != std::string::npos;
      if (at == std::string::npos && !where && !more) log += line + '\n';
      if (at == std::string::npos) continue;
      const auto begin = at + kWarning.size();
      const std::string name = line.substr(begin, line.rfind('\'') - begin);
      if (!name.starts_with("Py") && !name.starts_with("_Py")) undefined.insert(name);
    }
  }
  std::string log = {};  // without these warnings
  std::set<std::string> undefined = {};
};

// One build: sources in work/src, objects in work/build, the library in `out`.
class TorchBuild {
 public:
  TorchBuild(const model::Solution& solution, const BuildTarget& target, std::string module,
             const Toolchain& toolchain, const fs::path& work, const fs::path& out)
      : solution_(solution),
        target_(target),
        module_(std::move(module)),
        toolchain_(toolchain),
        work_(work),
        sources_(work / "src"),
        build_(work / "build"),
        out_(out) {}

  // Why it failed, or nothing.
  std::string run() {
    if (auto problem = refused_option(solution_)) return *problem;
    if (auto problem = write_sources(solution_, sources_)) return *problem;
    if (auto problem = choose_sources()) return *problem;
    fs::create_directory(build_);
    util::write_file_atomic(work_ / "request.json", request());
    const auto result = run_script(target_.python->path, torch_script(), {(work_ / "request.json").string()},
                                   build_, variables());
    if (WIFEXITED(result.wait_status) && WEXITSTATUS(result.wait_status) == kBrokenTorch)
      throw Error("{} cannot build torch extensions: {}", target_.python->path.string(), result.output);
    const LinkerWarnings warnings(without_folder(without_folder(result.output, sources_), build_));
    log_ = warnings.log;
    if (!result.succeeded()) {
      expect_sound_machine(target_.python->path, result);
      return failure(result);
    }
    if (!warnings.undefined.empty())
      return fmt::format("the extension uses what no source and no library defines: {}",
                         fmt::join(warnings.undefined, ", "));
    fs::rename(build_ / library(), out_ / library());
    return missing_init().value_or("");
  }

  [[nodiscard]] const std::string& log() const { return log_; }

 private:
  [[nodiscard]] std::string library() const { return module_ + ".so"; }

  // Which sources are compiled; a sentence when torch cannot.
  std::optional<std::string> choose_sources() {
    const bool cuda = uses_cuda(target_, solution_);
    std::set<std::string> objects;
    for (const auto& source : solution_.sources) {
      const fs::path path = fs::path(source.path).lexically_normal();
      const bool compiled = is_cxx(path) || is_c(path) || (is_cuda(path) && cuda);
      if (!compiled) continue;
      // torch writes paths into a file of ninja's.
      if (path.string().find_first_of("$:|\"'`\\\n\t #;&<>()*?") != std::string::npos)
        return fmt::format("torch cannot build the source \"{}\": rename it", source.path);
      if (!objects.insert(path.stem().string() + (is_cuda(path) ? ".cuda" : "")).second)
        return fmt::format("torch cannot build two sources named {}: rename one", path.stem().string());
      compiled_.push_back((sources_ / path).string());
    }
    if (!compiled_.empty()) return std::nullopt;
    return fmt::format("no source can be compiled: expected {}.cpp, .cc, .cxx or .c files",
                       cuda ? ".cu, " : "");
  }

  [[nodiscard]] std::string request() const {
    const auto cflags = [](const model::CompileOptions& o) -> const std::optional<Words>& {
      return o.cflags;
    };
    const auto cuda = [](const model::CompileOptions& o) -> const std::optional<Words>& {
      return o.cuda_cflags;
    };
    Words ld_flags = {"-Wl,--no-undefined", "-Wl,--warn-unresolved-symbols"};
    if (const auto& options = solution_.spec.compile_options) {
      const auto more = options->ld_flags.value_or(Words{});
      ld_flags.insert(ld_flags.end(), more.begin(), more.end());
    }
    const bool with_cuda = uses_cuda(target_, solution_);
    return nlohmann::json{{"name", module_},
                          {"sources", compiled_},
                          {"cflags", options_of(cflags, solution_, "-O2")},
                          {"cuda_cflags", options_of(cuda, solution_, "-O3")},
                          {"ld_flags", ld_flags},
                          {"include_paths", {sources_.string()}},
                          {"build_directory", build_.string()},
                          {"with_cuda", with_cuda},
                          {"architecture", with_cuda ? target_.architecture.substr(3) : ""}}
        .dump();
  }

  // The compilers are those that the cache's key names.
  [[nodiscard]] Words variables() const {
    Words variables = {"LC_ALL=C", fmt::format("MAX_JOBS={}", target_.compilers),
                       fmt::format("CXX={}", fmt::join(toolchain_.cxx, " ")),
                       "CUDA_VISIBLE_DEVICES="};  // a build is no business of any GPU
    if (!uses_cuda(target_, solution_)) return variables;
    variables.push_back("TORCH_CUDA_ARCH_LIST=" + torch_architecture(target_.architecture));
    variables.push_back(fmt::format("PYTORCH_NVCC={}", fmt::join(toolchain_.nvcc, " ")));
    const fs::path nvcc = toolchain_.nvcc.front();
    if (std::getenv("CUDA_HOME") == nullptr && nvcc.filename() == "nvcc" && nvcc.is_absolute())
      variables.push_back("CUDA_HOME=" + nvcc.parent_path().parent_path().string());
    return variables;
  }

  [[nodiscard]] std::string failure(const util::CommandResult& result) const {
    if (!log_.empty()) return first_error_first(log_);
    return fmt::format("{} ended with {} while it built the extension", target_.python->path.string(),
                       result.status_text());
  }

  [[nodiscard]] std::optional<std::string> missing_init() const {
    if (exported_functions(out_ / library()).contains("PyInit_" + module_)) return std::nullopt;
    return "the extension is no Python module: PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) is missing";
  }

  const model::Solution& solution_;
  const BuildTarget& target_;
  std::string module_;
  const Toolchain& toolchain_;
  fs::path work_;
  fs::path sources_;
  fs::path build_;
  fs::path out_;
  Words compiled_;
  std::string log_;
};

std::string key_of(const model::Solution& solution, const BuildTarget& target, const std::string& module,
                   const Toolchain& toolchain) {
  const auto& python = *target.python;
  util::Sha256 hash;
  hash.add(kTorchCacheFormat).add(model::content_sha256(solution)).add(module).add(target.architecture);
  hash.add(python.path.string()).add(python.abi_tag).add(python.packages.at("torch")).add(python.torch_cuda);
  hash.add(version_of(toolchain.cxx));
  hash.add(uses_cuda(target, solution) ? version_of(toolchain.nvcc) : "");
  hash.add(native_cpu(solution));
  return hash.hex();
}

}  // namespace

std::string torch_architecture(const std::string& architecture) {
  const std::string number = architecture.substr(std::string_view("sm_").size());
  const auto digits = std::min(number.find_first_not_of("0123456789"), number.size());
  if (digits < 2) throw Error("\"{}\" is no CUDA architecture", architecture);
  return number.substr(0, digits - 1) + "." + number.substr(digits - 1);
}

BuildResult build_torch(const model::Solution& solution, const model::Definition& definition,
                        const BuildTarget& target, const fs::path& cache) {
  if (!target.python || !target.python->has("torch"))
    throw Error("a torch extension cannot be built without a Python interpreter that has torch");
  const ChosenStyle style = calling_style(solution, definition);
  const std::string module = model::package_name(solution, "torch_");
  const Toolchain toolchain;
  const CacheEntry entry{cache, "torch", key_of(solution, target, module, toolchain), {module + ".so"}};
  auto access = files_of_compilers(target);
  // Importing torch takes random numbers. A source that includes an endless device ends at the build's
  // limits.
  access.endless_devices = true;
  const auto result = through_cache(entry, access, [&](const fs::path& work, const fs::path& out) {
    TorchBuild build(solution, target, module, toolchain, work, out);
    std::string failure = build.run();
    return BuildAnswer{std::move(failure), build.log()};
  });
  std::string log = result.answer.log;
  const std::string& failure = result.answer.failure;
  if (!failure.empty()) return {BuildResult::Outcome::kFailed, {}, failure, false};
  if (style.inferred) log = style.reason + "\n" + log;
  BuildResult built{BuildResult::Outcome::kBuilt, {}, log, result.from_cache};
  built.artifact.kind = Artifact::Kind::kTorchExtension;
  built.artifact.file = result.folder / (module + ".so");
  built.artifact.sha256 = result.digests.front();
  built.artifact.symbol = solution.spec.entry_symbol();
  built.artifact.module = module;
  built.artifact.style = style;
  return built;
}

}  // namespace fib::compile
