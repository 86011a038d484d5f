#include "bench/text.h"

#include <nlohmann/json.hpp>

namespace fib::bench {

std::string valid_utf8(const std::string& text) {
  using nlohmann::json;
  return json::parse(json(text).dump(-1, ' ', false, json::error_handler_t::replace)).get<std::string>();
}

}  // namespace fib::bench
