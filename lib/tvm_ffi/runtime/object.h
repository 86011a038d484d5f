#pragma once

#include <atomic>
#include <cstdlib>
#include <new>
#include <utility>

#include "tvm_ffi/abi.h"

// Objects that this runtime makes, and counting of references to any.
namespace fib::tvm_ffi {

constexpr std::uint64_t kOneWeak = std::uint64_t{1} << 32U;

inline void retain(Object* object) {
  std::atomic_ref(object->references).fetch_add(1, std::memory_order_relaxed);
}

inline void drop_weak(Object* object) {
  if (std::atomic_ref(object->references).fetch_sub(kOneWeak, std::memory_order_acq_rel) >> 32U == 1)
    object->deleter(object, kDeleteMemory);
}

// All strong references together hold one weak one.
inline void release(Object* object) {
  const std::uint64_t before = std::atomic_ref(object->references).fetch_sub(1, std::memory_order_acq_rel);
  if (static_cast<std::uint32_t>(before) != 1) return;
  if (before == kOneWeak + 1) return object->deleter(object, kDeleteObject | kDeleteMemory);
  object->deleter(object, kDeleteObject);
  drop_weak(object);
}

// An object of type T, derived from Object, with one reference, which is the caller's.
template <typename T, typename... Arguments>
T* make_object(std::int32_t type_index, Arguments&&... arguments) {
  void* memory = std::malloc(sizeof(T));
  if (memory == nullptr) throw std::bad_alloc();
  T* object = new (memory) T(std::forward<Arguments>(arguments)...);
  object->references = kOneWeak + 1;
  object->type_index = type_index;
  object->deleter = [](void* self, int flags) {
    if ((flags & kDeleteObject) != 0) static_cast<T*>(self)->~T();
    if ((flags & kDeleteMemory) != 0) std::free(self);
  };
  return object;
}

}  // namespace fib::tvm_ffi
