#include <catch2/catch.hpp>
#include <thread>

#include "apply/calls.h"
#include "support/tvm_ffi.h"

using namespace fib;
using apply::Runtime;
using tensor::DType;
using testing::AddCall;
using testing::counted;
using testing::HostTensor;
using testing::kTvmFfiDeclarations;
using testing::RuntimeTest;

namespace {

const nlohmann::ordered_json kReturns = {{"destination_passing_style", false}};

// Returns something for "add" that depends on n.
const std::string kReturnsWhatItShouldNot = kTvmFfiDeclarations + R"(
#include <stdlib.h>
typedef struct { uint64_t references; int32_t type; uint32_t pad; void (*deleter)(void*, int);
                 Any* data; int64_t size, capacity; void* data_deleter; } Array;
extern "C" int TVMFFIObjectDecRef(void*);
static void delete_array(void* self, int flags) {
  Array* array = (Array*)self;
  if (flags & 1) {
    for (int64_t i = 0; i < array->size; ++i) TVMFFIObjectDecRef(array->data[i].p);
    free(array->data);
  }
  if (flags & 2) free(array);
}
static Tensor* made(int64_t n, int bits, int64_t* strides) {
  int64_t shape[1] = {n};
  View prototype = {0, {1, 0}, 1, 2, (uint8_t)bits, 1, shape, 0, 0};
  void* tensor = 0;
  if (TVMFFIEnvTensorAlloc(&prototype, &tensor) != 0) abort();
  if (strides) ((Tensor*)tensor)->view.strides = strides;
  return (Tensor*)tensor;
}
static int64_t two = 2;
int __tvm_ffi_run(void* self, const Any* args, int32_t count, Any* result) {
  const View *a = &args[0].t->view, *b = &args[1].t->view;
  const int64_t n = a->shape[0];
  if (count != 2) return -1;
  if (n == 6) {
    result->type = 1;
    result->i = 7;
    return 0;
  }
  const int64_t outputs = n == 3 ? 2 : 1;
  Array* array = (Array*)calloc(1, sizeof(Array));
  array->references = (1ull << 32) + 1;
  array->type = 71;
  array->deleter = delete_array;
  array->data = (Any*)calloc(2, sizeof(Any));
  array->size = array->capacity = outputs;
  for (int64_t o = 0; o < outputs; ++o) {
    Tensor* c = made(n == 1 ? n + 1 : n, n == 2 ? 64 : 32, n == 4 ? &two : 0);
    for (int64_t i = 0; i < n && n > 4; ++i) ((float*)c->view.data)[i] = ((float*)a->data)[i] + ((float*)b->data)[i] + 30;
    array->data[o].type = 70;
    array->data[o].p = c;
  }
  if (n == 5) array->data[0].t->view.device[0] = 2;
  result->type = 71;
  result->p = array;
  return 0;
}
)";

}  // namespace

TEST_CASE_METHOD(RuntimeTest, "functions by TVM-FFI's convention get tensors that they may keep") {
  // The interface by hand, so that no package is needed.
  const std::string source = R"(
#include <stdint.h>
struct Any { int32_t type; uint32_t zero; void* pointer; };
struct Tensor { uint64_t references; int32_t type; uint32_t pad; void* deleter; float* data; };
extern "C" int TVMFFIObjectIncRef(void*);
static int calls = 0;
extern "C" int __tvm_ffi_run(void*, const Any* args, int32_t count, Any*) {
  if (count != 3 || args[2].type != 70) return -1;
  const Tensor* c = static_cast<const Tensor*>(args[2].pointer);
  for (int i = 0; i < 8; ++i) c->data[i] = static_cast<const Tensor*>(args[0].pointer)->data[i] + 41;
  if (++calls == 2) TVMFFIObjectIncRef(args[2].pointer);
  return calls == 4 ? -1 : 0;
}
)";
  data.builder().tvm_ffi_solution("foreign", source);
  data.result({"foreign", 8, 3});
  Runtime applied = runtime();
  for (int i = 0; i < 3; ++i) {
    AddCall call(8);
    CHECK(call.call(applied.find("add")) == FIB_APPLIED);
    INFO(call.why);
    CHECK(call.added() == 40);
  }
  AddCall call(8);
  CHECK(call.call(applied.find("add")) == FIB_CALL_FAILED);
  CHECK(call.why == "it returned the error code -1 and raised no error");
}

