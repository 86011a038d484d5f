#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/compare.h"

// The sentences of a comparison, which its forms share (compare_text.h, compare_ci.h). All functions are
// pure.
namespace fib::report {

struct CompareGate {
  double limit = 0.05;         // what may become slower, as a share
  std::size_t unreadable = 0;  // lines of the datasets that could not be read
};

[[nodiscard]] std::string format_change(double change);  // "+5.0%"

// "gemm on w1 M=1 (NVIDIA H200)"
[[nodiscard]] std::string name_of(const Detail& detail);

// How many results of each verdict there are, and how fast B is against A.
[[nodiscard]] std::string totals_text(const CompareReport& report);

// What machines did to all results alike: scatters, and drifts beyond `least` and their own doubt.
[[nodiscard]] std::vector<std::string> machine_notes(const CompareReport& report, double least);

// What makes the latencies of the pairs doubtful (remarks.h).
[[nodiscard]] std::vector<std::string> pair_cautions(const CompareReport& report);

// Why B may not be what it is taken for.
[[nodiscard]] std::vector<std::string> cautions_of_b(const CompareReport& report);

// The same of both sides.
[[nodiscard]] std::vector<std::string> side_cautions(const CompareReport& report);

// Results that side "A" or "B" has alone, the first of them by name.
[[nodiscard]] std::string alone_text(const std::string& side, const std::vector<const Detail*>& results);

// Of CompareReport::other_work.
[[nodiscard]] std::string other_work_text(std::size_t count);

// Of CompareReport::only_b_broken_since, which is not 0.
[[nodiscard]] std::string broken_since_text(std::size_t count);

// Why the gate cannot hold, whatever was found: a sentence each. Empty: it can. What A, where it is a run,
// has not done is a remark alone: it hides nothing of what A has.
[[nodiscard]] std::vector<std::string> why_gate_cannot_hold(const CompareReport& report,
                                                            const CompareGate& gate);

// What the gate found, and why it cannot hold.
[[nodiscard]] std::string gate_text(const CompareReport& report, const CompareGate& gate);

}  // namespace fib::report
