// Threads that sleep until there is work, and again when it is done.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>

class Pool {
 public:
  // After their work the threads look for more for `spin_us` before they sleep.
  explicit Pool(int threads, int spin_us = 0) : threads_(threads), spin_us_(spin_us) {
    for (int i = 0; i < threads; ++i) std::thread([this, i] { serve(i); }).detach();
  }

  // Calls body(i) for i < threads, in all threads at once, and waits for them.
  void run(const std::function<void(int)>& body) {
    std::unique_lock lock(mutex_);
    body_ = &body;
    left_ = threads_;
    round_ = round_ + 1;
    wake_.notify_all();
    done_.wait(lock, [this] { return left_ == 0; });
  }

 private:
  void serve(int index) {
    for (int seen = 0;;) {
      const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(spin_us_);
      while (round_ == seen && std::chrono::steady_clock::now() < end) {
      }
      {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [&] { return round_ != seen; });
        seen = round_;
      }
      (*body_)(index);
      const std::unique_lock lock(mutex_);
      if (--left_ == 0) done_.notify_one();
    }
  }

  const int threads_;
  const int spin_us_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  std::atomic<int> round_ = 0;
  int left_ = 0;
  const std::function<void(int)>* body_ = nullptr;
};

// c = a + b in equal parts.
inline void add_part(const float* a, const float* b, float* c, std::int64_t n, int part, int parts) {
  for (std::int64_t i = n * part / parts; i < n * (part + 1) / parts; ++i) c[i] = a[i] + b[i];
}
