#pragma once

#include <optional>
#include <set>
#include <string>

#include "present/document.h"
#include "report/compare_notes.h"

namespace fib::report {

// In which form a comparison is written: those of every report, and those of CI.
enum class CompareFormat { table, json, csv, md, github, junit };

struct CompareStyle {
  present::TextStyle text = {};
  std::set<Verdict> only =
      {};  // verdicts of the pairs that tables list; empty: all. Totals and gates are of all
  bool with_cautions = true;  // below tables: what makes latencies doubtful (remarks.h)
};

// The whole report; with a gate, what it found. Pure.
[[nodiscard]] std::string render_compare(const CompareReport& report, const std::optional<CompareGate>& gate,
                                         CompareFormat format, const CompareStyle& style);

}  // namespace fib::report
