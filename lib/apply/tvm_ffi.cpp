#include "calling/tvm_ffi.h"

#include <dlfcn.h>

#include <exception>
#include <mutex>
#include <vector>

#include "apply/call_device.h"
#include "apply/loaded.h"
#include "arguments/tensors.h"
#include "calling/returned.h"
#include "calling/thrown.h"
#include "tensor/shape.h"
#include "tvm_ffi/dtypes.h"
#include "util/error.h"

namespace fib::apply {
namespace {

using calling::FfiFunction;
using calling::FfiRuntime;
using tvm_ffi::Any;
using tvm_ffi::ManagedTensorVersioned;
using tvm_ffi::TensorView;

// The runtime that is loaded already, for all of the process or for one of its parts; else the one at `path`,
// which libraries are linked to: the loader wants it in any case, and takes its symbols from the first that
// is global.
FfiRuntime runtime_of_process(const std::string& path) {
  const bool is_there = ::dlsym(RTLD_DEFAULT, "TVMFFITensorFromDLPackVersioned") != nullptr ||
                        ::dlopen("libtvm_ffi.so", RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD) != nullptr;
  if (::dlopen(path.c_str(), RTLD_NOW | (is_there ? RTLD_LOCAL : RTLD_GLOBAL)) == nullptr)
    throw Error("the runtime of TVM-FFI cannot be loaded: {}", ::dlerror());
  return {};
}

// A tensor whose memory the device of the calls has given; it may outlive the solution.
struct DeviceTensor : calling::OwnTensor {
  DeviceTensor(std::shared_ptr<CallDevice> device, void* memory, const TensorView& prototype)
      : OwnTensor(memory, device->device(), prototype.dtype,
                  {prototype.shape, prototype.shape + prototype.ndim}),
        owner(std::move(device)) {
    deleter = [](ManagedTensorVersioned* self) {
      auto* own = static_cast<DeviceTensor*>(self);
      own->owner->free(own->tensor.data);
      delete own;
    };
  }
  std::shared_ptr<CallDevice> owner;
};

// What functions that this thread calls find in TVM-FFI's environment, until this object goes: the stream
// that they work on, and memory of the call's stream, in whose order that work is.
class Environment {
 public:
  Environment(const FfiRuntime& runtime, const std::shared_ptr<CallDevice>& device, void* stream,
              void* work_stream)
      : runtime_(runtime), device_(device), stream_(stream), outer_(of_thread()) {
    const auto where = device_->device();
    if (where.type == tvm_ffi::kCuda)
      (void)runtime_.set_stream(where.type, where.id, work_stream, &stream_before_);
    (void)runtime_.set_allocator(allocate, 0, &allocator_before_);
    of_thread() = this;
  }
  ~Environment() {
    of_thread() = outer_;
    const auto where = device_->device();
    (void)runtime_.set_allocator(allocator_before_, 0, nullptr);
    if (where.type == tvm_ffi::kCuda)
      (void)runtime_.set_stream(where.type, where.id, stream_before_, nullptr);
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  // Whether the device had no memory left for what the call has asked for.
  [[nodiscard]] bool was_short() const { return was_short_; }

 private:
  static Environment*& of_thread() {
    thread_local Environment* one = nullptr;
    return one;
  }

  static int allocate(TensorView* prototype, ManagedTensorVersioned** out, void* context,
                      void (*set_error)(void*, const char*, const char*)) {
    try {
      Environment* self = of_thread();
      if (self == nullptr) throw Error("memory is given in calls alone");
      const auto where = self->device_->device();
      if (prototype->device.type != where.type || prototype->device.id != where.id)
        throw Error("tensors lie on the device of the call");
      void* memory = self->memory_of(calling::bytes_of(*prototype));
      *out = new DeviceTensor(self->device_, memory, *prototype);
      return 0;
    } catch (const std::exception& error) {
      set_error(context, "RuntimeError", error.what());
    }
    return -1;
  }

  void* memory_of(std::uint64_t bytes) try {
    was_short_ = false;
    return device_->allocate(bytes, stream_);
  } catch (const NoMemoryNow&) {
    was_short_ = true;
    throw;
  }

  const FfiRuntime& runtime_;
  const std::shared_ptr<CallDevice>& device_;
  void* stream_;  // of the call
  Environment* outer_;
  void* stream_before_ = nullptr;
  tvm_ffi::TensorAllocator allocator_before_ = nullptr;
  bool was_short_ = false;
};

// An output as its caller wants it.
struct WantedOutput {
  std::string name;
  tvm_ffi::DataType dtype;
  std::vector<std::int64_t> shape;
};

std::string shape_text(const TensorView& view) {
  return tensor::to_string({view.shape, view.shape + view.ndim});
}

// What stands against a returned tensor; "": it is that output.
std::string problem_of(const TensorView& view, const WantedOutput& wanted, tvm_ffi::Device device) {
  if (view.device.type != device.type || view.device.id != device.id)
    return fmt::format("it returned \"{}\" on another device", wanted.name);
  if (view.dtype != wanted.dtype) {
    const auto name = [](const tvm_ffi::DataType& type) {
      const auto known = tvm_ffi::dtype_of(type);
      return known ? std::string(tensor::name_of(*known)) : "one that the format does not have";
    };
    return fmt::format("it returned \"{}\" with dtype {}, the definition says {}", wanted.name,
                       name(view.dtype), name(wanted.dtype));
  }
  if (!std::equal(wanted.shape.begin(), wanted.shape.end(), view.shape, view.shape + view.ndim))
    return fmt::format("it returned \"{}\" with the shape {}, which should be {}", wanted.name,
                       shape_text(view), tensor::to_string(wanted.shape));
  if (!arguments::is_contiguous(view)) return fmt::format("it returned \"{}\" with strides", wanted.name);
  return "";
}

// What all calls of a case have in common.
struct FfiCase {
  const FfiRuntime& runtime;
  const FfiFunction& function;
  const arguments::Signature& signature;
  std::shared_ptr<CallDevice> device;
  bool on_default_stream = false;  // a torch extension on CUDA: its code may name no stream
  std::size_t arguments = 0;       // of the function: inputs, or inputs and outputs
  std::vector<std::vector<std::int64_t>> shapes = {};  // of tensors among them
  calling::ExpectedOutputs expected = {};              // where it returns its outputs
  std::vector<WantedOutput> outputs = {};              // then
};

// The arguments of one call at a time, tensor objects whose addresses are set before each, and what it
// returns.
class Frame {
 public:
  explicit Frame(const FfiCase& shared)
      : case_(shared), values_(shared.arguments), returned_(shared.runtime) {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const auto& parameter = case_.signature.parameters()[i];
      if (!parameter.scalar)
        values_[i] = calling::tensor_argument(case_.runtime, nullptr, case_.device->device(),
                                              parameter.data_type, case_.shapes[i]);
    }
  }
  ~Frame() {
    for (auto& value : values_) {
      if (value.type_index == tvm_ffi::kTypeTensor) case_.runtime.forget(value);
    }
  }
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;

