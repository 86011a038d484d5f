#pragma once

// What torch/extension.h has, and the headers of the standard library that sources find through it.
#include <algorithm>
#include <array>
#include <cassert>
#include <cfloat>
#include <chrono>
#include <climits>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iostream>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "fib_torch/dispatch.h"
#include "fib_torch/indexing.h"
#include "fib_torch/join.h"
#include "fib_torch/module.h"

namespace at {

// Gradients are not there to be switched off.
struct NoGradGuard {
  NoGradGuard() {}   // NOLINT: so that a variable of it is used
  ~NoGradGuard() {}  // NOLINT
  NoGradGuard(const NoGradGuard&) = delete;
  NoGradGuard& operator=(const NoGradGuard&) = delete;
};

}  // namespace at

namespace c10 {
struct InferenceMode {
  explicit InferenceMode(bool /*enabled*/ = true) {}
  ~InferenceMode() {}  // NOLINT
  InferenceMode(const InferenceMode&) = delete;
  InferenceMode& operator=(const InferenceMode&) = delete;
};
}  // namespace c10

namespace c10 {

// Which device is current means nothing to host memory; that of CUDA is the current one already.
struct DeviceGuard {
  explicit DeviceGuard(Device /*device*/) {}
  ~DeviceGuard() {}  // NOLINT: so that a variable of it is used
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;
};
struct OptionalDeviceGuard {
  explicit OptionalDeviceGuard(optional<Device> /*device*/ = nullopt) {}
  ~OptionalDeviceGuard() {}  // NOLINT: the same
  OptionalDeviceGuard(const OptionalDeviceGuard&) = delete;
  OptionalDeviceGuard& operator=(const OptionalDeviceGuard&) = delete;
};

}  // namespace c10

namespace torch {
using namespace at;  // NOLINT
using at::IntArrayRef;
using at::Tensor;
using at::TensorList;
using at::TensorOptions;
using Dtype = at::ScalarType;
constexpr auto kF32 = at::kFloat;
constexpr auto kF64 = at::kDouble;
constexpr auto kI32 = at::kInt;
constexpr auto kI64 = at::kLong;
constexpr auto kU8 = at::kByte;
constexpr auto kF16 = at::kHalf;
namespace indexing = at::indexing;
namespace autograd {
using at::NoGradGuard;  // NOLINT(misc-unused-using-decls)
}

// What pybind11 calls without Python's lock.
template <typename Callable>
auto wrap_pybind_function(Callable&& function) {
  return std::decay_t<Callable>(std::forward<Callable>(function));
}
template <typename Callable>
auto wrap_pybind_function_no_gil(Callable&& function) {
  return std::decay_t<Callable>(std::forward<Callable>(function));
}

// Operators that an extension registers beside its functions: nobody calls them here.
class Library {
 public:
  template <typename... Parts>
  Library& def(Parts&&... /*parts*/) {
    return *this;
  }
  template <typename... Parts>
  Library& impl(Parts&&... /*parts*/) {
    return *this;
  }
};
}  // namespace torch

#define FIB_TORCH_LIBRARY(counter, variable) \
  [[maybe_unused]] static void C10_CONCATENATE(fib_torch_library_, counter)(::torch::Library & variable)
#define TORCH_LIBRARY(name, variable) FIB_TORCH_LIBRARY(__COUNTER__, variable)
#define TORCH_LIBRARY_FRAGMENT(name, variable) FIB_TORCH_LIBRARY(__COUNTER__, variable)
#define TORCH_LIBRARY_IMPL(name, key, variable) FIB_TORCH_LIBRARY(__COUNTER__, variable)
#define TORCH_FN(function) (&(function))
