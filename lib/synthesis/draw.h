#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace fib::synthesis {

// The elements of an integer input, row by row. bool: 0 and 1.
using Integers = std::vector<std::int64_t>;

// The least number of pieces of size `piece` that hold `whole`; both are positive.
[[nodiscard]] constexpr std::int64_t divide_up(std::int64_t whole, std::int64_t piece) {
  return (whole + piece - 1) / piece;
}

// Random whole numbers from the generator of inputs (tensor/random.h): the same on every machine, a pure
// function of seed and name. One thread at a time.
class Draw {
 public:
  // `seed` is any text, `name` what is drawn: two names of one seed are independent.
  Draw(std::string_view seed, std::string_view name);

  // Uniform in [0, n); n must be positive.
  [[nodiscard]] std::int64_t below(std::int64_t n);
  // Uniform in [low, high]; `low` where there is nothing between.
  [[nodiscard]] std::int64_t between(std::int64_t low, std::int64_t high);
  [[nodiscard]] std::uint64_t key() const { return key_; }

 private:
  std::uint64_t bits();

  std::uint64_t key_;
  std::uint64_t next_ = 0;
};

// `count` numbers of [0, bound): the start of a random order of all, again and again where `count` is larger,
// so that any `bound` neighbours are distinct. `bound` must be positive when `count` is.
[[nodiscard]] Integers distinct(Draw& draw, std::int64_t count, std::int64_t bound);

// Splits `total` into as many uneven parts as there are `least` sizes, none below its least one, which
// together are at most `total`: what is left is cut at random places.
[[nodiscard]] Integers parts(Draw& draw, std::int64_t total, const Integers& least);

}  // namespace fib::synthesis
