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
#include "worker/judge.h"
#include "worker/judge_document.h"
#include "worker/judge_messages.h"
#include "worker/watched_process.h"
#include "worker/worker.h"
#include "worker/worker_messages.h"

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
  std::string device_uuid = {};    // CUDA: the only device that the child sees; empty: all that fib sees
};

// The clean environment of a child: PATH, the C locale, TMPDIR and HOME in `temporary`,
// OMP_WAIT_POLICY=passive and OPENBLAS_THREAD_TIMEOUT=4 (so that their threads sleep after their work instead
// of spinning into the next measurement), and CUDA's and the sanitizers' own variables where set.
// With `device_uuid` CUDA shows that device alone.
[[nodiscard]] std::vector<std::string> clean_environment(const std::filesystem::path& temporary,
                                                         const std::string& device_uuid = {});

// The judge's process. The judge is ours: any failure but a refusal throws JudgeLost, a refusal (a blob that
// is missing, say) throws Error with the judge's sentence.
class JudgeClient : public Judge {
 public:
  JudgeClient(Spawner& spawner, const ChildSetup& setup);

  // To be called first, when solutions run on a CUDA device.
  void use(const UseDevice& device);
  [[nodiscard]] JudgeOpened open(const JudgeDocument& document);
  // How far the outputs at one door are from those at another of the same workload, one finding an output.
  [[nodiscard]] std::vector<eval::OutputDifference> differ(std::uint32_t door, std::uint32_t expected);

  [[nodiscard]] DeviceState describe() override;
  [[nodiscard]] DoorFds attach(const Attach& request) override;
  void detach(std::uint32_t door) override;
  [[nodiscard]] bool knows(std::uint32_t door, const SetId& set) override;
  [[nodiscard]] bool device_is_idle() override;
  [[nodiscard]] std::string counter_problem() override;
  [[nodiscard]] std::string begin_count() override;
  [[nodiscard]] Counted end_count() override;
  [[nodiscard]] double time_copies(std::uint32_t door) override;
  void fill_private(std::uint32_t door, const SetId& set) override;
  void sample_private(std::uint32_t door) override;
  [[nodiscard]] eval::Judgement compare_private(std::uint32_t door, const SetId& set,
                                                std::size_t outputs) override;
  void fill(std::uint32_t door, const std::vector<SetId>& sets) override;
  void keep(std::uint32_t door, const std::vector<SetId>& sets) override;
  [[nodiscard]] eval::Judgement compare(std::uint32_t door, const SetId& set, std::size_t outputs,
                                        const std::optional<SetId>& next) override;
  [[nodiscard]] Concluded conclude(std::uint32_t door) override;

  // Kills it without waiting for its end, for which the destructor waits.
  void kill() { child_.kill(); }

 private:
  Message ask(MessageType type, const std::string& payload, MessageType expected,
              const std::vector<int>& fds = {});
  Child child_;
};

// A worker's process. Everything it answers is checked.
class WorkerClient : public Worker {
 public:
  // `name` is for messages: "the solution's worker". The process gets a private folder under setup.temporary,
  // which is removed with it. Calls are to be made by the thread that opens their workload, which may
  // be another than those that make, start and load it. Throws Error when it cannot be started.
  WorkerClient(Spawner& spawner, const ChildSetup& setup, const std::string& name,
               std::uint64_t file_size_limit);

  // A guest: an interpreter that runs Python code (guest_client.h).
  WorkerClient(Spawner& spawner, const ChildSetup& setup, const GuestSetup& guest, const std::string& name,
               std::uint64_t file_size_limit);

  // Its name in the timeline, where what it is for is known after its start.
  void set_role(std::string role) { child_.set_role(std::move(role)); }

