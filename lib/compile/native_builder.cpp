#include "compile/native_builder.h"

#include <algorithm>

#include "compile/artifact_cache.h"
#include "compile/compile_options.h"
#include "compile/compiler_files.h"
#include "compile/compiler_log.h"
#include "compile/elf_symbols.h"
#include "compile/entry_signature.h"
#include "compile/sources.h"
#include "compile/toolchain.h"
#include "util/command.h"
#include "util/hash.h"

namespace fib::compile {
namespace fs = std::filesystem;
namespace {

using Words = std::vector<std::string>;

constexpr const char* kLibraryName = "kernel.so";
constexpr std::uint64_t kCacheFormat = 3;  // raise when what is built or how changes

bool has_cuda_sources(const model::Solution& solution) {
  return std::any_of(solution.sources.begin(), solution.sources.end(),
                     [](const auto& source) { return is_cuda(source.path); });
}

void append(Words& words, const std::optional<Words>& more) {
  if (more) words.insert(words.end(), more->begin(), more->end());
}

std::string cache_key(const model::Solution& solution, const BuildTarget& target,
                      const Toolchain& toolchain) {
  util::Sha256 hash;
  hash.add(kCacheFormat).add(model::content_sha256(solution)).add(target.architecture);
  bool c_sources = false;
  for (const auto& source : solution.sources) c_sources |= is_c(source.path);
  hash.add(version_of(toolchain.cxx)).add(c_sources ? version_of(toolchain.cc) : "");
  hash.add(has_cuda_sources(solution) ? version_of(toolchain.nvcc) : "");
  hash.add(native_cpu(solution));
  return hash.hex();
}

// One build: sources in `work`, the library in `out`.
class NativeBuild {
 public:
  NativeBuild(const model::Solution& solution, const BuildTarget& target, const Toolchain& toolchain,
              const fs::path& work, const fs::path& out)
      : solution_(solution),
        target_(target),
        toolchain_(toolchain),
        folder_(work),
        sources_(work / "src"),
        out_(out) {}

  // Why it failed, or nothing.
  std::string run() {
    if (auto problem = refused_option(solution_)) return *problem;
    if (auto problem = write_sources(solution_, sources_)) return *problem;
    for (const auto& source : solution_.sources) {
      if (!is_cxx(source.path) && !is_c(source.path) && !is_cuda(source.path)) continue;
      if (is_cuda(source.path) && target_.device != model::DeviceKind::cuda) continue;
      if (is_cuda(source.path) && !is_plain_for_nvcc(source.path))
        return fmt::format("nvcc cannot be given the source {:?}: rename it", source.path);
      if (!compile(source.path)) return first_error_first(log_);
    }
    if (objects_.empty()) return fmt::format("no source can be compiled: expected {} files", kinds());
    if (!link()) return first_error_first(log_);
    return missing_symbol().value_or("");
  }

  [[nodiscard]] const std::string& log() const { return log_; }

 private:
  [[nodiscard]] const char* kinds() const {
    return target_.device == model::DeviceKind::cuda ? ".cu, .cpp, .cc, .cxx or .c" : ".cpp, .cc, .cxx or .c";
  }

  [[nodiscard]] std::string architecture_option() const {
    const std::string number = target_.architecture.substr(std::string_view("sm_").size());
    return fmt::format("-gencode=arch=compute_{0},code=sm_{0}", number);
  }

  [[nodiscard]] Words compiler_for(const std::string& source) const {
    const auto& options = solution_.spec.compile_options;
    Words command = is_cuda(source) ? toolchain_.nvcc : is_c(source) ? toolchain_.cc : toolchain_.cxx;
    if (!is_c(source)) command.push_back("-std=c++17");
    if (is_cuda(source)) {
      command.insert(command.end(),
                     {"-O3", "-Xcompiler", "-fPIC", "-I" + sources_.string(), architecture_option()});
      if (options) append(command, options->cuda_cflags);
    } else {
      command.insert(command.end(), {"-O2", "-fPIC", "-I" + sources_.string()});
      if (options) append(command, options->cflags);
    }
    return command;
  }

