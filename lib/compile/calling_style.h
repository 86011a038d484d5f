#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "model/definition.h"
#include "model/solution.h"

namespace fib::compile {

// How a solution's function gives its outputs.
enum class CallingStyle {
  kDestinationPassing,  // f(inputs…, outputs…), whose result is ignored
  kValueReturning,      // outputs = f(inputs…)
};

[[nodiscard]] const char* name_of(CallingStyle style);  // "destination passing", "value-returning"

struct ChosenStyle {
  CallingStyle style = CallingStyle::kDestinationPassing;
  bool inferred = false;    // from the sources, since the solution does not say
  std::string reason = {};  // a sentence for the log when it was inferred, else empty
};

// The style of a Python solution, a torch extension or a TVM-FFI library: `destination_passing_style` where
// the solution has it. Without, it is inferred: solutions written before the key existed return their
// outputs, although the format's default is destination passing. A Python function that returns a value, and
// a function bound by m.def("<symbol>", …), or exported by TVM-FFI's macro, whose C++ return type is not
// void, are value-returning if they can be called with the definition's inputs alone and have no parameters
// named as its outputs; what cannot be seen has the format's default. Pure.
[[nodiscard]] ChosenStyle calling_style(const model::Solution& solution, const model::Definition& definition);

// The names of a call's arguments in their order, which is the definition's, and how many they are. Python
// functions with parameters of all these names, in another order or to be given by keyword alone, are called
// by name; all others by position.
[[nodiscard]] std::vector<std::string> argument_names(CallingStyle style,
                                                      const model::Definition& definition);
[[nodiscard]] std::size_t argument_count(CallingStyle style, const model::Definition& definition);

}  // namespace fib::compile
