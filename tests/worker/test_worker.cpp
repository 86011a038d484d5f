#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>

#include "sandbox/files.h"
#include "support/places.h"
#include "support/temporary.h"
#include "util/clock.h"
#include "util/command.h"
#include "util/files.h"
#include "util/machine.h"
#include "worker/clients.h"
#include "worker/process_tree.h"

using namespace fib;
using worker::Failure;

namespace {

std::int64_t in_seconds(int seconds) { return util::monotonic_ns() + std::int64_t{seconds} * 1'000'000'000; }

model::Definition add_definition() {
  return model::parse_definition(R"({"name": "add", "op_type": "test", "axes": {"n": {"type": "var"}},
    "inputs": {"a": {"shape": ["n"], "dtype": "float32"}, "b": {"shape": ["n"], "dtype": "float32"}},
    "outputs": {"c": {"shape": ["n"], "dtype": "float32"}}, "reference": "def run(a, b):\n    return a + b\n"})");
}

worker::JudgeDocument add_document() {
  worker::JudgeDocument document;
  document.definition = add_definition();
  document.workload = model::parse_workload(R"({"axes": {"n": 1000}, "inputs": {}, "uuid": "w"})");
  document.secret = "secret";
  document.memory_budget_bytes = 10000;  // two sets of expected outputs
  return document;
}

struct Fixture {
  testing::TemporaryFolder folder;
  worker::Spawner spawner{testing::fib_binary()};
  worker::ChildSetup setup{testing::fib_binary(), folder.path()};
  worker::JudgeClient judge{spawner, setup};
  worker::JudgeOpened opened = judge.open(add_document());
  worker::DoorFds door = judge.attach({opened.workload, false});
};

std::vector<float> floats_at(int fd, std::size_t offset, std::size_t count) {
  std::vector<float> values(count);
  REQUIRE(::pread(fd, values.data(), count * 4, static_cast<off_t>(offset)) ==
          static_cast<ssize_t>(count * 4));
  return values;
}

void write_sum(const Fixture& f) {
  const auto a = floats_at(f.door.inputs.get(), f.opened.layout.inputs[0].offset, 1000);
  const auto b = floats_at(f.door.inputs.get(), f.opened.layout.inputs[1].offset, 1000);
  std::vector<float> c(1000);
  for (std::size_t i = 0; i < 1000; ++i) c[i] = a[i] + b[i];
  REQUIRE(::pwrite(f.door.outputs.get(), c.data(), 4000, 0) == 4000);
}

// A native reference of a and b. The inputs are a and b in this order: arguments are bound by name.
void start_difference(worker::WorkerClient& client, sandbox::Mode mode = sandbox::Mode::kAuto) {
  sandbox::FileAccess files;
  files.mode = mode;
  worker::Start start;
  start.kind = worker::TargetKind::kReference;
  start.data_limit_bytes = std::uint64_t{1} << 30U;
  REQUIRE(std::holds_alternative<bool>(client.confine({files.to_json()}, in_seconds(5))));
  REQUIRE(std::holds_alternative<bool>(client.start(start, in_seconds(5))));
  const auto loaded =
      client.load({}, in_seconds(30),
                  R"({"source": "import torch\ndef run(b, a):\n    torch.topk(a * 0, 3)\n    return a - b\n",
          "inputs": ["a", "b"], "outputs": ["c"]})");
  REQUIRE(std::holds_alternative<worker::Loaded>(loaded));
  CHECK(std::get<worker::Loaded>(loaded).engine.find("native") == 0);
}