  void set(const Argument* arguments) {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (values_[i].type_index == tvm_ffi::kTypeTensor) {
        static_cast<tvm_ffi::TensorObject*>(values_[i].object)->cell.data = arguments[i].address;
      } else {
        values_[i] = calling::scalar_argument(case_.signature.parameters()[i].dtype, arguments[i].scalar);
      }
    }
  }

  // Copies what the function has returned to the caller's outputs, in the order of the stream, all of it or,
  // where any of it is not what it should be, nothing. What was returned is given back then: its memory may
  // be used again by what is queued behind the copies.
  [[nodiscard]] CallEnd copy_outputs(const Any& result, const Argument* outputs, void* stream,
                                     std::string& error) {
    const CallEnd end = copied(result, outputs, stream, error);
    returned_.forget();
    return end;
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
  [[nodiscard]] CallEnd copied(const Any& result, const Argument* outputs, void* stream, std::string& error) {
    try {
      returned_.take(case_.function, result, case_.expected);
    } catch (const Error& problem) {
      error = problem.what();
      return CallEnd::refused;
    }
    const auto& views = returned_.views();
    if (views.size() != case_.outputs.size()) {
      error =
          fmt::format("it returned {} outputs, the definition has {}", views.size(), case_.outputs.size());
      return CallEnd::refused;
    }
    for (std::size_t i = 0; i < views.size(); ++i) {
      error = problem_of(views[i], case_.outputs[i], case_.device->device());
      if (!error.empty()) return CallEnd::refused;
    }
    for (std::size_t i = 0; i < views.size(); ++i) {
      const std::uint64_t bytes = calling::bytes_of(views[i]);
      if (bytes == 0) continue;
      const CallEnd end = case_.device->copy(
          outputs[i].address, static_cast<const std::byte*>(views[i].data) + views[i].byte_offset, bytes,
          stream, error);
      if (end != CallEnd::done) return end;
    }
    return CallEnd::done;
  }

  const FfiCase& case_;
  std::vector<Any> values_;
  calling::ReturnedTensors returned_;
};

class FfiCall : public PreparedCall {
 public:
  explicit FfiCall(FfiCase shared) : case_(std::move(shared)) {
    frames_.reserve(kMostFrames);
    frames_.push_back(std::make_unique<Frame>(case_));
  }

  [[nodiscard]] bool is_ready(void* /*stream*/) const override { return true; }
  void make_ready(void* /*stream*/) override {}

