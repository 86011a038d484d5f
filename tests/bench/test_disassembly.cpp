#include <catch2/catch.hpp>

#include "bench/disassembly.h"

using namespace fib;

TEST_CASE("cuobjdump's resources are read kernel by kernel") {
  const auto kernels = bench::resources_of(R"(
Resource usage:
 Common:
  GLOBAL:0
 Function _Z6kernelPKfS0_Pfl:
  REG:210 STACK:832 SHARED:4096 LOCAL:0 CONSTANT[0]:560 TEXTURE:0 SURFACE:0 SAMPLER:0
 Function other:
  REG:16 STACK:0 SHARED:0 LOCAL:0
)");
  REQUIRE(kernels.size() == 2);
  CHECK(kernels[0].kernel == "_Z6kernelPKfS0_Pfl");
  CHECK(kernels[0].registers == 210);
  CHECK(kernels[0].stack_bytes == 832);
  CHECK(kernels[0].shared_bytes == 4096);
  CHECK(kernels[1].registers == 16);
  CHECK(bench::resources_of("nothing\nREG:3\n").empty());
}
