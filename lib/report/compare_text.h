#pragma once

#include <optional>
#include <set>
#include <string>

#include "present/document.h"
#include "report/compare.h"

namespace fib::report {

// In which form a comparison is written: those of every report, and those of CI.
enum class CompareFormat { table, json, csv, md, github, junit };

struct CompareGate {
  double limit = 0.05;         // what may become slower, as a share
  std::size_t unreadable = 0;  // lines of the datasets that could not be read
};

struct CompareStyle {
  present::TextStyle text = {};
  std::set<Verdict> only =
      {};  // verdicts of the pairs that tables list; empty: all. Totals and gates are of all
  bool with_cautions = true;  // below tables: what makes latencies doubtful (remarks.h)
};

// Why the gate cannot hold, whatever was found: a sentence each. Empty: it can. What A, where it is a run,
// has not done is a remark alone: it hides nothing of what A has. Pure.
[[nodiscard]] std::vector<std::string> why_gate_cannot_hold(const CompareReport& report,
                                                            const CompareGate& gate);

// The whole report; with a gate, what it found. Pure.
[[nodiscard]] std::string render_compare(const CompareReport& report, const std::optional<CompareGate>& gate,
                                         CompareFormat format, const CompareStyle& style);

}  // namespace fib::report
