#pragma once

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "apply/results.h"
#include "apply/runtime.h"
#include "support/places.h"
#include "support/tensors.h"

namespace fib::testing {

// A call of "add" with n elements: a[i] = i, b[i] = 1.
struct AddCall {
  explicit AddCall(std::int64_t size) : n(size) {
    for (std::int64_t i = 0; i < n; ++i) {
      a.data<float>()[i] = static_cast<float>(i);
      b.data<float>()[i] = 1;
    }
  }
  fib_outcome call(const apply::Function& function) {
    const fib_value values[] = {a.value(), b.value(), c.value()};
    return function.call(values, 3, nullptr, why);
  }
  // What was added to a + b; -1 when it is not the same everywhere.
  float added() {
    for (std::int64_t i = 0; i < n; ++i) {
      if (c.data<float>()[i] - c.data<float>()[0] != static_cast<float>(i)) return -1;
    }
    return c.data<float>()[0] - 1;
  }
  std::int64_t n;
  HostTensor a{tensor::DType::kFloat32, {n}};
  HostTensor b{tensor::DType::kFloat32, {n}};
  HostTensor c{tensor::DType::kFloat32, {n}};
  std::string why;
};

// A dataset of "add", and runtimes of it.
struct RuntimeTest {
  util::TemporaryFolder folder{std::filesystem::temp_directory_path(), "fib-apply-"};
  AppliedDataset data{folder.path() / "dataset"};

  RuntimeTest() {
    ::setenv("FIB_CACHE_PATH", (folder.path() / "cache").c_str(), 1);
    ::setenv("FIB_TRUST_FILE", (folder.path() / "trusted.txt").c_str(), 1);
    data.adder("ten", "10").adder("twenty", "20");
  }

  [[nodiscard]] apply::Runtime runtime(const std::string& config = "") const {
    return apply::Runtime(data.load(), apply::parse_registry(config), fib_binary());
  }
};

// How many calls of "add" came to that outcome.
inline std::uint64_t counted(const apply::Runtime& runtime, const char* outcome) {
  const auto calls = nlohmann::json::parse(runtime.statistics_json()).at("calls").at("add");
  return calls.value(outcome, std::uint64_t{0});
}

}  // namespace fib::testing
