#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace fib::util {

// Hands out stretches of one block of memory, by their offsets; the memory itself is elsewhere. Takes the
// first gap that is large enough. One thread.
class Arena {
 public:
  // Offsets and sizes are multiples of `alignment`, a power of two.
  Arena(std::uint64_t bytes, std::uint64_t alignment);

  // The offset of `bytes` bytes, at least one unit of alignment; nothing where no gap is large enough.
  [[nodiscard]] std::optional<std::uint64_t> take(std::uint64_t bytes);

  // Gives back what take() gave at this offset.
  void give_back(std::uint64_t offset);

 private:
  std::uint64_t alignment_;
  std::map<std::uint64_t, std::uint64_t> gaps_;   // offset to size; no two of them touch
  std::map<std::uint64_t, std::uint64_t> taken_;  // likewise
};

}  // namespace fib::util
