#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "sandbox/files.h"
#include "util/files.h"
#include "util/run_delay.h"
#include "worker/child.h"
#include "worker/guest_client.h"
#include "worker/judge_document.h"
#include "worker/messages.h"
#include "worker/watched_process.h"

namespace fib::worker {

// How children are started: the fib binary, the environment they get, and the folder for their private files.
struct ChildSetup {
  std::string program;  // path of the fib binary
  std::filesystem::path temporary;
  int start_timeout_ms = 30'000;
  std::uint32_t awake_us = 0;  // how long both ends look for the next message before they sleep
  // Bytes that all processes of a worker may have together, where the system can hold them to it; 0: no
  // limit.
  std::uint64_t memory_limit = 0;
  sandbox::FileAccess files = {};  // what the code of solutions, and Python code of references, may reach
};

// The clean environment of a child: PATH, the C locale, TMPDIR and HOME in `temporary`,
// OMP_WAIT_POLICY=passive and OPENBLAS_THREAD_TIMEOUT=4 (so that their threads sleep after their work instead
// of spinning into the next measurement), and CUDA's and the sanitizers' own variables where set.
[[nodiscard]] std::vector<std::string> clean_environment(const std::filesystem::path& temporary);

// The judge as the coordinator sees it. The judge is ours: any failure but a refusal throws JudgeLost, a
// refusal (a blob that is missing, say) throws Error with the judge's sentence. One thread.
class JudgeLost : public Error {
 public:
  using Error::Error;
};

struct DoorFds {
  std::uint32_t door = 0;
  util::UniqueFd inputs;
  util::UniqueFd outputs;
  bool on_device = false;
};

class JudgeClient {
 public:
  JudgeClient(Spawner& spawner, const ChildSetup& setup);

  // To be called first, when solutions run on a CUDA device.
  void use(const UseDevice& device);
  [[nodiscard]] DeviceState describe();
  [[nodiscard]] JudgeOpened open(const JudgeDocument& document);
  [[nodiscard]] DoorFds attach(const Attach& request);
  void detach(std::uint32_t door);
  // How far the outputs at one door are from those at another of the same workload, one finding an output.
  [[nodiscard]] std::vector<eval::OutputDifference> differ(std::uint32_t door, std::uint32_t expected);
  // Whether the set's expected outputs are kept, so that the reference need not make them.
  [[nodiscard]] bool knows(std::uint32_t door, const SetId& set);
  // Fills the door's inputs with the set and its outputs with new poison.
  void fill(std::uint32_t door, const SetId& set);
  // Keeps the door's outputs as the set's expected ones.
  void keep(std::uint32_t door, const SetId& set);
  // Judges the door's first `outputs` outputs.
  [[nodiscard]] eval::Judgement compare(std::uint32_t door, const SetId& set, std::size_t outputs);
  // What all calls compared at the door come to.
  [[nodiscard]] Concluded conclude(std::uint32_t door);

 private:
  Message ask(MessageType type, const std::string& payload, MessageType expected,
              const std::vector<int>& fds = {});
  Child child_;
};

// A solution or reference worker as the coordinator sees it. Everything it answers is checked; what it does
// wrong is a Failure. One thread.
class WorkerClient {
 public:
  // `name` is for messages: "the solution's worker". The process gets a private folder under setup.temporary,
  // which is removed with it. To be used by the thread that calls load(), which may be another than the one
  // that makes it. Throws Error when it cannot be started.
  WorkerClient(Spawner& spawner, const ChildSetup& setup, const std::string& name,
               std::uint64_t file_size_limit);

  // A guest: an interpreter that runs Python code (guest_client.h).
  WorkerClient(Spawner& spawner, const ChildSetup& setup, const GuestSetup& guest, const std::string& name,
               std::uint64_t file_size_limit);

  // Its name in the timeline, where what it is for is known after its start.
  void set_role(std::string role) { child_.set_role(std::move(role)); }

  // `document`, if there is one, and then `files` travel beside the request.
  [[nodiscard]] Answer<Loaded> load(const Load& request, std::int64_t deadline_ns,
                                    const std::string& document = {},
                                    const std::vector<util::UniqueFd>& files = {});
  [[nodiscard]] Answer<bool> open(const Open& workload, const DoorFds& door, std::int64_t deadline_ns);
  // From here on what the worker's threads use of the CPUs counts as part of the next call; to be called
  // before its inputs are written where the worker can read them.
  void begin_call();
  [[nodiscard]] Answer<bool> prepare(Clock clock, std::int64_t deadline_ns);
  // What a call took beside its run: the coordinator's clock around the two other requests, and the waiting
  // for a CPU in them.
  struct Beside {
    std::int64_t prepare_ns = 0;
    std::int64_t prepare_waited_ns = 0;
    std::int64_t collect_ns = 0;
    std::int64_t collect_waited_ns = 0;
    std::int64_t main_cpu_ns = 0;    // of the main thread from begin_call() to collect(), the run included
    std::int64_t others_cpu_ns = 0;  // of all others in that time, without the run
  };
  // The worker's claim, and the coordinator's own clock around the request. On the CPU both end when the
  // worker's threads and processes have come to rest.
  struct Ran {
    Done done;
    std::int64_t envelope_ns = 0;
    std::int64_t waited_ns = 0;      // of it, the worker's main thread was ready to run and had no CPU
    std::int64_t own_waited_ns = 0;  // the same of the coordinator's thread
    std::int64_t others_cpu_ns = 0;  // used by the worker's other threads and processes
    bool lost_processes = false;     // some may have ended meanwhile: they are not in it
    WatchedProcess::Worker at_work = WatchedProcess::Worker::kNobody;  // who never came to rest
    Beside beside{};                                                   // for the caller to keep with it
  };
  [[nodiscard]] Answer<Ran> run(Clock clock, std::int64_t deadline_ns);
  [[nodiscard]] Answer<Collected> collect(std::int64_t deadline_ns);
  // Of the last call, once it is collected.
  [[nodiscard]] const Beside& beside_last_call() const { return beside_; }

  // Stops the worker's process group, and lets it go on. A request to a stopped worker is not answered.
  void stop();
  void go_on();
  // The median of a few empty round trips, in nanoseconds.
  [[nodiscard]] Answer<std::int64_t> ping(std::int64_t deadline_ns);

  [[nodiscard]] std::string take_output() { return child_.take_output(); }
  [[nodiscard]] bool alive() const { return child_.alive(); }
  // Whether setup.memory_limit holds.
  [[nodiscard]] bool has_memory_group() { return child_.has_memory_group(); }
  // Whether it ended by a SIGKILL that did not come from here (spawner.h).
  [[nodiscard]] bool killed_by_others() { return child_.killed_by_others(); }

 private:
  [[nodiscard]] std::int64_t waiting_ns() const { return process_.waiting_ns() + own_delay_->ns(); }
  void await_rest(Ran& ran);

  util::TemporaryFolder folder_;
  Child child_;
  std::optional<util::RunDelay> own_delay_;  // of the thread that called load()
  bool is_on_cpu_ = false;                   // its calls; set by load()
  bool is_watched_ = false;                  // it runs code on the CPU that may leave work behind
  WatchedProcess process_;
  WatchedProcess::Usage call_began_;  // by begin_call()
  WatchedProcess::Usage run_ended_;
  Beside beside_;
};

}  // namespace fib::worker
