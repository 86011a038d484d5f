#include <catch2/catch.hpp>
#include <optional>

#include "ops/elementwise.h"
#include "ops/gpu/operands.h"
#include "ops/gpu/programs.h"

// NVRTC compiles without a GPU: every program of the reference engine's GPU side for the H200's architecture.
namespace {

using fib::ops::Program;
using fib::ops::gpu::program_of;
using fib::tensor::DType;

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
  CHECK_NOTHROW(cubin = fib::ops::gpu::compile(*nvrtc(), kArchitecture, program));
  CHECK(cubin.find(kernel) != std::string::npos);
}

Program with(Program program, const std::vector<std::pair<std::string, std::string>>& defines) {
  program.defines.insert(program.defines.end(), defines.begin(), defines.end());
  return program;
}

template <typename Op>
void check_operation(const Op& op, const char* kernel,
                     const std::vector<std::pair<std::string, std::string>>& defines, bool all_types) {
  std::vector<DType> types;
  if (op.on_float != nullptr) types = {DType::kFloat32, DType::kFloat64, DType::kBFloat16};
  if (op.on_int != nullptr) types.insert(types.end(), {DType::kInt64, DType::kInt32, DType::kBool});
  if (!all_types) types.resize(1);
  for (const DType type : types) {
    const DType result = op.result == fib::ops::ResultDType::kBool ? DType::kBool : type;
    const Program program = program_of("elementwise", {result, type, type}, 1, type);
    check_compiles(with(with(program, {{"FIB_OPERATION", std::string(op.name)}}), defines), kernel);
  }
}

void check_operations(bool all_types) {
  for (const auto& op : fib::ops::unary_ops())
    check_operation(op, "fib_unary", {{"FIB_UNARY_KERNEL", "1"}}, all_types);
  for (const auto& op : fib::ops::binary_ops()) check_operation(op, "fib_binary", {}, all_types);
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
  const std::int64_t many = std::int64_t{1} << 40U;
  for (const DType type : {DType::kFloat32, DType::kFloat64, DType::kFloat8E4M3FN, DType::kInt16}) {
    check_compiles(program_of("copy", {DType::kBFloat16, type}, many, type), "fib_convert");
    check_compiles(with(program_of("copy", {type}, 1, DType::kInt64), {{"FIB_SAME_TYPE", "1"}}), "fib_copy");
    check_compiles(with(program_of("copy", {type, DType::kBool, type, type}, 1, type), {{"FIB_CHOICE", "1"}}),
                   "fib_where");
    check_compiles(program_of("move", {type}, many, type), "fib_scatter");
    check_compiles(with(program_of("move", {type}, 1, type), {{"FIB_ADDS", "1"}}), "fib_scatter_add");
  }
  for (const DType type : {DType::kFloat32, DType::kFloat64, DType::kInt64}) {
    for (const char* name : {"Sum", "Mean", "Prod", "Max", "Min", "Any", "All", "Norm"})
      check_compiles(with(program_of("reduce", {type, type}, 1, type), {{"FIB_REDUCTION", name}}),
                     "fib_reduce");
    const Program sum = with(program_of("reduce", {type, type}, 1, type), {{"FIB_REDUCTION", "Sum"}});
    check_compiles(with(sum, {{"FIB_JOIN_PARTS", "1"}}), "fib_reduce_parts");
    const Program rows = program_of("rows", {type, type}, 1, type);
    for (const char* largest : {"true", "false"})
      check_compiles(with(rows, {{"FIB_LARGEST", largest}}), "fib_extreme");
    check_compiles(with(rows, {{"FIB_SCAN", "1"}}), "fib_scan");
    if (type == DType::kInt64) continue;
    check_compiles(with(rows, {{"FIB_SOFTMAX", "1"}}), "fib_softmax");
    check_compiles(with(rows, {{"FIB_LOGSUMEXP", "1"}}), "fib_logsumexp");
    check_compiles(program_of("join", {type}, 1, type), "fib_join");
  }
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
  const Program wrong =
      with(program_of("elementwise", {DType::kFloat32, DType::kFloat32}, 1, DType::kFloat32),
           {{"FIB_OPERATION", "no_such_thing"}});
  CHECK_THROWS_WITH(fib::ops::gpu::compile(*nvrtc(), kArchitecture, wrong),
                    Catch::Contains("FIB_OPERATION=no_such_thing") && Catch::Contains("error"));
}

}  // namespace
