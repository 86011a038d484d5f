#include "util/utf8.h"

#include <nlohmann/json.hpp>

namespace fib::util {

std::string valid_utf8(const std::string& text) {
  using nlohmann::json;
  return json::parse(json(text).dump(-1, ' ', false, json::error_handler_t::replace)).get<std::string>();
}

std::string cut_utf8(std::string text, std::size_t limit) {
  if (text.size() <= limit) return text;
  while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xC0U) == 0x80U) --limit;
  text.resize(limit);
  return text + "\n\n[log truncated]\n";
}

}  // namespace fib::util
