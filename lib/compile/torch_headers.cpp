#include "compile/torch_headers.h"

#include <fmt/format.h>

#include <fstream>
#include <string_view>

#include "util/error.h"
#include "util/hash.h"
#include "util/own_library.h"

namespace fib::compile {
namespace {

namespace fs = std::filesystem;

// Torch's headers, and which of fib's stands for them.
struct Alias {
  const char* file;  // in fib_torch/
  std::vector<const char*> names;
};

const std::vector<Alias>& aliases() {
  static const std::vector<Alias> all = {
      {"extension.h",
       {"torch/extension.h",
        "torch/torch.h",
        "torch/all.h",
        "torch/types.h",
        "torch/python.h",
        "torch/library.h",
        "torch/script.h",
        "torch/serialize/tensor.h",
        "torch/csrc/utils/pybind.h",
        "torch/csrc/autograd/python_variable.h",
        "pybind11/pybind11.h",
        "pybind11/stl.h",
        "pybind11/functional.h",
        "ATen/ATen.h",
        "ATen/Functions.h",
        "ATen/Tensor.h",
        "ATen/core/Tensor.h",
        "ATen/Context.h",
        "ATen/DeviceGuard.h",
        "c10/core/DeviceGuard.h",
        "ATen/core/op_registration/op_registration.h"}},
      {"cuda.h",
       {"ATen/cuda/CUDAContext.h", "ATen/cuda/CUDAContextLight.h", "ATen/cuda/CUDABlas.h",
        "ATen/cuda/Exceptions.h", "ATen/cuda/CUDAUtils.h", "ATen/cuda/ATenCUDAGeneral.h",
        "ATen/cuda/CUDAApplyUtils.cuh", "ATen/ceil_div.h", "c10/cuda/CUDAStream.h", "c10/cuda/CUDAGuard.h",
        "c10/cuda/CUDAException.h", "c10/cuda/CUDAFunctions.h", "c10/cuda/CUDAMacros.h"}},
      {"warps.cuh", {"ATen/cuda/DeviceUtils.cuh"}},
      {"atomic.cuh", {"ATen/cuda/Atomic.cuh"}},
      {"dispatch.h", {"ATen/Dispatch.h"}},
      {"accessor.h", {"ATen/core/TensorAccessor.h", "ATen/TensorAccessor.h"}},
      {"options.h", {"c10/core/TensorOptions.h"}},
      {"indexing.h", {"ATen/TensorUtils.h"}},
      {"core.h",
       {"ATen/AccumulateType.h", "ATen/OpMathType.h", "ATen/core/ScalarType.h", "c10/core/Device.h",
        "c10/core/DeviceType.h", "c10/core/Layout.h", "c10/core/MemoryFormat.h", "c10/core/Scalar.h",
        "c10/core/ScalarType.h", "c10/util/ArrayRef.h", "c10/util/Optional.h"}},
      {"exception.h", {"c10/macros/Macros.h", "c10/util/Exception.h"}},
      {"small_floats.h",
       {"ATen/core/Half.h", "c10/util/BFloat16.h", "c10/util/Float8_e4m3fn.h", "c10/util/Float8_e5m2.h",
        "c10/util/Half.h"}},
  };
  return all;
}

std::string content_of(const Alias& alias) {
  return fmt::format("#pragma once\n#include \"fib_torch/{}\"\n", alias.file);
}

}  // namespace

std::vector<std::string> torch_header_names() {
  std::vector<std::string> names;
  for (const auto& alias : aliases()) names.insert(names.end(), alias.names.begin(), alias.names.end());
  return names;
}

void write_torch_headers(const fs::path& folder) {
  const auto write = [&](const std::string& name, const std::string& content) {
    const fs::path path = folder / name;
    fs::create_directories(path.parent_path());
    std::ofstream file(path);  // dozens of files that nobody keeps: none of them has to be on the disk
    if (!(file << content).flush()) throw Error("cannot write {}", path.string());
  };
  for (const auto& [name, content] : torch_header_sources()) write(name, content);
  for (const auto& alias : aliases()) {
    for (const auto* name : alias.names) write(name, content_of(alias));
  }
}

std::string torch_headers_digest() {
  util::Sha256 hash;
  for (const auto& [name, content] : torch_header_sources()) hash.add(name).add(content);
  for (const auto& alias : aliases()) {
    for (const auto* name : alias.names) hash.add(name).add(alias.file);
  }
  return hash.hex();
}

fs::path torch_headers_runtime() { return util::own_library().parent_path() / "libfib_torch.so"; }

}  // namespace fib::compile
