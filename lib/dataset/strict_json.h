#pragma once

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Values of one line of JSON as simdjson gives them, taken only where the model would take them, too. Every
// function throws Unusual or simdjson_error where it might not. Texts are views into the line or the parser,
// and hold until the next line is read.
namespace fib::dataset::strict_json {

namespace sj = simdjson::ondemand;

// The line is not for this reader.
struct Unusual {};

inline void expect(bool holds) {
  if (!holds) throw Unusual();
}

[[nodiscard]] std::string_view text_of(sj::value value);
[[nodiscard]] std::string_view key_of(sj::field& field);
[[nodiscard]] double non_negative(sj::value value);
[[nodiscard]] bool is_null(sj::value value);

// Reads a whole value that lies so deep.
void check_value(sj::value value, int depth);

// As they stand in the line.
[[nodiscard]] std::string_view object_text(sj::value value);
[[nodiscard]] std::string_view array_text(sj::value value);

// Of values of these kinds, and no others.
[[nodiscard]] std::string_view only_text(sj::value value);
[[nodiscard]] double only_number(sj::value value);
[[nodiscard]] std::uint64_t only_count(sj::value value);
[[nodiscard]] std::vector<double> only_numbers(sj::value value);
[[nodiscard]] std::string joined_texts(sj::value value);  // "a, b" of a list of texts

// The members of an object: each must be one of `names` and be met once; the first `required` must be there.
template <std::size_t N>
class Members {
 public:
  Members(const std::array<std::string_view, N>& names, std::size_t required)
      : names_(names), required_(required) {}

  std::size_t meet(std::string_view name) {
    for (std::size_t tried = 0; tried < N; ++tried, next_ = (next_ + 1) % N) {
      if (names_[next_] != name) continue;
      expect(!met_[next_]);
      met_[next_] = true;
      return next_;
    }
    throw Unusual();
  }

  void expect_required() const {
    for (std::size_t i = 0; i < required_; ++i) expect(met_[i]);
  }

 private:
  const std::array<std::string_view, N>& names_;
  std::size_t required_;
  std::size_t next_ = 0;  // members mostly come in order
  std::array<bool, N> met_{};
};

// Calls take(index, value) for every member of `object`.
template <std::size_t N, typename Take>
void read_members(sj::object object, const std::array<std::string_view, N>& names, std::size_t required,
                  Take&& take) {
  Members<N> members(names, required);
  for (auto entry : object) {
    sj::field field = std::move(entry);
    take(members.meet(key_of(field)), field.value());
  }
  members.expect_required();
}

// Checks a whole object, whose members of these names are given to `take` with their places.
template <std::size_t N, typename Take>
void check_object(sj::value value, const std::array<std::string_view, N>& names, int depth, Take&& take) {
  std::array<bool, N> met{};
  for (auto entry : value.get_object()) {
    sj::field field = std::move(entry);
    const auto place =
        static_cast<std::size_t>(std::find(names.begin(), names.end(), key_of(field)) - names.begin());
    if (place == N) {
      check_value(field.value(), depth + 1);
      continue;
    }
    expect(!std::exchange(met[place], true));
    take(place, field.value());
  }
}

}  // namespace fib::dataset::strict_json
