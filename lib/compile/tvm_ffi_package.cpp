#include "compile/tvm_ffi_package.h"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "compile/cpp_includes.h"
#include "util/error.h"
#include "util/files.h"
#include "util/own_library.h"

namespace fib::compile {
namespace {

namespace fs = std::filesystem;

constexpr const char* kVariable = "FIB_TVM_FFI_HOME";

// What "#define <name> <number>" says; "0" where it is not there.
std::string number_after(const std::string& text, const std::string& name) {
  const std::string define = "#define " + name + " ";
  const auto at = text.find(define);
  if (at == std::string::npos) return "0";
  const auto begin = at + define.size();
  const auto end = std::min(text.find_first_not_of("0123456789", begin), text.size());
  return end == begin ? "0" : text.substr(begin, end - begin);
}

std::optional<TvmFfi> package_in(const fs::path& root) {
  std::error_code error;
  const auto has = [&](const fs::path& path) { return fs::exists(path, error); };
  TvmFfi package;
  package.include = root / "include";
  const auto header = package.include / "tvm/ffi/c_api.h";
  if (!has(header)) return std::nullopt;
  package.dlpack = package.include;
  if (!has(package.dlpack / "dlpack/dlpack.h")) package.dlpack = root / "3rdparty/dlpack/include";
  if (!has(package.dlpack / "dlpack/dlpack.h")) return std::nullopt;
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

bool includes(const model::Solution& solution, std::initializer_list<std::string_view> folders) {
  for (const auto& source : solution.sources) {
    for (const auto& header : included_headers(source.content)) {
      for (const auto folder : folders) {
        if (header.starts_with(folder)) return true;
      }
    }
  }
  return false;
}

}  // namespace

std::optional<TvmFfi> find_tvm_ffi(const std::optional<PythonInterpreter>& python) {
  if (const char* home = std::getenv(kVariable); home != nullptr && *home != '\0') {
    auto package = package_in(fs::absolute(home));
    if (!package)
      throw Error("{}: {} has no include/tvm/ffi/c_api.h with dlpack/dlpack.h beside it", kVariable, home);
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

bool includes_tvm_ffi(const model::Solution& solution) { return includes(solution, {"tvm/ffi/", "dlpack/"}); }

bool is_tvm_ffi(const model::Solution& solution) {
  using model::Binding;
  using model::Language;
  const auto& spec = solution.spec;
  if (spec.language != Language::cpp && spec.language != Language::cuda) return false;
  if (spec.binding == Binding::tvm_ffi) return true;
  if (spec.binding != Binding::none) return false;
  return includes(solution, {"tvm/ffi/"}) ||
         std::any_of(solution.sources.begin(), solution.sources.end(),
                     [](const auto& source) { return names_something_with(source.content, "__tvm_ffi_"); });
}

fs::path tvm_ffi_runtime() { return util::own_library().parent_path() / "libfib_tvm_ffi.so"; }

}  // namespace fib::compile
