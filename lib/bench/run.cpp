#include "bench/run.h"

#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "dataset/append.h"
#include "dataset/paths.h"
#include "util/clock.h"
#include "util/errno_error.h"
#include "util/file_lock.h"
#include "util/files.h"
#include "util/machine.h"

namespace fib::bench {
namespace {

namespace fs = std::filesystem;

// One machine-wide place for the locks of all devices; a folder that every user can write to.
const char* const kLockFolder = "/tmp/fib-locks";

std::string make_secret() {
  std::array<unsigned char, 32> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    throw util::errno_error("cannot get random bytes from the system");
  }
  return fmt::format("{:02x}", fmt::join(bytes, ""));
}

// The plan is ordered by solution within a definition, so each one's evaluations stand together.
std::vector<const model::Solution*> solutions_of(const Plan& plan) {
  std::vector<const model::Solution*> solutions;
  for (const auto& planned : plan.evaluations) {
    if (solutions.empty() || solutions.back() != planned.solution) solutions.push_back(planned.solution);
  }
  return solutions;
}

// Kills all children as soon as the run is interrupted, so that no request waits for its deadline.
class InterruptWatch {
 public:
  InterruptWatch(const std::atomic<bool>& interrupted, worker::Spawner& spawner)
      : thread_([this, &interrupted, &spawner] {
          std::unique_lock lock(mutex_);
          while (!done_) {
            if (interrupted) spawner.kill_all();
            changed_.wait_for(lock, std::chrono::milliseconds(50));
          }
        }) {}
  ~InterruptWatch() {
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  std::thread thread_;
};

// Turns a lane's reports into traces on disk and counts.
class Recorder : public LaneObserver {
 public:
  Recorder(RunReport& report, TraceSink& sink, RunObserver& observer, std::size_t total)
      : report_(report), sink_(sink), observer_(observer), total_(total) {}

  void started(const PlannedEvaluation& planned) override {
    observer_.evaluation_started(planned, done(), total_);
  }
  void finished(const PlannedEvaluation& planned, const model::Evaluation& evaluation) override {
    sink_.append(planned, evaluation);
    ++report_.finished;
    if (evaluation.status == model::Status::PASSED) ++report_.passed;
    observer_.evaluation_finished(planned, evaluation, done(), total_);
  }
  void not_done(const PlannedEvaluation& planned, const std::string& reason) override {
    report_.not_done.push_back({planned, reason});
  }

 private:
  [[nodiscard]] std::size_t done() const { return report_.finished + report_.not_done.size(); }
  RunReport& report_;
  TraceSink& sink_;
  RunObserver& observer_;
  std::size_t total_;
};

void write_run_record(const std::vector<dataset::Dataset>& datasets, const RunIdentity& identity,
                      const RunConfig& config, const RunReport& report, const std::string& secret,
                      const std::string& started_utc) {
  const nlohmann::ordered_json record = {{"run_id", identity.run_id},
                                         {"version", identity.version},
                                         {"build_id", identity.build_id},
                                         {"hardware", identity.hardware},
                                         {"device", identity.device},
                                         {"config", to_json(config)},
                                         {"seed", secret},
                                         {"seeded", identity.seeded},
                                         {"started_utc", started_utc},
                                         {"ended_utc", util::utc_timestamp()},
                                         {"finished", report.finished},
                                         {"passed", report.passed},
                                         {"not_done", report.not_done.size()},
                                         {"interrupted", report.interrupted}};
  for (const auto& dataset : datasets) {
    dataset::append_lines(dataset::runs_file(dataset.root), {record.dump()});
  }
}

RunConfig with_defaults(RunConfig config) {
  if (config.memory_budget_bytes == 0) config.memory_budget_bytes = util::physical_memory() / 8;
  return config;
}

}  // namespace

RunReport run_on_cpu(const std::vector<dataset::Dataset>& datasets, const Plan& plan, const RunConfig& wanted,
                     const RunSetup& setup, RunObserver& observer, std::atomic<bool>& interrupted) {
  const RunConfig config = with_defaults(wanted);
  const std::string secret = config.seed.value_or(make_secret());
  RunReport report;
  report.run_id = util::utc_compact() + "-" + std::to_string(::getpid());
  const RunIdentity identity{report.run_id, worker::build_id(),     setup.version, setup.hardware,
                             "cpu",         config.seed.has_value()};
  const std::string started_utc = util::utc_timestamp();

  worker::Spawner spawner(setup.program);
  const util::TemporaryFolder temporary(fs::temp_directory_path(), "fib-run-");
  spawner.remove_at_end(temporary.path());
  const InterruptWatch watch(interrupted, spawner);
  const worker::ChildSetup children{setup.program, temporary.path()};

  // The keeper holds the device's lock too, until the last child is gone: a killed run must not overlap the
  // next.
  const auto lock =
      util::FileLock::take(fs::path(kLockFolder) / "cpu.lock", util::FileLock::Sharing::kMachine, [&] {
        observer.waiting_for_device("cpu");
        return !interrupted;
      });
  if (!lock) {
    report.interrupted = true;
    return report;
  }
  spawner.hold(lock->fd());

  const auto solutions = solutions_of(plan);
  std::size_t built = 0;
  const auto builds = build_all(
      spawner, children, solutions, setup.cache, config.build_timeout_s, util::usable_cores(),
      [&](const auto& solution, const auto& outcome) {
        observer.built(solution, outcome, ++built, solutions.size());
      },
      interrupted);

  TraceSink sink(datasets, setup.save_results, [&](const std::string& text) { observer.warning(text); });
  Recorder recorder(report, sink, observer, plan.evaluations.size());
  const LaneSetup lane_setup{spawner, children, config, identity, secret, datasets, builds, interrupted};
  if (!interrupted) Lane(lane_setup, recorder).run(plan.evaluations);
  report.interrupted = interrupted;
  if (setup.save_results) write_run_record(datasets, identity, config, report, secret, started_utc);
  return report;
}

}  // namespace fib::bench
