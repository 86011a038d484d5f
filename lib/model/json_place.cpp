#include "model/json_place.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace fib::model::json {
namespace {

// Takes what is right, and keeps what the first fault is.
class FirstFault : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool null() override { return true; }
  bool boolean(bool /*value*/) override { return true; }
  bool number_integer(number_integer_t /*value*/) override { return true; }
  bool number_unsigned(number_unsigned_t /*value*/) override { return true; }
  bool number_float(number_float_t /*value*/, const string_t& /*token*/) override { return true; }
  bool string(string_t& /*value*/) override { return true; }
  bool binary(binary_t& /*value*/) override { return true; }
  bool start_object(std::size_t /*elements*/) override { return true; }
  bool key(string_t& /*value*/) override { return true; }
  bool end_object() override { return true; }
  bool start_array(std::size_t /*elements*/) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t position, const std::string& /*last_token*/,
                   const nlohmann::detail::exception& error) override {
    constexpr int kOutOfRange = 406;  // a number that is larger than any double: parse() keeps it as text
    is_read_by_parse = error.id == kOutOfRange;
    end = position;
    text = error.what();
    return false;
  }

  bool is_read_by_parse = false;
  std::size_t end = 0;  // of what was read
  std::string text;
};

// What follows "syntax error while parsing ... - ", without the text that was read last.
std::string reason_in(const std::string& text) {
  const auto begin = text.find(" - ");
  if (begin == std::string::npos) return "this is no JSON";
  std::string reason = text.substr(begin + 3);
  const auto read = reason.find("; last read: '");
  if (read != std::string::npos) {
    const auto rest = reason.rfind("'; expected ");
    reason = reason.substr(0, read) + (rest != std::string::npos ? reason.substr(rest + 1) : "");
  }
  return reason;
}

}  // namespace

std::string syntax_error(std::string_view text) {
  FirstFault fault;
  if (nlohmann::json::sax_parse(text.begin(), text.end(), &fault)) return {};
  const std::string_view read = text.substr(0, std::min(fault.end, text.size()));
  if (fault.is_read_by_parse || read.ends_with("N") || read.ends_with("I")) return {};
  const auto line_end = read.rfind('\n');
  const std::size_t line_begin = line_end == std::string_view::npos ? 0 : line_end + 1;
  const std::string column =
      "column " + std::to_string(read.size() - line_begin) + ": " + reason_in(fault.text);
  if (text.find('\n') == std::string_view::npos) return column;
  return "line " + std::to_string(1 + std::count(read.begin(), read.end(), '\n')) + ", " + column;
}

}  // namespace fib::model::json
