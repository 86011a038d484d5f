#include <mutex>
#include <string>

#include "tvm_ffi/runtime/object.h"
#include "tvm_ffi/runtime/raise.h"

namespace fib::tvm_ffi {
namespace {

constexpr std::size_t kMostSmall = 7;

struct OwnBytes : StringObject {
  explicit OwnBytes(const ByteArray& source) : text(source.data, source.size) {
    cell.text = {text.data(), text.size()};
  }
  std::string text;
};

Any make_text(const ByteArray& source, TypeIndex small, TypeIndex large) {
  Any any;
  if (source.size <= kMostSmall) {
    any.type_index = small;
    any.small_length = static_cast<std::uint32_t>(source.size);
    for (std::size_t i = 0; i < source.size; ++i) any.bytes[i] = source.data[i];
    return any;
  }
  any.type_index = large;
  any.object = make_object<OwnBytes>(large, source);
  return any;
}

struct OpaqueObject : Object {
  OpaqueObject(void* value, void (*end)(void*)) : handle(value), end_of_handle(end) {}
  ~OpaqueObject() {
    if (end_of_handle != nullptr) end_of_handle(handle);
  }
  void* handle;
  void (*end_of_handle)(void*);
};

}  // namespace
}  // namespace fib::tvm_ffi

using namespace fib::tvm_ffi;

extern "C" {

struct TVMFFIVersionNumbers {
  std::uint32_t major, minor, patch;
};

// The oldest version whose interface this is; headers ask for none of later ones.
void TVMFFIGetVersion(TVMFFIVersionNumbers* version) { *version = {0, 1, 0}; }

int TVMFFIObjectIncRef(void* object) {
  if (object != nullptr) retain(static_cast<Object*>(object));
  return 0;
}

int TVMFFIObjectDecRef(void* object) {
  if (object != nullptr) release(static_cast<Object*>(object));
  return 0;
}

int TVMFFIObjectCreateOpaque(void* handle, std::int32_t type_index, void (*deleter)(void*), void** out) {
  return guarded([&] {
    if (type_index != kTypeOpaquePython)
      throw Raised("RuntimeError", "only opaque Python objects can be made");
    *out = make_object<OpaqueObject>(type_index, handle, deleter);
  });
}

int TVMFFIStringFromByteArray(const ByteArray* input, Any* out) {
  return guarded([&] { *out = make_text(*input, kTypeSmallString, kTypeString); });
}

int TVMFFIBytesFromByteArray(const ByteArray* input, Any* out) {
  return guarded([&] { *out = make_text(*input, kTypeSmallBytes, kTypeBytes); });
}

int TVMFFIAnyViewToOwnedAny(const Any* view, Any* out) {
  return guarded([&] {
    *out = *view;
    if (view->type_index >= kTypeFirstObject) {
      retain(view->object);
    } else if (view->type_index == kTypeRawString) {
      const auto* text = static_cast<const char*>(view->pointer);
      *out = make_text({text, std::char_traits<char>::length(text)}, kTypeSmallString, kTypeString);
    } else if (view->type_index == kTypeByteArray) {
      *out = make_text(*static_cast<const ByteArray*>(view->pointer), kTypeSmallBytes, kTypeBytes);
    } else if (view->type_index == kTypeRValueRef) {
      auto** source = static_cast<Object**>(view->pointer);
      *out = Any{};
      if (Object* moved = std::exchange(*source, nullptr)) {
        out->type_index = moved->type_index;
        out->object = moved;
      }
    }
  });
}

int TVMFFIHandleInitOnce(void** handle, int (*init)(void**)) {
  static auto* const mutex = new std::recursive_mutex;
  const std::lock_guard lock(*mutex);
  if (*handle != nullptr) return 0;
  void* made = nullptr;
  const int result = init(&made);
  if (result == 0) std::atomic_ref(*handle).store(made, std::memory_order_release);
  return result;
}

int TVMFFIHandleDeinitOnce(void** handle, int (*deinit)(void*)) {
  void* before = std::atomic_ref(*handle).exchange(nullptr);
  return before == nullptr ? 0 : deinit(before);
}

// Nobody interrupts a call but by ending the process.
int TVMFFIEnvCheckSignals() { return 0; }

}  // extern "C"
