#include "bench/run.h"

#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <set>
#include <span>
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

constexpr std::uint32_t kAwakeUs = 500;

std::string make_secret() {
  std::array<unsigned char, 32> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    throw util::errno_error("cannot get random bytes from the system");
  }
  return fmt::format("{:02x}", fmt::join(bytes, ""));
}

std::set<std::string> architectures_of(const std::vector<LaneDevice>& devices) {
  std::set<std::string> architectures;
  for (const auto& device : devices) architectures.insert(device.architecture);
  return architectures;
}

// The plan is ordered by solution within a definition, so each one's evaluations stand together.
std::vector<BuildJob> jobs_of(const Plan& plan, const std::vector<LaneDevice>& devices) {
  std::vector<BuildJob> jobs;
  for (const auto& architecture : architectures_of(devices)) {
    const model::Solution* last = nullptr;
    for (const auto& planned : plan.evaluations) {
      if (planned.solution == last) continue;
      last = planned.solution;
      jobs.push_back({last, planned.definition, {devices.front().kind, architecture}});
    }
  }
  return jobs;
}

// Gives lanes the next piece of the plan: evaluations of one solution, so that its worker is started once,
// but no more than leaves work for the other lanes.
class WorkQueue {
 public:
  WorkQueue(const Plan& plan, std::size_t lanes)
      : evaluations_(plan.evaluations), largest_(lanes == 1 ? evaluations_.size() : largest_piece(lanes)) {}

  std::span<const PlannedEvaluation> next() {
    const std::lock_guard lock(mutex_);
    const std::size_t begin = next_;
    while (next_ < evaluations_.size() && next_ - begin < largest_ &&
           evaluations_[next_].solution == evaluations_[begin].solution) {
      ++next_;
    }
    return evaluations_.subspan(begin, next_ - begin);
  }

 private:
  [[nodiscard]] std::size_t largest_piece(std::size_t lanes) const {
    return std::max<std::size_t>(1, evaluations_.size() / (4 * lanes));
  }
  std::mutex mutex_;
  std::span<const PlannedEvaluation> evaluations_;
  std::size_t largest_;
  std::size_t next_ = 0;
};

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
    const std::lock_guard lock(mutex_);
    observer_.evaluation_started(planned, done(), total_);
  }
  void finished(const PlannedEvaluation& planned, const model::Evaluation& evaluation) override {
    const std::lock_guard lock(mutex_);
    sink_.append(planned, evaluation);
    ++report_.finished;
    if (evaluation.status == model::Status::PASSED) ++report_.passed;
    observer_.evaluation_finished(planned, evaluation, done(), total_);
  }
  void not_done(const PlannedEvaluation& planned, const std::string& reason) override {
    const std::lock_guard lock(mutex_);
    report_.not_done.push_back({planned, reason});
  }

 private:
  [[nodiscard]] std::size_t done() const { return report_.finished + report_.not_done.size(); }
  std::mutex mutex_;
  RunReport& report_;
  TraceSink& sink_;
  RunObserver& observer_;
  std::size_t total_;
};

std::vector<std::string> names_of(const std::vector<LaneDevice>& devices) {
  std::vector<std::string> names;
  for (const auto& device : devices) names.push_back(device.uuid.empty() ? device.name : device.uuid);
  return names;
}

