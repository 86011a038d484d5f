#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "ops/elementwise.h"
#include "python/parser.h"
#include "reference/gpu_cases.h"
#include "reference/interpreter.h"

namespace fib::test {
namespace {

using ops::Runtime;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const std::vector<double> kSpecials = {std::numeric_limits<double>::quiet_NaN(),
                                       kInfinity,
                                       -kInfinity,
                                       0.0,
                                       -0.0,
                                       1e-42,
                                       3e38,
                                       -1e300,
                                       65504,
                                       70000,
                                       448,
                                       463,
                                       465,
                                       1e-3,
                                       0.5,
                                       1.5,
                                       2.5,
                                       -2.5,
                                       255,
                                       256,
                                       -129,
                                       40000,
                                       2147483648.0,
                                       -2147483649.0,
                                       1e19};

HostTensor make_input(const CaseInput& input, unsigned seed) {
  std::vector<double> values = make_varied(DType::kFloat64, input.shape, seed).values();
  for (double& value : values) value *= tensor::is_floating(input.dtype) ? 4 : 100;
  if (input.dtype == DType::kBool) {
    for (double& value : values) value = value > 0 ? 1 : 0;
  }
  if (input.values == Values::kSpecial) {
    for (std::size_t i = 0; i < values.size() && i < kSpecials.size(); ++i) values[i] = kSpecials[i];
  }
  return make(input.dtype, input.shape, values);
}

std::string source_of(const GpuCase& test) {
  std::string source = "import torch\nimport math\nimport torch.nn.functional as F\ndef run(";
  for (std::size_t i = 0; i < test.inputs.size(); ++i)
    source += std::string(i > 0 ? ", " : "") + static_cast<char>('a' + i);
  source += "):\n";
  for (std::size_t start = 0; start < test.body.size();) {
    const std::size_t end = std::min(test.body.find('\n', start), test.body.size());
    source += "    " + test.body.substr(start, end - start) + "\n";
    start = end + 1;
  }
  return source;
}

// Half of the distance between neighbouring numbers of a dtype, relative to them.
double precision_of(DType dtype) {
  switch (dtype) {
    case DType::kFloat64:
      return 0x1p-52;
    case DType::kFloat32:
      return 0x1p-23;
    case DType::kFloat16:
      return 0x1p-10;
    case DType::kBFloat16:
      return 0x1p-7;
    default:
      return 0;
  }
}

// Small floats are computed in float32 and rounded once: there only the last rounding may differ.
bool agree(DType dtype, double expected, double got, const GpuCase& test, bool exact) {
  if (std::isnan(expected) || std::isnan(got)) return std::isnan(expected) && std::isnan(got);
  if (expected == got) return true;
  if ((exact && test.slack == 1) || std::isinf(expected) || std::isinf(got)) return false;
  const bool small = dtype == DType::kFloat16 || dtype == DType::kBFloat16;
  const double inside = dtype == DType::kFloat64 ? 0x1p-52 : 0x1p-23;
  const double rounding = small ? precision_of(dtype) : test.slack * precision_of(dtype);
  const double size = std::max(std::abs(expected), std::abs(got));
  return std::abs(expected - got) <= rounding * size + test.slack * inside * test.magnitude;
}

std::string describe(const GpuCase& test) {
  std::string text = "\n  " + test.body + "\n";
  for (const auto& input : test.inputs)
    text += fmt::format("  {}{}{}\n", tensor::name_of(input.dtype), tensor::to_string(input.shape),
                        input.values == Values::kSpecial ? " with special values" : "");
  return text;
}

std::string compare(const std::string& what, const HostTensor& expected, const HostTensor& got,
                    const GpuCase& test, bool exact) {
  if (expected.dtype != got.dtype || expected.shape != got.shape)
    return fmt::format("{}: {}{} on the CPU, {}{} on the GPU", what, tensor::name_of(expected.dtype),
                       tensor::to_string(expected.shape), tensor::name_of(got.dtype),
                       tensor::to_string(got.shape));
  const auto a = expected.values();
  const auto b = got.values();
  std::size_t wrong = 0;
  std::size_t first = 0;
  for (std::size_t i = a.size(); i-- > 0;) {
    if (agree(expected.dtype, a[i], b[i], test, exact)) continue;
    ++wrong;
    first = i;
  }
  if (wrong == 0) return "";
  return fmt::format(
      "{}: {} of {} elements of {}{} differ; the first is number {}: {} on the CPU, {} on the GPU", what,
      wrong, a.size(), tensor::name_of(expected.dtype), tensor::to_string(expected.shape), first, a[first],
      b[first]);
}

struct Outcome {
  std::vector<HostTensor> outputs;
  std::vector<HostTensor> inputs;  // a reference may write to them
  std::string error;
};

Outcome run_case(const Runtime& runtime, const GpuCase& test) {
  Outcome outcome;
  unsigned seed = 1;
  for (const auto& input : test.inputs) outcome.inputs.push_back(make_input(input, seed++));
  try {
    outcome.outputs = run_with(runtime, source_of(test), outcome.inputs);
  } catch (const Error& error) {
    outcome.error = error.what();
    outcome.inputs.clear();
  }
  return outcome;
}

}  // namespace

Runtime runtime_with(const std::shared_ptr<ops::Gpu>& gpu, std::int64_t gpu_from) {
  Runtime runtime;
  runtime.threads = 2;
  runtime.memory = std::make_shared<ops::MemoryPool>(0);
  runtime.gemm = ops::make_portable_gemm(2);
  runtime.gpu = gpu;
  runtime.gpu_from = gpu_from;
  return runtime;
}

std::vector<HostTensor> run_with(const Runtime& runtime, const std::string& source,
                                 std::vector<HostTensor>& inputs) {
  const auto module = python::parse_module(source);
  const reference::Registry registry;
  reference::Interpreter interpreter(registry, runtime, 0);
  interpreter.execute_module(module);
  std::vector<reference::Value> arguments;
  for (HostTensor& input : inputs) {
    ops::Tensor tensor;
    tensor.dtype = input.dtype;
    tensor.shape = input.shape;
    tensor.strides = tensor::contiguous_strides(input.shape);
    tensor.storage = ops::Storage::borrow(input.bytes.data(), input.bytes.size());
    arguments.emplace_back(tensor);
  }
  const reference::Value result = interpreter.call(*interpreter.global("run"), arguments, {});
  std::vector<HostTensor> outputs;
  for (const reference::Value& value : reference::sequence_of(result) != nullptr
                                           ? *reference::sequence_of(result)
                                           : std::vector<reference::Value>{result}) {
    if (const auto* tensor = value.get<ops::Tensor>()) {
      const auto packed = ops::contiguous(runtime, *tensor);
      const std::byte* data = packed.read();
      outputs.push_back({packed.dtype,
                         packed.shape,
                         {data, data + static_cast<std::size_t>(packed.numel()) * packed.element_size()}});
    } else {
      outputs.push_back(make(DType::kFloat64, {}, {reference::to_double(value)}));
    }
  }
  for (const auto& argument : arguments) (void)argument.get<ops::Tensor>()->read();
  return outputs;
}

std::string difference(const GpuCase& test, const std::shared_ptr<ops::Gpu>& gpu, bool exact) {
  const Outcome expected = run_case(runtime_with(nullptr, 0), test);
  const Outcome got = run_case(runtime_with(gpu, 0), test);
  if (expected.error != got.error)
    return fmt::format("{}on the CPU: {}\non the GPU: {}", describe(test),
                       expected.error.empty() ? "a result" : expected.error,
                       got.error.empty() ? "a result" : got.error);
  std::string text;
  if (expected.outputs.size() != got.outputs.size()) text = "different numbers of outputs";
  for (std::size_t i = 0; i < got.outputs.size() && text.empty(); ++i)
    text = compare(fmt::format("output {}", i), expected.outputs[i], got.outputs[i], test, exact);
  for (std::size_t i = 0; i < got.inputs.size() && text.empty(); ++i)
    text = compare(fmt::format("input {} afterwards", i), expected.inputs[i], got.inputs[i], test, exact);
  return text.empty() ? text : describe(test) + text;
}

}  // namespace fib::test
