#include "tvm_ffi/runtime.h"

using fib::testing::bytes;
using fib::testing::raised;
using fib::testing::references_of;

namespace {

int ended = 0;

// Adds its handle's number to all arguments; nothing is a failure.
int add(void* self, const Any* arguments, std::int32_t count, Any* result) {
  if (count == 0) {
    TVMFFIErrorSetRaisedFromCStr("TypeError", "no arguments");
    return -1;
  }
  result->type_index = kTypeInt;
  result->integer = *static_cast<const std::int64_t*>(self);
  for (std::int32_t i = 0; i < count; ++i) result->integer += arguments[i].integer;
  return 0;
}

void* make_add(std::int64_t& base) {
  void* function = nullptr;
  REQUIRE(TVMFFIFunctionCreate(
              &base, add, [](void*) { ++ended; }, &function) == 0);
  return function;
}

}  // namespace

TEST_CASE("a function of C is called with its handle") {
  ended = 0;
  std::int64_t base = 10;
  void* function = make_add(base);
  Any arguments[2];
  for (auto& argument : arguments) {
    argument.type_index = kTypeInt;
    argument.integer = 1;
  }
  Any result;
  CHECK(TVMFFIFunctionCall(function, arguments, 2, &result) == 0);
  CHECK(result.integer == 12);
  CHECK(TVMFFIFunctionCall(function, arguments, 0, &result) == -1);
  CHECK(raised() == "TypeError: no arguments");
  TVMFFIObjectDecRef(function);
  CHECK(ended == 1);
}

TEST_CASE("global functions are found by their names, and replaced only where that is allowed") {
  std::int64_t one = 1;
  std::int64_t two = 2;
  void* first = make_add(one);
  void* second = make_add(two);
  const std::string text = "test.add";
  const auto name = bytes(text);
  void* found = first;
  CHECK(TVMFFIFunctionGetGlobal(&name, &found) == 0);
  CHECK(found == nullptr);
  CHECK(TVMFFIFunctionSetGlobal(&name, first, 0) == 0);
  CHECK(TVMFFIFunctionSetGlobal(&name, second, 0) == -1);
  CHECK(raised() == "RuntimeError: there is a global function test.add already");
  CHECK(TVMFFIFunctionGetGlobal(&name, &found) == 0);
  CHECK(found == first);
  CHECK(references_of(first) == 3);  // the test's, the table's, the one that was found
  TVMFFIObjectDecRef(found);
  CHECK(TVMFFIFunctionSetGlobal(&name, second, 1) == 0);
  CHECK(references_of(first) == 1);
  TVMFFIObjectDecRef(first);
  TVMFFIObjectDecRef(second);
}

TEST_CASE("a function that is replaced may use global functions when it ends") {
  static bool ended_well = false;
  const std::string text = "test.ends";
  const auto name = bytes(text);
  void* first = nullptr;
  REQUIRE(TVMFFIFunctionCreate(
              nullptr, add,
              [](void*) {
                const std::string other = "test.ends";
                const auto other_name = bytes(other);
                void* found = nullptr;
                ended_well = TVMFFIFunctionGetGlobal(&other_name, &found) == 0;
                if (found != nullptr) TVMFFIObjectDecRef(found);
              },
              &first) == 0);
  std::int64_t one = 1;
  void* second = make_add(one);
  CHECK(TVMFFIFunctionSetGlobal(&name, first, 0) == 0);
  TVMFFIObjectDecRef(first);
  CHECK(TVMFFIFunctionSetGlobal(&name, second, 1) == 0);
  CHECK(ended_well);
  CHECK(TVMFFIFunctionSetGlobal(&name, nullptr, 1) == -1);
  CHECK(raised() == "TypeError: a global function has to be a function");
  TVMFFIObjectDecRef(second);
}
