#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fib::compile {

// What a sanitizer has found, at one place.
struct Finding {
  std::string tool;  // "memcheck", "racecheck", "initcheck", "synccheck", "address", "undefined"
  std::string
      kind;  // the tool's own words: "heap-buffer-overflow", "Invalid __global__ write of size 4 bytes"
  std::string message;       // the line that says it
  std::string file;          // a source of the solution; may be empty
  std::uint64_t line = 0;    // from 1; 0: not said
  std::uint64_t column = 0;  // from 1; 0: not said
  std::string function;      // may be empty
  std::string detail;        // more of what the tool says of the first one: thread, distance; may be empty
  std::size_t times = 1;     // that the same was found there
};

// What AddressSanitizer and UndefinedBehaviorSanitizer say in the output of a process. Sources are named as
// they are in the solution, whatever folder they were built in. Pure.
[[nodiscard]] std::vector<Finding> findings_of_host(std::string_view output);

// The same of one tool of compute-sanitizer, each place once. Pure.
[[nodiscard]] std::vector<Finding> findings_of_device(std::string_view tool, std::string_view output);

}  // namespace fib::compile
