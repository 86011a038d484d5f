#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "eval/layout.h"
#include "worker/doors.h"

namespace fib::worker {

// Pieces of a call's outputs, so that outputs that are written or changed after the call are found out. On a
// device copy engines alone read them, which does not disturb a count of its work. One thread.
class OutputSample {
 public:
  OutputSample() = default;
  // Reads each of the outputs at this place: up to 4 KiB whole, of more than that 32 pieces of 64 bytes,
  // where a generator of random numbers with this seed, 16 hexadecimal digits, says. Throws Error.
  OutputSample(Door& door, std::uint32_t place, const eval::Layout& layout, std::string_view seed);

  // Whether these pieces of the outputs at this place are others now; false where nothing was read. Throws
  // Error.
  [[nodiscard]] bool differs(Door& door, std::uint32_t place) const;

 private:
  std::vector<Door::Piece> pieces_{};
  std::vector<std::byte> bytes_{};
};

}  // namespace fib::worker
