#include "compile/native_build.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>

#include "compile/compile_options.h"
#include "compile/compiler_log.h"
#include "compile/cuda_libraries.h"
#include "compile/sources.h"
#include "util/command.h"
#include "util/files.h"
#include "util/hash.h"
#if FIB_CUDA
#include "cuda/library.h"
#endif

namespace fib::compile {
namespace fs = std::filesystem;
namespace {

using Words = std::vector<std::string>;

void append(Words& words, const Words& more) { words.insert(words.end(), more.begin(), more.end()); }

void append(Words& words, const std::optional<Words>& more) {
  if (more) append(words, *more);
}

}  // namespace

NativeBuild::NativeBuild(const model::Solution& solution, const BuildTarget& target,
                         const Toolchain& toolchain, NativeOptions options, const fs::path& work,
                         const fs::path& out)
    : solution_(solution),
      target_(target),
      toolchain_(toolchain),
      options_(std::move(options)),
      folder_(work),
      sources_(work / "src"),
      out_(out) {}

std::string NativeBuild::compile() {
  if (auto problem = refused_option(solution_)) return *problem;
  if (auto problem = write_sources(solution_, sources_)) return *problem;
  std::vector<Step> steps;
  bool has_others = false;  // sources for a device that is not meant
  for (const auto& source : solution_.sources) {
    if (!is_cxx(source.path) && !is_c(source.path) && !is_cuda(source.path)) continue;
    if (is_cuda(source.path) && target_.device != model::DeviceKind::cuda) {
      has_others = true;
      continue;
    }
    if (is_cuda(source.path) && !is_plain_for_nvcc(source.path))
      return fmt::format("nvcc cannot be given the source {:?}: rename it", source.path);
    objects_.push_back((folder_ / fmt::format("{}.o", objects_.size())).string());
    Words command = compiler_for(source.path);
    // By a path that no compiler takes for an option or a file of arguments.
    append(command,
           Words{"-c", "./" + fs::path(source.path).lexically_normal().string(), "-o", objects_.back()});
    steps.push_back({std::move(command)});
  }
  if (!objects_.empty() && target_.device == model::DeviceKind::cuda) {
    for (const auto& source : options_.cuda_sources) {
      objects_.push_back((folder_ / fmt::format("{}.o", objects_.size())).string());
      Words command = compiler_for(source);
      append(command, Words{"-c", source, "-o", objects_.back()});
      steps.push_back({std::move(command)});
    }
  }
  if (objects_.empty() && has_others) return "its sources are CUDA, and the device is the CPU";
  if (objects_.empty()) return fmt::format("no source can be compiled: expected {} files", expected_kinds());
  const bool compiled = run_all(std::move(steps));
  compiled_log_ = log_.size();
  return compiled ? "" : first_error_first(log_);
}

// nvcc links what it compiled, with its run time inside the library.
std::string NativeBuild::link(const Words& more_libraries) {
  const bool cuda = target_.device == model::DeviceKind::cuda &&
                    (has_cuda_sources(solution_) || !options_.cuda_sources.empty());
  Words command = cuda ? toolchain_.nvcc : toolchain_.cxx;
  if (cuda) {
    append(command,
           Words{"-shared", "-cudart", "static", "-Xlinker", "--no-undefined", architecture_option()});
  } else {
    append(command, Words{"-shared", "-Wl,--no-undefined"});
  }
  append(command, Words{"-o", (out_ / kLibraryName).string()});
  append(command, export_options());
  append(command, objects_);
  append(command, options_.libraries);
  append(command, more_libraries);
  if (solution_.spec.compile_options) append(command, solution_.spec.compile_options->ld_flags);
  log_.resize(compiled_log_);
  return run_all({{std::move(command)}}) ? "" : first_error_first(log_);
}

std::string NativeBuild::link_openly(const Words& more_libraries) {
  options_.exported.clear();
  return link(more_libraries);
}

// A program may load many solutions beside libraries of its own, and some of their names will be the same:
// helper functions, what templates and inline functions keep (which is one for a whole process), torch's own.
Words NativeBuild::export_options() const {
  if (options_.exported.empty()) return {};
  const auto& options = solution_.spec.compile_options;
  for (const auto& flag : options && options->ld_flags ? *options->ld_flags : Words{}) {
    if (flag.find("version-script") != std::string::npos) return {};  // there is one already
  }
  const fs::path script = folder_ / "exports.map";
  util::write_file_atomic(script,
                          fmt::format("{{ global: {}; local: *; }};\n", fmt::join(options_.exported, "; ")));
  return {"-Xlinker", "--version-script=" + script.string()};
}

std::string NativeBuild::expected_kinds() const {
  return target_.device == model::DeviceKind::cuda ? ".cu, .cpp, .cc, .cxx or .c" : ".cpp, .cc, .cxx or .c";
}

std::string NativeBuild::architecture_option() const {
  const std::string number = target_.architecture.substr(std::string_view("sm_").size());
  return fmt::format("-gencode=arch=compute_{0},code=sm_{0}", number);
}

Words NativeBuild::compiler_for(const std::string& source) const {
  const auto& options = solution_.spec.compile_options;
  Words command = is_cuda(source) ? toolchain_.nvcc : is_c(source) ? toolchain_.cc : toolchain_.cxx;
  if (!is_c(source)) command.emplace_back("-std=c++17");
  if (is_cuda(source)) {
    append(command, Words{options_.cuda_level, "-Xcompiler", "-fPIC", "-I" + sources_.string(),
                          architecture_option()});
  } else {
    append(command, Words{"-O2", "-fPIC", "-I" + sources_.string()});
  }
  append(command, options_.includes);
  append(command, is_cuda(source) ? options_.cuda_flags : options_.host_flags);
  if (options) append(command, is_cuda(source) ? options->cuda_cflags : options->cflags);
  return command;
}

NativeBuild::Step NativeBuild::run(Words command) const {
  const auto result = util::run_command(command, sources_, {"LC_ALL=C"});
  // An assembler names the compiler's files, which lie in the user's cache.
  const std::string output = without_folder(result.output, folder_ / "tmp");
  Step done{std::move(command), without_dot_slash(output), result.succeeded()};
  if (done.succeeded) return done;
  expect_sound_machine(done.command[0], result);
  if (result.output.empty())
    done.output = fmt::format("{} ended with {}\n", done.command[0], result.status_text());
  return done;
}

// Side by side; the log has their output in their order, up to the first that failed. Throws what one of them
// throws.
bool NativeBuild::run_all(std::vector<Step> steps) {
  std::atomic<std::size_t> next = 0;
  std::vector<std::exception_ptr> problems(steps.size());
  const auto work = [&] {
    for (std::size_t i = next++; i < steps.size(); i = next++) {
      try {
        steps[i] = run(steps[i].command);
      } catch (...) {
        problems[i] = std::current_exception();
      }
    }
  };
  const auto workers = std::min<std::size_t>(std::max(target_.compilers, 1U), steps.size());
  {
    std::vector<std::jthread> threads;
    while (threads.size() + 1 < workers) threads.emplace_back(work);
    work();
  }
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (problems[i]) std::rethrow_exception(problems[i]);
    log_ += steps[i].output;
    if (!steps[i].succeeded) return false;
  }
  return true;
}

