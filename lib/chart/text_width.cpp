#include "chart/text_width.h"

#include <array>
#include <cstdint>
#include <vector>

#include "present/text.h"

namespace fib::chart {
namespace {

// Advances of the characters " " to "~" in hundredths of the font size, from DejaVuSans.ttf 2.37.
constexpr std::array<std::uint8_t, 95> kAdvances = {
    32, 40, 46, 84, 64, 95, 78, 28, 39,  39, 50, 84, 32, 36, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64,
    64, 64, 34, 34, 84, 84, 84, 53, 100, 68, 69, 70, 77, 63, 58, 78, 75, 30, 30, 66, 56, 86, 75, 79,
    60, 79, 70, 64, 61, 73, 68, 99, 68,  61, 68, 39, 34, 39, 84, 50, 50, 61, 64, 55, 64, 62, 35, 64,
    63, 28, 28, 58, 28, 97, 63, 61, 64,  64, 41, 52, 39, 63, 59, 82, 59, 59, 52, 64, 34, 64, 84};
constexpr double kOther = 64;  // letters beyond ASCII
constexpr double kWide = 100;  // what takes two columns on a terminal, arrows and "…"

// The bytes of the character that `text` begins with.
std::size_t character_bytes(std::string_view text) {
  std::size_t bytes = 1;
  while (bytes < text.size() && (static_cast<unsigned char>(text[bytes]) & 0xC0U) == 0x80U) ++bytes;
  return bytes;
}

double advance(std::string_view character) {
  const auto byte = static_cast<unsigned char>(character.front());
  if (character.size() == 1 && byte >= ' ' && byte <= '~') return kAdvances[byte - std::size_t{' '}];
  const std::size_t columns = present::display_width(character);
  if (columns == 0) return 0;
  return columns == 2 || byte >= 0xE2 ? kWide : kOther;
}

std::vector<std::string_view> characters_of(std::string_view text) {
  std::vector<std::string_view> characters;
  while (!text.empty()) {
    characters.push_back(text.substr(0, character_bytes(text)));
    text.remove_prefix(characters.back().size());
  }
  return characters;
}

}  // namespace

double text_width(std::string_view text, double font_size) {
  double width = 0;
  for (const auto character : characters_of(text)) width += advance(character);
  return width * font_size / 100;
}

std::string shorten_to(std::string_view text, double width, double font_size) {
  if (text_width(text, font_size) <= width) return std::string(text);
  const auto characters = characters_of(text);
  double room = width * 100 / font_size - kWide;
  std::size_t head = 0;
  std::size_t tail = 0;
  // Two characters of the head for one of the tail.
  for (std::size_t turn = 0; head + tail < characters.size(); ++turn) {
    const bool to_tail = turn % 3 == 2;
    room -= advance(to_tail ? characters[characters.size() - 1 - tail] : characters[head]);
    if (room < 0) break;
    ++(to_tail ? tail : head);
  }
  std::string result;
  for (std::size_t i = 0; i < head; ++i) result += characters[i];
  result += "…";
  for (std::size_t i = characters.size() - tail; i < characters.size(); ++i) result += characters[i];
  return result;
}

}  // namespace fib::chart
