#pragma once

#include <string>
#include <vector>

#include "present/document.h"
#include "report/sol.h"

namespace fib::report {

// Which tables are shown. Csv holds one: the workloads, or with `solutions` these.
enum class SolPart { all, workloads, solutions };

// The whole report. Pure.
// "Peak: 4800 GB/s, 67 TFLOP/s fp32, ..."; where none is known, how to give one.
[[nodiscard]] std::string peak_text(const std::optional<roofline::Peak>& peak);

[[nodiscard]] std::string render_sol(const std::vector<SolReport>& reports, SolPart part,
                                     present::Format format, const present::TextStyle& style);

}  // namespace fib::report
