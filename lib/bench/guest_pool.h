#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "bench/package_bytecode.h"
#include "worker/clients.h"

namespace fib::bench {

// torch is installed and cannot be imported: nothing that can be said against a solution.
class BrokenTorch : public Error {
 public:
  using Error::Error;
};

// Interpreters that have imported torch and wait for something to run, so that a Python solution need not
// wait for that. Each serves one solution or reference and is never used again. take() may be called from one
// thread at a time.
class GuestPool {
 public:
  // Each guest is started when it is asked for, until expect() says otherwise. Where compiled modules of the
  // packages are missing in `bytecode` (may be null), they are made beside the first guests that are expected
  // on cores of their own, and before a guest that is not. References and `bytecode` must outlive the pool.
  GuestPool(worker::Spawner& spawner, const worker::ChildSetup& setup, const worker::GuestSetup& guest,
            PackageBytecode* bytecode = nullptr);
  // Guests that are being prepared are killed.
  ~GuestPool();
  GuestPool(const GuestPool&) = delete;
  GuestPool& operator=(const GuestPool&) = delete;

  // From now on so many guests are prepared before they are asked for, those included that wait already; at
  // most `ahead` of them wait at a time. What is being prepared comes in any case.
  void expect(std::size_t guests, unsigned ahead);

  // Nothing more is prepared; what is being prepared comes in any case.
  void stop();

  // Waits until none is being prepared: that would disturb who measures on the same cores.
  void settle();

  // How many were taken since this was asked last.
  [[nodiscard]] std::size_t taken();

  // A guest that has not been used. Throws BrokenTorch, from then on at once; Error when none can be started
  // for another reason.
  [[nodiscard]] std::unique_ptr<worker::WorkerClient> take();

  // The same, where one is ready now; else null.
  [[nodiscard]] std::unique_ptr<worker::WorkerClient> take_ready();

 private:
  std::unique_ptr<worker::WorkerClient> first_ready();  // that lives; null: none; mutex_ is held
  void prepare_guests();
  [[nodiscard]] bool is_done() const;    // nothing more is ever prepared; mutex_ is held
  [[nodiscard]] bool is_wanted() const;  // one more is to be prepared; mutex_ is held
  [[nodiscard]] std::unique_ptr<worker::WorkerClient> start();

  // How guests are started.
  struct Start {
    worker::Spawner& spawner;
    worker::ChildSetup children;
    worker::GuestSetup guest;
    PackageBytecode* bytecode;
  };
  const Start start_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t ahead_ = 0;
  std::size_t expected_ = 0;  // guests that may still be prepared
  std::size_t taken_ = 0;
  std::size_t in_preparation_ = 0;
  bool stopped_ = false;
  std::string broken_torch_;  // what is wrong with it
  std::vector<std::unique_ptr<worker::WorkerClient>> ready_;
  std::vector<std::thread> threads_;
};

}  // namespace fib::bench
