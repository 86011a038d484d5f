#pragma once

#include <cuda.h>

#include <csignal>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "device/cuda/api_effect.h"
#include "device/cuda/context.h"
#include "device/cuda/refused_launch.h"

namespace fib::device::cuda {

// One call of the driver's functions that is about to happen, or has.
struct ApiCall {
  Effect effect = Effect::kNone;
  CUstream stream = nullptr;  // where it queues something; never 0: the default streams have their own names
  bool knows_stream = true;   // false: it queues something on a stream that fib cannot name
  std::uint32_t correlation = 0;   // CUPTI's number of it, which records of its work carry
  bool in_this_context = true;     // it is made in the context that is timed
  bool gives_work = false;         // to the device, or holds a stream back: launches, copies, sets, waits
  bool is_launch = false;          // of kernels or of a graph, for which CUPTI makes records
  CUevent event = nullptr;         // that it records
  CUresult result = CUDA_SUCCESS;  // when it has happened
};

// Tells of calls of the CUDA driver by this process that may give the device work or wait for it, also of
// those that the CUDA run time makes, by CUPTI's callbacks. No records are made, so that kernels run as ever;
// a launch takes the host 0.2 us longer. CUPTI knows one subscriber a process.
class ApiWatcher {
 public:
  class Listener {
   public:
    virtual ~Listener() = default;
    // Just before and just after a call, on the thread that makes it. What the listener itself calls is not
    // told. Must not throw.
    virtual void before(const ApiCall& call) = 0;
    virtual void after(const ApiCall& call) = 0;
  };

  // Throws Error with one sentence when CUPTI is missing, too old, or refuses (another profiler is attached).
  explicit ApiWatcher(const Context& context);
  ~ApiWatcher();
  ApiWatcher(const ApiWatcher&) = delete;
  ApiWatcher& operator=(const ApiWatcher&) = delete;

  // From here on `listener` is told, until the next stop(). The first start() switches CUPTI's callbacks on;
  // that takes a tenth of a millisecond, so they stay on.
  void start(Listener& listener);
  void stop();

  // How often anybody but fib itself (OwnWork) has given the device work while nobody listened, since the
  // last time that this was asked.
  [[nodiscard]] std::uint64_t take_unheard();

  // Whether anybody has let a node of a graph record one of the events of which `is_own` is true, since
  // callbacks are on; also where the node's parameters could not be read. What a graph does later, when it is
  // launched, nobody is told.
  [[nodiscard]] bool graphs_record(const std::function<bool(CUevent)>& is_own) const;

  // The first launch of a kernel that the driver has refused for what it asks for, not for an error before
  // it, since the last time that this was asked, and since callbacks are on, whoever made it. Any thread.
  [[nodiscard]] std::optional<RefusedLaunch> take_refused();

 private:
  class Subscription;
  std::unique_ptr<Subscription> subscription_;
};

// While one lives, what this thread gives the device does not count as unheard. Signals wait meanwhile, since
// their handlers are not fib's, unless this is around a call, whose threads would inherit that.
class OwnWork {
 public:
  enum class Signals { kWait, kCome };
  explicit OwnWork(Signals signals = Signals::kWait);
  ~OwnWork();
  OwnWork(const OwnWork&) = delete;
  OwnWork& operator=(const OwnWork&) = delete;

 private:
  sigset_t signals_{};  // that were held back before
};

}  // namespace fib::device::cuda
