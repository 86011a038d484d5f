#include "compile/tvm_ffi_package.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <regex>

#include "util/error.h"
#include "util/files.h"

namespace fib::compile {
namespace {

namespace fs = std::filesystem;

constexpr const char* kVariable = "FIB_TVM_FFI_HOME";

std::string number_after(const std::string& text, const std::string& name) {
  std::smatch match;
  return std::regex_search(text, match, std::regex("#define\\s+" + name + "\\s+(\\d+)")) ? match[1].str()
                                                                                         : "0";
}

std::optional<TvmFfi> package_in(const fs::path& root) {
  std::error_code error;
  const auto has = [&](const fs::path& path) { return fs::exists(path, error); };
  TvmFfi package;
  package.include = root / "include";
  const auto header = package.include / "tvm/ffi/c_api.h";
  if (!has(header)) return std::nullopt;
  package.dlpack = package.include;
  if (const auto other = root / "3rdparty/dlpack/include";
      !has(package.dlpack / "dlpack/dlpack.h") && has(other))
    package.dlpack = other;
  for (const char* folder : {"lib", "lib64", "build/lib", "."}) {
    if (package.library.empty() && has(root / folder / "libtvm_ffi.so"))
      package.library = (root / folder / "libtvm_ffi.so").lexically_normal();
  }
  const std::string text = util::read_file(header);
  const auto number = [&](const char* name) {
    return number_after(text, std::string("TVM_FFI_VERSION_") + name);
  };
  package.version = number("MAJOR") + "." + number("MINOR") + "." + number("PATCH");
  return package;
}

bool any_source(const model::Solution& solution, const std::regex& pattern) {
  return std::any_of(solution.sources.begin(), solution.sources.end(),
                     [&](const auto& source) { return std::regex_search(source.content, pattern); });
}

}  // namespace

std::optional<TvmFfi> find_tvm_ffi(const std::optional<PythonInterpreter>& python) {
  if (const char* home = std::getenv(kVariable); home != nullptr && *home != '\0') {
    auto package = package_in(fs::absolute(home));
    if (!package) throw Error("{}: {} has no include/tvm/ffi/c_api.h", kVariable, home);
    return package;
  }
  if (python) {
    for (const auto& folder : python->folders) {
      if (auto package = package_in(folder / "tvm_ffi")) return package;
    }
  }
  for (const char* root : {"/usr/local", "/usr"}) {
    if (auto package = package_in(root)) return package;
  }
  return std::nullopt;
}

std::string to_json(const TvmFfi& package) {
  return nlohmann::json{{"include", package.include.string()},
                        {"dlpack", package.dlpack.string()},
                        {"library", package.library.string()},
                        {"version", package.version}}
      .dump();
}

TvmFfi parse_tvm_ffi(std::string_view text) {
  try {
    const auto json = nlohmann::json::parse(text);
    return {json.at("include").get<std::string>(), json.at("dlpack").get<std::string>(),
            json.at("library").get<std::string>(), json.at("version")};
  } catch (const nlohmann::json::exception& error) {
    throw Error("the description of TVM-FFI's headers is broken: {}", error.what());
  }
}

bool includes_tvm_ffi(const model::Solution& solution) {
  static const std::regex include(R"((^|\n)[ \t]*#[ \t]*include[ \t]*[<"](tvm/ffi|dlpack)/)");
  return any_source(solution, include);
}

bool is_tvm_ffi(const model::Solution& solution) {
  using model::Binding;
  using model::Language;
  const auto& spec = solution.spec;
  if (spec.language != Language::cpp && spec.language != Language::cuda) return false;
  if (spec.binding == Binding::tvm_ffi) return true;
  static const std::regex name(R"((^|[^A-Za-z0-9_])__tvm_ffi_)");
  return spec.binding == Binding::none && (includes_tvm_ffi(solution) || any_source(solution, name));
}

fs::path tvm_ffi_runtime() {
  Dl_info info{};
  if (::dladdr(reinterpret_cast<const void*>(&tvm_ffi_runtime), &info) == 0 ||
      info.dli_fname == nullptr)  // NOLINT
    throw Error("cannot find the file of libfib");
  return fs::canonical(info.dli_fname).parent_path() / "libfib_tvm_ffi.so";
}

}  // namespace fib::compile
