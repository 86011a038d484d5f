#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bench/counted_work.h"
#include "bench/evaluation.h"

// Judge, worker and reference without processes and without a device, for tests of what an evaluation asks
// them in which order, and of what it makes of their answers.
namespace fakes {

using namespace fib;

constexpr std::int64_t kMs = 1'000'000;  // in nanoseconds
constexpr std::uint32_t kSolutionDoor =
    2;  // of a scene's first evaluation; the reference's is made before it

// What the fakes share: a clock that only they move, and whether the solution's worker is stopped.
struct World {
  std::int64_t now_ns = 1'000 * kMs;
  bool stopped = false;
  std::size_t calls = 0;  // of the solution
};

class FakeJudge : public worker::Judge {
 public:
  explicit FakeJudge(World& world) : world_(world) {}

  worker::DeviceState describe() override {
    ask("describe");
    return {"a device", "flushed", R"({"max_sm_clock_mhz": 2000})"};
  }
  worker::DoorFds attach(const worker::Attach& request) override {
    ask("attach");
    attached.push_back(request);
    ++doors_open;
    const bool has_private = request.has_private && private_doors < most_private;
    private_doors += has_private ? 1 : 0;
    if (has_private) with_private_.insert(static_cast<std::uint32_t>(attached.size()));
    return {
        static_cast<std::uint32_t>(attached.size()), {}, {}, request.on_device, request.places, has_private};
  }
  void detach(std::uint32_t door) override {
    --doors_open;
    private_doors -= static_cast<int>(with_private_.erase(door));
    ask("detach");
    // Of the solution; the reference's is made first and given up last.
    if (doors_open > 1) return;
    const auto is_own = [](const worker::SetId& set) { return !set.owner.empty(); };
    kept.erase(std::remove_if(kept.begin(), kept.end(), is_own), kept.end());
  }
  bool knows(std::uint32_t /*door*/, const worker::SetId& set) override {
    ask("knows");
    return is_kept(set);
  }
  bool device_is_idle() override {
    ask("look around");
    return is_idle(++looks_around);
  }
  std::string counter_problem() override {
    ask("ask for counters");
    return no_counters;
  }
  std::string begin_count() override {
    ask("begin to count");
    ++counts_begun;
    calls_at_count_ = world_.calls;
    compared_at_count_ = compared.size();
    return stopped_counters;
  }
  worker::Counted end_count() override {
    ask("count");
    CHECK(world_.stopped);
    CHECK(compared.size() == compared_at_count_);  // the judge's own work would count, too
    const bool is_quiet = std::exchange(calls_at_count_, world_.calls) == world_.calls;
    if (is_quiet) return {{}, others_ns, others_engine_ns, others_bus_bytes};
    ++counted;
    return {{}, busy_ns(counted), engine_ns ? engine_ns(counted) : busy_ns(counted), bus_bytes};
  }
  double time_copies(std::uint32_t door) override {
    ask("time copies");
    CHECK(world_.stopped);
    CHECK(attached.at(door - 1).has_private);
    ++copies_timed;
    return copies_ns;
  }
  void fill(std::uint32_t door, const std::vector<worker::SetId>& sets) override {
    ask("fill");
    CHECK(sets.size() <= attached.at(door - 1).places);
    filled[door].insert(filled[door].end(), sets.begin(), sets.end());
    at_places[door] = sets;
    batches[door].push_back(sets.size());
    world_.now_ns += fill_ns;
  }
  void fill_private(std::uint32_t door, const worker::SetId& set) override {
    ask("fill");
    CHECK(world_.stopped);
    CHECK(attached.at(door - 1).has_private);
    private_sets_[door] = set;
    world_.now_ns += fill_ns;
  }
  void keep(std::uint32_t door, const std::vector<worker::SetId>& sets) override {
    ask("keep");
    CHECK(at_places[door] == sets);
    for (const auto& set : sets) {
      kept.push_back(set);
      if (kept.size() > most_kept) kept.pop_front();
    }
  }
  eval::Judgement compare(std::uint32_t door, const worker::SetId& set, std::size_t outputs,
                          const std::optional<worker::SetId>& next) override {
    ask("compare");
    CHECK(filled[door].back() == set);
    const auto judged = judge(set, outputs);
    if (next) {
      filled[door].push_back(*next);
      ++filled_ahead;
    }
    return judged;
  }
  eval::Judgement compare_private(std::uint32_t door, const worker::SetId& set,
                                  std::size_t outputs) override {
    ask("compare");
    CHECK(private_sets_.at(door) == set);
    CHECK(sampled_.count(door) == 1);
    ++compared_private;
    return judge(set, outputs);
  }
  void sample_private(std::uint32_t door) override {
    ask("sample");
    CHECK(private_sets_.count(door) == 1);
    CHECK(sampled_.insert(door).second);
    sampled_after.push_back(world_.calls);
  }
  worker::Concluded conclude(std::uint32_t /*door*/) override {
    ask("conclude");
    return conclusion(++conclusions);
  }

