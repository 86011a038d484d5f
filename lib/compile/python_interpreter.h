#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fib::compile {

// The Python that builds torch extensions and runs Python solutions, as it was found when fib started.
struct PythonInterpreter {
  std::filesystem::path path;  // absolute; a virtual environment's own python, not what it links to
  std::string version;         // "3.11.7"
  std::string abi_tag;         // "cpython-311-x86_64-linux-gnu": what its extension modules are built for
  // Installed versions of torch, triton, tilelang, numpy, setuptools, cutlass, cuda.tile, cudnn, flashinfer,
  // tvm_ffi and ninja, by the names that they are imported by; "" where a package does not say. Those that
  // are missing are not here. "ninja" is here when there is such a program, on PATH or among the
  // interpreter's own.
  std::map<std::string, std::string> packages = {};
  std::string torch_cuda = {};     // the CUDA version that torch was built with, "13.0"; empty: none
  bool has_headers = false;        // Python.h, which extensions are built with
  bool interprets_triton = false;  // the environment variable TRITON_INTERPRET is 1, which guests get too
  // What it needs to be read: its own folders and those that packages are imported from.
  std::vector<std::filesystem::path> folders = {};
  // Of the packages torch and triton, where they have no compiled modules (.pyc) beside their sources, with
  // the time of a source, as text.
  std::map<std::string, std::string> uncompiled = {};

  [[nodiscard]] bool has(const std::string& package) const { return packages.contains(package); }
};

// The interpreter that the environment variable FIB_PYTHON names (a path, or a program on PATH), else python3
// from PATH. Nothing when FIB_PYTHON is the empty string, or when it is not set and there is no python3 that
// runs. Runs the interpreter once (0.1 s); no package is imported. It runs isolated, as children do (python
// -I): packages that only the current folder, PYTHONPATH or the user's own folder (~/.local) has are missing.
// Throws Error with a sentence when FIB_PYTHON names something that cannot run or is older than Python 3.8.
[[nodiscard]] std::optional<PythonInterpreter> find_python();

// The same for one program, whatever the environment says. Throws Error as above.
[[nodiscard]] PythonInterpreter probe_python(const std::string& program);

// Between processes: JSON. parse_python() throws Error.
[[nodiscard]] std::string to_json(const PythonInterpreter& python);
[[nodiscard]] PythonInterpreter parse_python(std::string_view text);

}  // namespace fib::compile
