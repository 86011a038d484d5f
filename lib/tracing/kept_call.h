#pragma once

#include <fib.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "arguments/signature.h"
#include "model/trace.h"
#include "tensor/safetensors.h"
#include "tracing/budget.h"
#include "tracing/device_copies.h"
#include "tracing/site.h"

namespace fib::tracing {

// Values of one input.
struct KeptTensor {
  std::size_t place = 0;  // of the input
  bool on_host = true;    // else on a device
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

// A call that is kept, until it is written.
struct KeptCall {
  Site* site = nullptr;
  arguments::Case found;
  std::vector<std::int64_t> scalars;  // by the inputs' places, as arguments::scalar_bits(); 0 for tensors
  // Those on the host, then those on devices, each in the inputs' order; offsets are multiples of 256.
  std::vector<KeptTensor> tensors;
  std::uint64_t host_bytes = 0;   // where those on devices begin, also a multiple of 256 where there are such
  std::uint64_t bytes = 0;        // of all tensors together
  std::vector<std::byte> values;  // the first host_bytes
  std::unique_ptr<DeviceCopy> copy;  // the rest; null: there is none
  Budget::Share share;
};

// A call of the site with these arguments, which fit, without the tensors' values. Throws Error when an axis
// that is an expression has another value, when a tensor without memory is to be dumped, and when one is
// larger than memory can be.
[[nodiscard]] std::unique_ptr<KeptCall> describe_call(Site& site, const fib_value* values,
                                                      const arguments::Case& found);

// The workload's record. `blob` is the path of its safetensors file, relative to the dataset's folder.
[[nodiscard]] model::Trace record_of(const KeptCall& call, const std::string& uuid, const std::string& blob);

// The tensors of its safetensors file; they point to `values`, which has the call's bytes.
[[nodiscard]] std::vector<tensor::TensorToWrite> tensors_of(const KeptCall& call, const std::byte* values);

}  // namespace fib::tracing
