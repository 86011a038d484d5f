#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ops/runtime.h"
#include "reference/support.h"

// Expressions that are evaluated on the CPU and on a GPU, whose results must agree.
namespace fib::test {

enum class Values {
  kPlain,    // different numbers from -4 to 4; integers from -100 to 100
  kSpecial,  // likewise, with NaN, infinities, zeros of both signs, huge and tiny numbers among them
};

struct CaseInput {
  DType dtype = DType::kFloat32;
  Shape shape;
  Values values = Values::kPlain;
};

// `body` is that of run(a, b, c, ...): several lines, the last of which returns.
struct GpuCase {
  std::string body;
  std::vector<CaseInput> inputs;
  // How much further from the CPU's result, relative to the dtype's own precision, than one operation may be:
  // for sums of many numbers.
  double slack = 1;
  // The size of the numbers that are added up to a result, which may be smaller.
  double magnitude = 1e-3;
};

// From each of these dtypes to all and back; none given means all.
[[nodiscard]] std::vector<GpuCase> conversion_cases(const std::vector<DType>& with);
[[nodiscard]] std::vector<GpuCase> unary_cases(const std::vector<std::string>& names);
[[nodiscard]] std::vector<GpuCase> binary_cases(const std::vector<std::string>& names);
[[nodiscard]] std::vector<GpuCase> copy_cases();
[[nodiscard]] std::vector<GpuCase> reduction_cases(const std::vector<DType>& dtypes);
[[nodiscard]] std::vector<GpuCase> row_cases();
[[nodiscard]] std::vector<GpuCase> matrix_cases();
[[nodiscard]] std::vector<GpuCase> index_cases();
// Whole references, small ones.
[[nodiscard]] std::vector<GpuCase> program_cases();

// The dtypes that reductions take.
[[nodiscard]] const std::vector<DType>& arithmetic_dtypes();

// The names of all element-wise operations.
[[nodiscard]] std::vector<std::string> unary_names();
[[nodiscard]] std::vector<std::string> binary_names();

// Evaluates a case on the CPU and with every operation on the GPU. Empty, or what differs: the case, dtypes,
// shapes, the first mismatch with both values. What the CPU refuses, the GPU must refuse in the same words.
// `exact`: the GPU's mathematical functions are the CPU's own, so that only sums may differ.
[[nodiscard]] std::string difference(const GpuCase& test, const std::shared_ptr<ops::Gpu>& gpu, bool exact);

// Runs def run(...) of a source with a runtime; small arguments on the host.
[[nodiscard]] std::vector<HostTensor> run_with(const ops::Runtime& runtime, const std::string& source,
                                               std::vector<HostTensor>& inputs);
[[nodiscard]] ops::Runtime runtime_with(const std::shared_ptr<ops::Gpu>& gpu, std::int64_t gpu_from);

}  // namespace fib::test
