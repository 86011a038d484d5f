#include <catch2/catch.hpp>
#include <functional>

#include "dataset/strict_json.h"

using namespace fib;
using dataset::strict_json::Unusual;
namespace sj = simdjson::ondemand;

namespace {

// Calls take(value) for the one value of a list with this text.
void with_value(const std::string& text, const std::function<void(sj::value)>& take) {
  const simdjson::padded_string line("[" + text + "]");
  sj::parser parser;
  auto document = parser.iterate(line);
  for (sj::value value : document.get_array()) take(value);
}

template <typename T>
T read(const std::string& text, T (*reader)(sj::value)) {
  T result{};
  with_value(text, [&](sj::value value) { result = reader(value); });
  return result;
}

}  // namespace

TEST_CASE("numbers are taken where they are what the model takes") {
  using namespace dataset::strict_json;
  CHECK(read<double>("1.5e3", non_negative) == 1500);
  CHECK(read<double>("0", only_number) == 0);
  CHECK_THROWS_AS(read<double>("-1", non_negative), Unusual);
  CHECK_THROWS_AS(read<double>("01", non_negative), Unusual);
  CHECK_THROWS_AS(read<double>("1.", non_negative), Unusual);
  CHECK_THROWS_AS(read<double>("\"1\"", only_number), Unusual);
  CHECK(read<std::uint64_t>("42", only_count) == 42);
  CHECK_THROWS_AS(read<std::uint64_t>("42.5", only_count), Unusual);
  CHECK_THROWS_AS(read<std::uint64_t>("99999999999999999999", only_count), Unusual);
  CHECK(read<std::vector<double>>("[1, 2.5]", only_numbers) == std::vector{1.0, 2.5});
  CHECK_THROWS_AS(read<std::vector<double>>("[1, null]", only_numbers), Unusual);
}

TEST_CASE("texts with halves of surrogate pairs are left to the model") {
  using namespace dataset::strict_json;
  with_value(R"("a\u00e9\ud83d\ude00")",
             [](sj::value value) { CHECK(text_of(value) == "a\xc3\xa9\xf0\x9f\x98\x80"); });
  const auto take = [](sj::value value) { (void)text_of(value); };
  CHECK_THROWS(with_value(R"("\ud83d")", take));
  CHECK_THROWS(with_value(R"("\ude00")", take));
  CHECK(read<std::string>(R"(["a", "b"])", joined_texts) == "a, b");
  CHECK_THROWS_AS(read<std::string>(R"(["a", 1])", joined_texts), Unusual);
}

TEST_CASE("whole values are checked, and no deeper than the model reads") {
  using dataset::strict_json::check_value;
  const auto check = [](const std::string& text) {
    with_value(text, [](sj::value value) { check_value(value, 1); });
  };
  CHECK_NOTHROW(check(R"({"a": [1, "b", true, null, {}], "c": -0.5})"));
  CHECK_THROWS(check(R"({"a": nul})"));
  CHECK_THROWS(check(R"({"a": +1})"));
  CHECK_NOTHROW(check(std::string(90, '[') + std::string(90, ']')));
  CHECK_THROWS_AS(check(std::string(120, '[') + std::string(120, ']')), Unusual);
}

TEST_CASE("members of an object are met once, and those that are required are there") {
  using dataset::strict_json::read_members;
  const auto read_object = [](const std::string& text) {
    constexpr static std::array<std::string_view, 3> kNames = {"a", "b", "c"};
    std::string places;
    with_value(text, [&](sj::value value) {
      read_members(value.get_object(), kNames, 2,
                   [&](std::size_t place, sj::value) { places += std::to_string(place); });
    });
    return places;
  };
  CHECK(read_object(R"({"a": 1, "b": 2})") == "01");
  CHECK(read_object(R"({"c": 1, "b": 2, "a": 3})") == "210");
  CHECK_THROWS_AS(read_object(R"({"a": 1, "c": 2})"), Unusual);
  CHECK_THROWS_AS(read_object(R"({"a": 1, "b": 2, "a": 3})"), Unusual);
  CHECK_THROWS_AS(read_object(R"({"a": 1, "b": 2, "d": 3})"), Unusual);
}
