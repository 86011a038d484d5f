#include <fmt/format.h>

#include "tvm_ffi/runtime/object.h"
#include "tvm_ffi/runtime/raise.h"

namespace fib::tvm_ffi {
namespace {

class OwnError : public ErrorObject {
 public:
  OwnError(std::string kind, std::string message, std::string backtrace, void* cause, void* extra_context)
      : kind_(std::move(kind)), message_(std::move(message)), backtrace_(std::move(backtrace)) {
    cell.kind = {kind_.data(), kind_.size()};
    cell.message = {message_.data(), message_.size()};
    cell.backtrace = {backtrace_.data(), backtrace_.size()};
    cell.update_backtrace = [](void* self, const ByteArray* text, std::int32_t mode) {
      static_cast<OwnError*>(self)->update(*text, mode);
    };
    cell.cause = cause;
    cell.extra_context = extra_context;
    for (void* held : {cause, extra_context}) {
      if (held != nullptr) retain(static_cast<Object*>(held));
    }
  }
  ~OwnError() {
    for (void* held : {cell.cause, cell.extra_context}) {
      if (held != nullptr) release(static_cast<Object*>(held));
    }
  }
  OwnError(const OwnError&) = delete;
  OwnError& operator=(const OwnError&) = delete;

 private:
  void update(const ByteArray& text, std::int32_t mode) {
    if (mode == 0) backtrace_.clear();
    backtrace_.append(text.data, text.size);
    cell.backtrace = {backtrace_.data(), backtrace_.size()};
  }

  std::string kind_;
  std::string message_;
  std::string backtrace_;
};

// The thread's raised error.
class RaisedError {
 public:
  RaisedError() = default;
  ~RaisedError() { set(nullptr); }
  RaisedError(const RaisedError&) = delete;
  RaisedError& operator=(const RaisedError&) = delete;

  void set(Object* owned) {
    if (Object* before = std::exchange(error_, owned)) release(before);
  }
  [[nodiscard]] Object* take() { return std::exchange(error_, nullptr); }

 private:
  Object* error_ = nullptr;
};

RaisedError& raised() {
  thread_local RaisedError error;
  return error;
}

const char* or_nothing(const char* text) { return text == nullptr ? "" : text; }

}  // namespace

Object* make_error(const std::string& kind, const std::string& message, const std::string& backtrace) {
  return make_object<OwnError>(kTypeError, kind, message, backtrace, nullptr, nullptr);
}

void set_raised(Object* error) {
  if (error != nullptr) retain(error);
  raised().set(error);
}

void set_raised(const std::string& kind, const std::string& message) {
  raised().set(make_error(kind, message, ""));
}

}  // namespace fib::tvm_ffi

using namespace fib::tvm_ffi;

extern "C" {

void TVMFFIErrorSetRaised(void* error) { set_raised(static_cast<Object*>(error)); }

void TVMFFIErrorMoveFromRaised(void** result) { *result = raised().take(); }

void TVMFFIErrorSetRaisedFromCStr(const char* kind, const char* message) {
  set_raised(or_nothing(kind), or_nothing(message));
}

void TVMFFIErrorSetRaisedFromCStrParts(const char* kind, const char** parts, std::int32_t count) {
  std::string message;
  for (std::int32_t i = 0; i < count; ++i) message += or_nothing(parts[i]);
  set_raised(or_nothing(kind), message);
}

int TVMFFIErrorCreate(const ByteArray* kind, const ByteArray* message, const ByteArray* backtrace,
                      void** out) {
  return guarded([&] { *out = make_error(text_of(*kind), text_of(*message), text_of(*backtrace)); });
}

int TVMFFIErrorCreateWithCauseAndExtraContext(const ByteArray* kind, const ByteArray* message,
                                              const ByteArray* backtrace, void* cause, void* extra_context,
                                              void** out) {
  return guarded([&] {
    *out = make_object<OwnError>(kTypeError, text_of(*kind), text_of(*message), text_of(*backtrace), cause,
                                 extra_context);
  });
}

// One line: where the error was made. (A walk up the stack would need debug information that solutions do not
// have.)
const ByteArray* TVMFFIBacktrace(const char* file, int line, const char* function,
                                 int /*cross_ffi_boundary*/) {
  thread_local std::string text;
  thread_local ByteArray bytes;
  text.clear();
  if (file != nullptr)
    text = fmt::format("  File \"{}\", line {}, in {}\n", file, line, function == nullptr ? "?" : function);
  bytes = {text.data(), text.size()};
  return &bytes;
}

}  // extern "C"
