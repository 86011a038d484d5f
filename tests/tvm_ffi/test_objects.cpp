#include "tvm_ffi/runtime.h"

using fib::testing::bytes;
using fib::testing::references_of;
using fib::testing::text_of;

namespace {

int ended = 0;
void count_end(void*) { ++ended; }

}  // namespace

TEST_CASE("short strings lie in the value, longer ones in an object") {
  for (const std::string text : {"", "seven 7", "eight 88", "a string that is longer than that"}) {
    CAPTURE(text);
    const auto array = bytes(text);
    Any string;
    Any raw;
    REQUIRE(TVMFFIStringFromByteArray(&array, &string) == 0);
    REQUIRE(TVMFFIBytesFromByteArray(&array, &raw) == 0);
    CHECK(string.type_index == (text.size() <= 7 ? kTypeSmallString : kTypeString));
    CHECK(raw.type_index == (text.size() <= 7 ? kTypeSmallBytes : kTypeBytes));
    CHECK(text_of(string) == text);
    CHECK(text_of(raw) == text);
    if (text.size() <= 7) continue;
    TVMFFIObjectDecRef(string.object);
    TVMFFIObjectDecRef(raw.object);
  }
}

TEST_CASE("an object ends with its last reference") {
  ended = 0;
  void* object = nullptr;
  REQUIRE(TVMFFIObjectCreateOpaque(nullptr, kTypeOpaquePython, count_end, &object) == 0);
  TVMFFIObjectIncRef(object);
  TVMFFIObjectDecRef(object);
  CHECK(ended == 0);
  TVMFFIObjectDecRef(object);
  CHECK(ended == 1);
  CHECK(TVMFFIObjectCreateOpaque(nullptr, kTypeTensor, count_end, &object) == -1);
  CHECK(fib::testing::raised() == "RuntimeError: only opaque Python objects can be made");
}

TEST_CASE("a view of a value becomes a value of its own") {
  ended = 0;
  void* object = nullptr;
  REQUIRE(TVMFFIObjectCreateOpaque(nullptr, kTypeOpaquePython, count_end, &object) == 0);
  Any view;
  view.type_index = kTypeOpaquePython;
  view.object = static_cast<Object*>(object);
  Any owned;
  REQUIRE(TVMFFIAnyViewToOwnedAny(&view, &owned) == 0);
  CHECK(references_of(object) == 2);
  TVMFFIObjectDecRef(owned.object);
  SECTION("a reference that may be taken is taken") {
    void* source = object;
    view.type_index = kTypeRValueRef;
    view.pointer = &source;
    REQUIRE(TVMFFIAnyViewToOwnedAny(&view, &owned) == 0);
    CHECK(source == nullptr);
    CHECK(owned.object == object);
    CHECK(references_of(object) == 1);
  }
  TVMFFIObjectDecRef(object);
  CHECK(ended == 1);
}

TEST_CASE("a view of text becomes a string") {
  Any view;
  view.type_index = kTypeRawString;
  char text[] = "a text of more than seven letters";
  view.pointer = text;
  Any owned;
  REQUIRE(TVMFFIAnyViewToOwnedAny(&view, &owned) == 0);
  CHECK(owned.type_index == kTypeString);
  CHECK(text_of(owned) == text);
  TVMFFIObjectDecRef(owned.object);
}

TEST_CASE("a handle is made once and ended once") {
  static int made = 0;
  void* handle = nullptr;
  const auto make = [](void** out) {
    ++made;
    *out = &made;
    return 0;
  };
  CHECK(TVMFFIHandleInitOnce(&handle, make) == 0);
  CHECK(TVMFFIHandleInitOnce(&handle, make) == 0);
  CHECK(made == 1);
  const auto end = [](void* made_handle) {
    --*static_cast<int*>(made_handle);
    return 0;
  };
  CHECK(TVMFFIHandleDeinitOnce(&handle, end) == 0);
  CHECK(TVMFFIHandleDeinitOnce(&handle, end) == 0);
  CHECK(handle == nullptr);
  CHECK(made == 0);
}
