#include "compile/native_builder.h"

#include <algorithm>
#include <cctype>

#include "compile/artifact_cache.h"
#include "compile/compiler_files.h"
#include "compile/elf_symbols.h"
#include "compile/entry_signature.h"
#include "compile/native_build.h"
#include "util/hash.h"

namespace fib::compile {
namespace fs = std::filesystem;
namespace {

constexpr std::uint64_t kNativeCacheFormat = 5;  // raise when what is built or how changes

std::string entry_key(const model::Solution& solution, const BuildTarget& target,
                      const Toolchain& toolchain) {
  return util::Sha256().add(kNativeCacheFormat).add(native_key(solution, target, toolchain)).hex();
}

std::string missing_symbol(const fs::path& library, const std::string& symbol) {
  const auto exported = exported_functions(library);
  if (exported.contains(symbol)) return {};
  const std::string text = fmt::format("the library does not export the entry point's symbol \"{}\"", symbol);
  const auto mangled = std::find_if(exported.begin(), exported.end(), [&](const std::string& name) {
    return name.starts_with("_Z") && name.find(std::to_string(symbol.size()) + symbol) != std::string::npos;
  });
  if (mangled != exported.end()) {
    return text + fmt::format("; it exports {}: declare the function extern \"C\"", *mangled);
  }
  return text + (exported.empty() ? "; it exports no function"
                                  : fmt::format("; it exports: {}", fmt::join(exported, ", ")));
}

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
  const CacheEntry entry{cache, "native", entry_key(solution, target, toolchain), {kLibraryName}};
  const auto access = files_of_compilers(target);
  const auto result = through_cache(entry, access, [&](const fs::path& work, const fs::path& out) {
    const std::string symbol(solution.spec.entry_symbol());
    NativeOptions options;
    const bool is_name = !symbol.empty() && std::all_of(symbol.begin(), symbol.end(), [](unsigned char c) {
      return std::isalnum(c) != 0 || c == '_';
    });
    if (is_name) options.exported = {symbol};
    NativeBuild build(solution, target, toolchain, options, work, out);
    std::string failure = build.compile();
    if (failure.empty()) failure = build.link();
    if (failure.empty() && !exported_functions(out / kLibraryName).contains(symbol))
      failure = build.link_openly();
    if (failure.empty()) failure = missing_symbol(out / kLibraryName, symbol);
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
