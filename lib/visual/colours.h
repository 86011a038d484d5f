#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace fib::visual {

// The place of each solution among the colours of charts, the same in all charts of a page.
using Colours = std::map<std::string, std::size_t>;

// The places of `solutions`, of which those that matter most come first: the first chart::kColours of them
// have the colours that are told apart. Which of these each has depends on its name and on which others are
// among them, not on their order: from report to report a solution keeps its colour while the leaders change
// places. Pure.
[[nodiscard]] Colours colours_for(const std::vector<std::string>& solutions);

}  // namespace fib::visual
