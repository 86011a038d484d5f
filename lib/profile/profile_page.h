#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "present/document.h"
#include "profile/ncu_page.h"

namespace fib::profile {

// What ncu said of one solution on one workload.
struct Profiled {
  std::string solution;
  std::string definition;
  std::string workload;
  std::vector<KernelProfile> kernels;
  std::string not_done;  // why there are none
  std::string page;      // ncu's own, where it was asked for
};

// For people: of each kernel what limits it, how busy each unit is, how it accesses memory, its occupancy and
// its stalls, and what ncu's own rules would improve. Pure.
[[nodiscard]] std::string to_text(const std::vector<Profiled>& all, present::Format format,
                                  const present::TextStyle& style);

// For programs: the "profiled" of the schema "profile". Pure.
[[nodiscard]] nlohmann::ordered_json to_json(const std::vector<Profiled>& all);

// The first lines of a text; 0: all. Pure.
[[nodiscard]] std::string first_lines(const std::string& text, std::size_t lines);

}  // namespace fib::profile
