#include <catch2/catch.hpp>

#include "bench/kernel_records.h"

using namespace fib;
using bench::function_name;

namespace {

model::Solution solution_with(const std::string& source) {
  model::Solution solution;
  auto& file = solution.sources.emplace_back();
  file.path = "a.cu";
  file.content = source;
  return solution;
}

worker::KernelUse use_of(const std::string& symbol, std::uint32_t times, double busy_ns) {
  return {{symbol, {8, 1, 1}, {256, 2, 1}, 32, 16, 4096, 1024}, times, busy_ns};
}

}  // namespace

TEST_CASE("a kernel's function name has no namespaces, template arguments and parameters") {
  CHECK(function_name("scale") == "scale");
  CHECK(function_name("_Z5scalePfi") == "scale");
  CHECK(function_name("_ZN4mine5scaleIfEEvPT_") == "scale");
  CHECK(function_name("_ZN50_GLOBAL__N__a6c4d2e6_4_a_cu_0123456789_abcdefghijk5scaleEPf") == "scale");
  CHECK(function_name("_ZL5scalePf") == "scale");
  CHECK(function_name("_Z5scale6ParamsPf") == "scale");
  CHECK(function_name("_Z4gemm14CUtensorMap_stS_Pf") == "gemm");
}

TEST_CASE("symbols that are no names of C++ stay as they are, whatever they hold") {
  for (const char* symbol :
       {"", "_Z", "_ZN", "_Z99999999999999999999x", "_Z0", "_Z9abc", "_ZSt4sort", "triton_\xff kernel"})
    CHECK(function_name(symbol) == symbol);
}

TEST_CASE("a trace says of each kernel what it takes and whose it is") {
  const auto records = bench::kernel_records(
      {use_of("_Z5scalePf", 2, 300), use_of("_ZN2at6native6reduceEv", 1, 100)},
      solution_with("__global__ void scale(float* x) {}  // reduced"), {2048, 32, 65536, 233472, 1024});
  REQUIRE(records.size() == 2);
  CHECK(records[0].name == "scale");
  CHECK(records[0].symbol == "_Z5scalePf");
  CHECK(records[0].own == true);
  CHECK(records[0].launches == 2);
  CHECK(records[0].share == 0.75);
  CHECK(records[0].grid == std::vector<std::uint64_t>{8, 1, 1});
  CHECK(records[0].block == std::vector<std::uint64_t>{256, 2, 1});
  CHECK(records[0].registers == 32);
  CHECK(records[0].local_bytes == 16);
  CHECK(records[0].static_shared_bytes == 4096);
  CHECK(records[0].dynamic_shared_bytes == 1024);
  CHECK(records[0].occupancy == 1);
  CHECK(records[0].occupancy_limits == std::vector<std::string>{"warps", "registers"});
  // "reduced" is another word.
  CHECK(records[1].name == "reduce");
  CHECK(records[1].own == false);
}

TEST_CASE("what a worker says of kernels can be written as JSON, whatever it is") {
  auto use = use_of(std::string(600, '\xff'), 0, 0);
  use.launch.grid = {0xffffffff, 0xffffffff, 0xffffffff};
  use.launch.block = use.launch.grid;
  const auto records = bench::kernel_records({use}, solution_with("x"), {});
  REQUIRE(records.size() == 1);
  CHECK(records[0].symbol->size() <= 3 * 512);
  CHECK_FALSE(records[0].share);
  CHECK_FALSE(records[0].occupancy);
  const auto half = bench::kernel_records({use_of("_Z1\xc3\xa9", 1, 1)}, solution_with("x"), {});
  model::MeasurementRecord record;
  record.resources = half;
  CHECK_NOTHROW(model::to_json(record).dump());
  record.resources = records;
  CHECK_NOTHROW(model::to_json(record).dump());
}

TEST_CASE("kernels of a call that are not named are known by their number") {
  std::vector<worker::KernelUse> uses(worker::kMostKernelUses, use_of("scale", 2, 100));
  CHECK_FALSE(bench::are_cut(uses, 2 * uses.size()));
  CHECK(bench::are_cut(uses, 2 * uses.size() + 1));
  uses.pop_back();  // then all are named; others were launched by kernels
  CHECK_FALSE(bench::are_cut(uses, 100));
}
