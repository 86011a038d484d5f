#pragma once

#include <cstddef>
#include <functional>

namespace fib::util {

// Calls work(0), …, work(count - 1), each once, on at most `threads` threads; the caller's is one of them.
// Returns when all are done. What `work` throws first is thrown again then; calls that have not begun by then
// are left out. Where the system refuses threads, those that there are do all of it.
void for_each_index(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work);

}  // namespace fib::util
