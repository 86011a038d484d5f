#pragma once

#include <functional>
#include <future>
#include <memory>
#include <string>

#include "bench/config.h"
#include "bench/device_processes.h"
#include "bench/reference.h"
#include "model/definition.h"
#include "worker/clients.h"

namespace fib::bench {

// Keeps one reference worker for the current definition and lets it make expected outputs, through the same
// calls as every solution.
class ReferenceRunner : public Reference {
 public:
  // `warn` is told, once, that references run in the native engine though there is a Python with torch, and
  // why. `processes` must outlive the runner.
  ReferenceRunner(
      const DeviceProcesses& processes, ReferenceEngine engine,
      std::function<void(const std::string&)> warn = [](const std::string&) {})
      : processes_(processes), wanted_(engine), warn_(std::move(warn)) {}

  // Begins to start the worker, and its device, in another thread, where nothing is timed meanwhile; start()
  // waits for it. Throws nothing.
  void begin(const model::Definition& definition);
  // Until what begin() began has ended.
  void await() const;

  // A choice that is left to fib falls on the native engine from the moment on that torch is seen not to be
  // imported, or not to reach the device.
  void start(const model::Definition& definition) override;

  [[nodiscard]] bool on_device() const override { return runs_python_; }
  void open(const eval::Layout& layout, const worker::DoorFds& door) override;
  [[nodiscard]] std::vector<ReferenceCall> calls(const eval::Layout& layout, std::uint32_t count,
                                                 std::uint32_t timed) override;
  [[nodiscard]] const std::string& engine() const override { return engine_; }

  // Its worker, killed, for whoever waits for its end: nothing is asked of it any more. May be null.
  [[nodiscard]] std::unique_ptr<worker::WorkerClient> give_up();

 private:
  [[nodiscard]] bool is_ready(const model::Definition& definition) const;
  [[nodiscard]] bool wants_python() const;
  [[nodiscard]] ReferenceCall first_call(const eval::Layout& layout);
  [[nodiscard]] ReferenceCall checked(const eval::Layout& layout, const worker::CallTimes& times,
                                      const worker::Collected& collected, worker::Clock clock);
  [[nodiscard]] bool is_cold(const worker::Done& done, worker::Clock clock);
  void start_worker(const model::Definition& definition);
  void start_python(const model::Definition& definition);
  void load_python(const model::Definition& definition);
  void start_native(const model::Definition& definition);
  void start_without_torch(const model::Definition& definition, const std::string& why);
  template <typename T>
  T expect(worker::Answer<T> answer);

  const DeviceProcesses& processes_;
  ReferenceEngine wanted_;
  std::function<void(const std::string&)> warn_;
  const model::Definition* definition_ = nullptr;
  std::unique_ptr<worker::WorkerClient> worker_;
  bool runs_python_ = false;
  std::string python_failed_;  // why torch cannot be imported, or does not reach the device; empty: it does
  worker::Clock clock_ = worker::Clock::kHost;
  int calls_ = 0;            // since the workload was opened
  bool has_tracer_ = false;  // the worker has a second clock
  std::string engine_;
  const model::Definition* begun_ = nullptr;
  std::future<void> ready_;  // of begin(); the last member, since its end is waited for
};

}  // namespace fib::bench
