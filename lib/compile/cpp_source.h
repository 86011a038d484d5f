#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "model/solution.h"

// What can be seen in the C++ sources of a torch extension without compiling them. Pure.
namespace fib::compile {

// The source with comments, the content of string and character literals, and preprocessor lines as spaces:
// as long as the source, with the same lines.
[[nodiscard]] std::string blanked(std::string_view source);

// A function that m.def("<symbol>", …) of pybind11 binds, or TVM_FFI_DLL_EXPORT_TYPED_FUNC(<symbol>, …)
// exports.
struct BoundFunction {
  std::string name;  // "run"; empty for a lambda expression
  std::string file;  // where it, or the lambda expression, stands
  int line = 0;
  std::string type;            // of its result: "torch::Tensor"; empty: deduced
  bool returns_value = false;  // its type is not void; deduced: its body returns a value
  std::size_t parameters = 0;
  std::size_t required = 0;  // without those that have a py::arg("…") = default
  bool takes_more = false;   // py::args, py::kwargs
};

// Nothing when neither is found, or not the function that it names.
[[nodiscard]] std::optional<BoundFunction> bound_function(const model::Solution& solution,
                                                          const std::string& symbol);

}  // namespace fib::compile
