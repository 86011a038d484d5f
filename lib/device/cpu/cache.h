#pragma once

#include <cstddef>
#include <string_view>

namespace fib::device::cpu {

// Writes back and evicts every cache line of [data, data + bytes) from all levels of all cores' caches, so
// that the next access reads memory. Any thread. On a CPU without a usable instruction (none that fib
// supports today lacks one) a sweep over a buffer larger than the last-level cache stands in.
void flush_from_caches(const void* data, std::size_t bytes);

// How flush_from_caches works here: "clflushopt", "clflush", "dc civac" or "sweep". Written into traces.
[[nodiscard]] std::string_view flush_method();

}  // namespace fib::device::cpu
