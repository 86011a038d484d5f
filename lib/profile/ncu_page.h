#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// What Nsight Compute (ncu) has measured of kernels. All functions are pure.
namespace fib::profile {

// One launch.
struct KernelProfile {
  std::string name;
  std::string grid;                       // "(1056, 1, 1)", in blocks
  std::string block;                      // "(256, 1, 1)", in threads
  std::map<std::string, double> metrics;  // ncu's names and base units: ns, byte, %; finite ones alone

  [[nodiscard]] std::optional<double> metric(const std::string& name) const;
};

// The metrics that classify() and reports look at, for ncu's --metrics.
[[nodiscard]] std::string wanted_metrics();

// The launches in ncu's output with --csv --page raw --print-units base; other lines of the output mean
// nothing. Throws Error when there is a table and it is not one of launches.
[[nodiscard]] std::vector<KernelProfile> read_raw_page(std::string_view output);

// Why ncu has measured nothing, in a sentence with what to do; empty where its output says nothing of it.
[[nodiscard]] std::string why_nothing(std::string_view output);

}  // namespace fib::profile
