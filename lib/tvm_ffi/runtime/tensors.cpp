#include <fmt/format.h>

#include <map>
#include <mutex>
#include <vector>

#include "tensor/shape.h"
#include "tvm_ffi/runtime/object.h"
#include "tvm_ffi/runtime/raise.h"

namespace fib::tvm_ffi {
namespace {

std::vector<std::int64_t> strides_of(const TensorView& tensor) {
  return tensor::contiguous_strides({tensor.shape, tensor.shape + tensor.ndim});
}

bool is_contiguous(const TensorView& tensor) {
  if (tensor.strides == nullptr) return true;
  const auto usual = strides_of(tensor);
  for (std::size_t i = 0; i < usual.size(); ++i) {
    if (tensor.shape[i] == 0) return true;
    if (tensor.shape[i] != 1 && tensor.strides[i] != usual[i]) return false;
  }
  return true;
}

// A tensor whose memory a DLPack tensor owns.
template <typename Managed>
struct PackedTensor : TensorObject {
  explicit PackedTensor(Managed* source) : managed(source) {
    cell = source->tensor;
    if (cell.strides != nullptr || cell.ndim == 0) return;
    strides = strides_of(cell);
    cell.strides = strides.data();
  }
  ~PackedTensor() {
    if (managed->deleter != nullptr) managed->deleter(managed);
  }
  PackedTensor(const PackedTensor&) = delete;
  PackedTensor& operator=(const PackedTensor&) = delete;

  Managed* managed;
  std::vector<std::int64_t> strides;
};

// Other sizes of another tensor's memory.
struct ViewTensor : TensorObject {
  ViewTensor(Object* owner, const TensorView& view)
      : source(owner),
        shape(view.shape, view.shape + view.ndim),
        strides(view.strides == nullptr ? strides_of(view)
                                        : std::vector<std::int64_t>(view.strides, view.strides + view.ndim)) {
    retain(source);
    cell = view;
    cell.shape = shape.data();
    cell.strides = strides.data();
  }
  ~ViewTensor() { release(source); }
  ViewTensor(const ViewTensor&) = delete;
  ViewTensor& operator=(const ViewTensor&) = delete;

  Object* source;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;
};

template <typename Managed>
Object* from_pack(Managed* source, std::int32_t alignment, std::int32_t needs_contiguous) {
  const auto& tensor = source->tensor;
  const auto address = reinterpret_cast<std::uintptr_t>(tensor.data) + tensor.byte_offset;
  if (alignment > 0 && address % static_cast<std::uintptr_t>(alignment) != 0)
    throw Raised("RuntimeError", fmt::format("the tensor's memory is not aligned to {} bytes", alignment));
  if (needs_contiguous != 0 && !is_contiguous(tensor))
    throw Raised("RuntimeError", "the tensor is not contiguous");
  return make_object<PackedTensor<Managed>>(kTypeTensor, source);
}

template <typename Managed>
Managed* to_pack(void* handle) {
  auto* tensor = static_cast<TensorObject*>(handle);
  auto* packed = new Managed;
  packed->tensor = tensor->cell;
  packed->manager = tensor;
  packed->deleter = [](Managed* self) {
    release(static_cast<Object*>(self->manager));
    delete self;
  };
  retain(tensor);
  return packed;
}

// What the caller of a library gives it to work with.
struct Environment {
  std::mutex mutex;
  TensorAllocator allocator = nullptr;  // of all threads
};

Environment& environment() {
  static auto* const one = new Environment;
  return *one;
}

struct ThreadEnvironment {
  TensorAllocator allocator = nullptr;
  std::map<std::pair<std::int32_t, std::int32_t>, void*> streams;  // by device
};

ThreadEnvironment& thread_environment() {
  thread_local ThreadEnvironment one;
  return one;
}

TensorAllocator allocator_in_use() {
  if (thread_environment().allocator != nullptr) return thread_environment().allocator;
  const std::lock_guard lock(environment().mutex);
  return environment().allocator;
}

}  // namespace
}  // namespace fib::tvm_ffi

using namespace fib::tvm_ffi;

extern "C" {

int TVMFFITensorFromDLPack(ManagedTensor* from, std::int32_t alignment, std::int32_t needs_contiguous,
                           void** out) {
  return guarded([&] { *out = from_pack(from, alignment, needs_contiguous); });
}

int TVMFFITensorFromDLPackVersioned(ManagedTensorVersioned* from, std::int32_t alignment,
                                    std::int32_t needs_contiguous, void** out) {
  return guarded([&] { *out = from_pack(from, alignment, needs_contiguous); });
}

int TVMFFITensorToDLPack(void* from, ManagedTensor** out) {
  return guarded([&] { *out = to_pack<ManagedTensor>(from); });
}

int TVMFFITensorToDLPackVersioned(void* from, ManagedTensorVersioned** out) {
  return guarded([&] { *out = to_pack<ManagedTensorVersioned>(from); });
}

int TVMFFITensorCreateUnsafeView(void* source, const TensorView* prototype, void** out) {
  return guarded(
      [&] { *out = make_object<ViewTensor>(kTypeTensor, static_cast<Object*>(source), *prototype); });
}

int TVMFFIEnvSetStream(std::int32_t device_type, std::int32_t device_id, void* stream, void** before) {
  return guarded([&] {
    auto& entry = thread_environment().streams[{device_type, device_id}];
    if (before != nullptr) *before = entry;
    entry = stream;
  });
}

void* TVMFFIEnvGetStream(std::int32_t device_type, std::int32_t device_id) {
  const auto& streams = thread_environment().streams;
  const auto known = streams.find({device_type, device_id});
  return known == streams.end() ? nullptr : known->second;
}

int TVMFFIEnvSetDLPackManagedTensorAllocator(TensorAllocator allocator, int for_all_threads,
                                             TensorAllocator* before) {
  return guarded([&] {
    if (before != nullptr) *before = allocator_in_use();
    if (for_all_threads != 0) {
      const std::lock_guard lock(environment().mutex);
      environment().allocator = allocator;
    }
    thread_environment().allocator = allocator;
  });
}

TensorAllocator TVMFFIEnvGetDLPackManagedTensorAllocator() { return allocator_in_use(); }

int TVMFFIEnvTensorAlloc(TensorView* prototype, void** out) {
  return guarded([&] {
    const auto allocator = allocator_in_use();
    if (allocator == nullptr) throw Raised("RuntimeError", "the environment has no allocator of tensors");
    ManagedTensorVersioned* made = nullptr;
    struct Failure {
      std::string kind, message;
    } failure;
    const int result =
        allocator(prototype, &made, &failure, [](void* context, const char* kind, const char* message) {
          *static_cast<Failure*>(context) = {kind, message};
        });
    if (result != 0) throw Raised(failure.kind, failure.message);
    *out = from_pack(made, 0, 0);
  });
}

}  // extern "C"
