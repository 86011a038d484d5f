#include "pack/toml_write.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>

namespace fib::pack {
namespace {

namespace json = model::json;

bool is_bare(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

std::string toml_quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (c == '\n') {
      result += "\\n";
    } else if (c == '\t') {
      result += "\\t";
    } else if (is_control(c)) {
      result += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      result += c;
    }
  }
  return result + '"';
}

// Whether the text can stand between ''' as it is.
bool fits_lines(std::string_view text) {
  return text.find('\n') != std::string_view::npos && text.find("'''") == std::string_view::npos &&
         text.back() != '\'' && std::none_of(text.begin(), text.end(), [](char c) {
           return is_control(c) && c != '\n' && c != '\t';
         });
}

bool is_exact_number(const std::string& token) {
  std::int64_t integer = 0;
  const char* const end = token.data() + token.size();
  const auto read = std::from_chars(token.data(), end, integer);
  if (read.ec == std::errc() && read.ptr == end) return std::to_string(integer) == token;
  const double number = std::strtod(token.c_str(), nullptr);
  return std::isfinite(number) && json::format_double(number) == token;
}

class Writer {
 public:
  // False when there is no such value in TOML; the text is then of no use.
  bool write(const json::Value& value, int level) {
    switch (value.kind) {
      case json::Kind::null:
        return false;
      case json::Kind::boolean:
        text_ += value.boolean ? "true" : "false";
        return true;
      case json::Kind::number:
        text_ += value.text;
        return is_exact_number(value.text);
      case json::Kind::string:
        text_ += level == 0 ? toml_string(value.text) : toml_quoted(value.text);
        return true;
      case json::Kind::array:
        return write_array(value, level);
      case json::Kind::object:
        break;
    }
    return write_table(value, level);
  }

  std::string take() { return std::move(text_); }

 private:
  // One item a line when they are tables or arrays, else all on one.
  bool write_array(const json::Value& value, int level) {
    const bool lines = std::any_of(value.items.begin(), value.items.end(), [](const json::Value& item) {
      return item.kind == json::Kind::object || item.kind == json::Kind::array;
    });
    const std::string indent(static_cast<std::size_t>(2 * level + 2), ' ');
    text_ += '[';
    for (std::size_t i = 0; i < value.items.size(); ++i) {
      if (lines) text_ += "\n" + indent;
      if (!write(value.items[i], level + 1)) return false;
      if (i + 1 < value.items.size()) text_ += lines ? "," : ", ";
    }
    if (lines) text_ += "\n" + indent.substr(2);
    text_ += ']';
    return true;
  }

  bool write_table(const json::Value& value, int level) {
    text_ += '{';
    const char* separator = " ";
    for (const auto& [name, member] : value.members) {
      text_ += separator + toml_key(name) + " = ";
      separator = ", ";
      if (!write(member, level + 1)) return false;
    }
    text_ += value.members.empty() ? "}" : " }";
    return true;
  }

  std::string text_;
};

}  // namespace

std::string toml_key(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), is_bare) ? std::string(name)
                                                                         : toml_quoted(name);
}

std::string toml_string(std::string_view text) {
  return fits_lines(text) ? "'''\n" + std::string(text) + "'''" : toml_quoted(text);
}

std::optional<std::string> to_toml(const json::Value& value) {
  Writer writer;
  if (!writer.write(value, 0)) return std::nullopt;
  return writer.take();
}

}  // namespace fib::pack
