#pragma once

#include <cstddef>

#include "model/solution.h"
#include "util/error.h"

namespace fib::dataset {

// How much text the sources of a dataset's solutions may have in all: one file beside them can be the source
// of each.
class SourceLimit {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{1} << 30U;

  explicit SourceLimit(std::size_t most = kMostBytes) : most_(most) {}

  // Throws Error where this solution is one too many.
  void take(const model::Solution& solution) {
    for (const model::SourceFile& source : solution.sources) bytes_ += source.content.size();
    if (bytes_ > most_)
      throw Error("the solutions of the dataset before this one have {} MiB of sources; no more are read",
                  most_ >> 20U);
  }

 private:
  std::size_t most_;
  std::size_t bytes_ = 0;
};

}  // namespace fib::dataset
