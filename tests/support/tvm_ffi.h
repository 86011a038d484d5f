#pragma once

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "support/places.h"

// Where tests find headers of TVM-FFI, and solutions that need none.
namespace fib::testing {

// Folders for FIB_TVM_FFI_HOME: those that scripts/fetch-tvm-ffi has fetched (the oldest and the newest
// version), else the one that the variable names. Empty, after saying that the test is skipped, where there
// is none.
inline std::vector<std::string> tvm_ffi_homes() {
  std::vector<std::string> homes;
  for (const char* name : {"oldest", "newest"}) {
    const auto home = source_folder() / "build/tvm_ffi" / name / "tvm_ffi";
    if (std::filesystem::exists(home / "include/tvm/ffi/c_api.h")) homes.push_back(home);
  }
  const char* named = std::getenv("FIB_TVM_FFI_HOME");
  if (homes.empty() && named != nullptr && *named != '\0') homes.emplace_back(named);
  if (homes.empty()) WARN("skipped: there are no headers of TVM-FFI (scripts/fetch-tvm-ffi)");
  return homes;
}

// For solutions in C or C++ that declare what they use of the interface themselves.
inline const std::string kTvmFfiDeclarations = R"(
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
typedef struct { void* data; int32_t device[2]; int32_t ndim; uint8_t code, bits; uint16_t lanes; int64_t *shape, *strides;
                 uint64_t byte_offset; } View;
typedef struct { uint64_t references; int32_t type; uint32_t pad; void* deleter; View view; } Tensor;
typedef struct { int32_t type; uint32_t pad; union { int64_t i; double f; void* p; Tensor* t; }; } Any;
void TVMFFIErrorSetRaisedFromCStr(const char* kind, const char* message);
int TVMFFIEnvTensorAlloc(View* prototype, void** out);
int __attribute__((visibility("default"))) __tvm_ffi_run(void* self, const Any* args, int32_t count, Any* result);
#ifdef __cplusplus
}
#endif
)";

// c = a + b by destination passing; the arguments are a, b and c.
inline const std::string kTvmFfiAdd = kTvmFfiDeclarations + R"(
int __tvm_ffi_run(void* self, const Any* args, int32_t count, Any* result) {
  if (count != 3) {
    TVMFFIErrorSetRaisedFromCStr("TypeError", "three arguments, please");
    return -1;
  }
  const View *a = &args[0].t->view, *b = &args[1].t->view, *c = &args[2].t->view;
  for (int64_t i = 0; i < c->shape[0]; ++i) ((float*)c->data)[i] = ((float*)a->data)[i] + ((float*)b->data)[i];
  return 0;
}
)";

// The same, returning c.
inline const std::string kTvmFfiAddReturned = kTvmFfiDeclarations + R"(
int __tvm_ffi_run(void* self, const Any* args, int32_t count, Any* result) {
  View *a = &args[0].t->view, *b = &args[1].t->view;
  View prototype = *a;
  void* made = 0;
  if (TVMFFIEnvTensorAlloc(&prototype, &made) != 0) return -1;
  View* c = &((Tensor*)made)->view;
  for (int64_t i = 0; i < c->shape[0]; ++i) ((float*)c->data)[i] = ((float*)a->data)[i] + ((float*)b->data)[i];
  result->type = 70;
  result->p = made;
  return 0;
}
)";

}  // namespace fib::testing