void link_to_cuda([[maybe_unused]] NativeOptions& options, [[maybe_unused]] const model::Solution& solution) {
#if FIB_CUDA
  const bool by_nvcc = has_cuda_sources(solution) || !options.cuda_sources.empty();
  const auto to_linker = [&](const std::string& option) {
    if (by_nvcc) {
      append(options.libraries, Words{"-Xlinker", option});
    } else {
      options.libraries.push_back("-Wl," + option);
    }
  };
  to_linker("--as-needed");
  for (const auto& folder : cuda::library_folders()) {
    options.libraries.push_back("-L" + folder.string());
    if (fs::exists(folder / "stubs")) options.libraries.push_back("-L" + (folder / "stubs").string());
    to_linker("-rpath=" + folder.string());
  }
  for (const auto& folder : cuda::include_folders()) options.host_flags.push_back("-I" + folder.string());
  if (!by_nvcc) options.libraries.emplace_back("-lcudart");
  options.libraries.emplace_back("-lcuda");
  for (const auto& library : cuda_libraries(solution)) options.libraries.push_back("-l" + library);
#endif
}

std::string native_key(const model::Solution& solution, const BuildTarget& target,
                       const Toolchain& toolchain) {
  util::Sha256 hash;
  hash.add(model::content_sha256(solution)).add(target.architecture);
  bool c_sources = false;
  for (const auto& source : solution.sources) c_sources |= is_c(source.path);
  hash.add(version_of(toolchain.cxx)).add(c_sources ? version_of(toolchain.cc) : "");
  hash.add(has_cuda_sources(solution) ? version_of(toolchain.nvcc) : "");
  hash.add(native_cpu(solution));
  return hash.hex();
}

}  // namespace fib::compile
