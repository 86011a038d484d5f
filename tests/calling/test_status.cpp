#include <catch2/catch.hpp>

#include "calling/status.h"

using fib::calling::status_text;

TEST_CASE("what a function on a CUDA device returns is named as an error of CUDA's runtime") {
  CHECK(status_text(9, true) == "9 (cudaErrorInvalidConfiguration: invalid configuration argument)");
  CHECK(status_text(2, true) == "2 (cudaErrorMemoryAllocation: out of memory)");
  CHECK(status_text(7, true) == "7");
  CHECK(status_text(-1, true) == "-1");
}

TEST_CASE("on the CPU a status is a number of the solution's own") {
  CHECK(status_text(2, false) == "2");
  CHECK(status_text(9, false) == "9");
}