void write_run_record(const std::vector<dataset::Dataset>& datasets, const RunSetup& setup,
                      const RunIdentity& identity, const RunConfig& config, const RunReport& report,
                      const std::string& secret, const std::string& started_utc) {
  const nlohmann::ordered_json record = {{"run_id", identity.run_id},
                                         {"version", identity.version},
                                         {"build_id", identity.build_id},
                                         {"hardware", setup.devices.front().name},
                                         {"device", model::name_of(setup.devices.front().kind)},
                                         {"devices", names_of(setup.devices)},
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

// The machine-wide name of a device's lock.
std::string lock_name(const LaneDevice& device) {
  return (device.is_cuda() ? "cuda-" + device.uuid : std::string("cpu")) + ".lock";
}

// Waits for the device; nothing when `stop` says so. The keeper holds the lock too, until the last child is
// gone: a killed run must not overlap the next.
std::optional<util::FileLock> take_device(const LaneDevice& device, worker::Spawner& spawner,
                                          RunObserver& observer, const std::function<bool()>& stop) {
  auto lock =
      util::FileLock::take(fs::path(kLockFolder) / lock_name(device), util::FileLock::Sharing::kMachine, [&] {
        observer.waiting_for_device(device.is_cuda() ? fmt::format("{} ({})", device.name, device.uuid)
                                                     : "cpu");
        return !stop();
      });
  if (lock) spawner.hold(lock->fd());
  return lock;
}

// One run's lanes: everything they share.
class Lanes {
 public:
  Lanes(const LaneSetup& common, const RunSetup& setup, const Plan& plan, LaneObserver& recorder,
        RunObserver& observer)
      : common_(common),
        setup_(setup),
        queue_(plan, setup.devices.size()),
        recorder_(recorder),
        observer_(observer) {}

  void run() {
    std::vector<std::thread> threads;
    for (const auto& device : setup_.devices) threads.emplace_back([this, &device] { guarded(device); });
    for (auto& thread : threads) thread.join();
    // What is left when every lane has closed.
    for (auto piece = queue_.next(); !piece.empty() && !common_.interrupted; piece = queue_.next()) {
      for (const auto& planned : piece) recorder_.not_done(planned, problem_);
    }
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  // A lane that throws (a disk is full, say) ends the run, with what it threw.
  void guarded(const LaneDevice& device) {
    try {
      run_lane(device);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
    }
  }

  [[nodiscard]] bool failed() {
    const std::lock_guard lock(mutex_);
    return failure_ != nullptr;
  }

  void run_lane(const LaneDevice& device) {
    std::optional<util::FileLock> lock;  // the CPU's is taken before anything is built
    if (device.is_cuda()) {
      lock =
          take_device(device, common_.spawner, observer_, [this] { return common_.interrupted || failed(); });
      if (!lock) return;
    }
    LaneSetup setup = common_;
    setup.device = device;
    // Judge, worker, reference and coordinator of a GPU may each keep a core awake; on the CPU they would
    // disturb.
    const bool cores_to_spare = util::usable_cores() >= 4 * setup_.devices.size() + 2;
    if (device.is_cuda() && cores_to_spare) setup.children.awake_us = kAwakeUs;
    setup.identity.hardware = device.name;
    setup.identity.device = model::name_of(device.kind);
    setup.identity.uuid = device.uuid;
    setup.reference_threads =
        std::max<unsigned>(1, util::usable_cores() / static_cast<unsigned>(setup_.devices.size()));
    Lane lane(setup, recorder_);
    while (lane.closed().empty() && !common_.interrupted && !failed()) {
      const auto piece = queue_.next();
      if (piece.empty()) return;
      lane.run(piece);
    }
    const std::lock_guard guard(mutex_);
    problem_ = lane.closed();
  }

  const LaneSetup& common_;
  const RunSetup& setup_;
  WorkQueue queue_;
  LaneObserver& recorder_;
  RunObserver& observer_;
  std::mutex mutex_;
  std::string problem_;
  std::exception_ptr failure_;
};

}  // namespace

RunReport run(const std::vector<dataset::Dataset>& datasets, const Plan& plan, const RunConfig& wanted,
              const RunSetup& wanted_setup, RunObserver& observer, std::atomic<bool>& interrupted) {
  const RunConfig config = with_defaults(wanted);
  RunSetup setup = wanted_setup;
  const std::string secret = config.seed.value_or(make_secret());
  RunReport report;
  report.run_id = util::utc_compact() + "-" + std::to_string(::getpid());
  const RunIdentity identity{report.run_id,          worker::build_id(), setup.version, {}, {}, {},
                             config.seed.has_value()};
  const std::string started_utc = util::utc_timestamp();

  worker::Spawner spawner(setup.program);
  const util::TemporaryFolder temporary(fs::temp_directory_path(), "fib-run-");
  spawner.remove_at_end(temporary.path());
  const InterruptWatch watch(interrupted, spawner);
  const worker::ChildSetup children{setup.program, temporary.path()};

  // On the CPU a build would disturb another run's measurements.
  std::optional<util::FileLock> cpu_lock;
  if (!setup.devices.front().is_cuda()) {
    cpu_lock = take_device(setup.devices.front(), spawner, observer, [&] { return interrupted.load(); });
    report.interrupted = !cpu_lock;
    if (!cpu_lock) return report;
  }
  for (auto& device : setup.devices) {
    if (device.is_cuda()) {
      device.kernels_path = build_device_kernels(spawner, children, device.architecture, setup.cache);
    }
  }
  const auto jobs = jobs_of(plan, setup.devices);
  std::size_t built = 0;
  const auto builds = build_all(
      spawner, children, jobs, setup.cache, config.build_timeout_s, util::usable_cores(),
      [&](const auto& solution, const auto& outcome) {
        observer.built(solution, outcome, ++built, jobs.size());
      },
      interrupted);

  TraceSink sink(datasets, setup.save_results, [&](const std::string& text) { observer.warning(text); });
  Recorder recorder(report, sink, observer, plan.evaluations.size());
  const LaneSetup lane_setup{spawner, children, config,   identity, {},
                             1,       secret,   datasets, builds,   interrupted};
  if (!interrupted) Lanes(lane_setup, setup, plan, recorder, observer).run();
  report.interrupted = interrupted;
  if (setup.save_results) write_run_record(datasets, setup, identity, config, report, secret, started_utc);
  return report;
}

}  // namespace fib::bench
