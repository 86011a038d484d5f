#pragma once

#include <cstdint>

#include "model/definition.h"

namespace fib::synthesis {

// How large a workload shall be, before the definition's own axes are looked at.
struct Size {
  std::int64_t sequences = 1;  // of a batch
  std::int64_t queries = 1;    // of a sequence, on average
  std::int64_t keys = 1;       // of a sequence, before its queries
  std::int64_t rows = 1;       // of everything that is not a batch of sequences
  friend bool operator==(const Size&, const Size&) = default;
};

// Every number halved, at least 1.
[[nodiscard]] Size halved(const Size& size);

// Values of all axes at about this size, such that the constraints over axes hold. Throws Error naming a
// constraint that no value of its axes keeps.
[[nodiscard]] model::AxisValues axes_of(const model::Definition& definition, const Size& size);

}  // namespace fib::synthesis
