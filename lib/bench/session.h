#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "bench/config.h"
#include "bench/device_processes.h"
#include "bench/environment.h"
#include "bench/guest_pools.h"
#include "bench/interrupt_watch.h"
#include "bench/run_folder.h"
#include "util/file_lock.h"

namespace fib::bench {

// Owns the processes of a command, and what they share: the keeper of all children, the folder of their
// temporary files, the locks of devices, fib's own kernels, and interpreters that have imported torch and
// wait for something to run. Runs, checks and probes are made in one, one after the other; a process has one
// at a time. No process that has run code of a solution or a reference is kept. One thread, where nothing
// else is said.
class Session {
 public:
  // Starts nothing. Once `interrupted` is true (set by any thread), all children are killed. It and
  // `timeline` (may be null) must outlive this.
  Session(Environment environment, const std::atomic<bool>& interrupted, util::Timeline* timeline = nullptr);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // To be called first, and when another run begins; `config` says what code of solutions may reach. Where
  // the keeper is lost, another is started, and what it held is made anew. Throws Error.
  void begin(const RunConfig& config);

  // Takes the machine-wide lock of a device, until give_up_devices() or the end, and waits for it; false when
  // `stops` says so. `waiting` is told the device's name, every 100 ms, while another run holds it. The
  // keeper holds the lock too, until the last child is gone: a killed run must not overlap the next. Any
  // thread. Throws Error as util::FileLock does.
  [[nodiscard]] bool take(const LaneDevice& device, const std::function<void(const std::string&)>& waiting,
                          const std::function<bool()>& stops);

  // Builds fib's kernels for the devices, where they are not in the cache, and begins to prepare
  // interpreters, on cores of their own where there are enough. Throws Error.
  void prepare(const GuestNeed& need);

  // All is built: from now on this process, and what the keeper starts, keep to the cores that measure, where
  // prepare() has given others to interpreters. On the CPU it waits for interpreters that are being prepared,
  // which would disturb.
  void begin_measuring();

  // The end of a process, as its client's, which was killed: the driver takes some 0.1 s to take down each
  // context of a GPU, and there are results to tell meanwhile. Any thread.
  void leave_to_end(std::shared_ptr<const void> client);
  // Until those have ended. Any thread.
  void await_ends();

  // A run has ended: others may have the devices, once its processes have ended.
  void give_up_devices();

  // Between two runs, the next of which has the same settings, and before the devices are given up: makes
  // processes of the next run ready (device_processes.h), and begins to prepare as many interpreters as the
  // last one took. What fails here will be told by whoever needs it.
  void prepare_next(NativeReference reference);

  // How processes are started that work on a device; with interpreters and fib's kernels after prepare(). Any
  // thread, while no function that changes the session is called.
  [[nodiscard]] DeviceProcesses processes(const LaneDevice& device, worker::Flush flush) const;

  // How children are started that work on none: builders, say.
  [[nodiscard]] const worker::ChildSetup& children() const { return children_; }

  [[nodiscard]] const Environment& environment() const { return environment_; }
  [[nodiscard]] worker::Spawner& spawner() const { return *spawner_; }
  [[nodiscard]] const std::filesystem::path& temporary() const { return folder_->path(); }
  [[nodiscard]] util::Timeline* timeline() const { return timeline_; }
  [[nodiscard]] const std::atomic<bool>& interrupted() const { return interrupted_; }

 private:
  void start_keeper();

  Environment environment_;
  const std::atomic<bool>& interrupted_;
  util::Timeline* timeline_;
  std::unique_ptr<worker::Spawner> spawner_;
  std::optional<RunFolder> folder_;
  std::optional<InterruptWatch> watch_;
  worker::ChildSetup children_;
  std::mutex mutex_;
  std::map<std::string, util::FileLock> locks_;  // by device
  std::map<std::string, std::string> kernels_;   // by architecture: the path of the cubin
  GuestPools guests_;
  worker::Flush flush_{};                                       // of the run that began last
  std::map<std::string, std::shared_ptr<NextProcesses>> next_;  // by device
  std::vector<std::shared_ptr<const void>> leaving_;            // after everything that they need
};

}  // namespace fib::bench