  std::string lost_at{};         // the request at which the judge is lost
  std::uint64_t lost_after = 0;  // requests of this kind that it still answers
  std::size_t most_kept = 1000;
  std::int64_t fill_ns = 0;
  bool needs_expected = true;
  // Of the call number n, from 1.
  std::function<eval::Judgement(std::size_t)> judgement = [](std::size_t) {
    return eval::Judgement{true, 0, 0, 1, {}};
  };
  std::function<worker::Concluded(int)> conclusion = [](int) {
    return worker::Concluded{{true, 0, 0, 1, {}}, {}};
  };

  int most_private = 1000;         // doors with private buffers that there is room for
  std::string no_counters{};       // why the device has none
  std::string stopped_counters{};  // why they cannot be read any more
  // Work of others, where no call was made since the count began.
  double others_ns = 0;
  double others_engine_ns = 0;
  double others_bus_bytes = 0;
  double copies_ns = 0;  // of outputs that are returned
  // All work since it began to be counted, at the count number n, from 1: of the multiprocessors, and of the
  // engine, where that is something else.
  std::function<double(int)> busy_ns = [](int) { return 0; };
  std::function<double(int)> engine_ns{};
  double bus_bytes = 0;

  std::function<bool(int)> is_idle = [](int) { return true; };  // the device, at the look number n, from 1

  // What was asked.
  int looks_around = 0;
  int counted = 0;
  int counts_begun = 0;
  int copies_timed = 0;
  int compared_private = 0;
  std::vector<std::size_t> sampled_after{};  // of how many calls
  std::vector<worker::Attach> attached{};
  int doors_open = 0;
  int private_doors = 0;
  std::map<std::uint32_t, std::vector<worker::SetId>> filled{};
  std::map<std::uint32_t, std::vector<worker::SetId>> at_places{};  // by the last request to fill
  std::map<std::uint32_t, std::vector<std::size_t>> batches{};      // how many sets each of them named
  std::deque<worker::SetId> kept{};
  std::vector<worker::SetId> compared{};
  int filled_ahead = 0;  // of filled, by a comparison
  std::size_t compared_outputs = 0;
  int conclusions = 0;

 private:
  eval::Judgement judge(const worker::SetId& set, std::size_t outputs) {
    if (needs_expected && !is_kept(set)) throw worker::JudgeLost("the set's expected outputs are not kept");
    compared.push_back(set);
    compared_outputs = outputs;
    return judgement(compared.size());
  }
  void ask(const std::string& request) {
    if (is_lost_ || (request == lost_at && lost_after-- == 0)) {
      is_lost_ = true;
      throw worker::JudgeLost("the judge is gone");
    }
  }
  [[nodiscard]] bool is_kept(const worker::SetId& set) const {
    return std::find(kept.begin(), kept.end(), set) != kept.end();
  }

  World& world_;
  std::map<std::uint32_t, worker::SetId> private_sets_{};  // by door
  std::set<std::uint32_t> sampled_{};
  std::set<std::uint32_t> with_private_{};
  bool is_lost_ = false;
  std::size_t compared_at_count_ = 0;
  std::size_t calls_at_count_ = 0;
};

// A call of `claim_ms` around which everything is as it should be.
inline worker::CallTimes call_of(double claim_ms) {
  worker::CallTimes times;
  times.done.elapsed_ns = claim_ms * kMs;
  times.done.host_ns = times.done.elapsed_ns;
  times.done.busy_ns = times.done.elapsed_ns;
  times.done.kernels = 1;
  times.done.streams = 1;
  times.done.clock_mhz = 1900;
  times.envelope_ns = static_cast<std::int64_t>(claim_ms * kMs) + 10'000;
  return times;
}

class FakeWorker : public worker::Worker {
 public:
  explicit FakeWorker(World& world) : world_(world) {}

