#include "bench/run.h"

#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <exception>
#include <mutex>
#include <set>
#include <span>
#include <thread>

#include "bench/cores.h"
#include "bench/device_lock.h"
#include "bench/interrupt_watch.h"
#include "bench/memory_limits.h"
#include "bench/python_code.h"
#include "bench/run_folder.h"
#include "bench/run_record.h"
#include "bench/solution_files.h"
#include "util/clock.h"
#include "util/errno_error.h"
#include "util/files.h"
#include "util/hash.h"
#include "util/machine.h"

namespace fib::bench {
namespace {

namespace fs = std::filesystem;

// Longer than most calls take: on virtual machines each wake-up costs some 50 us, and a call has ten
// requests.
constexpr std::uint32_t kAwakeUs = 3000;

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

// Every solution once, in the plan's order, for every architecture.
std::vector<BuildJob> jobs_of(const Plan& plan, const RunSetup& setup, const RunConfig& config) {
  std::vector<BuildJob> jobs;
  for (const auto& architecture : architectures_of(setup.devices)) {
    std::set<const model::Solution*> known;
    for (const auto& planned : plan.evaluations) {
      if (!known.insert(planned.solution).second) continue;
      jobs.push_back(
          {planned.solution, planned.definition,
           build_target(setup.devices.front().kind, architecture, config, setup.python, setup.tvm_ffi)});
    }
  }
  return jobs;
}

// What is left of the cores when each job has one is for more compilers of a job; four at most, since nvcc
// takes 1 GB and more, and a compiler of torch's headers 1.5 GB.
void share_compilers(std::vector<BuildJob>& jobs) {
  constexpr std::size_t kMostAtOnce = 4;
  for (auto& job : jobs)
    job.target.compilers =
        static_cast<unsigned>(std::clamp<std::size_t>(util::usable_cores() / jobs.size(), 1, kMostAtOnce));
}

// Gives lanes the next piece of the plan: evaluations of one solution at one point of the sweep, so that its
// worker is started once, but no more than leaves work for the other lanes.
class WorkQueue {
 public:
  WorkQueue(const Plan& plan, std::size_t lanes)
      : evaluations_(plan.evaluations), largest_(lanes == 1 ? evaluations_.size() : largest_piece(lanes)) {}

  std::span<const PlannedEvaluation> next() {
    const std::lock_guard lock(mutex_);
    const std::size_t begin = next_;
    while (next_ < evaluations_.size() && next_ - begin < largest_ &&
           evaluations_[next_].solution == evaluations_[begin].solution &&
           evaluations_[next_].point == evaluations_[begin].point) {
      ++next_;
    }
    return evaluations_.subspan(begin, next_ - begin);
  }

