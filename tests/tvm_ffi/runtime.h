#pragma once

#include <catch2/catch.hpp>
#include <string>

#include "tvm_ffi/abi.h"

// The runtime's functions, as tvm/ffi/c_api.h and tvm/ffi/extra/c_env_api.h declare them.
extern "C" {
using namespace fib::tvm_ffi;  // NOLINT
int TVMFFIObjectIncRef(void*);
int TVMFFIObjectDecRef(void*);
int TVMFFIObjectCreateOpaque(void*, std::int32_t, void (*)(void*), void**);
int TVMFFIAnyViewToOwnedAny(const Any*, Any*);
int TVMFFIStringFromByteArray(const ByteArray*, Any*);
int TVMFFIBytesFromByteArray(const ByteArray*, Any*);
int TVMFFIHandleInitOnce(void**, int (*)(void**));
int TVMFFIHandleDeinitOnce(void**, int (*)(void*));
int TVMFFIErrorCreate(const ByteArray*, const ByteArray*, const ByteArray*, void**);
int TVMFFIErrorCreateWithCauseAndExtraContext(const ByteArray*, const ByteArray*, const ByteArray*, void*,
                                              void*, void**);
void TVMFFIErrorSetRaised(void*);
void TVMFFIErrorMoveFromRaised(void**);
void TVMFFIErrorSetRaisedFromCStr(const char*, const char*);
void TVMFFIErrorSetRaisedFromCStrParts(const char*, const char**, std::int32_t);
const ByteArray* TVMFFIBacktrace(const char*, int, const char*, int);
int TVMFFIFunctionCreate(void*, SafeCall, void (*)(void*), void**);
int TVMFFIFunctionCall(void*, Any*, std::int32_t, Any*);
int TVMFFIFunctionGetGlobal(const ByteArray*, void**);
int TVMFFIFunctionSetGlobal(const ByteArray*, void*, int);
int TVMFFITensorFromDLPack(ManagedTensor*, std::int32_t, std::int32_t, void**);
int TVMFFITensorFromDLPackVersioned(ManagedTensorVersioned*, std::int32_t, std::int32_t, void**);
int TVMFFITensorToDLPack(void*, ManagedTensor**);
int TVMFFITensorToDLPackVersioned(void*, ManagedTensorVersioned**);
int TVMFFITensorCreateUnsafeView(void*, const TensorView*, void**);
int TVMFFIEnvSetStream(std::int32_t, std::int32_t, void*, void**);
void* TVMFFIEnvGetStream(std::int32_t, std::int32_t);
int TVMFFIEnvSetDLPackManagedTensorAllocator(TensorAllocator, int, TensorAllocator*);
TensorAllocator TVMFFIEnvGetDLPackManagedTensorAllocator();
int TVMFFIEnvTensorAlloc(TensorView*, void**);
int TVMFFIDataTypeFromString(const ByteArray*, DataType*);
int TVMFFIDataTypeToString(const DataType*, Any*);
std::int32_t TVMFFITypeGetOrAllocIndex(const ByteArray*, std::int32_t, std::int32_t, std::int32_t,
                                       std::int32_t, std::int32_t);
const void* TVMFFIGetTypeInfo(std::int32_t);
int TVMFFITypeKeyToIndex(const ByteArray*, std::int32_t*);
int TVMFFITypeRegisterAttr(std::int32_t, const ByteArray*, const Any*);
const void* TVMFFIGetTypeAttrColumn(const ByteArray*);
}

namespace fib::testing {

inline ByteArray bytes(const std::string& text) { return {text.data(), text.size()}; }

inline std::string text_of(const ByteArray& array) { return {array.data, array.size}; }

inline std::string text_of(const Any& any) {
  if (any.type_index == kTypeSmallString || any.type_index == kTypeSmallBytes)
    return {any.bytes, any.small_length};
  return text_of(static_cast<const StringObject*>(any.object)->cell.text);
}

// "ValueError: seven" of the thread's raised error, which is taken; empty: there is none.
inline std::string raised() {
  void* error = nullptr;
  TVMFFIErrorMoveFromRaised(&error);
  if (error == nullptr) return {};
  const auto& cell = static_cast<ErrorObject*>(error)->cell;
  const std::string text = text_of(cell.kind) + ": " + text_of(cell.message);
  TVMFFIObjectDecRef(error);
  return text;
}

inline std::uint32_t references_of(const void* object) {
  return static_cast<std::uint32_t>(static_cast<const Object*>(object)->references);
}

}  // namespace fib::testing
