#pragma once

#include <string>

#include "present/document.h"
#include "visual/scene.h"

namespace fib::visual {

// The scene as text for a terminal: bars, distributions, curves and sparklines. Pure.
[[nodiscard]] std::string terminal_charts(const Scene& scene, const present::TextStyle& style);

// The runs of the dataset as sparklines, one line for each definition and solution; ✗ where something failed.
[[nodiscard]] std::string terminal_history(const Scene& scene, const present::TextStyle& style);

}  // namespace fib::visual
