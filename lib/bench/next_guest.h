#pragma once

#include <future>
#include <memory>

#include "bench/guest_pool.h"
#include "worker/messages.h"

namespace fib::bench {

// The guest of the next solution, whose device is started before anybody waits for it: while the first call
// of the solution before it loads code. Nothing of a solution is in it. Its context takes memory of the
// device, half a GB on an H200. To be used by one thread; begin() starts another.
class NextGuest {
 public:
  // `guests` must outlive it.
  NextGuest(GuestPool& guests, worker::UseDevice device) : guests_(guests), device_(std::move(device)) {}
  ~NextGuest() { wait(); }
  NextGuest(const NextGuest&) = delete;
  NextGuest& operator=(const NextGuest&) = delete;

  // Takes a guest that is ready from the pool, if there is one, and begins to start its device; does nothing
  // where that was done already. Whether there is something to take. Throws nothing.
  bool begin();

  // Until what begin() began has ended.
  void wait() const;

  // The guest, whose device is started. Null: there is none, its start has failed, which another one's will
  // say, or it has died since.
  [[nodiscard]] std::unique_ptr<worker::WorkerClient> take();

 private:
  GuestPool& guests_;
  worker::UseDevice device_;
  std::future<std::unique_ptr<worker::WorkerClient>> starting_;
};

}  // namespace fib::bench