  worker::Answer<bool> open(const worker::Open& workload, const worker::DoorFds& door,
                            std::int64_t deadline_ns) override {
    opened = workload;
    opened_doors.push_back(door.door);
    opened_in_ns_ = open_ns(opened_doors.size());
    world_.now_ns += opened_in_ns_;
    opened_on_device = door.on_device;
    deadlines.push_back(deadline_ns);
    if (const auto failed = failure_of("open")) return *failed;
    return true;
  }
  void begin_call(std::int64_t /*usual_prepare_ns*/, bool /*exact*/) override {
    CHECK_FALSE(world_.stopped);
    opened_in_ns_ = 0;
  }
  worker::Answer<bool> prepare(worker::Clock clock, std::int64_t /*deadline_ns*/) override {
    prepared_ = clock;
    if (const auto failed = failure_of("prepare")) return *failed;
    return true;
  }
  worker::Answer<worker::CallTimes> run(worker::Clock clock, std::int64_t deadline_ns) override {
    CHECK_FALSE(world_.stopped);
    CHECK(clock == prepared_);
    clocks.push_back(clock);
    ++world_.calls;
    deadlines.push_back(deadline_ns);
    const auto answer = times(clocks.size(), clock);
    world_.now_ns += answer.envelope_ns;
    if (const auto failed = failure_of("run")) return *failed;
    return answer;
  }
  worker::Answer<worker::Collected> collect(std::int64_t /*deadline_ns*/) override {
    if (const auto failed = failure_of("collect")) return *failed;
    beside_ = beside(prepared_);
    beside_.open_ns += opened_in_ns_;
    return collected;
  }
  void end_call() override {}
  const worker::CallTimes::Beside& beside_last_call() const override { return beside_; }
  void stop() override {
    CHECK_FALSE(world_.stopped);
    world_.stopped = true;
  }
  void go_on() override { world_.stopped = false; }
  std::string take_output() override { return "printed"; }

  std::string fails_at{};  // the request that fails, in call number fails_in
  std::size_t fails_in = 1;
  worker::Failure failure{worker::Failure::Kind::kDied, "it ended: SIGSEGV"};
  // Of the call number n, from 1.
  std::function<worker::CallTimes(std::size_t, worker::Clock)> times = [](std::size_t, worker::Clock) {
    return call_of(1);
  };
  // Of the last call, by its clock.
  std::function<worker::CallTimes::Beside(worker::Clock)> beside = [](worker::Clock) {
    return worker::CallTimes::Beside{};
  };
  worker::Collected collected{};

  // What was asked.
  // Of the workload opened number n, from 1.
  std::function<std::int64_t(std::size_t)> open_ns = [](std::size_t) { return 0; };
  std::optional<worker::Open> opened{};
  std::vector<std::uint32_t> opened_doors{};
  bool opened_on_device = false;
  std::vector<worker::Clock> clocks{};
  std::vector<std::int64_t> deadlines{};

 private:
  [[nodiscard]] std::optional<worker::Failure> failure_of(const std::string& request) const {
    const std::size_t call = clocks.size() + (request == "prepare" ? 1 : 0);
    if (request != fails_at || (request != "open" && call != fails_in)) return std::nullopt;
    return failure;
  }

  World& world_;
  worker::Clock prepared_{};
  worker::CallTimes::Beside beside_{};
  std::int64_t opened_in_ns_ = 0;  // since begin_call()
};

class FakeReference : public bench::Reference {
 public:
  explicit FakeReference(World& world) : world_(world) {}

  void start(const model::Definition& definition) override { started = &definition; }
  bool on_device() const override { return is_on_device; }
  void open(const eval::Layout& /*layout*/, const worker::DoorFds& door) override {
    opened_on_device = door.on_device;
    calls_since_open_ = 0;
    if (fails_at == "open") throw bench::ReferenceError("the reference failed: no");
  }
  std::vector<bench::ReferenceCall> calls(const eval::Layout& /*layout*/, std::uint32_t count,
                                          std::uint32_t timed) override {
    CHECK(world_.stopped);
    batches.push_back(count);
    timed_in_batches.push_back(std::min(timed, count));
    std::vector<bench::ReferenceCall> all;
    while (all.size() < count) {
      auto call = make_call();
      if (all.size() >= timed) call = {0, true, call.tied_rows, {}};
      all.push_back(std::move(call));
      // Nobody knows what the others take beside the work.
      if (all.size() == 1) all[0].times.beside.prepare_ns = first_prepare_ns;
    }
    return all;
  }
  const std::string& engine() const override { return engine_; }

  bool is_on_device = false;
  double call_ms = 2;
  std::function<double(int)> factor = [](int) { return 1; };  // of the call number n, from 1
  std::uint64_t tied_rows = 0;
  std::int64_t first_prepare_ns = 0;  // what Prepare takes in the first call of a batch
  std::string fails_at{};

  // What was asked.
  const model::Definition* started = nullptr;
  bool opened_on_device = false;
  int calls_made = 0;
  std::vector<std::uint32_t> batches{};  // their numbers of calls
  std::vector<std::uint32_t> timed_in_batches{};

