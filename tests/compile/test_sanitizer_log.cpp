#include <catch2/catch.hpp>

#include "compile/sanitizer_log.h"

using namespace fib;
using compile::Finding;

TEST_CASE("AddressSanitizer's place is the first frame in a source of the solution") {
  const auto findings = compile::findings_of_host(R"(
=================================================================
==7==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x62 at pc 0x7f bp 0x7f sp 0x7f
WRITE of size 4 at 0x629000004200 thread T0
    #0 0x7f0 in __asan_memset ../../../../src/libsanitizer/asan/x.cpp:99
    #1 0x7f1 in void fill<float>(float*, long) parts/fill.h:12
    #2 0x7f2 in run main.cpp:30
    #3 0x7f3 in fib::call /work/lib/x.cpp:88

0x629000004200 is located 0 bytes to the right of 16384-byte region [0x62,0x63)
allocated by thread T0 here:
    #0 0x7f4 in malloc other.cpp:5
SUMMARY: AddressSanitizer: heap-buffer-overflow parts/fill.h:12 in fill
)");
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].tool == "address");
  CHECK(findings[0].kind == "heap-buffer-overflow");
  CHECK(findings[0].message == "heap-buffer-overflow: WRITE of size 4");
  CHECK(findings[0].file == "parts/fill.h");
  CHECK(findings[0].line == 12);
  CHECK(findings[0].function == "void fill<float>(float*, long)");
  CHECK(findings[0].detail == "is located 0 bytes to the right of 16384-byte region [0x62,0x63)");
}

TEST_CASE("UndefinedBehaviorSanitizer says file, line and column; the same place counts") {
  const auto findings = compile::findings_of_host(
      "hello\na.cpp:2:12: runtime error: signed integer overflow: 1 + 2 cannot be\n"
      "a.cpp:2:12: runtime error: signed integer overflow: 3 + 4 cannot be\n"
      "b.h:1:2: runtime error: load of misaligned address 0x1\n");
  REQUIRE(findings.size() == 2);
  CHECK(findings[0].column == 12);
  CHECK(findings[0].times == 2);
  CHECK(findings[0].kind == "signed integer overflow");
  CHECK(findings[1].file == "b.h");
  CHECK(compile::findings_of_host("nothing\n").empty());
}

TEST_CASE("compute-sanitizer's records have a kind, a place and what led there") {
  const auto findings = compile::findings_of_device("memcheck", R"(========= COMPUTE-SANITIZER
========= Invalid __global__ write of size 4 bytes
=========     at kernel(const float *, float *, long)+0x90 in a.cu:5
=========     by thread (232,0,0) in block (3,0,0)
=========     Access at 0x7f0000000fa0 is out of bounds
=========     and is 1 bytes after the nearest allocation at 0x7f0000000000 of size 4,000 bytes
=========     Saved host backtrace up to driver entry point at kernel launch time
=========         Host Frame: run in a.cu:9 [0x1]
=========
========= Invalid __global__ write of size 4 bytes
=========     at kernel(const float *, float *, long)+0x90 in a.cu:5
=========     by thread (233,0,0) in block (3,0,0)
=========
========= Program hit cudaErrorLaunchFailure (error 719) due to "unspecified launch failure" on CUDA API call to x.
=========     Saved host backtrace up to driver entry point at error
=========
========= ERROR SUMMARY: 3 errors
)");
  REQUIRE(findings.size() == 2);
  CHECK(findings[0].kind == "Invalid __global__ write of size 4 bytes");
  CHECK(findings[0].file == "a.cu");
  CHECK(findings[0].line == 5);
  CHECK(findings[0].function == "kernel(const float *, float *, long)");
  CHECK_THAT(findings[0].detail, Catch::StartsWith("by thread (232,0,0) in block (3,0,0); Access at"));
  CHECK(findings[0].times == 2);
  CHECK(findings[1].file.empty());
  const auto of_nvrtc =
      compile::findings_of_device("memcheck",
                                  "========= Invalid __global__ read of size 2 bytes\n"
                                  "=========     at k(int)+0x90 in /tmp/x/ab.tmp-1/src/parts/kernel.cu:7\n");
  REQUIRE(of_nvrtc.size() == 1);
  CHECK(of_nvrtc[0].file == "parts/kernel.cu");
  const auto of_triton = compile::findings_of_device(
      "memcheck",
      "========= Invalid __global__ write of size 4 bytes\n"
      "=========     at kernel+0x190 in "
      "/tmp/fib-1/probe-2/probe/own/solution/fib_python_a_0b1c/parts/main.py:8\n");
  REQUIRE(of_triton.size() == 1);
  CHECK(of_triton[0].file == "parts/main.py");
  CHECK(of_triton[0].line == 8);
  CHECK(compile::findings_of_device(
            "memcheck",
            "========= Program hit CUDA_ERROR_INVALID_VALUE (error 1) due to \"invalid argument\" "
            "on CUDA API call to cuFuncGetParamInfo.\n=========     Saved host backtrace\n")
            .empty());
  CHECK(compile::findings_of_device("memcheck",
                                    "========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n")
            .empty());
  CHECK(compile::findings_of_device(
            "memcheck",
            "========= COMPUTE-SANITIZER\n========= Error: Target application terminated "
            "before first instrumented API call\n")
            .empty());
}
