#pragma once

#include <cstdint>

#include "bench/evaluation_parts.h"

namespace fib::bench {

// Adds the time from here to the end of this object, by the evaluation's clock, to a total.
class Stopwatch {
 public:
  // Both must outlive this.
  Stopwatch(const EvaluationParts& parts, std::int64_t& total_ns)
      : parts_(parts), total_ns_(total_ns), begin_ns_(parts.now_ns()) {}
  ~Stopwatch() { total_ns_ += parts_.now_ns() - begin_ns_; }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  const EvaluationParts& parts_;
  std::int64_t& total_ns_;
  std::int64_t begin_ns_;
};

}  // namespace fib::bench
