#include <catch2/catch.hpp>

#include "compile/compiler_log.h"

using fib::compile::first_error_first;

TEST_CASE("the first error comes first, then what follows it, then what was before it; nothing twice") {
  const std::string output =
      "In file included from a.cpp:1:\n"
      "h.h:3:1: warning: unused\n"
      "a.cpp:7:3: error: no such thing\n"
      "    7 |   thing();\n"
      "      |   ^~~~~\n"
      "a.cpp:9:3: error: another\n";
  CHECK(first_error_first(output) ==
        "a.cpp:7:3: error: no such thing\n    7 |   thing();\n      |   ^~~~~\n"
        "a.cpp:9:3: error: another\n\nBefore that:\n"
        "In file included from a.cpp:1:\nh.h:3:1: warning: unused\n");
}

TEST_CASE("output that begins with its error, or has none, stays as it is") {
  CHECK(first_error_first("a.cpp:7:3: error: x\nmore\n") == "a.cpp:7:3: error: x\nmore\n");
  CHECK(first_error_first("ld: something odd\n") == "ld: something odd\n");
  CHECK(first_error_first("").empty());
}

TEST_CASE("paths lose the dot and slash that the compiler was given") {
  using fib::compile::without_dot_slash;
  CHECK(without_dot_slash("./a.cpp:1:2: error\nIn file included from ./b/c.h:1:\n") ==
        "a.cpp:1:2: error\nIn file included from b/c.h:1:\n");
  CHECK(without_dot_slash("../x.h /a./b \"./c.h\"") == "../x.h /a./b \"c.h\"");
}

TEST_CASE("a linker's complaint is an error too") {
  CHECK(first_error_first("note\na.o: undefined reference to `f'\n").find("a.o: undefined reference") == 0);
}

TEST_CASE("nvcc's own complaint is an error too") {
  CHECK(first_error_first("note\nnvcc fatal   : Unsupported gpu\n").find("nvcc fatal") == 0);
}

TEST_CASE("paths below a folder become relative to it") {
  CHECK(fib::compile::without_folder("/t/w/a.cpp:1: in /t/w/b.h of /t/wide\n", "/t/w") ==
        "a.cpp:1: in b.h of /t/wide\n");
}
