#pragma once

#include <memory>
#include <optional>
#include <string>

#include "model/definition.h"
#include "worker/clients.h"

namespace fib::bench {

// The definition's reference cannot give an expected output: nothing that can be said against a solution.
class ReferenceError : public Error {
 public:
  using Error::Error;
};

// Keeps one reference worker for the current definition and lets it make expected outputs, through the same
// calls as every solution. One thread. Throws ReferenceError when the reference fails.
class ReferenceRunner {
 public:
  // `gpu_uuid`: the lane's GPU, which the engine may use; empty on the CPU.
  ReferenceRunner(worker::Spawner& spawner, const worker::ChildSetup& setup, unsigned threads,
                  std::string gpu_uuid)
      : spawner_(spawner), setup_(setup), threads_(threads), gpu_uuid_(std::move(gpu_uuid)) {}

  // Opens a workload of `definition` at the door, starting a new worker when the definition is another one.
  void open(const model::Definition& definition, const eval::Layout& layout, const worker::DoorFds& door);

  // One call on the inputs that lie at the door; the outputs lie there afterwards. Nanoseconds of the call.
  [[nodiscard]] double call(const eval::Layout& layout);

  // The engine's description, once a worker has been started.
  [[nodiscard]] const std::string& engine() const { return engine_; }

 private:
  void start(const model::Definition& definition);
  template <typename T>
  T expect(worker::Answer<T> answer);

  worker::Spawner& spawner_;
  worker::ChildSetup setup_;
  unsigned threads_;
  std::string gpu_uuid_;
  const model::Definition* definition_ = nullptr;
  std::unique_ptr<worker::WorkerClient> worker_;
  std::string engine_;
};

}  // namespace fib::bench
