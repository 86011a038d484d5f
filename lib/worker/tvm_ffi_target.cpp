#include "worker/tvm_ffi_target.h"

#include <dlfcn.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <sstream>
#include <vector>

#include "arguments/tensors.h"
#include "calling/returned.h"
#include "calling/thrown.h"
#include "calling/tvm_ffi.h"
#include "tvm_ffi/dtypes.h"

namespace fib::worker {
namespace {

using calling::OwnTensor;
using tensor::DType;
using tvm_ffi::Any;
using tvm_ffi::DataType;
using tvm_ffi::ManagedTensorVersioned;
using tvm_ffi::TensorView;

DataType data_type_of(DType dtype) {
  if (const auto type = tvm_ffi::data_type_of(dtype)) return *type;
  throw Error("TVM-FFI has no dtype {}", tensor::name_of(dtype));
}

// As Python shows it: the most recent call last, files as the solution names them.
std::string traceback_of(const std::string& backtrace) {
  std::istringstream text(backtrace);
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) {
    if (const auto at = line.find("\"./"); at != std::string::npos) line.erase(at + 1, 2);
    if (!line.empty()) lines.push_back(line);
  }
  if (lines.empty()) return "";
  std::reverse(lines.begin(), lines.end());
  return fmt::format("Traceback (most recent call last):\n{}\n", fmt::join(lines, "\n"));
}

// The stage that gives memory to functions that ask for tensors: the interface has no place to hand it
// through.
Stage* memory_of_calls = nullptr;  // NOLINT

int allocate_tensor(TensorView* prototype, ManagedTensorVersioned** out, void* context,
                    void (*set_error)(void*, const char*, const char*)) {
  try {
    if (prototype->device.type != memory_of_calls->device().type)
      throw Error("tensors lie on the device of the call");
    auto* memory = memory_of_calls->allocate(calling::bytes_of(*prototype));
    auto* made = new OwnTensor(memory, memory_of_calls->device(), prototype->dtype,
                               {prototype->shape, prototype->shape + prototype->ndim});
    made->deleter = [](ManagedTensorVersioned* self) {
      if (memory_of_calls != nullptr) memory_of_calls->free(self->tensor.data);
      delete static_cast<OwnTensor*>(self);
    };
    *out = made;
    return 0;
  } catch (const std::exception& error) {
    set_error(context, "RuntimeError", error.what());
  }
  return -1;
}

class TvmFfiTarget : public Target {
 public:
  TvmFfiTarget(Stage& stage, bool returns_values) : stage_(stage), returns_values_(returns_values) {
    memory_of_calls = &stage;
  }

  // Before anything else.
  void load(const std::string& path, const std::string& symbol) {
    function_ = calling::ffi_function(path, symbol);
  }
  void load_torch(const std::string& path, const std::string& extension, const std::string& symbol) {
    function_ = calling::torch_function(runtime_, path, extension, symbol);
  }

  ~TvmFfiTarget() override {
    forget_tensors();
    memory_of_calls = nullptr;  // what the library keeps ends with the process
  }
  TvmFfiTarget(const TvmFfiTarget&) = delete;
  TvmFfiTarget& operator=(const TvmFfiTarget&) = delete;

  void open(const Open& workload, const Buffers& buffers) override {
    forget_tensors();
    layout_ = workload.layout;
    scalars_ = buffers.scalars;
    const auto device = stage_.device();
    expected_ = {{}, device};
    for (const auto& slot : layout_.inputs)
      arguments_.push_back(slot.scalar ? Any{} : tensor_over(slot, buffers.inputs));
    for (const auto& slot : layout_.outputs) {
      if (!returns_values_) arguments_.push_back(tensor_over(slot, buffers.outputs));
      if (returns_values_) expected_.dtypes.push_back(data_type_of(slot.dtype));
    }
    // A torch extension's stream stays null: torch's name for the default stream, which is where the stage
    // works.
    if (buffers.stream != nullptr && function_.torch == nullptr)
      (void)runtime_.set_stream(device.type, device.id, buffers.stream, nullptr);
    (void)runtime_.set_allocator(allocate_tensor, 1, nullptr);
  }

  void prepare() override {
    (void)runtime_.raised();  // by an earlier call that then did not return it
    for (std::size_t i = 0; i < layout_.inputs.size(); ++i) {
      if (!layout_.inputs[i].scalar) continue;
      std::int64_t bits = 0;
      std::memcpy(&bits, scalars_ + 8 * i, sizeof bits);
      arguments_[i] = calling::scalar_argument(layout_.inputs[i].dtype, bits);
    }
  }