TEST_CASE_METHOD(RuntimeTest, "an error by TVM-FFI's convention drops the case, an exception the solution") {
  const std::string source = kTvmFfiDeclarations + R"(
#include <stdexcept>
int __tvm_ffi_run(void* self, const Any* args, int32_t count, Any* result) {
  const View *a = &args[0].t->view, *c = &args[2].t->view;
  if (a->shape[0] == 16) {
    TVMFFIErrorSetRaisedFromCStr("ValueError", "not sixteen");
    return -1;
  }
  if (a->shape[0] == 24) throw std::runtime_error("not twenty-four");
  for (int i = 0; i < 8; ++i) ((float*)c->data)[i] = ((float*)a->data)[i] + 81;
  return 0;
}
)";
  data.builder().tvm_ffi_solution("choosy", source);
  for (const int n : {8, 16, 24}) data.result({"choosy", n, 3});
  Runtime applied = runtime();
  const auto& function = applied.find("add");
  AddCall eight(8);
  AddCall sixteen(16);
  CHECK(sixteen.call(function) == FIB_CALL_FAILED);
  CHECK(sixteen.why == "ValueError: not sixteen");
  CHECK(sixteen.call(function) == FIB_DROPPED);
  CHECK(sixteen.why == "\"choosy\" refused this case");
  CHECK(eight.call(function) == FIB_APPLIED);
  AddCall twenty_four(24);
  CHECK(twenty_four.call(function) == FIB_CALL_FAILED);
  CHECK(twenty_four.why == "it threw an exception: not twenty-four");
  CHECK(eight.call(function) == FIB_DROPPED);
  CHECK(eight.why == "it threw an exception: not twenty-four");
}

TEST_CASE_METHOD(RuntimeTest, "what a function by TVM-FFI's convention returns is copied to the outputs") {
  data.builder().tvm_ffi_solution("returning", testing::kTvmFfiAddReturned, kReturns);
  data.result({"returning", 8, 3}).result({"returning", 16, 3});
  Runtime applied = runtime();
  const auto& function = applied.find("add");
  for (const std::int64_t n : {8, 16, 8}) {
    AddCall call(n);
    CHECK(call.call(function) == FIB_APPLIED);
    INFO(call.why);
    CHECK(call.added() == 0);
    CHECK(call.c.data<float>()[0] == 1);
  }
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        AddCall call(8);
        if (call.call(function) != FIB_APPLIED || call.c.data<float>()[7] != 8) ++wrong;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(wrong == 0);
  CHECK(counted(applied, "applied") == 803);
}

TEST_CASE_METHOD(RuntimeTest, "what is returned and is not the outputs is refused, case by case") {
  data.builder().tvm_ffi_solution("wrong", kReturnsWhatItShouldNot, kReturns);
  for (int n = 1; n <= 8; ++n) data.result({"wrong", n, 3});
  Runtime applied = runtime();
  const auto& function = applied.find("add");
  const std::map<std::int64_t, std::string> sentences = {
      {1, "it returned \"c\" with the shape (2), which should be (1)"},
      {2, "it returned \"c\" with dtype float64, the definition says float32"},
      {3, "it returned 2 outputs, the definition has 1"},
      {4, "it returned \"c\" with strides"},
      {5, "it returned \"c\" on another device"},
      {6, "the function returned neither a tensor nor an array of tensors (TVM-FFI's type 1)"}};
  for (const auto& [n, sentence] : sentences) {
    AddCall call(n);
    CHECK(call.call(function) == FIB_CALL_FAILED);
    CHECK(call.why == sentence);
    CHECK(call.c.data<float>()[0] == 0);  // nothing was written
    CHECK(call.call(function) == FIB_DROPPED);
  }
  AddCall call(8);
  CHECK(call.call(function) == FIB_APPLIED);
  CHECK(call.added() == 30);
  CHECK(counted(applied, "call_failed") == 6);
  CHECK(counted(applied, "dropped") == 6);
}

TEST_CASE_METHOD(RuntimeTest,
                 "functions by TVM-FFI's convention find memory in their environment, and leave it") {
  const std::string source = kTvmFfiDeclarations + R"(
extern "C" int TVMFFIObjectDecRef(void*);
int __tvm_ffi_run(void* self, const Any* args, int32_t count, Any* result) {
  const View *a = &args[0].t->view, *c = &args[2].t->view;
  View prototype = *a;
  void* scratch = 0;
  if (TVMFFIEnvTensorAlloc(&prototype, &scratch) != 0) return -1;
  float* kept = (float*)((Tensor*)scratch)->view.data;
  if ((uintptr_t)kept % 256 != 0) return -2;
  for (int i = 0; i < 8; ++i) kept[i] = ((float*)a->data)[i] + 51;
  for (int i = 0; i < 8; ++i) ((float*)c->data)[i] = kept[i];
  TVMFFIObjectDecRef(scratch);
  return 0;
}
)";
  data.builder().tvm_ffi_solution("scratch", source);
  data.result({"scratch", 8, 3});
  Runtime applied = runtime();
  AddCall call(8);
  CHECK(call.call(applied.find("add")) == FIB_APPLIED);
  INFO(call.why);
  CHECK(call.added() == 50);
}
