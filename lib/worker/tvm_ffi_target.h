#pragma once

#include <memory>
#include <string>

#include "worker/stage.h"
#include "worker/target.h"

namespace fib::worker {

// Loads the runtime that TVM-FFI libraries are linked to, for all of this process; to be done before it shuts
// itself out of files. Throws Error.
void load_tvm_ffi_runtime(const std::string& path);

// The function `symbol` ("__tvm_ffi_run") of a library, called by TVM-FFI's convention: inputs in order,
// then, unless it returns its outputs, outputs in order. Tensors are ffi.Tensor objects over the buffers,
// contiguous; scalars are int, float or bool. A returned value is a tensor, or an array or list of tensors,
// in the order of the outputs; nothing is kept of it after collect(). The environment gives it the stage's
// stream and memory of the stage's device. What it raises is the sentence for the log: kind, message,
// backtrace. Opens the library (its constructors run here). The runtime must be loaded, and the stage outlive
// the target. Throws Error.
[[nodiscard]] std::unique_ptr<Target> make_tvm_ffi_target(Stage& stage, const std::string& path,
                                                          const std::string& symbol, bool returns_values);

// The same for a torch extension that was built with fib's torch headers for the name `extension`, which
// binds the function `symbol`. A returned value may be a number where an output has no axes, too.
[[nodiscard]] std::unique_ptr<Target> make_torch_headers_target(Stage& stage, const std::string& path,
                                                                const std::string& extension,
                                                                const std::string& symbol,
                                                                bool returns_values);

}  // namespace fib::worker
