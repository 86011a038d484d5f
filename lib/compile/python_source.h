#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

// What can be seen in a Python source without running it. Pure; a source that fib's parser does not take has
// nothing to be seen.
namespace fib::compile {

struct PythonFunction {
  std::string name;  // of the function, where the symbol is another name of it
  int line = 0;
  std::vector<std::string> parameters;  // those that can be given by position
  std::size_t required = 0;             // how many of them have no default
  bool takes_more = false;              // *args
  bool takes_names = false;             // **kwargs
  std::size_t nameless = 0;             // how many of the first ones cannot be given by name
  std::vector<std::string> keywords;    // those that can be given by name alone
  std::set<std::string> needed;         // those of `keywords` that have no default
  bool decorated = false;               // by what may change its parameters
  bool returns_value = false;           // a `return` with another value than None

  // Whether it can be called with `count` positional arguments and nothing else.
  [[nodiscard]] bool takes(std::size_t count) const;
  // Whether it has a parameter for each of these names, and no further one that needs an argument.
  [[nodiscard]] bool takes_by_name(const std::vector<std::string>& names) const;
};

struct EntrySight {
  bool missing = false;                    // surely nothing at module level has the symbol's name
  std::optional<PythonFunction> function;  // the symbol is surely this one
};
// `symbol` may be a method, "Model.forward": its parameters are those behind `self`.
[[nodiscard]] EntrySight see_entry(std::string_view source, const std::string& symbol);

// The packages that cannot be missing when the source's functions run: the first names of absolute imports at
// any level, without those in a `try` that has handlers. Of "cuda", which several packages share, two names:
// "cuda.tile".
[[nodiscard]] std::set<std::string> imported_packages(std::string_view source);

}  // namespace fib::compile
