#include <dlfcn.h>

#include <exception>
#include <mutex>
#include <vector>

#include "apply/loaded.h"
#include "arguments/tensors.h"
#include "tensor/shape.h"
#include "tvm_ffi/abi.h"
#include "util/error.h"

namespace fib::apply {
namespace {

using tvm_ffi::Any;
using tvm_ffi::ManagedTensorVersioned;

// The functions of the runtime that this process has.
struct FfiRuntime {
  int (*tensor_from_dlpack)(ManagedTensorVersioned*, std::int32_t, std::int32_t, void**) = nullptr;
  int (*release)(void*) = nullptr;
  void (*take_error)(void**) = nullptr;
  int (*set_stream)(std::int32_t, std::int32_t, void*, void**) = nullptr;
};

template <typename Function>
void load_symbol(const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(RTLD_DEFAULT, name));
  if (function == nullptr) throw Error("the runtime of TVM-FFI has no {}", name);
}

// The runtime that is loaded already, for all of the process or for one of its parts; else the one at `path`,
// which libraries are linked to: the loader wants it in any case, and takes its symbols from the first that
// is global.
FfiRuntime runtime_of_process(const std::string& path) {
  const bool is_there = ::dlsym(RTLD_DEFAULT, "TVMFFITensorFromDLPackVersioned") != nullptr ||
                        ::dlopen("libtvm_ffi.so", RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD) != nullptr;
  if (::dlopen(path.c_str(), RTLD_NOW | (is_there ? RTLD_LOCAL : RTLD_GLOBAL)) == nullptr)
    throw Error("the runtime of TVM-FFI cannot be loaded: {}", ::dlerror());
  FfiRuntime runtime;
  load_symbol("TVMFFITensorFromDLPackVersioned", runtime.tensor_from_dlpack);
  load_symbol("TVMFFIObjectDecRef", runtime.release);
  load_symbol("TVMFFIErrorMoveFromRaised", runtime.take_error);
  load_symbol("TVMFFIEnvSetStream", runtime.set_stream);
  return runtime;
}

// A tensor with its sizes, without memory of its own.
struct ViewTensor : ManagedTensorVersioned {
  ViewTensor(tvm_ffi::Device device, tvm_ffi::DataType dtype, std::vector<std::int64_t> sizes)
      : shape(std::move(sizes)), strides(tensor::contiguous_strides(shape)) {
    tensor = {nullptr,        device, static_cast<std::int32_t>(shape.size()), dtype, shape.data(),
              strides.data(), 0};
    deleter = [](ManagedTensorVersioned* self) { delete static_cast<ViewTensor*>(self); };
  }
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;
};

std::string raised(const FfiRuntime& runtime, int status) {
  void* handle = nullptr;
  runtime.take_error(&handle);
  if (handle == nullptr) return fmt::format("it returned the error code {} and raised no error", status);
  const auto& cell = static_cast<tvm_ffi::ErrorObject*>(handle)->cell;
  auto sentence = fmt::format("{}: {}", std::string_view(cell.kind.data, cell.kind.size),
                              std::string_view(cell.message.data, cell.message.size));
  (void)runtime.release(handle);
  return sentence;
}

// The arguments of one call at a time: tensor objects whose addresses are set before each.
class Frame {
 public:
  Frame(const FfiRuntime& runtime, const arguments::Signature& signature, const arguments::Case& found)
      : runtime_(runtime), values_(signature.parameters().size()) {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const auto& parameter = signature.parameters()[i];
      if (parameter.scalar) continue;
      auto* view = new ViewTensor({found.device_type, found.device_id}, parameter.data_type,
                                  signature.shape_of(parameter, found));
      void* handle = nullptr;
      if (runtime.tensor_from_dlpack(view, 0, 0, &handle) != 0) throw Error("{}", raised(runtime, -1));
      values_[i].type_index = tvm_ffi::kTypeTensor;
      values_[i].object = static_cast<tvm_ffi::Object*>(handle);
    }
  }
  ~Frame() {
    for (const auto& value : values_) {
      if (value.type_index == tvm_ffi::kTypeTensor) (void)runtime_.release(value.object);
    }
  }
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;

  void set(const arguments::Signature& signature, const Argument* arguments) {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (values_[i].type_index == tvm_ffi::kTypeTensor) {
        static_cast<tvm_ffi::TensorObject*>(values_[i].object)->cell.data = arguments[i].address;
      } else {
        values_[i] = scalar(signature.parameters()[i].dtype, arguments[i].scalar);
      }
    }
  }

  // Whether nobody has kept one of its tensors, so that it may be used again.
  [[nodiscard]] bool is_ours_alone() const {
    for (const auto& value : values_) {
      if (value.type_index == tvm_ffi::kTypeTensor &&
          (__atomic_load_n(&value.object->references, __ATOMIC_ACQUIRE) & 0xffffffffU) != 1)
        return false;
    }
    return true;
  }

  [[nodiscard]] const std::vector<Any>& values() const { return values_; }

 private:
  static Any scalar(tensor::DType dtype, std::int64_t bits) {
    Any value;
    value.type_index = tensor::is_floating(dtype)      ? tvm_ffi::kTypeFloat
                       : dtype == tensor::DType::kBool ? tvm_ffi::kTypeBool
                                                       : tvm_ffi::kTypeInt;
    value.integer = bits;
    return value;
  }

  const FfiRuntime& runtime_;
  std::vector<Any> values_;
};

