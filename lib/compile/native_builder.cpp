#include "compile/native_builder.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>

#include "compile/compiler_log.h"
#include "compile/elf_symbols.h"
#include "compile/entry_signature.h"
#include "util/command.h"
#include "util/file_lock.h"
#include "util/files.h"
#include "util/hash.h"

namespace fib::compile {
namespace fs = std::filesystem;
namespace {

using Words = std::vector<std::string>;

constexpr const char* kLibraryName = "kernel.so";
constexpr std::uint64_t kCacheFormat = 1;  // raise when what is built or how changes

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

struct Toolchain {
  Words cxx = compiler_from("CXX", "c++");
  Words cc = compiler_from("CC", "cc");
};

bool is_cxx(const fs::path& path) {
  return path.extension() == ".cpp" || path.extension() == ".cc" || path.extension() == ".cxx";
}
bool is_c(const fs::path& path) { return path.extension() == ".c"; }

void append(Words& words, const std::optional<Words>& more) {
  if (more) words.insert(words.end(), more->begin(), more->end());
}

std::string version_of(Words compiler) {
  compiler.push_back("--version");
  return util::run_command(compiler, "/").output;
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

std::string cache_key(const model::Solution& solution, const Toolchain& toolchain) {
  util::Sha256 hash;
  hash.add(kCacheFormat).add(model::content_sha256(solution));
  bool c_sources = false;
  for (const auto& source : solution.sources) c_sources |= is_c(source.path);
  hash.add(version_of(toolchain.cxx)).add(c_sources ? version_of(toolchain.cc) : "");
  bool native = false;
  if (const auto& options = solution.spec.compile_options) {
    for (const auto& flag : options->cflags.value_or(Words{}))
      native |= flag.find("native") != std::string::npos;
  }
  hash.add(native ? cpu_identity() : "");
  return hash.hex();
}

BuildResult failed(std::string log) { return {BuildResult::Outcome::kFailed, {}, std::move(log), false}; }

// Options that make a compiler run other programs or write elsewhere. The list is for honest mistakes and
// obvious tricks; a build process has no capabilities and cannot look into other processes of fib.
std::optional<std::string> refused_option(const model::Solution& solution) {
  if (!solution.spec.compile_options) return std::nullopt;
  const auto& options = *solution.spec.compile_options;
  for (const auto& list : {options.cflags, options.ld_flags}) {
    for (const auto& flag : list.value_or(Words{})) {
      for (const std::string_view bad :
           {"-wrapper",    "-fplugin",    "-specs",       "--specs", "-B",       "-o",       "@",
            "-plugin",     "-Wl,-plugin", "-Wl,--plugin", "-Wl,@",   "-Xlinker", "-fuse-ld", "-dumpdir",
            "-save-temps", "-Xclang",     "-load",        "-MF",     "-MD",      "-fdump"}) {
        if (flag.starts_with(bad)) return fmt::format("the compile option \"{}\" is not allowed", flag);
      }
    }
  }
  return std::nullopt;
}

// One build in a temporary folder; moved into the cache when it is complete.
class NativeBuild {
 public:
  NativeBuild(const model::Solution& solution, const Toolchain& toolchain, const fs::path& folder)
      : solution_(solution), toolchain_(toolchain), folder_(folder), sources_(folder / "src") {}

  BuildResult run() {
    if (auto problem = refused_option(solution_)) return failed(std::move(*problem));
    if (auto problem = write_sources()) return failed(std::move(*problem));
    for (const auto& source : solution_.sources) {
      if (!is_cxx(source.path) && !is_c(source.path)) continue;
      if (!compile(source.path)) return failed(first_error_first(log_));
    }
    if (objects_.empty()) return failed("no source can be compiled: expected .cpp, .cc, .cxx or .c files");
    if (!link()) return failed(first_error_first(log_));
    if (auto problem = missing_symbol()) return failed(std::move(*problem));
    return {BuildResult::Outcome::kBuilt, {}, log_, false};
  }

 private:
  std::optional<std::string> write_sources() {
    std::set<fs::path> written;
    for (const auto& source : solution_.sources) {
      const fs::path path = (sources_ / source.path).lexically_normal();
      if (!written.insert(path).second)
        return fmt::format("two sources are the same file \"{}\"", source.path);
      util::write_file_atomic(path, source.content);
    }
    return std::nullopt;
  }

  bool compile(const std::string& source) {
    const std::string object = fmt::format("{}.o", objects_.size());
    Words command = is_c(source) ? toolchain_.cc : toolchain_.cxx;
    if (!is_c(source)) command.push_back("-std=c++17");
    command.insert(command.end(), {"-O2", "-fPIC", "-I" + sources_.string()});
    if (solution_.spec.compile_options) append(command, solution_.spec.compile_options->cflags);
    command.insert(command.end(),
                   {"-c", fs::path(source).lexically_normal(), "-o", (folder_ / object).string()});
    objects_.push_back((folder_ / object).string());
    return run_compiler(command);
  }

  bool link() {
    Words command = toolchain_.cxx;
    command.insert(command.end(), {"-shared", "-Wl,--no-undefined", "-o", (folder_ / kLibraryName).string()});
    command.insert(command.end(), objects_.begin(), objects_.end());
    if (solution_.spec.compile_options) append(command, solution_.spec.compile_options->ld_flags);
    return run_compiler(command);
  }

  bool run_compiler(const Words& command) {
    const auto result = util::run_command(command, sources_, {"TMPDIR=" + folder_.string(), "LC_ALL=C"});
    log_ += result.output;
    if (result.succeeded()) return true;
    if (result.output.empty()) log_ += fmt::format("{} ended with {}\n", command[0], result.status_text());
    return false;
  }

  std::optional<std::string> missing_symbol() const {
    const auto exported = exported_functions(folder_ / kLibraryName);
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
  const Toolchain& toolchain_;
  fs::path folder_;
  fs::path sources_;
  Words objects_;
  std::string log_;
};

Artifact artifact_in(const fs::path& folder, const model::Solution& solution) {
  const auto* entry = solution.entry_source();
  const std::string symbol(solution.spec.entry_symbol());
  return {folder / kLibraryName, symbol, entry != nullptr && returns_status(entry->content, symbol)};
}

// What killed builders of the same artifact left behind; called with its lock held.
void remove_leftovers(const fs::path& parent, const std::string& prefix) {
  for (const auto& entry : fs::directory_iterator(parent)) {
    if (entry.path().filename().string().starts_with(prefix)) fs::remove_all(entry.path());
  }
}

}  // namespace

BuildResult build_native(const model::Solution& solution, const fs::path& cache) try {
  const Toolchain toolchain;
  const std::string key = cache_key(solution, toolchain);
  const fs::path parent = cache / "native" / key.substr(0, 2);
  const fs::path folder = parent / key;
  fs::create_directories(parent);
  const auto lock = util::FileLock::take(cache / "locks" / (key + ".lock"), util::FileLock::Sharing::kUser,
                                         [] { return true; });
  if (fs::exists(folder / kLibraryName)) {
    return {BuildResult::Outcome::kBuilt, artifact_in(folder, solution), {}, true};
  }
  remove_leftovers(parent, key + ".tmp-");
  const util::TemporaryFolder temporary(parent, key + ".tmp-");
  BuildResult result = NativeBuild(solution, toolchain, temporary.path()).run();
  if (result.outcome == BuildResult::Outcome::kBuilt) {
    fs::create_directories(folder);
    fs::rename(temporary.path() / kLibraryName, folder / kLibraryName);
    result.artifact = artifact_in(folder, solution);
  }
  return result;
} catch (const fs::filesystem_error& error) {
  throw Error("cannot use the cache {}: {}", cache.string(), error.what());
}

}  // namespace fib::compile
