#include "util/xml.h"

#include "util/utf8.h"

namespace fib::util {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

// Control characters besides tab and line ends, and U+FFFE and U+FFFF, are not in XML 1.0 (2.2 Characters).
// Nor may a name turn the text around it (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069), or end
// a line (U+2028, U+2029).
bool is_forbidden(std::string_view text, std::size_t i) {
  const auto byte = static_cast<unsigned char>(text[i]);
  if (byte < 0x20) return byte != '\t' && byte != '\n' && byte != '\r';
  if (byte == 0xD8) return text.substr(i, 2) == "\xD8\x9C";
  if (byte == 0xE2) {
    const std::string_view three = text.substr(i, 3);
    return three == "\xE2\x80\x8E" || three == "\xE2\x80\x8F" ||
           (three >= "\xE2\x80\xA8" && three <= "\xE2\x80\xAE") ||
           (three >= "\xE2\x81\xA6" && three <= "\xE2\x81\xA9");
  }
  return byte == 0xEF && (text.substr(i, 3) == "\xEF\xBF\xBE" || text.substr(i, 3) == "\xEF\xBF\xBF");
}

std::string_view escaped(char character) {
  switch (character) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\n':
      return "&#10;";
    case '\r':
      return "&#13;";
    case '\t':
      return "&#9;";
    default:
      return {};
  }
}

}  // namespace

std::string escape_xml(std::string_view text) {
  const std::string valid = valid_utf8(std::string(text));
  std::string result;
  result.reserve(valid.size());
  for (std::size_t i = 0; i < valid.size(); ++i) {
    if (is_forbidden(valid, i)) {
      result += kReplacement;
      if (static_cast<unsigned char>(valid[i]) >= 0xE0) ++i;
      if (static_cast<unsigned char>(valid[i]) >= 0x80) ++i;
    } else if (const auto entity = escaped(valid[i]); !entity.empty()) {
      result += entity;
    } else {
      result += valid[i];
    }
  }
  return result;
}

}  // namespace fib::util
