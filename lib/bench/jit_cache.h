#pragma once

#include <filesystem>
#include <string>

namespace fib::bench {

// What the just-in-time compilers of solutions (Triton's, torch.compile's, the driver's) have made in their
// workers, kept for other workers of the same solution: <cache>/jit/<first two digits of key>/<key>. fib
// never looks into it: it comes from the solution's worker and goes to nobody but that solution's. Behind it
// lies its digest, without which it is not believed. For several threads and processes.
class JitCache {
 public:
  explicit JitCache(std::filesystem::path cache) : cache_(std::move(cache)) {}

  // Empty where nothing is kept, or it cannot be read.
  [[nodiscard]] std::string find(const std::string& key) const;
  // In place of what was kept. Throws Error when it cannot be written.
  void keep(const std::string& key, const std::string& content) const;

 private:
  [[nodiscard]] std::filesystem::path place_of(const std::string& key) const;

  std::filesystem::path cache_;
};

}  // namespace fib::bench
