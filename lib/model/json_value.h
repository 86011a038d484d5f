#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// A JSON document as a plain value: members keep their order, numbers keep their text. All functions may be
// called from any thread on distinct values.
namespace fib::model::json {

enum class Kind : std::uint8_t { null, boolean, number, string, array, object };

struct Value;
struct Member;

struct Value {
  Kind kind = Kind::null;
  bool boolean = false;
  std::string text;  // of a string: its content in UTF-8; of a number: its token ("8", "1e400", "NaN")
  std::vector<Value> items;     // of an array
  std::vector<Member> members;  // of an object, in order, names unique

  [[nodiscard]] const Value* find(std::string_view name) const;  // a member's value; null when there is none
  void add(std::string name, Value value);                       // appends a member; the name must be new
};

struct Member {
  std::string first;  // the name
  Value second;
};

[[nodiscard]] Value make_null();
[[nodiscard]] Value make_boolean(bool value);
[[nodiscard]] Value make_integer(std::int64_t value);
[[nodiscard]] Value make_number(double value);  // also NaN and the infinities
[[nodiscard]] Value make_string(std::string text);
[[nodiscard]] Value make_array();
[[nodiscard]] Value make_object();

inline constexpr int kMostLevels = 200;

// Parses one document. On top of RFC 8259 the tokens NaN, Infinity and -Infinity are numbers. A repeated
// member takes the last value and the first place. Rejected with ParseError (path ""): a byte order mark,
// invalid UTF-8, lone surrogates, raw control characters, comments, trailing commas or text, and what lies
// beyond the limits.
struct Limits {              // the defaults are those of a record of a dataset, far above what people write
  int levels = kMostLevels;  // of nesting, kMostLevels at most
  std::size_t values = 1'000'000;   // one takes a hundred times the memory of "0,"
  std::size_t bytes = 64UL << 20U;  // of the text
};
[[nodiscard]] Value parse(std::string_view text, const Limits& limits = {});

// Whether `token` is a number of RFC 8259: -? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?
[[nodiscard]] bool is_number_token(std::string_view token);

// True when `text` is one whole JSON object.
[[nodiscard]] bool is_object_text(std::string_view text);

enum class Form {
  compact,   // one line, no spaces
  indented,  // two spaces a level, one item a line, no final newline
};
enum class NonFinite {
  strings,  // "NaN", "Infinity", "-Infinity"
  null,
};

// Text of a value. Non-ASCII stays UTF-8, "/" is not escaped. No final newline.
[[nodiscard]] std::string dump(const Value& value, Form form, NonFinite non_finite);

// To and from the library's tree, for documents that are passed through. Integers beyond 64 bits become
// doubles.
[[nodiscard]] nlohmann::ordered_json to_tree(const Value& value);
[[nodiscard]] Value from_tree(const nlohmann::ordered_json& tree);

// Shortest text that reads back as `value`: "0.00001", "1e-7", "1000000000000000.0", "1e+16", "-0.0"; "NaN",
// "Infinity", "-Infinity".
[[nodiscard]] std::string format_double(double value);

}  // namespace fib::model::json
