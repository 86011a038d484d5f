#include <ffi.h>

#include "arguments/call_value.h"
#include "calling/status.h"
#include "calling/thrown.h"
#include "calling/tvm_ffi.h"
#include "worker/target.h"

namespace fib::worker {
namespace {

using arguments::ArgumentValue;
using arguments::load_scalar;
using arguments::scalar_type;

class LibraryTarget : public Target {
 public:
  LibraryTarget(const std::string& path, const std::string& symbol, bool returns_status)
      : function_(calling::symbol_of(path, symbol)), returns_status_(returns_status) {}

  void open(const Open& workload, const Buffers& buffers) override {
    layout_ = workload.layout;
    scalars_ = buffers.scalars;
    types_.clear();
    on_cuda_ = buffers.stream != nullptr;
    const std::size_t streams = on_cuda_ ? 1 : 0;
    values_.assign(layout_.inputs.size() + layout_.outputs.size() + layout_.axes.size() + streams, {});
    std::size_t next = 0;
    for (const auto& slot : layout_.inputs) {
      types_.push_back(slot.scalar ? scalar_type(slot.dtype) : &ffi_type_pointer);
      values_[next++].pointer = buffers.inputs + slot.offset;
    }
    for (const auto& slot : layout_.outputs) {
      types_.push_back(&ffi_type_pointer);
      values_[next++].pointer = buffers.outputs + slot.offset;
    }
    for (const std::int64_t axis : layout_.axes) {
      types_.push_back(&ffi_type_sint64);
      values_[next++].i64 = axis;
    }
    if (on_cuda_) {
      types_.push_back(&ffi_type_pointer);
      values_[next++].pointer = buffers.stream;
    }
    arguments_.clear();
    for (auto& value : values_) arguments_.push_back(&value);
    ffi_type* result = returns_status_ ? &ffi_type_sint : &ffi_type_void;
    const auto count = static_cast<unsigned>(types_.size());
    if (::ffi_prep_cif(&call_, FFI_DEFAULT_ABI, count, result, types_.data()) != FFI_OK) {
      throw Error("cannot prepare the call of the solution");
    }
  }

  void prepare() override {
    for (std::size_t i = 0; i < layout_.inputs.size(); ++i) {
      const auto& slot = layout_.inputs[i];
      if (slot.scalar) load_scalar(slot.dtype, scalars_ + 8 * i, values_[i]);
    }
  }

  void call() override {
    ffi_arg status = 0;
    const auto thrown =
        calling::thrown_by([&] { ::ffi_call(&call_, FFI_FN(function_), &status, arguments_.data()); });
    if (thrown) throw Error("the solution {}", *thrown);
    if (returns_status_ && static_cast<int>(status) != 0) {
      throw Error("the solution returned the error code {}",
                  calling::status_text(static_cast<int>(status), on_cuda_));
    }
  }

  std::vector<eval::OutputClaim> collect() override {
    std::vector<eval::OutputClaim> claims;
    for (const auto& slot : layout_.outputs) claims.push_back({slot.dtype, slot.shape});
    return claims;
  }

 private:
  void* function_;  // the library stays loaded until the process ends
  bool returns_status_;
  bool on_cuda_ = false;
  eval::Layout layout_;
  const std::byte* scalars_ = nullptr;
  ffi_cif call_{};
  std::vector<ffi_type*> types_;
  std::vector<ArgumentValue> values_;
  std::vector<void*> arguments_;
};

}  // namespace

std::unique_ptr<Target> make_library_target(const std::string& path, const std::string& symbol,
                                            bool returns_status) {
  return std::make_unique<LibraryTarget>(path, symbol, returns_status);
}

}  // namespace fib::worker