  void call() override {
    Any result;
    int status = 0;
    const auto thrown = calling::thrown_by([&] {
      status = function_.call(function_.self, arguments_.data(), static_cast<std::int32_t>(arguments_.size()),
                              &result);
    });
    if (thrown) throw Error("the solution {}", *thrown);
    if (status != 0) throw Error("{}", raised_error(status));
    // Taken apart now: what the solution changes afterwards changes nothing.
    if (!returns_values_) return keep(result);
    returned_.take(function_, result, expected_);
    claims_.clear();
    for (const auto& view : returned_.views())
      claims_.push_back({tvm_ffi::dtype_of(view.dtype), {view.shape, view.shape + view.ndim}});
    for (std::size_t i = 0; i < std::min(claims_.size(), layout_.outputs.size()); ++i) {
      check_place(i);
      if (fits(i)) stage_.touch_output(layout_.outputs[i], address_of(i));
    }
  }

  std::vector<eval::OutputClaim> collect() override {
    if (!returns_values_) {
      std::vector<eval::OutputClaim> claims;
      for (const auto& slot : layout_.outputs) claims.push_back({slot.dtype, slot.shape});
      return claims;
    }
    for (std::size_t i = 0; i < std::min(claims_.size(), layout_.outputs.size()); ++i) {
      if (fits(i)) stage_.take_output(layout_.outputs[i], address_of(i));
    }
    return claims_;
  }

  void forget() override { forget_result(); }

 private:
  [[nodiscard]] Any tensor_over(const eval::Slot& slot, std::byte* base) const {
    return calling::tensor_argument(runtime_, base + slot.offset, stage_.device(), data_type_of(slot.dtype),
                                    slot.shape);
  }

  [[nodiscard]] std::string raised_error(int status) const {
    const auto error = runtime_.raised();
    if (!error) return fmt::format("the solution returned the error code {} and raised no error", status);
    return traceback_of(error->backtrace) + error->text();
  }

  // Of a returned tensor.
  [[nodiscard]] std::uint64_t address_of(std::size_t i) const {
    return calling::address_of(returned_.views()[i]);
  }

  // Whether a returned tensor has its slot's dtype and shape.
  [[nodiscard]] bool fits(std::size_t i) const {
    const auto& slot = layout_.outputs[i];
    return claims_[i].dtype == slot.dtype && claims_[i].shape == slot.shape;
  }

  // Throws Error where it lies as no output does.
  void check_place(std::size_t i) const {
    const auto& name = layout_.outputs[i].name;
    const auto& view = returned_.views()[i];
    if (view.device.type != stage_.device().type)
      throw Error("output \"{}\" was returned on another device", name);
    if (!arguments::is_contiguous(view))
      throw Error("output \"{}\" was returned with strides: make it contiguous", name);
  }

  // What a function returned whose result is ignored.
  void keep(const Any& result) {
    runtime_.forget(ignored_);
    ignored_ = result;
  }

  void forget_result() {
    claims_.clear();
    returned_.forget();
    runtime_.forget(ignored_);
  }

  void forget_tensors() {
    forget_result();
    for (auto& argument : arguments_) {
      if (argument.type_index == tvm_ffi::kTypeTensor) runtime_.forget(argument);
    }
    arguments_.clear();
  }

  calling::FfiRuntime runtime_;
  Stage& stage_;
  bool returns_values_;
  calling::FfiFunction function_;
  eval::Layout layout_;
  calling::ExpectedOutputs expected_;
  const std::byte* scalars_ = nullptr;
  std::vector<Any> arguments_;
  // Of the last call.
  Any ignored_;
  calling::ReturnedTensors returned_{runtime_};
  std::vector<eval::OutputClaim> claims_;
};

}  // namespace

void load_tvm_ffi_runtime(const std::string& path) {
  if (::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL) == nullptr)
    throw Error("cannot load the runtime of TVM-FFI: {}", ::dlerror());
}

std::unique_ptr<Target> make_tvm_ffi_target(Stage& stage, const std::string& path, const std::string& symbol,
                                            bool returns_values) {
  auto target = std::make_unique<TvmFfiTarget>(stage, returns_values);
  target->load(path, symbol);
  return target;
}

std::unique_ptr<Target> make_torch_headers_target(Stage& stage, const std::string& path,
                                                  const std::string& extension, const std::string& symbol,
                                                  bool returns_values) {
  auto target = std::make_unique<TvmFfiTarget>(stage, returns_values);
  target->load_torch(path, extension, symbol);
  return target;
}

}  // namespace fib::worker
