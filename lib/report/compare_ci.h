#pragma once

#include <optional>
#include <string>

#include "report/compare_notes.h"

// The forms of a comparison that are for CI. Pure.
namespace fib::report {

// Annotations of GitHub's: what the gate stops is an error, without a gate everything that got worse a
// warning.
[[nodiscard]] std::string to_github(const CompareReport& report, const std::optional<CompareGate>& gate);

// A case for each pair, and one for the gate where it cannot hold.
[[nodiscard]] std::string to_junit(const CompareReport& report, const std::optional<CompareGate>& gate);

}  // namespace fib::report
