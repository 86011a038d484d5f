#include "visual/colours.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "chart/theme.h"

namespace fib::visual {
namespace {

// The same on every machine and in every version: FNV-1a with 32 bits (RFC 9923).
std::uint32_t hash_of(const std::string& name) {
  std::uint32_t hash = 2166136261U;
  for (const char byte : name) hash = (hash ^ static_cast<unsigned char>(byte)) * 16777619U;
  return hash;
}

}  // namespace

Colours colours_for(const std::vector<std::string>& solutions) {
  Colours colours;
  const std::size_t told_apart = std::min(solutions.size(), chart::kColours);
  std::vector<std::string> leaders(solutions.begin(),
                                   solutions.begin() + static_cast<std::ptrdiff_t>(told_apart));
  std::sort(leaders.begin(), leaders.end());
  std::array<bool, chart::kColours> is_taken{};
  for (const std::string& name : leaders) {
    std::size_t place = hash_of(name) % chart::kColours;
    while (is_taken.at(place)) place = (place + 1) % chart::kColours;
    is_taken.at(place) = true;
    colours[name] = place;
  }
  for (std::size_t i = told_apart; i < solutions.size(); ++i) colours[solutions[i]] = i;
  return colours;
}

}  // namespace fib::visual
