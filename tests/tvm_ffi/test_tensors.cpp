#include <vector>

#include "tvm_ffi/runtime.h"

using fib::testing::bytes;
using fib::testing::raised;
using fib::testing::references_of;
using fib::testing::text_of;

namespace {

int freed = 0;
float memory[6] = {};

// A matrix of 2 x 3 float32 whose end is counted.
ManagedTensorVersioned matrix(std::int64_t* shape, std::int64_t* strides = nullptr) {
  ManagedTensorVersioned tensor;
  tensor.tensor = {memory, {kCpu, 0}, 2, {kFloat, 32, 1}, shape, strides, 0};
  tensor.deleter = [](ManagedTensorVersioned*) { ++freed; };
  return tensor;
}

int allocate(TensorView* prototype, ManagedTensorVersioned** out, void* context,
             void (*set_error)(void*, const char*, const char*)) {
  if (prototype->ndim != 2) {
    set_error(context, "MemoryError", "matrices only");
    return -1;
  }
  static ManagedTensorVersioned made;
  made = matrix(prototype->shape, prototype->strides);
  *out = &made;
  return 0;
}

}  // namespace

TEST_CASE("a tensor of DLPack becomes an object that frees it") {
  freed = 0;
  std::int64_t shape[] = {2, 3};
  auto source = matrix(shape);
  void* object = nullptr;
  REQUIRE(TVMFFITensorFromDLPackVersioned(&source, 0, 1, &object) == 0);
  const auto& view = static_cast<TensorObject*>(object)->cell;
  CHECK(static_cast<Object*>(object)->type_index == kTypeTensor);
  CHECK(view.data == memory);
  REQUIRE(view.strides != nullptr);
  CHECK(view.strides[0] == 3);
  CHECK(view.strides[1] == 1);
  SECTION("and back") {
    ManagedTensorVersioned* versioned = nullptr;
    ManagedTensor* plain = nullptr;
    REQUIRE(TVMFFITensorToDLPackVersioned(object, &versioned) == 0);
    REQUIRE(TVMFFITensorToDLPack(object, &plain) == 0);
    CHECK(references_of(object) == 3);
    CHECK(versioned->tensor.data == memory);
    CHECK(plain->tensor.shape[1] == 3);
    versioned->deleter(versioned);
    plain->deleter(plain);
  }
  SECTION("a view of other sizes keeps it") {
    std::int64_t flat[] = {6};
    TensorView prototype = view;
    prototype.ndim = 1;
    prototype.shape = flat;
    prototype.strides = nullptr;
    void* other = nullptr;
    REQUIRE(TVMFFITensorCreateUnsafeView(object, &prototype, &other) == 0);
    flat[0] = 0;
    CHECK(static_cast<TensorObject*>(other)->cell.shape[0] == 6);
    CHECK(static_cast<TensorObject*>(other)->cell.strides[0] == 1);
    CHECK(references_of(object) == 2);
    TVMFFIObjectDecRef(other);
  }
  CHECK(freed == 0);
  CHECK(references_of(object) == 1);
  TVMFFIObjectDecRef(object);
  CHECK(freed == 1);
}

TEST_CASE("what is asked of a tensor's memory is looked at") {
  std::int64_t shape[] = {2, 3};
  std::int64_t strides[] = {1, 2};
  auto source = matrix(shape, strides);
  void* object = nullptr;
  CHECK(TVMFFITensorFromDLPackVersioned(&source, 0, 1, &object) == -1);
  CHECK(raised() == "RuntimeError: the tensor is not contiguous");
  source = matrix(shape);
  source.tensor.byte_offset = 2;
  CHECK(TVMFFITensorFromDLPackVersioned(&source, 4, 0, &object) == -1);
  CHECK(raised() == "RuntimeError: the tensor's memory is not aligned to 4 bytes");
}

TEST_CASE("the environment has a stream for each device") {
  int stream = 0;
  void* before = &stream;
  CHECK(TVMFFIEnvGetStream(kCuda, 1) == nullptr);
  CHECK(TVMFFIEnvSetStream(kCuda, 1, &stream, &before) == 0);
  CHECK(before == nullptr);
  CHECK(TVMFFIEnvGetStream(kCuda, 1) == &stream);
  CHECK(TVMFFIEnvGetStream(kCuda, 0) == nullptr);
  CHECK(TVMFFIEnvSetStream(kCuda, 1, nullptr, &before) == 0);
  CHECK(before == &stream);
}

TEST_CASE("the environment makes tensors by the allocator that it was given") {
  freed = 0;
  std::int64_t shape[] = {2, 3};
  TensorView prototype{nullptr, {kCpu, 0}, 2, {kFloat, 32, 1}, shape, nullptr, 0};
  void* object = nullptr;
  CHECK(TVMFFIEnvTensorAlloc(&prototype, &object) == -1);
  CHECK(raised() == "RuntimeError: the environment has no allocator of tensors");
  CHECK(TVMFFIEnvSetDLPackManagedTensorAllocator(allocate, 1, nullptr) == 0);
  CHECK(TVMFFIEnvGetDLPackManagedTensorAllocator() == allocate);
  REQUIRE(TVMFFIEnvTensorAlloc(&prototype, &object) == 0);
  CHECK(static_cast<TensorObject*>(object)->cell.data == memory);
  TVMFFIObjectDecRef(object);
  CHECK(freed == 1);
  prototype.ndim = 1;
  CHECK(TVMFFIEnvTensorAlloc(&prototype, &object) == -1);
  CHECK(raised() == "MemoryError: matrices only");
}

TEST_CASE("dtypes have names, and names dtypes") {
  const std::vector<std::pair<DataType, std::string>> table = {
      {{kFloat, 32, 1}, "float32"},
      {{kFloat, 16, 4}, "float16x4"},
      {{kBfloat, 16, 1}, "bfloat16"},
      {{kInt, 64, 1}, "int64"},
      {{kUInt, 8, 1}, "uint8"},
      {{kBool, 8, 1}, "bool"},
      {{kFloat8E4M3FN, 8, 1}, "float8_e4m3fn"},
      {{kFloat8E5M2, 8, 1}, "float8_e5m2"},
      {{kFloat4E2M1FN, 4, 2}, "float4_e2m1fnx2"},
      {{kOpaqueHandle, 64, 1}, "handle"},
      {{kOpaqueHandle, 0, 0}, ""},
  };
  for (const auto& [dtype, name] : table) {
    CAPTURE(name);
    Any text;
    REQUIRE(TVMFFIDataTypeToString(&dtype, &text) == 0);
    CHECK(text_of(text) == name);
    if (text.type_index == kTypeString) TVMFFIObjectDecRef(text.object);
    const auto array = bytes(name);
    DataType back{};
    REQUIRE(TVMFFIDataTypeFromString(&array, &back) == 0);
    CHECK(back == dtype);
  }
  for (const std::string wrong :
       {"flaot32", "float32x", "float", "int8y", "bool8", "float288", "int8x65537"}) {
    CAPTURE(wrong);
    const auto array = bytes(wrong);
    DataType dtype{};
    const int result = TVMFFIDataTypeFromString(&array, &dtype);
    if (wrong == "float") {
      CHECK(result == 0);
      CHECK(dtype == DataType{kFloat, 32, 1});
      continue;
    }
    CHECK(result == -1);
    CHECK(raised() == "ValueError: unknown dtype `" + wrong + "`");
  }
}