// Whether the outputs at a place of the door are a - b of its inputs.
bool holds_difference(const Fixture& f, const worker::DoorFds& door, std::size_t place) {
  const auto& layout = f.opened.layout;
  const std::size_t begin = place * layout.input_stride();
  const auto a = floats_at(door.inputs.get(), begin + layout.inputs[0].offset, 1000);
  const auto b = floats_at(door.inputs.get(), begin + layout.inputs[1].offset, 1000);
  const auto c = floats_at(door.outputs.get(), place * layout.output_stride(), 1000);
  for (std::size_t i = 0; i < 1000; ++i) {
    if (c[i] != a[i] - b[i]) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("a set is a function of secret, workload, solution and call") {
  Fixture f;
  const auto read = [&] { return floats_at(f.door.inputs.get(), 0, 1000); };
  f.judge.fill(f.door.door, {{"one", 0}});
  const auto first = read();
  f.judge.fill(f.door.door, {{"one", 1}});
  CHECK(read() != first);
  f.judge.fill(f.door.door, {{"two", 0}});
  CHECK(read() != first);
  f.judge.fill(f.door.door, {{"one", 0}});
  CHECK(read() == first);
}

TEST_CASE("the poison is new for every call and an output that keeps it is unwritten") {
  Fixture f;
  const worker::SetId set{"", 0};
  f.judge.fill(f.door.door, {set});
  write_sum(f);
  f.judge.keep(f.door.door, {set});
  const auto bits = [&] {
    std::uint32_t word = 0;
    REQUIRE(::pread(f.door.outputs.get(), &word, 4, 0) == 4);
    return word;
  };
  f.judge.fill(f.door.door, {set});
  const auto first = bits();
  const auto verdict = f.judge.compare(f.door.door, set, 1, std::nullopt);
  CHECK_FALSE(verdict.correct);
  CHECK(verdict.explanation.find("1000 of 1000 elements were never written") != std::string::npos);
  f.judge.fill(f.door.door, {set});
  CHECK(bits() != first);
  write_sum(f);
  CHECK(f.judge.compare(f.door.door, set, 1, std::nullopt).correct);
}

TEST_CASE("several sets at the places of one door are those of a door for each, and so are their outputs") {
  Fixture f;
  const auto many = f.judge.attach({f.opened.workload, false, false, 3});
  CHECK(many.places == 3);
  const std::vector<worker::SetId> sets = {{"one", 0}, {"one", 1}};
  f.judge.fill(many.door, sets);
  const std::size_t input_stride = f.opened.layout.input_stride();
  const std::size_t output_stride = f.opened.layout.output_stride();
  for (std::size_t place = 0; place < sets.size(); ++place) {
    f.judge.fill(f.door.door, {sets[place]});
    CHECK(floats_at(many.inputs.get(), place * input_stride, 1000) ==
          floats_at(f.door.inputs.get(), 0, 1000));
    write_sum(f);
    const auto sum = floats_at(f.door.outputs.get(), 0, 1000);
    REQUIRE(::pwrite(many.outputs.get(), sum.data(), 4000, static_cast<off_t>(place * output_stride)) ==
            4000);
  }
  f.judge.keep(many.door, sets);
  for (const auto& set : sets) {
    f.judge.fill(f.door.door, {set});
    write_sum(f);
    CHECK(f.judge.compare(f.door.door, set, 1, std::nullopt).correct);
  }
}

TEST_CASE("a door takes as many sets as it has places, and a solution's has one") {
  Fixture f;
  CHECK_THROWS_WITH(f.judge.fill(f.door.door, {{"one", 0}, {"one", 1}}), Catch::Contains("places"));
  CHECK_THROWS_WITH(f.judge.attach({f.opened.workload, false, true, 2}), Catch::Contains("place"));
  CHECK_THROWS_WITH(f.judge.attach({f.opened.workload, false, false, 0}), Catch::Contains("place"));
  const auto many = f.judge.attach({f.opened.workload, false, false, 0xffffffffU});
  const std::uint64_t place = f.opened.layout.input_stride() + f.opened.layout.output_stride();
  CHECK(many.places == util::physical_memory() / 32 / place);
}

TEST_CASE("expected outputs of a solution's own set are needed once, those of a shared set again") {
  Fixture f;
  for (const char* owner : {"", "one"}) {
    const worker::SetId set{owner, 0};
    f.judge.fill(f.door.door, {set});
    write_sum(f);
    f.judge.keep(f.door.door, {set});
    CHECK(f.judge.compare(f.door.door, set, 1, std::nullopt).correct);
    CHECK(f.judge.knows(f.door.door, set) == set.owner.empty());
  }
}

TEST_CASE("a rule that compares element by element has nothing to add at the end") {
  Fixture f;
  CHECK(f.opened.calls_wanted == 0);
  const auto concluded = f.judge.conclude(f.door.door);
  CHECK(concluded.judgement.correct);
  CHECK(concluded.extra.empty());
}

TEST_CASE("the judge says how far the outputs at two doors are apart, whatever the poison was") {
  Fixture f;
  const auto other = f.judge.attach({f.opened.workload, false});
  const worker::SetId set{"", 0};
  for (const auto number : {f.door.door, other.door}) f.judge.fill(number, {set});
  write_sum(f);
  CHECK(f.judge.differ(f.door.door, other.door).at(0).other_class == 1000);  // nothing there but poison
  auto c = floats_at(f.door.outputs.get(), 0, 1000);
  REQUIRE(::pwrite(other.outputs.get(), c.data(), 4000, 0) == 4000);
  CHECK(f.judge.differ(f.door.door, other.door).at(0).agrees());
  c[17] = 1e6F;
  REQUIRE(::pwrite(other.outputs.get(), c.data(), 4000, 0) == 4000);
  const auto found = f.judge.differ(f.door.door, other.door);
  REQUIRE(found.size() == 1);
  CHECK(found[0].count == 1000);
  CHECK(found[0].differing == 1);
  CHECK(found[0].first == 17);
  CHECK(found[0].expected_text == "1000000");
  CHECK_THROWS_AS(f.judge.differ(f.door.door, 99), Error);
  const auto third = f.judge.attach({f.judge.open(add_document()).workload, false});
  CHECK_THROWS_WITH(f.judge.differ(f.door.door, third.door), Catch::Contains("different workloads"));
}

TEST_CASE("a CPU has no counters of its work") {
  Fixture fixture;
  CHECK(fixture.judge.begin_count() == "the CPU has no counters of its work");
  CHECK_THROWS_WITH(fixture.judge.end_count(), "the CPU has no counters of its work");
}

TEST_CASE("the judge reaches no private buffers of a worker on the CPU") {
  Fixture f;
  CHECK_THROWS_WITH(f.judge.attach({f.opened.workload, true, true, 1, true}),
                    Catch::Contains("private buffers of solutions alone, on a device"));
  CHECK_FALSE(f.door.has_private);
  const worker::SetId set{"one", 0};
  f.judge.fill(f.door.door, {set});
  f.judge.keep(f.door.door, {set});
  const auto refusal = Catch::Contains("does not reach the private buffers of this worker");
  CHECK_THROWS_WITH(f.judge.fill_private(f.door.door, set), refusal);
  CHECK_THROWS_WITH(f.judge.compare_private(f.door.door, set, 1), refusal);
  CHECK_THROWS_WITH(f.judge.time_copies(f.door.door), refusal);
}

TEST_CASE("nothing that others do keeps the CPU of a judge busy") { CHECK(Fixture().judge.device_is_idle()); }

TEST_CASE("expected outputs beyond the memory budget are dropped, oldest first") {
  Fixture f;
  for (std::uint64_t call = 0; call < 3; ++call) {
    f.judge.fill(f.door.door, {{"one", call}});
    write_sum(f);
    f.judge.keep(f.door.door, {{"one", call}});
  }
  CHECK_FALSE(f.judge.knows(f.door.door, {"one", 0}));
  CHECK(f.judge.knows(f.door.door, {"one", 2}));
}

TEST_CASE("a solution's own sets are forgotten with its door, shared ones are kept") {
  Fixture f;
  for (const std::string solution : {"one", ""}) {
    f.judge.fill(f.door.door, {{solution, 0}});
    write_sum(f);
    f.judge.keep(f.door.door, {{solution, 0}});
  }
  const auto second = f.judge.attach({f.opened.workload, false});
  f.judge.detach(f.door.door);
  CHECK_FALSE(f.judge.knows(second.door, {"one", 0}));
  CHECK(f.judge.knows(second.door, {"", 0}));
}

TEST_CASE("the buffers a worker gets can neither change size nor, for inputs, be written") {
  Fixture f;
  CHECK(::ftruncate(f.door.inputs.get(), 0) != 0);
  CHECK(::ftruncate(f.door.outputs.get(), 1 << 24) != 0);
  CHECK(::pwrite(f.door.inputs.get(), "x", 1, 0) < 0);
  CHECK(::pwrite(f.door.outputs.get(), "x", 1, 0) == 1);
}

TEST_CASE("a judge refuses what does not exist with a sentence and lives on") {
  Fixture f;
  CHECK_THROWS_WITH(f.judge.fill(99, {{"one", 0}}), Catch::Contains("99"));
  CHECK_THROWS_WITH(f.judge.compare(f.door.door, {"never", 0}, 1, std::nullopt), Catch::Contains("not kept"));
  CHECK_THROWS_WITH(f.judge.compare(f.door.door, {"one", 0}, 2, std::nullopt),
                    Catch::Contains("not so many outputs"));
  CHECK_THROWS_WITH(f.judge.conclude(99), Catch::Contains("99"));
  f.judge.fill(f.door.door, {{"one", 0}});
}

TEST_CASE("a worker runs a reference through the same door") {
  Fixture f;
  worker::WorkerClient client(f.spawner, f.setup, "reference's worker", 0);
  start_difference(client);
  REQUIRE(std::holds_alternative<bool>(client.open({f.opened.layout, {}}, f.door, in_seconds(5))));
  const worker::SetId set{"one", 0};
  f.judge.fill(f.door.door, {set});
  REQUIRE(std::holds_alternative<bool>(client.prepare(worker::Clock::kHost, in_seconds(5))));
  const auto ran = client.run(worker::Clock::kHost, in_seconds(5));
  REQUIRE(std::holds_alternative<worker::CallTimes>(ran));
  CHECK(std::get<worker::CallTimes>(ran).done.elapsed_ns > 0);
  CHECK(std::get<worker::CallTimes>(ran).done.elapsed_ns <
        static_cast<double>(std::get<worker::CallTimes>(ran).envelope_ns));
  const auto collected = client.collect(in_seconds(5));
  REQUIRE(std::holds_alternative<worker::Collected>(collected));
  CHECK(std::get<worker::Collected>(collected).tied_rows == 1);
  CHECK(holds_difference(f, f.door, 0));
}

TEST_CASE("the engine that interprets a reference is confined as a solution is") {
  Fixture f;
  const auto before = worker::children_of(f.spawner.keeper_pid());
  worker::WorkerClient client(f.spawner, f.setup, "reference's worker", 1U << 28U);
  worker::Start start;
  start.kind = worker::TargetKind::kReference;
  const auto refused = client.start(start, in_seconds(5));
  REQUIRE(std::holds_alternative<worker::Failure>(refused));
  CHECK(std::get<worker::Failure>(refused).text == "a worker is confined before it starts");
  const auto status_of_own = [&] {
    std::vector<pid_t> own = worker::children_of(f.spawner.keeper_pid());
    std::erase_if(own,
                  [&](pid_t pid) { return std::find(before.begin(), before.end(), pid) != before.end(); });
    REQUIRE(own.size() == 1);
    std::ifstream status(fmt::format("/proc/{}/status", own[0]));
    std::ifstream limits(fmt::format("/proc/{}/limits", own[0]));
    return std::string(std::istreambuf_iterator<char>(status), {}) +
           std::string(std::istreambuf_iterator<char>(limits), {});
  };
  SECTION("by default") {
    start_difference(client);
    const std::string status = status_of_own();
    CHECK_THAT(status, Catch::Contains("Seccomp:\t2\n") && Catch::Contains("NoNewPrivs:\t1\n") &&
                           Catch::Contains("CapEff:\t0000000000000000\n"));
    CHECK_THAT(status, Catch::Matches("(.|\n)*Max file size +268435456 (.|\n)*"));
  }
  SECTION("but where the sandbox is off") {
    start_difference(client, sandbox::Mode::kOff);
    std::ifstream own_status("/proc/self/status");  // containers have filters of their own
    const std::string own{std::istreambuf_iterator<char>(own_status), {}};
    const std::string filters = own.substr(own.find("Seccomp:"), 11);
    CHECK_THAT(status_of_own(), Catch::Contains(filters));
  }
}

TEST_CASE("an engine that cannot use its GPU says so, and goes on without it") {
  Fixture f;
  worker::WorkerClient client(f.spawner, f.setup, "reference's worker", 0);
  REQUIRE(std::holds_alternative<bool>(client.confine({sandbox::FileAccess().to_json()}, in_seconds(5))));
  worker::Start start;
  start.kind = worker::TargetKind::kReference;
  start.device.uuid = "GPU-00000000-0000-0000-0000-000000000000";
  start.data_limit_bytes = std::uint64_t{1} << 30U;
  REQUIRE(std::holds_alternative<bool>(client.start(start, in_seconds(30))));
  const auto loaded = client.load(
      {}, in_seconds(30), R"({"source": "def run(a):\n    return a\n", "inputs": ["a"], "outputs": ["c"]})");
  REQUIRE(std::holds_alternative<worker::Loaded>(loaded));
  CHECK_THAT(std::get<worker::Loaded>(loaded).engine, Catch::Contains("; the GPU is not used: "));
}

TEST_CASE("a reference makes several calls by one request, each at a place of its own") {
  Fixture f;
  const auto door = f.judge.attach({f.opened.workload, false, false, 4});
  worker::WorkerClient client(f.spawner, f.setup, "reference's worker", 0);
  start_difference(client);
  REQUIRE(std::holds_alternative<bool>(client.open({f.opened.layout, {}}, door, in_seconds(5))));
  f.judge.fill(door.door, {{"one", 0}, {"one", 1}, {"one", 2}, {"one", 3}});
  const auto answer = client.calls({worker::Clock::kHost, 1, 2}, in_seconds(5));
  REQUIRE(std::holds_alternative<worker::Called>(answer));
  const auto& calls = std::get<worker::Called>(answer).calls;
  REQUIRE(calls.size() == 2);
  for (const auto& call : calls) {
    CHECK(call.done.elapsed_ns > 0);
    CHECK(call.collected.outputs.size() == 1);
    CHECK(call.collected.tied_rows == 1);
  }
  const std::vector<bool> expected = {false, true, true, false};
  for (std::size_t place = 0; place < 4; ++place) CHECK(holds_difference(f, door, place) == expected[place]);
  const auto beyond = client.calls({worker::Clock::kHost, 3, 2}, in_seconds(5));
  REQUIRE(std::holds_alternative<Failure>(beyond));
  CHECK(std::get<Failure>(beyond).kind == Failure::Kind::kRefused);
}

TEST_CASE("a worker that is stopped goes on when it is told to") {
  Fixture f;
  worker::WorkerClient client(f.spawner, f.setup, "worker", 0);
  REQUIRE(std::holds_alternative<std::int64_t>(client.ping(in_seconds(5))));
  const auto stopped = [&] {
    const auto children = worker::children_of(f.spawner.keeper_pid());
    return std::count_if(children.begin(), children.end(),
                         [](pid_t pid) { return worker::state_of(pid) == 'T'; });
  };
  client.stop();
  for (int i = 0; i < 1000 && stopped() == 0; ++i) ::usleep(1000);
  CHECK(stopped() == 1);
  client.go_on();
  CHECK(std::holds_alternative<std::int64_t>(client.ping(in_seconds(5))));
  CHECK(stopped() == 0);
  client.stop();  // it is killed all the same
}

TEST_CASE("a worker that is asked out of order refuses and lives on") {
  Fixture f;
  worker::WorkerClient client(f.spawner, f.setup, "worker", 0);
  const auto uncalibrated = client.calibrate(in_seconds(5));
  REQUIRE(std::holds_alternative<Failure>(uncalibrated));
  CHECK(std::get<Failure>(uncalibrated).text == "a worker starts before it calibrates its clock");
  const auto early = client.run(worker::Clock::kHost, in_seconds(5));
  REQUIRE(std::holds_alternative<Failure>(early));
  CHECK(std::get<Failure>(early).kind == Failure::Kind::kRefused);
  CHECK(std::holds_alternative<std::int64_t>(client.ping(in_seconds(5))));
}

TEST_CASE("what a worker's threads use between two calls is in the account of the second") {
  Fixture f;
  util::write_file_atomic(f.folder.path() / "a.cpp", R"(
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <time.h>
static long used_ms() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return used.tv_sec * 1000 + used.tv_nsec / 1000000;
}
static std::mutex mutex;
static std::condition_variable asked;
static bool is_asked = false;
static void help() {
  for (;;) {
    std::unique_lock lock(mutex);
    asked.wait(lock, [] { return is_asked; });
    is_asked = false;
    lock.unlock();
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    for (const long begin = used_ms(); used_ms() - begin < 20;) {
    }
  }
}
extern "C" void run(const float* a, const float* b, float* c, long n) {
  for (long i = 0; i < n; ++i) c[i] = a[i] + b[i];
  static std::thread helper(help);
  const std::lock_guard lock(mutex);
  is_asked = true;
  asked.notify_one();
}
)");
  const auto library = f.folder.path() / "a.so";
  const auto built = util::run_command({"c++", "-O1", "-pthread", "-shared", "-fPIC", "-o", library, "a.cpp"},
                                       f.folder.path());
  REQUIRE(built.succeeded());
  worker::WorkerClient client(f.spawner, f.setup, "worker", 0);
  worker::Start start;
  start.kind = worker::TargetKind::kSharedLibrary;
  start.data_limit_bytes = std::uint64_t{1} << 32U;
  const worker::Confine confinement{sandbox::FileAccess{}.to_json(), "", false, false};
  REQUIRE(std::holds_alternative<bool>(client.confine(confinement, in_seconds(5))));
  REQUIRE(std::holds_alternative<bool>(client.start(start, in_seconds(5))));
  std::vector<util::UniqueFd> files;
  files.push_back(util::make_sealed_document("fib-library", util::read_file(library)));
  worker::Load load;
  load.symbol = "run";
  REQUIRE(std::holds_alternative<worker::Loaded>(client.load(load, in_seconds(30), "", files)));
  REQUIRE(std::holds_alternative<bool>(client.open({f.opened.layout, {}}, f.door, in_seconds(5))));
  const auto others_ms = [&] {
    f.judge.fill(f.door.door, {{"one", 0}});
    client.begin_call(0, false);
    REQUIRE(std::holds_alternative<bool>(client.prepare(worker::Clock::kHost, in_seconds(5))));
    REQUIRE(std::holds_alternative<worker::CallTimes>(client.run(worker::Clock::kHost, in_seconds(5))));
    REQUIRE(std::holds_alternative<worker::Collected>(client.collect(in_seconds(5))));
    client.end_call();
    return util::in_ms(client.beside_last_call().others_cpu_ns);
  };
  constexpr unsigned kRestUs = 300'000;
  CHECK(others_ms() < 5);
  ::usleep(kRestUs);
  CHECK(others_ms() > 15);
  ::usleep(kRestUs);
  client.stop();  // as while the reference is timed
  client.go_on();
  CHECK(others_ms() < 5);
}