// The stream that TVM-FFI's environment tells of, until this object goes.
class Stream {
 public:
  Stream(const FfiRuntime& runtime, const arguments::Case& found, void* stream)
      : runtime_(runtime), found_(found) {
    if (is_set()) (void)runtime_.set_stream(found.device_type, found.device_id, stream, &before_);
  }
  ~Stream() {
    if (is_set()) (void)runtime_.set_stream(found_.device_type, found_.device_id, before_, nullptr);
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

 private:
  [[nodiscard]] bool is_set() const { return found_.device_type == tvm_ffi::kCuda; }
  const FfiRuntime& runtime_;
  const arguments::Case& found_;
  void* before_ = nullptr;
};

class FfiCall : public PreparedCall {
 public:
  FfiCall(const FfiRuntime& runtime, tvm_ffi::SafeCall function, const arguments::Signature& signature,
          const arguments::Case& found)
      : runtime_(runtime), function_(function), signature_(signature), found_(found) {
    frames_.reserve(kMostFrames);
    frames_.push_back(std::make_unique<Frame>(runtime_, signature_, found_));
  }

  [[nodiscard]] bool is_ready(void* /*stream*/) const override { return true; }
  void make_ready(void* /*stream*/) override {}

  [[nodiscard]] CallEnd call(const Argument* arguments, void* stream, std::string& error) const override {
    auto frame = take();
    frame->set(signature_, arguments);
    const Stream during(runtime_, found_, stream);
    Any result;
    int status = 0;
    try {
      status = function_(nullptr, frame->values().data(), static_cast<std::int32_t>(frame->values().size()),
                         &result);
    } catch (const std::exception& thrown) {
      error = fmt::format("it threw an exception: {}", thrown.what());
      return CallEnd::failed;
    } catch (...) {
      error = "it threw an exception of an unknown type";
      return CallEnd::failed;
    }
    if (result.type_index >= tvm_ffi::kTypeFirstObject) (void)runtime_.release(result.object);
    if (status != 0) error = raised(runtime_, status);
    give_back(std::move(frame));
    return status == 0 ? CallEnd::done : CallEnd::failed;
  }

 private:
  static constexpr std::size_t kMostFrames = 64;  // that wait to be used again

  [[nodiscard]] std::unique_ptr<Frame> take() const {
    {
      const std::lock_guard lock(mutex_);
      if (!frames_.empty()) {
        auto frame = std::move(frames_.back());
        frames_.pop_back();
        return frame;
      }
    }
    return std::make_unique<Frame>(runtime_, signature_, found_);  // as many as there are calls at once
  }

  void give_back(std::unique_ptr<Frame> frame) const {
    if (!frame->is_ours_alone()) return;
    const std::lock_guard lock(mutex_);
    if (frames_.size() < kMostFrames) frames_.push_back(std::move(frame));
  }

  const FfiRuntime& runtime_;
  tvm_ffi::SafeCall function_;
  const arguments::Signature& signature_;
  arguments::Case found_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Frame>> frames_;
};

class FfiLibrary : public LoadedSolution {
 public:
  explicit FfiLibrary(const LoadRequest& request)
      : signature_(request.signature), runtime_(runtime_of_process(request.artifact.runtime)) {
    if (request.artifact.style.style != compile::CallingStyle::kDestinationPassing)
      throw Error("it returns its outputs, and is called in other programs by destination passing alone");
    void* library = ::dlopen(request.artifact.file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw Error("its library cannot be loaded: {}", ::dlerror());
    function_ = reinterpret_cast<tvm_ffi::SafeCall>(::dlsym(library, request.artifact.symbol.c_str()));
    if (function_ == nullptr) throw Error("its library has no symbol \"{}\"", request.artifact.symbol);
  }

  [[nodiscard]] std::unique_ptr<PreparedCall> prepare(const arguments::Case& found,
                                                      const model::AxisValues& /*axes*/) override {
    return std::make_unique<FfiCall>(runtime_, function_, signature_, found);
  }

 private:
  const arguments::Signature& signature_;
  FfiRuntime runtime_;
  tvm_ffi::SafeCall function_ = nullptr;
};

}  // namespace

std::unique_ptr<LoadedSolution> load_tvm_ffi(const LoadRequest& request) {
  return std::make_unique<FfiLibrary>(request);
}

}  // namespace fib::apply
