#pragma once

#include <cstdint>
#include <vector>

#include "bench/calls.h"
#include "bench/evaluation_parts.h"
#include "bench/measurement.h"

namespace fib::bench {

// Chooses the clock that times the calls of one evaluation, looks at some of them by another one, and knows
// which calls are to be made again. On the CPU there is one clock, and nothing to choose. One thread.
class Clocks {
 public:
  // Throws Error where --clock asks for a clock that the worker lacks. `highest_mhz` is what a multiprocessor
  // can reach; 0: unknown.
  Clocks(const EvaluationParts& parts, double highest_mhz);

  [[nodiscard]] worker::Clock of_calls() const { return of_calls_; }
  // Records of kernels one at a time are the truest, but for streams that work at the same time.
  [[nodiscard]] worker::Clock of_looks() const;

  // Whether a call that was made by of_calls() counts; else it is to be made again: records are lost, or the
  // multiprocessor was slower than usual. Only `most` calls are: a device that stays slow is measured as it
  // is.
  [[nodiscard]] bool counts(const worker::Done& done, std::uint64_t most);

  // Whether one more call by of_calls() has to be made before choose(): the last one could not be queued as a
  // whole, which may be because it was one of the very first, which wait for their code to be loaded.
  [[nodiscard]] bool is_undecided() const;

  // After the first calls. Where there are events alone, they have shown whether a call can be queued as a
  // whole. Else another call shows by CUPTI what it does.
  void choose(Calls& calls);

  // One call by of_looks().
  void look(Calls& calls);

  // All looks so far are forgotten.
  void forget_looks() { looks_ms_.clear(); }

  // Writes what is known to the fields of `m` that say so.
  void report(Measurement& m) const;

 private:
  const EvaluationParts& parts_;
  double highest_mhz_;
  worker::Clock of_calls_;
  worker::Done last_{};                    // of the calls that counts() was asked of
  worker::Done probe_{};                   // a call by CUPTI's records, once one was made
  std::vector<worker::KernelUse> uses_{};  // the kernels of the last such call
  std::uint64_t slow_calls_ = 0;
  std::uint64_t lost_looks_ = 0;
  std::uint64_t dropped_calls_ = 0;
  std::vector<double> looks_ms_{};
};

}  // namespace fib::bench
