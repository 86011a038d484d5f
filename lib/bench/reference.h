#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "eval/layout.h"
#include "model/definition.h"
#include "model/obstacle.h"
#include "util/error.h"
#include "worker/worker.h"

namespace fib::bench {

// The definition's reference cannot give an expected output: nothing that can be said against a solution.
class ReferenceError : public Error {
 public:
  explicit ReferenceError(const std::string& why,
                          model::ObstacleCode because = model::ObstacleCode::reference_failed)
      : Error("{}", why), code(because) {}
  model::ObstacleCode code;
};

// One call of a reference, its time in nanoseconds. `cold`: it tells little, for the first calls of a
// workload pay for fresh memory and for code that is loaded, and show which clock is right, as a solution's
// do; or the GPU was busy with other work; or nobody has timed it.
struct ReferenceCall {
  double ns = 0;
  bool cold = false;
  std::uint64_t tied_rows = 0;  // the native engine's choices among equals (reference/engine.h)
  worker::CallTimes times{};
};

// What makes expected outputs, as an evaluation needs it. Throws ReferenceError when the reference fails;
// Error where this machine cannot make its worker. One thread.
class Reference {
 public:
  virtual ~Reference() = default;

  // Makes sure that this definition's reference is ready to be called.
  virtual void start(const model::Definition& definition) = 0;
  // Whether the reference of start() runs on the solutions' device, with its buffers there.
  [[nodiscard]] virtual bool on_device() const = 0;
  // Opens a workload of the definition of start() at the door.
  virtual void open(const eval::Layout& layout, const worker::DoorFds& door) = 0;
  // `count` calls, at least one, on the inputs that lie at the first places of the door; the outputs lie
  // there afterwards. The first is made by the steps of a solution's call, and tells what those take; of the
  // others `times` has the worker's claim alone. So many of the first are `timed`, at least one; where that
  // saves time, the others are not.
  [[nodiscard]] virtual std::vector<ReferenceCall> calls(const eval::Layout& layout, std::uint32_t count,
                                                         std::uint32_t timed) = 0;
  // The engine's description, once a definition has been started.
  [[nodiscard]] virtual const std::string& engine() const = 0;
};

}  // namespace fib::bench