  bool compile(const std::string& source) {
    const std::string object = (folder_ / fmt::format("{}.o", objects_.size())).string();
    Words command = compiler_for(source);
    // By a path that no compiler takes for an option or a file of arguments.
    command.insert(command.end(), {"-c", "./" + fs::path(source).lexically_normal().string(), "-o", object});
    objects_.push_back(object);
    return run_compiler(command);
  }

  // nvcc links what it compiled, with its run time inside the library.
  bool link() {
    const bool cuda = target_.device == model::DeviceKind::cuda && has_cuda_sources(solution_);
    Words command = cuda ? toolchain_.nvcc : toolchain_.cxx;
    if (cuda) {
      command.insert(command.end(),
                     {"-shared", "-cudart", "static", "-Xlinker", "--no-undefined", architecture_option()});
    } else {
      command.insert(command.end(), {"-shared", "-Wl,--no-undefined"});
    }
    command.insert(command.end(), {"-o", (out_ / kLibraryName).string()});
    command.insert(command.end(), objects_.begin(), objects_.end());
    if (solution_.spec.compile_options) append(command, solution_.spec.compile_options->ld_flags);
    return run_compiler(command);
  }

  bool run_compiler(const Words& command) {
    const auto result = util::run_command(command, sources_, {"LC_ALL=C"});
    log_ += without_dot_slash(result.output);
    if (result.succeeded()) return true;
    expect_sound_machine(command[0], result);
    if (result.output.empty()) log_ += fmt::format("{} ended with {}\n", command[0], result.status_text());
    return false;
  }

  std::optional<std::string> missing_symbol() const {
    const auto exported = exported_functions(out_ / kLibraryName);
    const std::string symbol(solution_.spec.entry_symbol());
    if (exported.contains(symbol)) return std::nullopt;
    std::string text = fmt::format("the library does not export the entry point's symbol \"{}\"", symbol);
    const auto mangled = std::find_if(exported.begin(), exported.end(), [&](const std::string& name) {
      return name.starts_with("_Z") && name.find(std::to_string(symbol.size()) + symbol) != std::string::npos;
    });
    if (mangled != exported.end()) {
      return text + fmt::format("; it exports {}: declare the function extern \"C\"", *mangled);
    }
    return text + (exported.empty() ? "; it exports no function"
                                    : fmt::format("; it exports: {}", fmt::join(exported, ", ")));
  }

  const model::Solution& solution_;
  const BuildTarget& target_;
  const Toolchain& toolchain_;
  fs::path folder_;
  fs::path sources_;
  fs::path out_;
  Words objects_;
  std::string log_;
};

Artifact artifact_in(const fs::path& folder, const model::Solution& solution) {
  const auto* entry = solution.entry_source();
  Artifact artifact;
  artifact.file = folder / kLibraryName;
  artifact.symbol = solution.spec.entry_symbol();
  artifact.returns_status = entry != nullptr && returns_status(entry->content, artifact.symbol);
  return artifact;
}

}  // namespace

BuildResult build_native(const model::Solution& solution, const BuildTarget& target, const fs::path& cache) {
  const Toolchain toolchain;
  const CacheEntry entry{cache, "native", cache_key(solution, target, toolchain), {kLibraryName}};
  const auto access = files_of_compilers(target);
  const auto result = through_cache(entry, access, [&](const fs::path& work, const fs::path& out) {
    NativeBuild build(solution, target, toolchain, work, out);
    std::string failure = build.run();
    return BuildAnswer{std::move(failure), build.log()};
  });
  const auto& [failure, log] = result.answer;
  if (!failure.empty()) return {BuildResult::Outcome::kFailed, {}, failure, false};
  BuildResult built{BuildResult::Outcome::kBuilt, artifact_in(result.folder, solution), log,
                    result.from_cache};
  built.artifact.sha256 = result.digests.front();
  return built;
}

CompilerVersions compiler_versions(model::DeviceKind device) {
  const Toolchain toolchain;
  CompilerVersions versions{version_line(toolchain.cxx, ""), ""};
  if (device == model::DeviceKind::cuda) versions.nvcc = version_line(toolchain.nvcc, "release");
  return versions;
}

}  // namespace fib::compile
