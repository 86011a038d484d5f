#pragma once

#include <cstdint>
#include <vector>

namespace fib::worker {

// The memory of the inputs of a call, and of the outputs that it has returned so far: who returns an input,
// or one piece of memory as two outputs, has not written what a reference writes. One thread.
class UsedMemory {
 public:
  // A call begins: its inputs lie at `inputs`.
  void begin(std::uint64_t inputs, std::uint64_t bytes) { ranges_.assign(1, {inputs, bytes}); }

  // Adds an output. Whether some of its memory is in use already.
  [[nodiscard]] bool add(std::uint64_t address, std::uint64_t bytes) {
    bool is_used = false;
    for (const Range& range : ranges_)
      is_used = is_used || (address < range.begin + range.bytes && range.begin < address + bytes);
    if (bytes > 0) ranges_.push_back({address, bytes});
    return is_used && bytes > 0;
  }

 private:
  struct Range {
    std::uint64_t begin = 0;
    std::uint64_t bytes = 0;
  };
  std::vector<Range> ranges_;
};

}  // namespace fib::worker
