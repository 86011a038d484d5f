#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "compile/python_interpreter.h"
#include "model/solution.h"

namespace fib::compile {

// An installed apache-tvm-ffi: the headers that TVM-FFI solutions include, and its own library.
struct TvmFfi {
  std::filesystem::path include;  // tvm/ffi/c_api.h lies below it
  std::filesystem::path dlpack;   // dlpack/dlpack.h lies below it; often the same folder
  std::filesystem::path library;  // libtvm_ffi.so; empty: there is none
  std::string version;            // what the headers say: "0.1.12"
};

// The folder that the environment variable FIB_TVM_FFI_HOME names (a package's own folder, or one with
// include/ and lib/), else the package tvm_ffi of `python`, else /usr/local and /usr; nothing where none has
// the headers. Looks at the file system. Throws Error when FIB_TVM_FFI_HOME names a folder without them.
[[nodiscard]] std::optional<TvmFfi> find_tvm_ffi(const std::optional<PythonInterpreter>& python);

// Between processes: JSON. parse_tvm_ffi() throws Error.
[[nodiscard]] std::string to_json(const TvmFfi& package);
[[nodiscard]] TvmFfi parse_tvm_ffi(std::string_view text);

// Whether the solution is called by TVM-FFI's convention: its binding says so, or it names none and a source
// includes tvm/ffi/ or writes a name that begins with __tvm_ffi_. Pure.
[[nodiscard]] bool is_tvm_ffi(const model::Solution& solution);

// Whether a source includes a header of tvm/ffi/ or dlpack/. Pure.
[[nodiscard]] bool includes_tvm_ffi(const model::Solution& solution);

// fib's own runtime for such solutions, libfib_tvm_ffi.so, beside libfib_core.
[[nodiscard]] std::filesystem::path tvm_ffi_runtime();

}  // namespace fib::compile
