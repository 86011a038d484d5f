#pragma once

#include <string>
#include <vector>

#include "chart/chart.h"
#include "visual/scene.h"

namespace fib::cmd {

// The charts that `fib visualize --svg` draws.
[[nodiscard]] std::vector<std::string> chart_names();

// One of them as SVG. Throws Error when the scene has several hardware, definitions or runs that it could be
// of (naming them), or none.
[[nodiscard]] std::string draw_chart(const std::string& name, const visual::Scene& scene,
                                     const chart::SvgOptions& options);

}  // namespace fib::cmd
