#include "calling/tvm_ffi.h"

#include <dlfcn.h>

#include <bit>
#include <string_view>
#include <utility>

#include "fib_torch/interface.h"
#include "tensor/shape.h"
#include "util/error.h"
#include "util/shared_library.h"

namespace fib::calling {
namespace {

template <typename Function>
void load_symbol(const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(RTLD_DEFAULT, name));
  if (function == nullptr) throw Error("the runtime of TVM-FFI has no {}", name);
}

std::string text_of(const tvm_ffi::ByteArray& bytes) { return {bytes.data, bytes.size}; }

}  // namespace

void* symbol_of(const std::string& path, const std::string& symbol) {
  const util::SharedLibrary library(path);
  if (!library.is_open()) throw Error("cannot load the solution's library: {}", library.problem());
  void* found = library.symbol(symbol.c_str());
  if (found == nullptr) throw Error("the solution's library has no symbol \"{}\"", symbol);
  return found;
}

FfiRuntime::FfiRuntime() {
  load_symbol("TVMFFITensorFromDLPackVersioned", tensor_from_dlpack);
  load_symbol("TVMFFIObjectDecRef", release);
  load_symbol("TVMFFIErrorMoveFromRaised", take_error);
  load_symbol("TVMFFIEnvSetStream", set_stream);
  load_symbol("TVMFFIEnvSetDLPackManagedTensorAllocator", set_allocator);
}

std::optional<RaisedError> FfiRuntime::raised() const {
  void* handle = nullptr;
  take_error(&handle);
  if (handle == nullptr) return std::nullopt;
  const auto& cell = static_cast<tvm_ffi::ErrorObject*>(handle)->cell;
  RaisedError error{text_of(cell.kind), text_of(cell.message), text_of(cell.backtrace)};
  (void)release(handle);
  return error;
}

std::string FfiRuntime::raised_text(const char* function, int status) const {
  if (const auto error = raised()) return error->text();
  return fmt::format("{} returned the error code {} and raised no error", function, status);
}

void FfiRuntime::forget(tvm_ffi::Any& value) const {
  if (value.type_index >= tvm_ffi::kTypeFirstObject) (void)release(value.object);
  value = {};
}

FfiFunction ffi_function(const std::string& path, const std::string& symbol) {
  FfiFunction function;
  function.call = reinterpret_cast<tvm_ffi::SafeCall>(symbol_of(path, symbol));
  return function;
}

FfiFunction torch_function(const FfiRuntime& runtime, const std::string& path, const std::string& extension,
                           const std::string& symbol) {
  using Get = const torch_headers::Interface* (*)();
  FfiFunction function;
  function.torch = reinterpret_cast<Get>(symbol_of(path, "fib_torch_extension_" + extension))();
  const int status = function.torch->find(symbol.c_str(), &function.self, &function.call);
  if (status < 0) throw Error("{}", runtime.raised_text("the module", status));
  if (status > 0) throw Error("the module has no {}", symbol);
  return function;
}

OwnTensor::OwnTensor(void* data, tvm_ffi::Device device, tvm_ffi::DataType dtype,
                     std::vector<std::int64_t> sizes)
    : shape(std::move(sizes)), strides(tensor::contiguous_strides(shape)) {
  tensor = {data, device, static_cast<std::int32_t>(shape.size()), dtype, shape.data(), strides.data(), 0};
  deleter = [](ManagedTensorVersioned* self) { delete static_cast<OwnTensor*>(self); };
}

tvm_ffi::Any tensor_argument(const FfiRuntime& runtime, void* data, tvm_ffi::Device device,
                             tvm_ffi::DataType dtype, std::vector<std::int64_t> sizes) {
  auto* made = new OwnTensor(data, device, dtype, std::move(sizes));
  void* handle = nullptr;
  const int status = runtime.tensor_from_dlpack(made, 0, 0, &handle);
  if (status != 0) {
    delete made;
    throw Error("{}", runtime.raised_text("the runtime of TVM-FFI", status));
  }
  tvm_ffi::Any argument;
  argument.type_index = tvm_ffi::kTypeTensor;
  argument.object = static_cast<tvm_ffi::Object*>(handle);
  return argument;
}

tvm_ffi::Any scalar_argument(tensor::DType dtype, std::int64_t bits) {
  tvm_ffi::Any argument;
  if (tensor::is_floating(dtype)) {
    argument.type_index = tvm_ffi::kTypeFloat;
    argument.number = std::bit_cast<double>(bits);
  } else {
    argument.type_index = dtype == tensor::DType::kBool ? tvm_ffi::kTypeBool : tvm_ffi::kTypeInt;
    argument.integer = bits;
  }
  return argument;
}

std::uint64_t bytes_of(const tvm_ffi::TensorView& prototype) {
  std::uint64_t bits = std::uint64_t{prototype.dtype.bits} * prototype.dtype.lanes;
  for (std::int32_t i = 0; i < prototype.ndim; ++i) {
    const std::int64_t size = prototype.shape[i];
    if (size < 0 || __builtin_mul_overflow(bits, static_cast<std::uint64_t>(size), &bits))
      throw Error("no tensor has these sizes");
  }
  return bits / 8 + (bits % 8 == 0 ? 0 : 1);
}

}  // namespace fib::calling
