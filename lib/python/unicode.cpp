#include "python/unicode.h"

#include <algorithm>
#include <array>

namespace fib::python {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

// Blocks without letters; a few letter-like symbols among them are refused too.
constexpr std::array<Range, 15> kNotInNames = {{{0x80, 0xA9},
                                                {0xAB, 0xB4},
                                                {0xB6, 0xB6},
                                                {0xB8, 0xB9},
                                                {0xBB, 0xBF},
                                                {0xD7, 0xD7},
                                                {0xF7, 0xF7},
                                                {0x2000, 0x203E},
                                                {0x2041, 0x2053},
                                                {0x2055, 0x2070},
                                                {0x20A0, 0x20CF},
                                                {0x2190, 0x2BFF},
                                                {0x2E00, 0x3004},
                                                {0xFE10, 0xFE1F},
                                                {0x1F000, 0x1FAFF}}};

}  // namespace

CodePoint decode_utf8(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U;
  };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4) return {};
  char32_t value = lead & (0xFFU >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {};
    value = (value << 6U) | (byte(i) & 0x3FU);
  }
  constexpr std::array<char32_t, 5> kSmallest = {0, 0, 0x80, 0x800, 0x10000};
  if (value < kSmallest[size] || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) return {};
  return {value, size};
}

void append_utf8(std::string& text, char32_t value) {
  const auto put = [&](char32_t byte) {
    text.push_back(static_cast<char>(static_cast<unsigned char>(byte)));
  };
  if (value < 0x80) return put(value);
  if (value < 0x800) {
    put(0xC0U | (value >> 6U));
  } else if (value < 0x10000) {
    put(0xE0U | (value >> 12U));
    put(0x80U | ((value >> 6U) & 0x3FU));
  } else {
    put(0xF0U | (value >> 18U));
    put(0x80U | ((value >> 12U) & 0x3FU));
    put(0x80U | ((value >> 6U) & 0x3FU));
  }
  put(0x80U | (value & 0x3FU));
}

bool is_identifier_character(char32_t value) {
  return std::none_of(kNotInNames.begin(), kNotInNames.end(),
                      [&](const Range& range) { return value >= range.first && value <= range.last; });
}

}  // namespace fib::python