  [[nodiscard]] CallEnd call(const Argument* arguments, void* stream, std::string& error) const override {
    if (case_.on_default_stream) {
      const CallEnd begun = case_.device->begin_default_stream(stream, error);
      if (begun != CallEnd::done) return begun;
    }
    auto frame = take();
    frame->set(arguments);
    const CallEnd end = called(*frame, arguments, stream, error);
    give_back(std::move(frame));
    return end;
  }

 private:
  static constexpr std::size_t kMostFrames = 64;  // that wait to be used again

  [[nodiscard]] CallEnd called(Frame& frame, const Argument* arguments, void* stream,
                               std::string& error) const {
    // A torch extension and all that is done for it (torch's own kernels, numbers made tensors, copies of
    // what it returns) work on one stream: begin_default_stream() and end_default_stream() put that into the
    // order of the call's, which its memory is used again in.
    void* const work_stream = case_.on_default_stream ? nullptr : stream;
    const Environment during(case_.runtime, case_.device, stream, work_stream);
    Any result;
    int status = 0;
    const auto thrown = calling::thrown_by([&] {
      status = case_.function.call(case_.function.self, frame.values().data(),
                                   static_cast<std::int32_t>(frame.values().size()), &result);
    });
    CallEnd end = CallEnd::done;
    if (thrown) {
      error = "it " + *thrown;
      end = CallEnd::failed;
    } else if (status != 0) {  // checks of its arguments end so, too: TORCH_CHECK, TVM_FFI_ICHECK
      error = case_.runtime.raised_text("it", status);
      end = CallEnd::refused;
    } else if (case_.outputs.empty()) {
      case_.runtime.forget(result);
    } else {
      end = frame.copy_outputs(result, arguments + case_.arguments, work_stream, error);
    }
    if (case_.on_default_stream) {
      // Also where it failed: what it has begun may still write to the outputs.
      std::string problem;
      const CallEnd ordered = case_.device->end_default_stream(stream, problem);
      if (end == CallEnd::done && ordered != CallEnd::done) {
        end = ordered;
        error = std::move(problem);
      }
    }
    return end != CallEnd::done && during.was_short() ? CallEnd::impeded : end;
  }

  [[nodiscard]] std::unique_ptr<Frame> take() const {
    {
      const std::lock_guard lock(mutex_);
      if (!frames_.empty()) {
        auto frame = std::move(frames_.back());
        frames_.pop_back();
        return frame;
      }
    }
    return std::make_unique<Frame>(case_);  // as many as there are calls at once
  }

  void give_back(std::unique_ptr<Frame> frame) const {
    if (!frame->is_ours_alone()) return;
    const std::lock_guard lock(mutex_);
    if (frames_.size() < kMostFrames) frames_.push_back(std::move(frame));
  }

  FfiCase case_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Frame>> frames_;
};

class FfiLibrary : public LoadedSolution {
 public:
  FfiLibrary(const LoadRequest& request, std::shared_ptr<CallDevice> device)
      : signature_(request.signature),
        runtime_(runtime_of_process(request.artifact.runtime)),
        device_(std::move(device)),
        returns_values_(request.artifact.style.style == compile::CallingStyle::kValueReturning) {
    const auto& artifact = request.artifact;
    function_ = artifact.kind == compile::Artifact::Kind::kTorchHeaders
                    ? calling::torch_function(runtime_, artifact.file, artifact.module, artifact.symbol)
                    : calling::ffi_function(artifact.file, artifact.symbol);
  }

  [[nodiscard]] std::unique_ptr<PreparedCall> prepare(const arguments::Case& found,
                                                      const model::AxisValues& /*axes*/) override {
    FfiCase shared{runtime_, function_, signature_, device_};
    shared.on_default_stream = function_.torch != nullptr && found.device_type == tvm_ffi::kCuda;
    shared.arguments = returns_values_ ? signature_.inputs() : signature_.parameters().size();
    shared.expected.device = device_->device();
    for (std::size_t i = 0; i < signature_.parameters().size(); ++i) {
      const auto& parameter = signature_.parameters()[i];
      auto shape = signature_.shape_of(parameter, found);
      if (i < shared.arguments) {
        shared.shapes.push_back(std::move(shape));
      } else {
        shared.expected.dtypes.push_back(parameter.data_type);
        shared.outputs.push_back({parameter.name, parameter.data_type, std::move(shape)});
      }
    }
    return std::make_unique<FfiCall>(std::move(shared));
  }

 private:
  const arguments::Signature& signature_;
  FfiRuntime runtime_;
  FfiFunction function_;
  std::shared_ptr<CallDevice> device_;
  bool returns_values_;
};

}  // namespace

std::unique_ptr<LoadedSolution> load_tvm_ffi(const LoadRequest& request, std::shared_ptr<CallDevice> device) {
  return std::make_unique<FfiLibrary>(request, std::move(device));
}

}  // namespace fib::apply