 private:
  bench::ReferenceCall make_call() {
    ++calls_made;
    if (fails_at == "call") throw bench::ReferenceError("the reference failed: no");
    const double ms = call_ms * factor(calls_made);
    world_.now_ns += static_cast<std::int64_t>(ms * kMs);
    return {ms * kMs, ++calls_since_open_ <= 2, tied_rows, call_of(ms)};
  }

  World& world_;
  int calls_since_open_ = 0;
  std::string engine_ = "a reference";
};

// One evaluation of a solution with one input and one output of n float32 elements. To be changed before
// run().
class Scene {
 public:
  explicit Scene(std::int64_t n = 64) {
    definition = model::parse_definition(R"({"name": "d", "op_type": "x", "axes": {"n": {"type": "var"}},
        "inputs": {"x": {"shape": ["n"], "dtype": "float32"}},
        "outputs": {"y": {"shape": ["n"], "dtype": "float32"}},
        "reference": "def run(x):\n    return x\n"})");
    workload = model::parse_workload(
        fmt::format(R"({{"uuid": "w", "axes": {{"n": {}}}, "inputs": {{"x": {{"type": "random"}}}}}})", n));
    solution = model::parse_solution(R"({"name": "s", "definition": "d", "author": "a",
        "spec": {"language": "cpp", "target_hardware": ["cpu"], "entry_point": "a.cpp::run"},
        "sources": [{"path": "a.cpp", "content": "x"}]})");
    planned = {0, &definition, &solution, &workload};
    planned.set_owner = "own";
    judged.opened.workload = 7;
    judged.opened.layout = eval::make_layout(definition, workload);
    config.memory_budget_bytes = std::uint64_t{1} << 30U;
    config.num_trials = 2;
    config.warmup_runs = 2;
    config.iterations = 5;
    worker.collected.outputs = {{tensor::DType::kFloat32, {n}}};
  }

  // As many calls as the number needs.
  void use_noise(std::optional<double> noise = std::nullopt) {
    config.iterations.reset();
    config.num_trials.reset();
    config.warmup_runs.reset();
    config.noise = noise;
  }

  // On CUDA: kernels that fib launches itself.
  void use_launch_plan() {
    use_cuda();
    solution = model::parse_solution(R"({"name": "s", "definition": "d", "author": "a",
        "spec": {"language": "cuda", "target_hardware": ["cuda"], "entry_point": "a.cu::run",
                 "launch": {"grid": 1, "block": 32}},
        "sources": [{"path": "a.cu", "content": "x"}]})");
    symbols = {"run"};
  }

  void use_cuda() {
    device.kind = model::DeviceKind::cuda;
    reference.is_on_device = true;
  }

  // The evaluation, and its count where it wants one.
  bench::Measurement run() {
    auto m = evaluate();
    if (m.count_wanted) bench::count_work(parts(), m);
    return m;
  }
  bench::Measurement evaluate() { return bench::EvaluationRun(parts()).run(); }

  bench::EvaluationParts parts() {
    return {config,
            device,
            judge,
            reference,
            worker,
            facts,
            judged,
            planned,
            symbols,
            secret,
            [this] { return world.now_ns; },
            [this] {
              quiet_after.push_back(worker.clocks.size());
              quiet_after_reference.push_back(reference.calls_made);
            },
            counts_work};
  }

  // How many calls were made by this clock.
  [[nodiscard]] std::ptrdiff_t calls_by(worker::Clock clock) const {
    return std::count(worker.clocks.begin(), worker.clocks.end(), clock);
  }

  World world{};
  std::string secret = "secret";
  bench::RunConfig config{};
  bench::LaneDevice device{};
  FakeJudge judge{world};
  FakeReference reference{world};
  FakeWorker worker{world};
  bench::WorkerFacts facts{};
  bench::JudgedWorkload judged{};
  model::Definition definition{};
  model::Workload workload{};
  model::Solution solution{};
  bench::PlannedEvaluation planned{};
  std::vector<std::string> symbols{};
  bool counts_work = false;                  // by the device's own counters
  std::vector<std::size_t> quiet_after{};    // after how many calls it was waited until nothing else happens
  std::vector<int> quiet_after_reference{};  // and after how many of the reference
};

constexpr std::size_t kCalls = 14;  // of a scene: two trials of two warm-up calls and five timed ones

inline std::vector<worker::SetId> sets_of(const std::string& owner, std::uint64_t first, std::uint64_t end) {
  std::vector<worker::SetId> sets;
  for (std::uint64_t call = first; call < end; ++call) sets.push_back({owner, call});
  return sets;
}

}  // namespace fakes
