#pragma once

#include <algorithm>
#include <mutex>
#include <vector>

#include "c_api/errors.h"

namespace fib::c_api {

// What is in force in this process: the last that was pushed. Owns nothing. Any thread.
template <typename Runtime>
class Stack {
 public:
  // Nothing happens where it is on top already.
  void push(Runtime* runtime) {
    const std::lock_guard lock(mutex_);
    if (runtimes_.empty() || runtimes_.back() != runtime) runtimes_.push_back(runtime);
  }

  // Throws Invalid when it is not on top.
  void pop(Runtime* runtime) {
    const std::lock_guard lock(mutex_);
    if (runtimes_.empty() || runtimes_.back() != runtime)
      throw Invalid("it is not the one on top of the stack: the last that was pushed is popped first");
    runtimes_.pop_back();
  }

  // Wherever it is.
  void remove(Runtime* runtime) {
    const std::lock_guard lock(mutex_);
    runtimes_.erase(std::remove(runtimes_.begin(), runtimes_.end(), runtime), runtimes_.end());
  }

  [[nodiscard]] Runtime* top() const {
    const std::lock_guard lock(mutex_);
    return runtimes_.empty() ? nullptr : runtimes_.back();
  }

 private:
  mutable std::mutex mutex_;
  std::vector<Runtime*> runtimes_;
};

}  // namespace fib::c_api
