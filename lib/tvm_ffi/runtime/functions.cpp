#include <map>
#include <mutex>

#include "tvm_ffi/runtime/object.h"
#include "tvm_ffi/runtime/raise.h"

namespace fib::tvm_ffi {
namespace {

// A function made of a callback in C; what is called gets the callback's own handle.
struct CallbackFunction : FunctionObject {
  CallbackFunction(void* own, SafeCall callback, void (*end)(void*))
      : handle(own), call(callback), end_of_handle(end) {
    cell.safe_call = [](void* self, const Any* arguments, std::int32_t count, Any* result) {
      const auto* function = static_cast<CallbackFunction*>(self);
      return function->call(function->handle, arguments, count, result);
    };
  }
  ~CallbackFunction() {
    if (end_of_handle != nullptr) end_of_handle(handle);
  }
  CallbackFunction(const CallbackFunction&) = delete;
  CallbackFunction& operator=(const CallbackFunction&) = delete;

  void* handle;
  SafeCall call;
  void (*end_of_handle)(void*);
};

// Functions that libraries have registered under a name, for each other and for themselves.
class GlobalFunctions {
 public:
  void set(const std::string& name, Object* function, bool may_replace) {
    if (function == nullptr) throw Raised("TypeError", "a global function has to be a function");
    Object* before = nullptr;
    {
      const std::lock_guard lock(mutex_);
      const auto known = functions_.find(name);
      if (known != functions_.end() && !may_replace)
        throw Raised("RuntimeError", "there is a global function " + name + " already");
      retain(function);
      before = std::exchange(functions_[name], function);
    }
    if (before != nullptr) release(before);  // may call functions of a library, which may come back here
  }

  // With a reference of the caller's own; null: there is none.
  [[nodiscard]] Object* get(const std::string& name) {
    const std::lock_guard lock(mutex_);
    const auto known = functions_.find(name);
    if (known == functions_.end()) return nullptr;
    retain(known->second);
    return known->second;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, Object*> functions_;
};

GlobalFunctions& globals() {
  static auto* const functions = new GlobalFunctions;
  return *functions;
}

// The beginning of TVMFFIMethodInfo.
struct MethodHead {
  ByteArray name, doc, metadata;
  std::int64_t flags;
  Any method;
};

}  // namespace
}  // namespace fib::tvm_ffi

using namespace fib::tvm_ffi;

extern "C" {

int TVMFFIFunctionCreate(void* self, SafeCall call, void (*deleter)(void*), void** out) {
  return guarded([&] { *out = make_object<CallbackFunction>(kTypeFunction, self, call, deleter); });
}

int TVMFFIFunctionCall(void* function, Any* arguments, std::int32_t count, Any* result) {
  return static_cast<FunctionObject*>(function)->cell.safe_call(function, arguments, count, result);
}

int TVMFFIFunctionGetGlobal(const ByteArray* name, void** out) {
  return guarded([&] { *out = globals().get(text_of(*name)); });
}

int TVMFFIFunctionSetGlobal(const ByteArray* name, void* function, int may_replace) {
  return guarded([&] { globals().set(text_of(*name), static_cast<Object*>(function), may_replace != 0); });
}

int TVMFFIFunctionSetGlobalFromMethodInfo(const void* info, int may_replace) {
  return guarded([&] {
    const auto& method = *static_cast<const MethodHead*>(info);
    if (method.method.type_index != kTypeFunction)
      throw Raised("TypeError", "a global function has to be a function");
    globals().set(text_of(method.name), method.method.object, may_replace != 0);
  });
}

}  // extern "C"
