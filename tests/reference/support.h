#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "reference/engine.h"
#include "tensor/convert.h"
#include "util/error.h"

// Short ways to call references from tests.
namespace fib::test {

using tensor::DType;
using tensor::Shape;

// A tensor of its own bytes, made from and read as doubles.
struct HostTensor {
  DType dtype = DType::kFloat32;
  Shape shape;
  std::vector<std::byte> bytes;

  [[nodiscard]] reference::TensorArgument argument() { return {dtype, shape, bytes.data()}; }
  [[nodiscard]] std::vector<double> values() const {
    const auto count = static_cast<std::size_t>(*tensor::element_count(shape));
    std::vector<double> result(count);
    tensor::to_double(dtype, bytes.data(), result.data(), count);
    return result;
  }
};

inline HostTensor make(DType dtype, const Shape& shape, const std::vector<double>& values) {
  HostTensor result{dtype, shape, {}};
  result.bytes.resize(tensor::bytes_of(dtype, values.size()));
  tensor::from_double(dtype, values.data(), result.bytes.data(), values.size());
  return result;
}

// 0, 1, 2, ... in float32.
inline HostTensor counting(const Shape& shape) {
  std::vector<double> values(static_cast<std::size_t>(*tensor::element_count(shape)));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
  return make(DType::kFloat32, shape, values);
}

// Values that repeat only after a long while: i -> something in [-1, 1].
inline HostTensor make_varied(DType dtype, const Shape& shape, unsigned seed) {
  std::vector<double> values(static_cast<std::size_t>(*tensor::element_count(shape)));
  std::uint32_t state = seed * 2654435761U + 1;
  for (double& value : values) {
    state = state * 1664525U + 1013904223U;
    value = static_cast<double>(state >> 8U) / (1 << 23) - 1;
  }
  return make(dtype, shape, values);
}

inline HostTensor to_host(const reference::OutputTensor& output) {
  return {output.dtype(), output.shape(), {output.data(), output.data() + output.bytes()}};
}

// Runs a program whose text is the body of run(a, b, c, ...), one parameter for each argument.
inline std::vector<HostTensor> run_body(const std::string& body,
                                        const std::vector<reference::Argument>& arguments,
                                        const reference::EngineOptions& options = {}) {
  std::string source = "import torch\nimport math\nimport torch.nn.functional as F\ndef run(";
  for (std::size_t i = 0; i < arguments.size(); ++i)
    source += std::string(i > 0 ? ", " : "") + static_cast<char>('a' + i);
  source += "):\n";
  std::size_t start = 0;
  while (start < body.size()) {
    const std::size_t end = std::min(body.find('\n', start), body.size());
    source += "    " + body.substr(start, end - start) + "\n";
    start = end + 1;
  }
  reference::Engine engine(source, options);
  std::vector<HostTensor> outputs;
  for (const auto& output : engine.run(arguments)) outputs.push_back(to_host(output));
  return outputs;
}

// The value of one expression over a, b, c, ...
inline HostTensor eval(const std::string& expression,
                       const std::vector<reference::Argument>& arguments = {}) {
  return run_body("return (" + expression + ",)", arguments).at(0);
}

inline std::vector<double> values_of(const std::string& expression,
                                     const std::vector<reference::Argument>& arguments = {}) {
  return eval(expression, arguments).values();
}

// What a program throws; empty when it does not.
inline std::string error_of(const std::string& source, const std::vector<reference::Argument>& arguments = {},
                            const reference::EngineOptions& options = {}) {
  try {
    reference::Engine engine(source, options);
    (void)engine.run(arguments);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace fib::test
