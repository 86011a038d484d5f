#pragma once

#include <functional>
#include <future>
#include <memory>
#include <string>

#include "bench/guest_pool.h"
#include "worker/messages.h"

namespace fib::bench {

// What a worker can be made ready for before it is known which solution or reference it will run.
struct WorkerKind {
  bool is_guest = false;      // Python code
  worker::Confine confine{};  // of a guest: no more than `files`
  worker::Start start{};
};

// The worker of the next solution, or of the next reference in the native engine, which is made ready before
// anybody waits for it. Nothing of a solution or a reference is in it. To be used by one thread; begin() and
// begin_again() start another.
class NextWorker {
 public:
  NextWorker() = default;
  ~NextWorker() { wait(); }
  NextWorker(const NextWorker&) = delete;
  NextWorker& operator=(const NextWorker&) = delete;

  // Whether a worker's device is started, too.
  enum class Device { kStarts, kLater };
  // It may throw, and may return null, where there is no such worker.
  using Make = std::function<std::unique_ptr<worker::WorkerClient>()>;
  // Calls `make` in another thread. Does nothing while one that was begun before has not been taken, unless
  // begin_again() began it for another kind. Throws nothing.
  void begin(WorkerKind kind, Device device, Make make);

  // What begin_again() would begin, with its device: the first that this is called for since it did. What
  // `make` refers to must outlive this.
  void likely_again(WorkerKind kind, Make make);

  // Between two runs: begins what the next one is likely to begin with, where that is known.
  void begin_again();

  // At the end of a run: ends what begin() began, and nobody took.
  void end_unused();

  // Ends what was begun and not taken, if there is something.
  void end();

  // Of what was begun and not taken.
  [[nodiscard]] bool starts_device() const { return made_.valid() && device_ == Device::kStarts; }

  // Until what begin() began has ended.
  void wait() const;

  // The worker, which is_started() where its device is. Null: there is none of this kind, it could not be
  // made, which the attempt to make another will explain, or it has died since. One of another kind that
  // begin_again() began is ended.
  [[nodiscard]] std::unique_ptr<worker::WorkerClient> take(const WorkerKind& kind);

 private:
  [[nodiscard]] bool is_for(const WorkerKind& kind) const;

  WorkerKind kind_;
  Device device_ = Device::kLater;
  bool is_of_earlier_run_ = false;
  WorkerKind likely_kind_;
  Make likely_make_;  // empty: nothing is likely
  std::future<std::unique_ptr<worker::WorkerClient>> made_;
};

// Until when a worker has to be confined, and its device started.
[[nodiscard]] std::int64_t start_limit();

constexpr const char* kSolutionsWorker = "the solution's worker";
constexpr const char* kReferencesWorker = "the reference's worker";
constexpr const char* kNextWorker = "the next solution's worker";

// A guest that is ready in the pool, if there is one, with its device started. Its context takes memory of
// the device, half a GB on an H200. Null: there is none, or its device cannot be started.
[[nodiscard]] std::unique_ptr<worker::WorkerClient> started_guest(GuestPool& guests,
                                                                  const worker::UseDevice& device);

// A new worker for what is no Python code, confined; `role` is its name in the timeline, `name` in sentences.
// Throws Error.
[[nodiscard]] std::unique_ptr<worker::WorkerClient> confined_worker(
    worker::Spawner& spawner, const worker::ChildSetup& children, const worker::Confine& request,
    const std::string& role, const std::string& name = kSolutionsWorker);

}  // namespace fib::bench
