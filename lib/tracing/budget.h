#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace fib::tracing {

// Bytes that may be held at one time. Any thread.
class Budget {
 public:
  explicit Budget(std::uint64_t limit) : limit_(limit) {}

  // A part of it, given back when this object goes. Moves, does not copy. The budget must outlive it.
  class Share {
   public:
    Share() = default;
    Share(Share&& other) noexcept : budget_(std::exchange(other.budget_, nullptr)), bytes_(other.bytes_) {}
    Share& operator=(Share&& other) noexcept {
      std::swap(budget_, other.budget_);
      std::swap(bytes_, other.bytes_);
      return *this;
    }
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;
    ~Share() {
      if (budget_ != nullptr) budget_->used_ -= bytes_;
    }
    [[nodiscard]] explicit operator bool() const { return budget_ != nullptr; }

   private:
    friend class Budget;
    Share(Budget& budget, std::uint64_t bytes) : budget_(&budget), bytes_(bytes) {}
    Budget* budget_ = nullptr;
    std::uint64_t bytes_ = 0;
  };

  // An empty share when there is no room.
  [[nodiscard]] Share take(std::uint64_t bytes) {
    if (bytes > limit_ || used_.fetch_add(bytes) > limit_ - bytes) {
      if (bytes <= limit_) used_ -= bytes;
      return {};
    }
    return {*this, bytes};
  }

  [[nodiscard]] std::uint64_t used() const { return used_; }

 private:
  std::uint64_t limit_;
  std::atomic<std::uint64_t> used_ = 0;
};

}  // namespace fib::tracing