  // Of a worker for a compiled solution, to be called first, once. What fails here is no solution's fault.
  [[nodiscard]] Answer<bool> confine(const Confine& request, std::int64_t deadline_ns);
  // Then, once: starts the device. `files` travel beside the request. What fails here is no
  // solution's fault, of which nothing is there yet.
  [[nodiscard]] Answer<bool> start(const Start& request, std::int64_t deadline_ns,
                                   const std::vector<util::UniqueFd>& files = {});
  // Then, where calls will be timed, and no other process works on the device: measures what its clock reads
  // of nothing. No solution's fault either.
  [[nodiscard]] Answer<bool> calibrate(std::int64_t deadline_ns);
  // Then. `document`, if there is one, and then `files` travel beside the request (4 at most together).
  [[nodiscard]] Answer<Loaded> load(const Load& request, std::int64_t deadline_ns,
                                    const std::string& document = {},
                                    const std::vector<util::UniqueFd>& files = {});
  [[nodiscard]] Answer<bool> open(const Open& workload, const DoorFds& door,
                                  std::int64_t deadline_ns) override;
  void begin_call(std::int64_t usual_prepare_ns, bool exact) override;
  void end_call() override;
  [[nodiscard]] Answer<bool> prepare(Clock clock, std::int64_t deadline_ns) override;
  [[nodiscard]] Answer<CallTimes> run(Clock clock, std::int64_t deadline_ns) override;
  [[nodiscard]] Answer<Collected> collect(std::int64_t deadline_ns) override;
  [[nodiscard]] const CallTimes::Beside& beside_last_call() const override { return beside_; }
  void stop() override;
  void go_on() override;
  [[nodiscard]] std::string take_output() override { return child_.take_output(); }

  // Several whole calls by one request, of which nothing is known but what the worker says: for a reference.
  [[nodiscard]] Answer<Called> calls(const CallsRequest& request, std::int64_t deadline_ns);

  // All that just-in-time compilers of a guest's solution have made, with what Load brought, packed
  // (packed_folder.h), as the solution's process says. Empty: nothing but that, or too much.
  [[nodiscard]] Answer<std::string> take_jit_files(std::int64_t deadline_ns);

  // The median of a few empty round trips, in nanoseconds.
  [[nodiscard]] Answer<std::int64_t> ping(std::int64_t deadline_ns);

  [[nodiscard]] bool alive() const { return child_.alive(); }
  [[nodiscard]] bool is_started() const { return is_started_; }
  // Kills it without waiting for its end, for which the destructor waits.
  void kill() { child_.kill(); }
  // Whether setup.memory_limit holds.
  [[nodiscard]] bool has_memory_group() { return child_.has_memory_group(); }
  // Whether it ended by a SIGKILL that did not come from here (spawner.h).
  [[nodiscard]] bool killed_by_others() { return child_.killed_by_others(); }

 private:
  [[nodiscard]] std::int64_t waiting_ns() const { return process_.waiting_ns() + own_delay_->ns(); }
  void await_rest(CallTimes& times);
  // The main thread's CPU time when it slept; nothing where it was not waited for, or did not come to rest.
  std::optional<std::int64_t> await_main_thread(const WatchedProcess::Usage& before_run);
  [[nodiscard]] bool took_long_to_prepare() const;
  // For the timeline, where this clock is a device's; not more than the coordinator's clock saw.
  void add_device_work(Clock clock, double ns, std::int64_t most_ns, std::uint64_t calls) const;

  util::TemporaryFolder folder_;
  Child child_;
  std::optional<util::RunDelay> own_delay_;  // of the thread that called open()
  bool is_started_ = false;
  bool is_on_cpu_ = false;   // its calls; set by start()
  std::string device_uuid_;  // where they are; likewise
  bool is_watched_ = false;  // it runs code on the CPU that may leave work behind
  WatchedProcess process_;
  WatchedProcess::Usage call_began_;  // by begin_call(); on CUDA of calls that are exact
  bool is_exact_ = false;             // the call is, on CUDA
  std::int64_t usual_prepare_ns_ = 0;
  WatchedProcess::Usage prepare_began_;
  WatchedProcess::Usage collected_;  // when collect() had been answered and the main thread slept
  WatchedProcess::Usage run_ended_;
  // What threads but the main one had used when the call before ended: what they use until the next begins is
  // the next one's. Nothing where the worker was stopped then or in between: its threads wake up.
  std::optional<std::int64_t> ended_others_ns_;
  CallTimes::Beside beside_;
};

}  // namespace fib::worker
