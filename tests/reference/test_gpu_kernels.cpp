#include <catch2/catch.hpp>
#include <optional>

#include "reference/elementwise.h"
#include "reference/gpu/programs.h"

// NVRTC compiles without a GPU: every program of the reference engine's GPU side for the H200's architecture.
namespace {

using fib::reference::Program;

constexpr const char* kArchitecture = "sm_90a";

const fib::cuda::Nvrtc* nvrtc() {
  static std::optional<fib::cuda::Nvrtc> opened;
  try {
    if (!opened) opened = fib::cuda::Nvrtc::open();
  } catch (const fib::Error& error) {
    WARN("skipped: " << error.what());
    return nullptr;
  }
  return &*opened;
}

void check_compiles(const Program& program, const std::string& kernel) {
  std::string text = program.file;
  for (const auto& [name, value] : program.defines) text += " " + name + "=" + value;
  INFO(text);
  std::string cubin;
  CHECK_NOTHROW(cubin = fib::reference::gpu::compile(*nvrtc(), kArchitecture, program));
  CHECK(cubin.find(kernel) != std::string::npos);
}

template <typename Op>
void check_operation(const Op& op, const char* kernel,
                     const std::vector<std::pair<std::string, std::string>>& defines, bool all_types) {
  std::vector<std::string> types;
  if (op.on_float != nullptr) types = {"float", "double"};
  if (op.on_int != nullptr) types.emplace_back("i64");
  if (!all_types) types.resize(1);
  for (const std::string& type : types) {
    Program program{"elementwise", {{"FIB_OPERATION", std::string(op.name)}, {"FIB_REAL", type}}};
    program.defines.insert(program.defines.end(), defines.begin(), defines.end());
    check_compiles(program, kernel);
  }
}

void check_operations(bool all_types) {
  for (const auto& op : fib::reference::unary_ops())
    check_operation(op, "fib_unary", {{"FIB_UNARY_KERNEL", "1"}}, all_types);
  for (const auto& op : fib::reference::binary_ops()) check_operation(op, "fib_binary", {}, all_types);
}

TEST_CASE("NVRTC compiles every element-wise operation", "[gpu-kernels]") {
  if (nvrtc() != nullptr) check_operations(false);
}

// Minutes.
TEST_CASE("NVRTC compiles every element-wise operation for every type", "[.gpu-kernels-all]") {
  if (nvrtc() != nullptr) check_operations(true);
}

TEST_CASE("NVRTC compiles copies, moves, reductions and row functions", "[gpu-kernels]") {
  if (nvrtc() == nullptr) return;
  check_compiles({"copy", {}}, "fib_where_i64");
  check_compiles({"move", {}}, "fib_scatter_add_double");
  for (const char* type : {"float", "double", "i64"}) {
    for (const char* name : {"Sum", "Mean", "Prod", "Max", "Min", "Any", "All", "Norm"})
      check_compiles({"reduce", {{"FIB_REDUCTION", name}, {"FIB_REAL", type}}}, "fib_reduce_parts");
    check_compiles({"rows", {{"FIB_REAL", type}}}, "fib_smallest");
  }
  for (const char* type : {"float", "double"})
    check_compiles({"rows", {{"FIB_SOFTMAX", "1"}, {"FIB_REAL", type}}}, "fib_logsumexp");
}

TEST_CASE("NVRTC compiles matrix products for every order of their operands", "[gpu-kernels]") {
  if (nvrtc() == nullptr) return;
  for (const char* m : {"32", "128"}) {
    for (const char* n : {"32", "128"})
      check_compiles({"multiply", {{"FIB_REAL", "float"}, {"FIB_TILE_M", m}, {"FIB_TILE_N", n}}},
                     "fib_multiply");
  }
  check_compiles({"multiply", {{"FIB_REAL", "double"}, {"FIB_TILE_M", "64"}, {"FIB_TILE_N", "64"}}},
                 "fib_multiply");
  for (int bits = 0; bits < 16; ++bits) {
    const auto flag = [&](int bit) { return (bits >> bit & 1) != 0 ? "1" : "0"; };
    check_compiles({"tensor_cores",
                    {{"FIB_BFLOAT16", flag(0)},
                     {"FIB_A_BY_K", flag(1)},
                     {"FIB_B_BY_K", flag(2)},
                     {"FIB_ALIGNED", flag(3)}}},
                   "fib_multiply");
  }
}

TEST_CASE("a kernel that does not compile is an error with the compiler's words", "[gpu-kernels]") {
  if (nvrtc() == nullptr) return;
  const Program wrong{"elementwise", {{"FIB_OPERATION", "no_such_thing"}, {"FIB_REAL", "float"}}};
  CHECK_THROWS_WITH(fib::reference::gpu::compile(*nvrtc(), kArchitecture, wrong),
                    Catch::Contains("elementwise FIB_OPERATION=no_such_thing") && Catch::Contains("error"));
}

}  // namespace