  // What next() would begin with now; another lane may take it. Null: nothing is left.
  [[nodiscard]] const PlannedEvaluation* upcoming() {
    const std::lock_guard lock(mutex_);
    return next_ < evaluations_.size() ? &evaluations_[next_] : nullptr;
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

// Turns a lane's reports into traces on disk and counts.
class Recorder : public LaneObserver {
 public:
  Recorder(RunReport& report, TraceSink& sink, RunObserver& observer, EarlyEnd& early_end, std::size_t total)
      : report_(report), sink_(sink), observer_(observer), early_end_(early_end), total_(total) {}

  void started(const PlannedEvaluation& planned) override {
    const std::lock_guard lock(mutex_);
    observer_.evaluation_started(planned, done(), total_);
  }
  void finished(const PlannedEvaluation& planned, const model::Evaluation& evaluation) override {
    const std::lock_guard lock(mutex_);
    sink_.append(planned, evaluation);
    ++report_.finished;
    if (evaluation.status == model::Status::PASSED) {
      ++report_.passed;
    } else {
      ++report_.failed[std::string(model::name_of(evaluation.status))];
    }
    observer_.evaluation_finished(planned, evaluation, done(), total_);
    early_end_.finished(planned, evaluation);
  }
  void not_done(const PlannedEvaluation& planned, model::Fault fault, const std::string& reason) override {
    const std::lock_guard lock(mutex_);
    report_.not_done.push_back({planned, fault, reason});
  }
  void warning(const std::string& text) override {
    const std::lock_guard lock(mutex_);
    observer_.warning(text);
  }

 private:
  [[nodiscard]] std::size_t done() const { return report_.finished + report_.not_done.size(); }
  std::mutex mutex_;
  RunReport& report_;
  TraceSink& sink_;
  RunObserver& observer_;
  EarlyEnd& early_end_;
  std::size_t total_;
};

Sweep with_defaults(Sweep sweep) {
  for (auto& [config, values] : sweep.points) {
    if (config.memory_budget_bytes == 0) config.memory_budget_bytes = util::physical_memory() / 8;
  }
  return sweep;
}

// The secret of one point of the sweep: what a solution has learned of its inputs at one point must not help
// at another. The same run without a sweep has the run's own.
std::string secret_of(const std::string& secret, const SweepPoint& point) {
  if (point.values.is_null()) return secret;
  return util::Sha256().add("point").add(secret).add(point.values.dump()).hex();
}

// What runs Python code in every lane (lane.h).
struct GuestsSetup {
  std::optional<worker::GuestSetup> guest = {};
  std::string no_torch = {};
  unsigned ahead = 0;
  std::size_t expected = 0;
  std::map<std::string, GuestPool*> pools = {};  // by device; none: there is no Python
};

bool wants_guest(const model::Solution& solution) {
  using model::Language;
  return solution.spec.language == Language::python || solution.spec.language == Language::triton ||
         solution.spec.language == Language::tilelang || solution.spec.binding == model::Binding::torch;
}

// How many guests the plan takes: one a solution and point, and one a definition for its reference.
std::size_t guests_of(const Plan& plan, bool for_references) {
  std::set<std::pair<const void*, std::size_t>> guests;
  for (const auto& planned : plan.evaluations) {
    if (wants_guest(*planned.solution)) guests.emplace(planned.solution, planned.point);
    if (for_references) guests.emplace(planned.definition, planned.point);
  }
  return guests.size();
}

std::vector<std::string> packages_of(const Plan& plan) {
  const bool triton = std::any_of(plan.evaluations.begin(), plan.evaluations.end(), [](const auto& planned) {
    return planned.solution->spec.language == model::Language::triton;
  });
  return triton ? std::vector<std::string>{"torch", "triton"} : std::vector<std::string>{"torch"};
}

// Where solutions run on GPUs and there are cores enough, guests are prepared ahead on cores of their own.
GuestsSetup plan_guests(const RunSetup& setup, const Plan& plan, const RunConfig& config,
                        RunProcesses& processes) {
  GuestsSetup guests;
  guests.no_torch = why_no_torch(setup.python, setup.devices.front().is_cuda());
  if (!setup.python) return guests;
  guests.guest.emplace();
  guests.guest->python = setup.python->path;
  guests.guest->packages = packages_of(plan);
  const bool for_references = guests.no_torch.empty() && config.reference != ReferenceEngine::kNative;
  const std::size_t lanes = setup.devices.size();
  const std::size_t all = guests_of(plan, for_references);
  if (!setup.devices.front().is_cuda() || all == 0) return guests;
  const auto& shares = processes.share(static_cast<unsigned>(lanes));
  if (!shares) return guests;
  guests.guest->cores = shares->preparing;
  guests.guest->cores_when_used = shares->lanes;
  guests.ahead = std::max<unsigned>(1, static_cast<unsigned>(shares->preparing.size() / lanes));
  guests.expected = (all + lanes - 1) / lanes;
  return guests;
}

// Judge, worker, reference and coordinator of a GPU may each keep one of the cores awake that measure on so
// many devices; on the CPU they would disturb.
worker::ChildSetup children_on(const LaneDevice& device, worker::ChildSetup children, std::size_t cores,
                               std::size_t devices) {
  if (device.is_cuda() && cores >= 4 * devices + 2) children.awake_us = kAwakeUs;
  return children;
}

// Where solutions run on GPUs, guests are prepared on cores of their own from here on, beside builds, and
// while others are measured.
void begin_guests(GuestsSetup& guests, const RunSetup& setup, const worker::ChildSetup& children,
                  RunProcesses& processes) {
  if (!guests.guest) return;
  const auto& measuring = guests.guest->cores_when_used;
  const std::size_t cores = measuring.empty() ? util::usable_cores() : measuring.size();
  for (const auto& device : setup.devices) {
    worker::GuestSetup guest = *guests.guest;
    guest.device_uuid = device.uuid;
    GuestPool& pool = processes.guests(
        device.uuid, children_on(device, children, cores, setup.devices.size()), guest, *setup.python);
    pool.expect(guests.expected, guests.ahead);
    guests.pools[device.uuid] = &pool;
  }
}

// What lanes share.
struct LanesSetup {
  RunProcesses& processes;
  worker::Spawner& spawner;
  bool keeps_processes;  // for the next run
  const worker::ChildSetup& children;
  const Sweep& sweep;
  const RunIdentity& identity;
  const std::string& secret;
  const std::vector<dataset::Dataset>& datasets;
  const std::map<BuildKey, BuildOutcome>& builds;
  const std::vector<LaneDevice>& devices;
  const GuestsSetup& guests;
  JitCache& jit_cache;
  const std::atomic<bool>& interrupted;
  const EarlyEnd& early_end;
  FailureCounts& failures;

  // Whether no evaluation may begin.
  [[nodiscard]] bool stops() const { return interrupted || early_end.cause(); }
};

// A device's lock as long as a run needs it. The keeper holds it too, which may live on.
struct DeviceTurn {
  explicit DeviceTurn(bool keeper_stays) : keeper_stays_(keeper_stays) {}
  ~DeviceTurn() {
    if (lock && keeper_stays_) lock->give_up();
  }
  DeviceTurn(const DeviceTurn&) = delete;
  DeviceTurn& operator=(const DeviceTurn&) = delete;

  std::optional<util::FileLock> lock{};

 private:
  bool keeper_stays_;
};

// One run's lanes.
class Lanes {
 public:
  Lanes(const LanesSetup& setup, const Plan& plan, LaneObserver& recorder, RunObserver& observer)
      : setup_(setup), queue_(plan, setup.devices.size()), recorder_(recorder), observer_(observer) {
    // On the CPU what is being prepared would disturb the measurements.
    for (const auto& [uuid, pool] : setup.guests.pools) {
      if (!setup.devices.front().is_cuda()) pool->settle();
    }
  }

  void run() {
    std::vector<std::thread> threads;
    for (const auto& device : setup_.devices) threads.emplace_back([this, &device] { guarded(device); });
    for (auto& thread : threads) thread.join();
    // What is left when every lane has closed.
    for (auto piece = queue_.next(); !piece.empty() && !setup_.stops(); piece = queue_.next()) {
      for (const auto& planned : piece) recorder_.not_done(planned, model::Fault::machine, problem_);
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
    DeviceTurn turn{setup_.keeps_processes};  // the CPU's is taken before anything is built
    if (device.is_cuda()) {
      turn.lock = take_device(
          device, setup_.spawner, [this](const std::string& name) { observer_.waiting_for_device(name); },
          [this] { return setup_.stops() || failed() || setup_.spawner.lost(); });
      if (!turn.lock) return without_device();
    }
    for (auto piece = queue_.next(); !piece.empty();) {
      if (!run_point(device, piece)) return;
    }
  }

  void without_device() {
    if (!setup_.spawner.lost()) return;
    const std::lock_guard guard(mutex_);
    problem_ = setup_.spawner.loss();
  }

  // One point of the sweep, or what this lane gets of it: from `piece`, which is then the first of the next
  // point or empty. False when the lane cannot go on.
  bool run_point(const LaneDevice& device, std::span<const PlannedEvaluation>& piece) {
    const std::size_t point = piece.front().point;
    const LaneSetup setup = lane_setup(device, setup_.sweep.points[point]);
    Lane lane(setup, recorder_);
    while (!piece.empty() && piece.front().point == point) {
      if (setup_.stops() || failed()) return false;
      const auto* upcoming = queue_.upcoming();
      lane.run(piece, upcoming != nullptr && upcoming->point == point ? upcoming : nullptr);
      if (!lane.closed().empty()) return closed(lane);
      piece = queue_.next();
    }
    return true;
  }

  bool closed(const Lane& lane) {
    const std::lock_guard guard(mutex_);
    problem_ = lane.closed();
    return false;
  }

  [[nodiscard]] LaneSetup lane_setup(const LaneDevice& device, const SweepPoint& point) const {
    const auto lanes = static_cast<unsigned>(setup_.devices.size());
    LaneSetup setup{setup_.spawner,
                    setup_.children,
                    point.config,
                    setup_.identity,
                    device,
                    std::max<unsigned>(1, util::usable_cores() / lanes),
                    secret_of(setup_.secret, point),
                    setup_.datasets,
                    setup_.builds,
                    setup_.interrupted,
                    setup_.early_end,
                    setup_.failures};
    const auto pool = setup_.guests.pools.find(device.uuid);
    setup.guests = pool != setup_.guests.pools.end() ? pool->second : nullptr;
    setup.no_torch = setup_.guests.no_torch;
    // With a known seed a solution could find there what it computed for the same inputs before.
    if (!point.config.seed) setup.jit_cache = &setup_.jit_cache;
    setup.children = children_on(device, setup_.children, util::usable_cores(), setup_.devices.size());
    setup.identity.hardware = device.name;
    setup.identity.device = model::name_of(device.kind);
    setup.identity.uuid = device.uuid;
    setup.identity.multiprocessor = device.multiprocessor;
    return setup;
  }

  const LanesSetup& setup_;
  WorkQueue queue_;
  LaneObserver& recorder_;
  RunObserver& observer_;
  std::mutex mutex_;
  std::string problem_;
  std::exception_ptr failure_;
};

}  // namespace

RunReport run(const std::vector<dataset::Dataset>& datasets, const Plan& plan, const Sweep& wanted,
              const RunSetup& wanted_setup, RunObserver& observer, std::atomic<bool>& interrupted) {
  const Sweep sweep = with_defaults(wanted);
  const RunConfig& config = sweep.points.front().config;  // for what is the same at all points
  RunSetup setup = wanted_setup;
  if (config.sandbox == sandbox::Mode::kStrict) expect_whole_sandbox(setup.program);
  const std::string secret = config.seed.value_or(make_secret());
  EarlyEnd early_end(setup.limits, util::monotonic_ns);
  FailureCounts failures(setup.limits.skip_after);
  RunReport report;
  report.run_id = util::utc_compact() + "-" + std::to_string(::getpid());
  const RunIdentity identity{report.run_id,
                             worker::build_id(),
                             setup.version,
                             {},
                             {},
                             {},
                             config.seed.has_value(),
                             setup.python,
                             setup.tvm_ffi ? setup.tvm_ffi->version : "",
                             setup.tags,
                             setup.load};
  const RunRecorder record(datasets, plan, sweep, wanted_setup, identity, secret);

  std::optional<RunProcesses> own;
  RunProcesses& processes =
      setup.processes != nullptr ? *setup.processes : own.emplace(setup.program, setup.cache, setup.timeline);
  processes.begin();
  worker::Spawner& spawner = processes.spawner();
  const InterruptWatch watch(interrupted, spawner);
  worker::ChildSetup children{setup.program, processes.temporary()};
  children.files = files_of_solutions(config, setup.devices.front().kind, setup.python);
  children.memory_limit = memory_limit(children.files);

  // On the CPU a build would disturb another run's measurements.
  DeviceTurn cpu_turn{setup.processes != nullptr};
  if (!setup.devices.front().is_cuda()) {
    cpu_turn.lock = take_device(
        setup.devices.front(), spawner, [&](const std::string& name) { observer.waiting_for_device(name); },
        [&] { return interrupted || spawner.lost(); });
    if (!cpu_turn.lock && !interrupted) throw worker::KeeperLost("{}", spawner.loss());
    report.interrupted = !cpu_turn.lock;
    if (!cpu_turn.lock) return report;
  }
  for (auto& device : setup.devices) {
    if (device.is_cuda()) {
      device.kernels_path = build_device_kernels(spawner, children, device.architecture, setup.cache);
    }
  }
  GuestsSetup guests = plan_guests(setup, plan, config, processes);
  begin_guests(guests, setup, children, processes);
  auto jobs = jobs_of(plan, setup, config);
  share_compilers(jobs);
  std::size_t built = 0;
  const auto builds = [&] {
    const util::Timeline::Span span(setup.timeline, 0, worker::kCoordinator, "all builds");
    return build_all(
        spawner, children, jobs, setup.cache, config.build_timeout_s, util::usable_cores(),
        [&](const auto& solution, const auto& outcome) {
          observer.built(solution, outcome, ++built, jobs.size());
        },
        [&] { return interrupted || early_end.cause(); });
  }();

  TraceSink sink(datasets, setup.save_results, [&](const std::string& text) { observer.warning(text); });
  Recorder recorder(report, sink, observer, early_end, plan.evaluations.size());
  processes.keep_to_measuring_cores();
  JitCache jit_cache(setup.cache);
  const LanesSetup lanes_setup{processes,     spawner,   setup.processes != nullptr,
                               children,      sweep,     identity,
                               secret,        datasets,  builds,
                               setup.devices, guests,    jit_cache,
                               interrupted,   early_end, failures};
  if (!interrupted) Lanes(lanes_setup, plan, recorder, observer).run();
  report.interrupted = interrupted;
  if (spawner.lost() && !interrupted) report.ended_early = spawner.loss();
  report.not_begun = plan.evaluations.size() - report.finished - report.not_done.size();
  const auto cause = early_end.cause();
  const bool is_ended = cause == EarlyEnd::Cause::failure || (cause && report.not_begun > 0);
  if (is_ended && !interrupted && report.ended_early.empty()) {
    report.limit = cause;
    report.ended_early = early_end.text();
  }
  if (setup.save_results) record.write(report);
  return report;
}

}  // namespace fib::bench
