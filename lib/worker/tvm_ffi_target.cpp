#include "worker/tvm_ffi_target.h"

#include <dlfcn.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <sstream>
#include <utility>

#include "arguments/call_value.h"
#include "fib_torch/interface.h"
#include "tensor/shape.h"
#include "tvm_ffi/abi.h"
#include "tvm_ffi/dtypes.h"

namespace fib::worker {
namespace {

using arguments::ArgumentValue;
using arguments::load_scalar;
using tensor::DType;
using tvm_ffi::Any;
using tvm_ffi::DataType;
using tvm_ffi::ManagedTensorVersioned;
using tvm_ffi::Object;
using tvm_ffi::TensorView;

DataType data_type_of(DType dtype) {
  if (const auto type = tvm_ffi::data_type_of(dtype)) return *type;
  throw Error("TVM-FFI has no dtype {}", tensor::name_of(dtype));
}

// As Python shows it: the most recent call last, files as the solution names them.
std::string traceback_of(const std::string& backtrace) {
  std::istringstream lines(backtrace);
  std::string reversed;
  for (std::string line; std::getline(lines, line);) {
    if (const auto at = line.find("\"./"); at != std::string::npos) line.erase(at + 1, 2);
    if (!line.empty()) reversed.insert(0, line.append("\n"));
  }
  return reversed.empty() ? "" : "Traceback (most recent call last):\n" + reversed;
}

// Functions of the runtime that this process has loaded, which may be fib's or the package's.
template <typename Function>
Function runtime_function(const char* name) {
  auto* function = reinterpret_cast<Function>(::dlsym(RTLD_DEFAULT, name));
  if (function == nullptr) throw Error("the runtime of TVM-FFI has no {}", name);
  return function;
}

struct Runtime {
  int (*tensor_from_dlpack)(ManagedTensorVersioned*, std::int32_t, std::int32_t, void**) =
      runtime_function<decltype(tensor_from_dlpack)>("TVMFFITensorFromDLPackVersioned");
  int (*release)(void*) = runtime_function<decltype(release)>("TVMFFIObjectDecRef");
  void (*take_error)(void**) = runtime_function<decltype(take_error)>("TVMFFIErrorMoveFromRaised");
  int (*set_stream)(std::int32_t, std::int32_t, void*,
                    void**) = runtime_function<decltype(set_stream)>("TVMFFIEnvSetStream");
  int (*set_allocator)(tvm_ffi::TensorAllocator, int, tvm_ffi::TensorAllocator*) =
      runtime_function<decltype(set_allocator)>("TVMFFIEnvSetDLPackManagedTensorAllocator");
};

// A tensor with its sizes; who frees its memory is told by the deleter.
struct OwnTensor : ManagedTensorVersioned {
  OwnTensor(void* data, tvm_ffi::Device device, DataType dtype, std::vector<std::int64_t> sizes)
      : shape(std::move(sizes)), strides(tensor::contiguous_strides(shape)) {
    tensor = {data, device, static_cast<std::int32_t>(shape.size()), dtype, shape.data(), strides.data(), 0};
    deleter = [](ManagedTensorVersioned* self) { delete static_cast<OwnTensor*>(self); };
  }
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;
};

constexpr std::int32_t kMostAxes = 64;       // of a tensor
constexpr std::int64_t kMostOutputs = 1024;  // of an array that a function returns

// The stage that gives memory to functions that ask for tensors: the interface has no place to hand it
// through.
Stage* memory_of_calls = nullptr;  // NOLINT

int allocate_tensor(TensorView* prototype, ManagedTensorVersioned** out, void* context,
                    void (*set_error)(void*, const char*, const char*)) {
  try {
    if (prototype->device.type != memory_of_calls->device().type)
      throw Error("tensors lie on the device of the call");
    std::vector<std::int64_t> shape(prototype->shape, prototype->shape + prototype->ndim);
    std::uint64_t bits = std::uint64_t{prototype->dtype.bits} * prototype->dtype.lanes;
    for (const auto size : shape) {
      if (size < 0 || __builtin_mul_overflow(bits, static_cast<std::uint64_t>(size), &bits))
        throw Error("no tensor has these sizes");
    }
    auto* memory = memory_of_calls->allocate(bits / 8 + (bits % 8 == 0 ? 0 : 1));
    auto* made = new OwnTensor(memory, memory_of_calls->device(), prototype->dtype, std::move(shape));
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

// What is called, and how.
struct Function {
  tvm_ffi::SafeCall call = nullptr;
  void* self = nullptr;
  // Of a torch extension; else null.
  const torch_headers::Interface* torch = nullptr;
};

// A symbol of a library, which stays loaded until the process ends. Its constructors may ask for memory.
void* symbol_of(const std::string& path, const std::string& symbol) {
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw Error("cannot load the solution's library: {}", ::dlerror());
  void* found = ::dlsym(library, symbol.c_str());
  if (found == nullptr) throw Error("the solution's library has no symbol \"{}\"", symbol);
  return found;
}

class TvmFfiTarget : public Target {
 public:
  TvmFfiTarget(Stage& stage, bool returns_values) : stage_(stage), returns_values_(returns_values) {
    memory_of_calls = &stage;
  }

  // Before anything else.
  void load(const std::string& path, const std::string& symbol) {
    function_.call = reinterpret_cast<tvm_ffi::SafeCall>(symbol_of(path, symbol));
  }
  void load_torch(const std::string& path, const std::string& extension, const std::string& symbol) {
    using Get = const torch_headers::Interface* (*)();
    function_.torch = reinterpret_cast<Get>(symbol_of(path, "fib_torch_extension_" + extension))();
    const int result = function_.torch->find(symbol.c_str(), &function_.self, &function_.call);
    if (result < 0) throw Error("{}", raised_error(result));
    if (result > 0) throw Error("the module has no {}", symbol);
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
    for (const auto& slot : layout_.inputs)
      arguments_.push_back(slot.scalar ? Any{} : tensor_over(slot, buffers.inputs));
    for (const auto& slot : layout_.outputs) {
      if (!returns_values_) arguments_.push_back(tensor_over(slot, buffers.outputs));
    }
    const auto device = stage_.device();
    // A torch extension's stream stays null: torch's name for the default stream, which is where the stage
    // works.
    if (buffers.stream != nullptr && function_.torch == nullptr)
      (void)runtime_.set_stream(device.type, device.id, buffers.stream, nullptr);
    (void)runtime_.set_allocator(allocate_tensor, 1, nullptr);
  }

  void prepare() override {
    void* stale = nullptr;  // an error that an earlier call has raised and then did not return
    runtime_.take_error(&stale);
    if (stale != nullptr) (void)runtime_.release(stale);
    for (std::size_t i = 0; i < layout_.inputs.size(); ++i) {
      if (layout_.inputs[i].scalar) arguments_[i] = scalar(layout_.inputs[i].dtype, scalars_ + 8 * i);
    }
  }

  void call() override {
    int status = 0;
    try {
      status = function_.call(function_.self, arguments_.data(), static_cast<std::int32_t>(arguments_.size()),
                              &result_);
    } catch (const std::exception& error) {
      throw Error("the solution threw an exception: {}", error.what());
    } catch (...) {
      throw Error("the solution threw an exception of an unknown type");
    }
    if (status != 0) throw Error("{}", raised_error(status));
    if (!returns_values_) return;
    // Taken apart now: what the solution changes afterwards changes nothing.
    returned_ = tensors_of(result_, 0);
    for (std::size_t i = 0; i < std::min(returned_.size(), layout_.outputs.size()); ++i) {
      check_place(i);
      if (fits(i)) stage_.touch_output(layout_.outputs[i], returned_[i].address);
    }
  }

  std::vector<eval::OutputClaim> collect() override {
    std::vector<eval::OutputClaim> claims;
    if (!returns_values_) {
      for (const auto& slot : layout_.outputs) claims.push_back({slot.dtype, slot.shape});
      return claims;
    }
    for (std::size_t i = 0; i < returned_.size(); ++i) {
      claims.push_back(returned_[i].claim);
      if (i < layout_.outputs.size() && fits(i)) stage_.take_output(layout_.outputs[i], returned_[i].address);
    }
    return claims;
  }

  void forget() override { forget_result(); }

 private:
  [[nodiscard]] Any tensor_over(const eval::Slot& slot, std::byte* base) const {
    auto* tensor = new OwnTensor(base + slot.offset, stage_.device(), data_type_of(slot.dtype), slot.shape);
    void* handle = nullptr;
    if (runtime_.tensor_from_dlpack(tensor, 0, 0, &handle) != 0) throw Error("{}", raised_error(-1));
    Any argument;
    argument.type_index = tvm_ffi::kTypeTensor;
    argument.object = static_cast<Object*>(handle);
    return argument;
  }

  static Any scalar(DType dtype, const std::byte* source) {
    Any argument;
    ArgumentValue value{};
    if (tensor::is_floating(dtype)) {
      load_scalar(DType::kFloat64, source, value);
      argument.type_index = tvm_ffi::kTypeFloat;
      argument.number = value.f64;
    } else {
      load_scalar(DType::kInt64, source, value);
      argument.type_index = dtype == DType::kBool ? tvm_ffi::kTypeBool : tvm_ffi::kTypeInt;
      argument.integer = value.i64;
    }
    return argument;
  }

  [[nodiscard]] std::string raised_error(int status) const {
    void* handle = nullptr;
    runtime_.take_error(&handle);
    if (handle == nullptr)
      return fmt::format("the solution returned the error code {} and raised no error", status);
    const auto& cell = static_cast<tvm_ffi::ErrorObject*>(handle)->cell;
    const auto text = [](const tvm_ffi::ByteArray& bytes) { return std::string(bytes.data, bytes.size); };
    const std::string sentence =
        traceback_of(text(cell.backtrace)) + fmt::format("{}: {}", text(cell.kind), text(cell.message));
    (void)runtime_.release(handle);
    return sentence;
  }

  // A tensor that the function has returned.
  struct Returned {
    eval::OutputClaim claim;
    std::uint64_t address = 0;
    bool contiguous = true;
    std::int32_t device = 0;  // its type
  };

  static Returned described(const TensorView& tensor) {
    if (tensor.ndim < 0 || tensor.ndim > kMostAxes || (tensor.ndim > 0 && tensor.shape == nullptr))
      throw Error("the function returned a tensor of {} axes", tensor.ndim);
    Returned returned;
    returned.claim = {dtype_of(tensor.dtype), {tensor.shape, tensor.shape + tensor.ndim}};
    returned.address = reinterpret_cast<std::uintptr_t>(tensor.data) + tensor.byte_offset;
    returned.device = tensor.device.type;
    if (tensor.strides == nullptr) return returned;
    const auto& shape = returned.claim.shape;
    const auto count = tensor::element_count(shape);
    if (!count) throw Error("the function returned a tensor of no possible size");
    const auto usual = tensor::contiguous_strides(shape);
    for (std::size_t axis = 0; axis < shape.size() && *count > 0; ++axis)
      returned.contiguous &= shape[axis] == 1 || tensor.strides[axis] == usual[axis];
    return returned;
  }

  static bool is_number(const Any& value) {
    return value.type_index == tvm_ffi::kTypeInt || value.type_index == tvm_ffi::kTypeBool ||
           value.type_index == tvm_ffi::kTypeFloat;
  }

  // A number that an extension returns for an output, as a tensor.
  [[nodiscard]] std::optional<Any> tensor_of_number(const Any& value, std::size_t output) const {
    if (!is_number(value) || function_.torch == nullptr || output >= layout_.outputs.size())
      return std::nullopt;
    Any tensor;
    const auto dtype = data_type_of(layout_.outputs[output].dtype);
    const int status = function_.torch->full(&value, dtype, stage_.device(), &tensor);
    if (status != 0) throw Error("{}", raised_error(status));
    return tensor;
  }

  // What the function has returned for the outputs from one on; throws Error when it is not made of tensors.
  std::vector<Returned> tensors_of(const Any& result, std::size_t output) {
    if (const auto tensor = tensor_of_number(result, output)) {
      made_.push_back(*tensor);
      return tensors_of(*tensor, output);
    }
    switch (result.type_index) {
      case tvm_ffi::kTypeNone:
        return {};
      case tvm_ffi::kTypeTensorView:
        return {described(*static_cast<const TensorView*>(result.pointer))};
      case tvm_ffi::kTypeTensor:
        return {described(static_cast<const tvm_ffi::TensorObject*>(result.object)->cell)};
      case tvm_ffi::kTypeArray:
      case tvm_ffi::kTypeList: {
        const auto& cell = static_cast<const tvm_ffi::SequenceObject*>(result.object)->cell;
        if (cell.size < 0 || cell.size > kMostOutputs)
          throw Error("the function returned an array of {} elements", cell.size);
        std::vector<Returned> all;
        for (std::int64_t i = 0; i < cell.size; ++i) {
          const auto& element = cell.data[i];
          const bool number = function_.torch != nullptr && is_number(element);
          if (element.type_index != tvm_ffi::kTypeTensor && !number)
            throw Error("element {} of the array that the function returned is no tensor", i);
          all.push_back(tensors_of(element, static_cast<std::size_t>(i)).front());
        }
        return all;
      }
      default:
        throw Error("the function returned neither a tensor nor an array of tensors (TVM-FFI's type {})",
                    result.type_index);
    }
  }

  // Whether a returned tensor has its slot's dtype and shape.
  [[nodiscard]] bool fits(std::size_t i) const {
    const auto& slot = layout_.outputs[i];
    return returned_[i].claim.dtype == slot.dtype && returned_[i].claim.shape == slot.shape;
  }

  // Throws Error where it lies as no output does.
  void check_place(std::size_t i) const {
    const auto& name = layout_.outputs[i].name;
    if (returned_[i].device != stage_.device().type)
      throw Error("output \"{}\" was returned on another device", name);
    if (!returned_[i].contiguous)
      throw Error("output \"{}\" was returned with strides: make it contiguous", name);
  }

  void forget_result() {
    returned_.clear();
    for (const auto& tensor : made_) (void)runtime_.release(tensor.object);
    made_.clear();
    if (result_.type_index >= tvm_ffi::kTypeFirstObject) (void)runtime_.release(result_.object);
    result_ = {};
  }

  void forget_tensors() {
    forget_result();
    for (const auto& argument : arguments_) {
      if (argument.type_index == tvm_ffi::kTypeTensor) (void)runtime_.release(argument.object);
    }
    arguments_.clear();
  }

  Runtime runtime_;
  Stage& stage_;
  bool returns_values_;
  Function function_;
  eval::Layout layout_;
  const std::byte* scalars_ = nullptr;
  std::vector<Any> arguments_;
  Any result_;
  std::vector<Returned> returned_;  // by the last call
  std::vector<Any> made_;           // tensors of numbers that it has returned
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
