#pragma once

#include <chrono>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "support/fib_run.h"

// What the tests of `fib run` share: solutions of the definition "add", and few calls.
namespace fib::testing {

inline const std::string kHonest = util::read_file(testing::source_folder() / "tests/hostile/cpp/honest.cpp");

// Right, and takes a tenth of a second a call.
inline const std::string kSlow = R"(
#include <unistd.h>
extern "C" void run(const float* a, const float* b, float* c, long n) {
  usleep(100000);
  for (long i = 0; i < n; ++i) c[i] = a[i] + b[i];
})";

inline std::vector<std::string> few(std::vector<std::string> more = {}) {
  more.insert(more.end(), {"--iterations", "4", "--num-trials", "2", "--warmup-runs", "1"});
  return more;
}

// Whether the condition becomes true within a minute or so.
inline bool wait_for(const std::function<bool()>& condition) {
  for (int i = 0; i < 6000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

// What fib itself wrote of an evaluation.
inline nlohmann::json fib_record(const TraceLine& trace) {
  return nlohmann::json::parse(trace.text).at("evaluation").at("fib");
}

inline std::vector<std::string> logs(const FibRun& run) {
  std::vector<std::string> result;
  for (const auto& trace : read_traces(run.dataset.root())) result.push_back(trace.log);
  return result;
}

}  // namespace fib::testing
