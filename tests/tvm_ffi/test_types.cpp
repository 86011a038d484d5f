#include "tvm_ffi/runtime.h"

using fib::testing::bytes;
using fib::testing::raised;
using fib::testing::text_of;

namespace {

struct Info {  // the beginning of TVMFFITypeInfo
  std::int32_t type_index;
  std::int32_t type_depth;
  ByteArray type_key;
  const Info** ancestors;
};

const Info* info(std::int32_t index) { return static_cast<const Info*>(TVMFFIGetTypeInfo(index)); }

std::int32_t add(const std::string& key, std::int32_t parent, std::int32_t slots = 0, bool overflow = true) {
  const auto name = bytes(key);
  return TVMFFITypeGetOrAllocIndex(&name, -1, 1, slots, overflow ? 1 : 0, parent);
}

}  // namespace

TEST_CASE("the types of all values are there from the start") {
  for (const auto& [index, key] : {std::pair{kTypeNone, "None"},
                                   {kTypeTensorView, "DLTensor*"},
                                   {kTypeString, "ffi.String"},
                                   {kTypeTensor, "ffi.Tensor"},
                                   {kTypeMap, "ffi.Map"}}) {
    REQUIRE(info(index) != nullptr);
    CHECK(info(index)->type_index == index);
    CHECK(text_of(info(index)->type_key) == key);
    const std::string text = key;
    const auto name = bytes(text);
    std::int32_t found = -5;
    CHECK(TVMFFITypeKeyToIndex(&name, &found) == 0);
    CHECK(found == index);
  }
  CHECK(info(kTypeTensor)->type_depth == 1);
  CHECK(info(kTypeTensor)->ancestors[0] == info(kTypeObject));
  CHECK(info(127) == nullptr);
}

TEST_CASE("a new type has an index of its own, the same for the same key") {
  const auto index = add("test.one", kTypeObject);
  CHECK(index >= kTypeFirstDynamic);
  CHECK(add("test.one", kTypeObject) == index);
  CHECK(add("test.other", kTypeObject) != index);
  CHECK(text_of(info(index)->type_key) == "test.one");
  const auto child = add("test.child", index);
  CHECK(info(child)->type_depth == 2);
  CHECK(info(child)->ancestors[1] == info(index));
}

TEST_CASE("children take the indices that their parent has reserved") {
  const auto parent = add("test.parent", kTypeObject, 3, false);
  CHECK(add("test.first", parent) == parent + 1);
  CHECK(add("test.second", parent, 1) == parent + 2);
  CHECK(add("test.third", parent) == -1);
  CHECK(raised() == "InternalError: the type test.parent has no room for another child");
  CHECK(add("test.stranger", kTypeObject) == parent + 4);
}

TEST_CASE("a question for a type does not make it") {
  CHECK(add("test.nobody", -2) == -2);
  const std::string text = "test.nobody";
  const auto name = bytes(text);
  std::int32_t found = 0;
  CHECK(TVMFFITypeKeyToIndex(&name, &found) == -1);
  CHECK(raised() == "KeyError: cannot find the type test.nobody");
}

TEST_CASE("attributes of types lie in a column by type") {
  struct Column {
    const Any* data;
    std::int32_t size;
    std::int32_t begin;
  };
  const std::string text = "test.attribute";
  const auto name = bytes(text);
  CHECK(TVMFFIGetTypeAttrColumn(&name) == nullptr);
  Any value;
  value.type_index = kTypeInt;
  value.integer = 5;
  REQUIRE(TVMFFITypeRegisterAttr(kTypeTensor, &name, &value) == 0);
  const auto* column = static_cast<const Column*>(TVMFFIGetTypeAttrColumn(&name));
  REQUIRE(column != nullptr);
  CHECK(column->begin == 0);
  REQUIRE(column->size == kTypeTensor + 1);
  CHECK(column->data[kTypeTensor].integer == 5);
  CHECK(column->data[kTypeArray - 2].type_index == kTypeNone);
}

TEST_CASE("two types cannot have one index") {
  const std::string text = "test.thief";
  const auto name = bytes(text);
  CHECK(TVMFFITypeGetOrAllocIndex(&name, kTypeTensor, 1, 0, 0, kTypeObject) == -1);
  CHECK(raised() == "InternalError: another type has the index of test.thief");
  CHECK(text_of(info(kTypeTensor)->type_key) == "ffi.Tensor");
}
