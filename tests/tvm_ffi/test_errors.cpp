#include <thread>

#include "tvm_ffi/runtime.h"

using fib::testing::bytes;
using fib::testing::raised;
using fib::testing::references_of;
using fib::testing::text_of;

TEST_CASE("a raised error is its thread's, and is moved once") {
  TVMFFIErrorSetRaisedFromCStr("ValueError", "seven");
  std::thread([] { CHECK(raised().empty()); }).join();
  CHECK(raised() == "ValueError: seven");
  CHECK(raised().empty());
}

TEST_CASE("an error can be made of parts, of which some are missing") {
  const char* parts[] = {"argument ", nullptr, "1", " is wrong"};
  TVMFFIErrorSetRaisedFromCStrParts("TypeError", parts, 4);
  CHECK(raised() == "TypeError: argument 1 is wrong");
  TVMFFIErrorSetRaisedFromCStr(nullptr, nullptr);
  CHECK(raised() == ": ");
}

TEST_CASE("an error object keeps its texts and can be raised") {
  void* error = nullptr;
  {
    const std::string kind = "KeyError";
    const std::string message = "a message that is longer than any small string";
    const auto k = bytes(kind);
    const auto m = bytes(message);
    const ByteArray b{};
    REQUIRE(TVMFFIErrorCreate(&k, &m, &b, &error) == 0);
  }
  auto& cell = static_cast<ErrorObject*>(error)->cell;
  CHECK(static_cast<Object*>(error)->type_index == kTypeError);
  CHECK(text_of(cell.message) == "a message that is longer than any small string");
  for (const auto& [line, mode, wanted] :
       {std::tuple{"one\n", 0, "one\n"}, {"two\n", 1, "one\ntwo\n"}, {"three\n", 0, "three\n"}}) {
    const std::string text = line;
    const auto array = bytes(text);
    cell.update_backtrace(error, &array, mode);
    CHECK(text_of(cell.backtrace) == wanted);
  }
  TVMFFIErrorSetRaised(error);
  CHECK(references_of(error) == 2);
  TVMFFIObjectDecRef(error);
  CHECK(raised() == "KeyError: a message that is longer than any small string");
}

TEST_CASE("an error holds what caused it") {
  void* cause = nullptr;
  void* error = nullptr;
  const ByteArray nothing{};
  REQUIRE(TVMFFIErrorCreate(&nothing, &nothing, &nothing, &cause) == 0);
  REQUIRE(TVMFFIErrorCreateWithCauseAndExtraContext(&nothing, &nothing, &nothing, cause, nullptr, &error) ==
          0);
  CHECK(references_of(cause) == 2);
  TVMFFIObjectDecRef(error);
  CHECK(references_of(cause) == 1);
  TVMFFIObjectDecRef(cause);
}

TEST_CASE("a backtrace is the line where the error was made") {
  CHECK(text_of(*TVMFFIBacktrace("a.cpp", 7, "run", 0)) == "  File \"a.cpp\", line 7, in run\n");
  CHECK(text_of(*TVMFFIBacktrace(nullptr, 0, nullptr, 0)).empty());
}
