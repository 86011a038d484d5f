#pragma once

#include <string>
#include <vector>

#include "present/document.h"
#include "report/sol.h"

namespace fib::report {

// Which tables are shown. Csv holds one: the workloads, or with `solutions` these.
enum class SolPart { all, workloads, solutions };

// The whole report. Pure.
[[nodiscard]] std::string render_sol(const std::vector<SolReport>& reports, SolPart part,
                                     present::Format format, const present::TextStyle& style);

// "Peak: 4800 GB/s, 67 TFLOP/s fp32, ..."; where none is known, how to give one. Pure.
[[nodiscard]] std::string peak_text(const std::optional<roofline::Peak>& peak);

}  // namespace fib::report
