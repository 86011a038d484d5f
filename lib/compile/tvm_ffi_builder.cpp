#include "compile/tvm_ffi_builder.h"

#include <algorithm>
#include <set>

#include "compile/artifact_cache.h"
#include "compile/compiler_files.h"
#include "compile/elf_symbols.h"
#include "compile/native_build.h"
#include "compile/sources.h"
#include "compile/tvm_ffi_package.h"
#include "util/files.h"
#include "util/hash.h"

namespace fib::compile {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr std::uint64_t kTvmFfiCacheFormat = 3;  // raise when what is built or how changes
constexpr const char* kSymbolPrefix = "__tvm_ffi_";
// A file that says to which runtime the library is linked, by one of two words: what lies in the cache was
// made beside compilers, which are not trusted, so no path is taken from there.
constexpr const char* kRuntimeName = "runtime";
constexpr const char* kOwn = "own";
constexpr const char* kPackageRuntime = "package";

// Of names, sizes and content of all headers.
std::string digest_of_headers(const TvmFfi& package) {
  std::set<fs::path> files;
  for (const auto& folder : {package.include / "tvm/ffi", package.dlpack / "dlpack"}) {
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (entry.is_regular_file()) files.insert(entry.path());
    }
  }
  util::Sha256 hash;
  for (const auto& file : files) hash.add(file.string()).add(util::read_file(file));
  return hash.hex();
}

std::string symbols_of(const fs::path& library) {
  return fmt::format("{}", fmt::join(exported_functions(library), ","));
}

std::string tvm_ffi_key(const model::Solution& solution, const BuildTarget& target,
                        const Toolchain& toolchain, const fs::path& runtime) {
  util::Sha256 hash;
  hash.add(kTvmFfiCacheFormat)
      .add(native_key(solution, target, toolchain))
      .add(symbols_of(runtime))
      .add(runtime.string());
  if (target.tvm_ffi) hash.add(digest_of_headers(*target.tvm_ffi)).add(target.tvm_ffi->library.string());
  return hash.hex();
}

NativeOptions options_for(const model::Solution& solution, const BuildTarget& target) {
  NativeOptions options;
  options.cuda_level = "-O2";
  options.exported = {fmt::format("{}*", kSymbolPrefix)};
  if (target.tvm_ffi) {
    options.includes.push_back("-I" + target.tvm_ffi->include.string());
    if (target.tvm_ffi->dlpack != target.tvm_ffi->include)
      options.includes.push_back("-I" + target.tvm_ffi->dlpack.string());
  }
  if (target.device == model::DeviceKind::cuda) link_to_cuda(options, solution);
  return options;
}

// Functions of TVM-FFI that the linker has not found.
std::set<std::string> missing_functions(const std::string& log) {
  constexpr std::string_view kMark = "undefined reference to `";
  std::set<std::string> names;
  for (auto at = log.find(kMark); at != std::string::npos; at = log.find(kMark, at + 1)) {
    const auto begin = at + kMark.size();
    const auto end = log.find_first_of("'\n", begin);
    if (end != std::string::npos && log.compare(begin, 6, "TVMFFI") == 0)
      names.insert(log.substr(begin, end - begin));
  }
  return names;
}

std::string missing_function(const fs::path& library, const std::string& symbol) {
  const auto exported = exported_functions(library);
  if (exported.contains(kSymbolPrefix + symbol)) return {};
  std::string text = fmt::format("the library does not export {}{}", kSymbolPrefix, symbol);
  Words others;
  for (const auto& name : exported) {
    if (name.starts_with(kSymbolPrefix))
      others.push_back(name.substr(std::string_view(kSymbolPrefix).size()));
  }
  if (!others.empty()) return text + fmt::format("; of TVM-FFI it exports: {}", fmt::join(others, ", "));
  return text + fmt::format(": TVM_FFI_DLL_EXPORT_TYPED_FUNC({}, function) does that", symbol);
}

// Links to fib's runtime, or to the package's. Why it failed, or nothing; `which` becomes the one that was
// taken.
std::string link(NativeBuild& build, const BuildTarget& target, const fs::path& own_runtime,
                 std::string& which) {
  which = kOwn;
  const std::string failure = build.link({own_runtime.string()});
  const auto missing = missing_functions(build.log());
  if (failure.empty() || missing.empty()) return failure;
  if (target.tvm_ffi && !target.tvm_ffi->library.empty()) {
    which = kPackageRuntime;
    return build.link({target.tvm_ffi->library.string()});
  }
  return fmt::format(
      "fib's runtime for TVM-FFI lacks {}, and there is no libtvm_ffi.so (install apache-tvm-ffi)\n{}",
      fmt::join(missing, ", "), failure);
}

// The runtime that a build has taken.
fs::path runtime_of(const std::string& which, const BuildTarget& target, const fs::path& own_runtime) {
  if (which == kOwn) return own_runtime;
  if (which == kPackageRuntime && target.tvm_ffi && !target.tvm_ffi->library.empty())
    return target.tvm_ffi->library;
  throw Error("a build of a TVM-FFI solution has left something else than a runtime's name");
}

}  // namespace

BuildResult build_tvm_ffi(const model::Solution& solution, const model::Definition& definition,
                          const BuildTarget& target, const fs::path& cache) {
  const Toolchain toolchain;
  const fs::path own_runtime = tvm_ffi_runtime();
  const std::string symbol(solution.spec.entry_symbol());
  const CacheEntry entry{
      cache, "tvm_ffi", tvm_ffi_key(solution, target, toolchain, own_runtime), {kLibraryName, kRuntimeName}};
  auto access = files_of_compilers(target);
  access.readable.push_back(own_runtime.parent_path());
  if (target.tvm_ffi) {
    for (const auto& path :
         {target.tvm_ffi->include, target.tvm_ffi->dlpack, target.tvm_ffi->library.parent_path()}) {
      if (!path.empty()) access.readable.push_back(path);
    }
  }
  const auto result = through_cache(entry, access, [&](const fs::path& work, const fs::path& out) {
    NativeBuild build(solution, target, toolchain, options_for(solution, target), work, out);
    std::string which;
    std::string failure = build.compile();
    if (failure.empty()) failure = link(build, target, own_runtime, which);
    if (failure.empty()) failure = missing_function(out / kLibraryName, symbol);
    if (failure.empty()) util::write_file_atomic(out / kRuntimeName, which);
    return BuildAnswer{std::move(failure), build.log()};
  });
  if (!result.answer.failure.empty())
    return {BuildResult::Outcome::kFailed, {}, result.answer.failure, false};
  BuildResult built{BuildResult::Outcome::kBuilt, {}, result.answer.log, result.from_cache};
  built.artifact.kind = Artifact::Kind::kTvmFfi;
  built.artifact.file = result.folder / kLibraryName;
  built.artifact.sha256 = result.digests.front();
  built.artifact.symbol = kSymbolPrefix + symbol;
  built.artifact.runtime = runtime_of(util::read_file(result.folder / kRuntimeName), target, own_runtime);
  built.artifact.style = calling_style(solution, definition);
  if (built.artifact.style.inferred) built.log = built.artifact.style.reason + "\n" + built.log;
  return built;
}

}  // namespace fib::compile
