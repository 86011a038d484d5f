#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "compile/calling_style.h"
#include "compile/python_interpreter.h"
#include "compile/tvm_ffi_package.h"
#include "model/solution.h"
#include "sandbox/files.h"

namespace fib::compile {

// What torch extensions are built with.
enum class TorchWay {
  kAuto,     // fib's own headers (torch_headers.h); torch where they do not do
  kHeaders,  // fib's own headers alone
  kReal,     // torch alone
};

// What a solution is built for.
struct BuildTarget {
  model::DeviceKind device = model::DeviceKind::cpu;
  std::string architecture = {};                 // cuda: "sm_90a"
  std::optional<PythonInterpreter> python = {};  // where it is needed (compile/builder.h); else not looked at
  sandbox::Mode sandbox = sandbox::Mode::kAuto;  // of compilers
  std::vector<std::filesystem::path> readable = {};  // what compilers may read besides what builders know
  unsigned compilers = 1;                            // that may run at once for one solution
  std::optional<TvmFfi> tvm_ffi = {};                // the headers of TVM-FFI, where they are
  TorchWay torch = TorchWay::kAuto;
  // files_of_compilers(), found in the user's own process: in a builder's, HOME and the current folder are
  // others. Nothing: they are found where they are needed.
  std::optional<sandbox::FileAccess> files = {};
};

// What a build leaves in the cache, plus how to call it.
struct Artifact {
  enum class Kind {
    kSharedLibrary,   // a function by the C calling convention
    kKernels,         // a cubin, to be launched as spec.launch says (compile/launch_plan.h)
    kPythonModule,    // a function of a Python module, called by the interpreter of the build
    kTorchExtension,  // a function of a Python extension module that links to torch; called the same way
    kTvmFfi,          // a function of a shared library by TVM-FFI's convention
    kTorchHeaders,    // a function of a torch extension that was built with fib's torch headers
  } kind = Kind::kSharedLibrary;
  // The library, the cubin, the extension module's library; kPythonModule: the folder that goes on sys.path.
  std::filesystem::path file;
  std::string sha256 = {};      // of `file`, to be checked when it is used; kPythonModule: empty
  std::string symbol = {};      // all but kKernels; kTvmFfi: the exported one, "__tvm_ffi_run"
  bool returns_status = false;  // kSharedLibrary: the function returns an int; non-zero is a failure
  std::vector<std::string> kernels = {};  // kKernels: the kernels' names in the cubin, one a launch
  // kPythonModule: "fib_python_x_0a1b2c.main", to be imported with `file` on sys.path, and behind it the
  // package's folder in it, where sources that import each other by their bare names lie. kTorchExtension:
  // the name that the library must be imported by, after torch ("torch_x_0a1b2c": it exports
  // PyInit_<module>). kTorchHeaders: the name that it was built for (it exports
  // fib_torch_extension_<module>).
  std::string module = {};
  std::filesystem::path entry_file = {};  // kPythonModule: the module's file
  ChosenStyle style = {};                 // kPythonModule, kTorchExtension, kTvmFfi, kTorchHeaders
  // kTvmFfi, kTorchHeaders: the runtime that it is linked to, which has to be loaded before it: fib's, or the
  // package's libtvm_ffi.so.
  std::filesystem::path runtime = {};
};

// How a build ended. A failed build is the solution's fault; an unsupported one is something fib cannot do.
struct BuildResult {
  enum class Outcome { kBuilt, kFailed, kUnsupported } outcome = Outcome::kFailed;
  Artifact artifact;  // when built
  std::string log;    // the compiler's messages, its first error first; or why it is unsupported
  bool from_cache = false;
};

}  // namespace fib::compile
