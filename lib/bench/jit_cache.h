#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <set>
#include <string>

#include "model/solution.h"

namespace fib::bench {

// The key of what is made for a solution on devices of an architecture ("sm_90a").
[[nodiscard]] std::string jit_key(const model::Solution& solution, const std::string& architecture);

// What the just-in-time compilers of solutions (Triton's, torch.compile's, the driver's) have made in their
// workers, kept for the workers of equal solutions in later runs: <cache>/jit/<first two digits of
// key>/<key>. It comes from the solution's worker and goes to nobody but such, and to the disassembler, which
// is shut in like these. Behind it lies its digest, without which it is not believed. One object for one run;
// for several threads, and beside other processes.
class JitCache {
 public:
  // With more than `most_bytes` in it the oldest go.
  explicit JitCache(const std::filesystem::path& cache, std::uint64_t most_bytes = std::uint64_t{4} << 30U)
      : folder_(cache / "jit"), most_bytes_(most_bytes) {}

  // Empty where nothing is kept, where it cannot be read, and where it was kept in this run: solutions of
  // one run may share inputs, and could find there what was computed for these.
  [[nodiscard]] std::string find(const std::string& key) const;
  // In place of what was kept. Throws Error when it cannot be written.
  void keep(const std::string& key, const std::string& content);

 private:
  [[nodiscard]] std::filesystem::path place_of(const std::string& key) const;
  void remove_oldest() const;

  std::filesystem::path folder_;
  std::uint64_t most_bytes_;
  mutable std::mutex mutex_;
  std::set<std::string> kept_{};  // the keys of this run
};

}  // namespace fib::bench
