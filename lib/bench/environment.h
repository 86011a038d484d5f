#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/lane_device.h"
#include "compile/python_interpreter.h"
#include "compile/tvm_ffi_package.h"
#include "util/command.h"

namespace fib::bench {

// What a session works with: its devices, and what this machine has.
struct Environment {
  std::vector<LaneDevice> devices;  // all of one kind; at least one
  std::string program;              // path of the fib binary, for children
  std::filesystem::path cache;      // artifacts, fib's own kernels; empty: none is needed
  std::optional<compile::PythonInterpreter> python = {};  // nothing: there is none
  std::optional<compile::TvmFfi> tvm_ffi = {};            // likewise
  // Keeps CUDA's driver open: who is its first user waits 0.1 s for it, others 10 ms (H200). Null: nobody
  // does.
  std::shared_ptr<util::HeldCommand> driver = {};

  [[nodiscard]] model::DeviceKind kind() const { return devices.front().kind; }
  [[nodiscard]] bool is_cuda() const { return devices.front().is_cuda(); }
};

}  // namespace fib::bench
