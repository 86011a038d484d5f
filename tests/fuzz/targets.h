#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

// What is fuzzed: everything that reads bytes which others wrote. tests/fuzz/test_fuzz.cpp gives each a fixed
// number of mutated inputs, scripts/fuzz an hour of libFuzzer.
namespace fib::fuzz {

// A target accepted an input and then contradicted itself.
class Contradiction : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

struct Target {
  const char* name;
  // Reads one input. fib::Error is a refusal and stays inside; anything else that comes out is a defect.
  void (*read)(std::string_view input);
  std::vector<std::string> seeds;      // inputs that are accepted
  std::vector<std::string> fragments;  // what mutations insert
};

[[nodiscard]] const std::vector<Target>& targets();

}  // namespace fib::fuzz
