#pragma once

#include <optional>
#include <string>

#include "report/compare.h"
#include "report/document.h"

namespace fib::report {

// In which form a comparison is written: those of every report, and those of CI.
enum class CompareFormat { table, json, csv, md, github, junit };

struct CompareGate {
  double limit = 0.05;  // what may become slower, as a share
};

// The whole report; with a gate, what it found. Pure.
[[nodiscard]] std::string render_compare(const CompareReport& report, const std::optional<CompareGate>& gate,
                                         CompareFormat format, const TextStyle& style);

}  // namespace fib::report
