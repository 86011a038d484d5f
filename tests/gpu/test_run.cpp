#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <thread>

#include "device/cuda/snapshot.h"
#include "gpu/gpu.h"
#include "support/fib_run.h"
#include "support/temporary.h"
#include "util/file_lock.h"
#include "util/machine.h"

using namespace fib;
using nlohmann::ordered_json;
using testing::FibRun;

namespace {

const ordered_json kLaunch = {{"launch", {{"grid", "ceil_div(n, 256)"}, {"block", 256}}}};
const ordered_json kOneBlock = {{"launch", {{"grid", 1}, {"block", 256}}}};

ordered_json with(ordered_json spec, const ordered_json& more) {
  spec.update(more);
  return spec;
}

struct Expectation {
  ordered_json spec;  // {}: host code, built by nvcc
  std::string status;
  std::string log;  // a part of it
  double least_latency_ms = 0;
  std::string clock{};
  int kernels = 0;  // that one call launches
};

// host_switches_callbacks_off, whose hidden work leaves all multiprocessors but one free.
const std::string kInOneBlock = "host_hides_in_one_block";

// What each file of tests/hostile/cuda deserves, and what that one does.
const std::map<std::string, Expectation>& expectations() {
  static const ordered_json none = ordered_json::object();
  static const std::map<std::string, Expectation> table = {
      {"honest", {kLaunch, "PASSED", ""}},
      {"small_integer", {kLaunch, "PASSED", ""}},
      {"illegal_address", {kLaunch, "RUNTIME_ERROR", "CUDA_ERROR_ILLEGAL_ADDRESS"}},
      {"misaligned", {kLaunch, "RUNTIME_ERROR", "CUDA_ERROR_MISALIGNED_ADDRESS"}},
      {"trap", {kLaunch, "RUNTIME_ERROR", "CUDA_ERROR_"}},
      {"infinite", {kLaunch, "TIMEOUT", "no answer while the solution ran"}},
      {"changes_inputs", {kLaunch, "PASSED", "the solution changed its inputs in"}},
      {"cached_first_answer", {kOneBlock, "INCORRECT_NUMERICAL", "call 2: "}},
      {"cached_by_pointer", {kOneBlock, "INCORRECT_NUMERICAL", "call 2: "}},
      {"right_at_first", {kOneBlock, "INCORRECT_NUMERICAL", "call 6: "}},
      {"wrong_last_element",
       {kOneBlock, "INCORRECT_NUMERICAL", "1 of 1000 elements do not match; first at c[999]"}},
      {"zeros", {kOneBlock, "INCORRECT_NUMERICAL", "elements do not match"}},
      {"fingerprint_cache", {kOneBlock, "PASSED", ""}},
      {"unwritten",
       {kLaunch, "INCORRECT_NUMERICAL", "500 of 1000 elements were never written; first at c[500]"}},
      {"too_few_parameters",
       {kLaunch, "RUNTIME_ERROR", "the kernel takes 3 parameters, the launch plan passes 4"}},
      {"wrong_parameter_size",
       {kLaunch, "RUNTIME_ERROR",
        "parameter 4 of the kernel has 16 bytes, the launch plan passes the integer 1000 in 8"}},
      {"cluster",
       {{{"launch", {{"grid", "2 * ceil_div(n, 512)"}, {"block", 256}, {"cluster", 2}}}}, "PASSED", ""}},
      {"cooperative",
       {{{"launch",
          {{"grid", "ceil_div(n, 256)"},
           {"block", 256},
           {"cooperative", true},
           {"args", {"a", "b", "c", "partial", "n"}}}},
         {"workspace", {{"partial", "4 * n"}}}},
        "PASSED",
        ""}},
      {"shared_memory",
       {{{"launch", {{"grid", "ceil_div(n, 256)"}, {"block", 256}, {"shared_memory", 102400}}}},
        "PASSED",
        ""}},
      {"cutlass", {with(kLaunch, {{"dependencies", {"cutlass"}}}), "PASSED", ""}},
      {"host_graph", {none, "PASSED", "", 0, "event-segments", 2}},
      {"host_honest", {none, "PASSED", "", 0, "event-segments", 1}},
      {"host_looks_for_inputs", {none, "PASSED", "no inputs in host memory"}},
      {"host_synchronises", {none, "PASSED", "", 0, "event-segments", 1}},
      {"host_joined_stream", {none, "PASSED", "", 0, "event-segments", 1}},
      {"host_waits_between", {none, "PASSED", "", 0, "event-segments", 2}},
      {"host_waits_often", {none, "PASSED", "", 0.04, "event-segments", 40}},
      // Nothing tells a slow host from one that does the work itself.
      {"host_takes_long", {none, "PASSED", "the host took so much longer around them", 1, "event-segments"}},
      {"host_works_ahead", {none, "RUNTIME_ERROR", "were not launched by the call itself"}},
      {"host_leaves_work", {none, "RUNTIME_ERROR", "were not launched by the call itself"}},
      // The host computes for two milliseconds.
      {"host_computes_between", {none, "PASSED", "", 1.8, "event-segments"}},
      // Half a millisecond of a kernel that CUPTI does not see, behind a wait.
      {"host_waits_for_device_launch",
       {{{"compile_options", {{"cuda_cflags", {"-rdc=true"}}, {"ld_flags", {"-lcudadevrt"}}}}},
        "PASSED",
        "",
        0.3}},
      // A million cycles: half a millisecond, wherever it runs.
      {"host_side_stream", {none, "PASSED", "", 0.3}},
      // Events on the main stream alone see nothing of it.
      {"host_short_side_stream", {none, "PASSED", "", 0.0005, "event-segments"}},
      {"host_two_streams", {none, "PASSED", "", 0.3, "event-segments"}},
      // The second of its two kernels takes half a millisecond.
      {"host_ends_capture_elsewhere", {none, "PASSED", "", 0.3, "event-segments"}},
      {"host_records_event_in_graph", {none, "RUNTIME_ERROR", "the call records an event of the clock"}},
      {"host_switches_records_off", {none, "RUNTIME_ERROR", "records were switched off"}},
      {"host_switches_callbacks_off", {none, "RUNTIME_ERROR", "the device's own counters saw"}},
      {kInOneBlock, {none, "RUNTIME_ERROR", "the device's own counters saw its engine for kernels at work"}},
      {"host_late_thread", {none, "INCORRECT_NUMERICAL", "1000 of 1000 elements were never written"}},
      {"host_allocates_200_gb", {none, "RUNTIME_ERROR", "returned the error code 2"}},
      {"host_device_launch",
       {{{"compile_options", {{"cuda_cflags", {"-rdc=true"}}, {"ld_flags", {"-lcudadevrt"}}}}},
        "PASSED",
        "",
        0.3}},
      {"host_segfault", {none, "RUNTIME_ERROR", "SIGSEGV"}},
  };
  return table;
}

// The error codes of those that fail, as far as their status leaves a doubt.
const std::map<std::string, std::string>& error_codes() {
  static const std::map<std::string, std::string> codes = {
      {"illegal_address", "illegal_access"},
      {"misaligned", "illegal_access"},
      {"trap", "cuda_error"},
      {"infinite", "timeout"},
      {"right_at_first", "wrong_values"},
      {"wrong_last_element", "wrong_values"},
      {"unwritten", "unwritten_output"},
      {"too_few_parameters", "bad_launch"},
      {"wrong_parameter_size", "bad_launch"},
      {"huge_shared_memory", "too_much_shared_memory"},
      {"huge_workspace", "out_of_memory"},
      {"host_works_ahead", "work_outside_call"},
      {"host_leaves_work", "work_outside_call"},
      {"host_records_event_in_graph", "impossible_time"},
      {"host_switches_records_off", "impossible_time"},
      {"host_switches_callbacks_off", "clocks_disagree"},
      {kInOneBlock, "clocks_disagree"},
      {"host_late_thread", "unwritten_output"},
      {"host_allocates_200_gb", "out_of_memory"},
      {"host_segfault", "crash"},
  };
  return codes;
}

std::string source_of(const std::filesystem::path& folder, const std::string& name) {
  if (name != kInOneBlock) return util::read_file(folder / (name + ".cu"));
  std::string source = util::read_file(folder / "host_switches_callbacks_off.cu");
  const std::string launch = "work<<<1024, 64, 0, side>>>";
  const auto place = source.find(launch);
  REQUIRE(place != std::string::npos);
  source.replace(place, launch.size(), "work<<<1, 64, 0, side>>>");
  return source;
}

bool has_work_counters() {
  const auto* gpu = testing::gpu();
  const device::cuda::DeviceWatch watch(gpu->context, gpu->info.uuid);
  return watch.counter().problem().empty();
}

std::vector<std::string> few(std::vector<std::string> more = {}) {
  more.insert(more.end(),
              {"--device", "cuda:0", "--iterations", "5", "--num-trials", "2", "--warmup-runs", "2"});
  return more;
}

}  // namespace

TEST_CASE("every hostile CUDA solution gets the status it deserves, and the run goes on to its end",
          "[gpu]") {
  if (testing::gpu() == nullptr) return;
  FibRun run;
  run.dataset.add_definition({1000});
  const auto sources = testing::source_folder() / "tests/hostile/cuda";
  std::size_t planned = 0;
  for (const auto& [name, expected] : expectations()) {
    if (name.starts_with("host_") && !testing::has_cuda_tool("nvcc")) {
      WARN("skipped " << name << ": no nvcc");
      continue;
    }
    const bool needs_counters = name == "host_switches_callbacks_off" || name == kInOneBlock;
    if (needs_counters && !has_work_counters()) {
      WARN("skipped " << name << ": the device has no counters of its work");
      continue;
    }
    if (name == "cutlass" && std::getenv("CUTLASS_PATH") == nullptr) {
      WARN("skipped " << name << ": no CUTLASS_PATH");
      continue;
    }
    run.dataset.cuda_solution(name, "test", source_of(sources, name), expected.spec);
    ++planned;
  }
  const std::string honest = util::read_file(sources / "honest.cu");
  // The same right kernel with launch plans that no device can serve.
  run.dataset.cuda_solution("huge_workspace", "test", honest,
                            with(kLaunch, {{"workspace", {{"w", "200000000000"}}}}));
  run.dataset.cuda_solution("huge_shared_memory", "test", honest,
                            {{"launch", {{"grid", 4}, {"block", 256}, {"shared_memory", 500000}}}});
  const auto result = run.run(few({"--timeout", "5"}));
  INFO(result.err);
  CHECK(result.exit_code == 0);
  const auto traces = testing::read_traces(run.dataset.root());
  CHECK(traces.size() == planned + 2);
  for (const auto& trace : traces) {
    INFO(trace.solution << ": " << trace.status << " " << trace.latency_ms
                        << " ms: " << trace.log.substr(0, 2000));
    if (const auto code = error_codes().find(trace.solution); code != error_codes().end()) {
      const auto fib = ordered_json::parse(trace.text).at("evaluation").at("fib");
      CHECK(fib.at("failure").at("code") == code->second);
    }
    if (trace.solution == "huge_workspace") {
      CHECK(trace.status == "RUNTIME_ERROR");
      CHECK(trace.log.find("CUDA_ERROR_OUT_OF_MEMORY") != std::string::npos);
      continue;
    }
    if (trace.solution == "huge_shared_memory") {
      CHECK(trace.status == "RUNTIME_ERROR");
      CHECK(trace.log.find("it asks for 500000 bytes of dynamic shared memory, and may have") !=
            std::string::npos);
      continue;
    }
    const auto& expected = expectations().at(trace.solution);
    CHECK(trace.status == expected.status);
    CHECK(trace.log.find(expected.log) != std::string::npos);
    CHECK(trace.log.find("FOUND") == std::string::npos);
    if (trace.solution == "host_honest" && has_work_counters()) {
      const auto fib = ordered_json::parse(trace.text).at("evaluation").at("fib");
      const auto& counters = fib.at("witness").at("counters");
      CHECK(counters.at("calls") == 48);
      CHECK(counters.at("engine_ms").get<double>() > 0.002);
      CHECK(counters.at("busy_ms").get<double>() > 0);
    }
    if (trace.status == "PASSED") CHECK(trace.latency_ms > expected.least_latency_ms);
    if (!expected.clock.empty()) {
      const auto fib = ordered_json::parse(trace.text).at("evaluation").at("fib");
      CHECK(fib.at("clock") == expected.clock);
      if (expected.kernels > 0) CHECK(fib.at("launches").at("kernels") == expected.kernels);
    }
  }
  CHECK(run.processes().empty());
}

namespace {

// A program that keeps the GPU busy until this is destroyed.
class BusyGpu {
 public:
  BusyGpu() {
    const auto source = folder_.path() / "busy.cu";
    util::write_file_atomic(source, R"(
        __global__ void stay() { for (const long long begin = clock64(); clock64() - begin < 50'000'000;) {} }
        int main() {
          for (;;) {
            for (int i = 0; i < 4; ++i) stay<<<1, 32>>>();
            if (cudaDeviceSynchronize() != cudaSuccess) return 1;
          }
        })");
    const auto program = folder_.path() / "busy";
    const auto nvcc = std::filesystem::path(std::getenv("CUDA_HOME") != nullptr ? std::getenv("CUDA_HOME")
                                                                                : "/usr/local/cuda") /
                      "bin/nvcc";
    const std::string command = nvcc.string() + " -o " + program.string() + " " + source.string();
    REQUIRE(std::system(command.c_str()) == 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::execl(program.c_str(), program.c_str(), nullptr);
      ::_exit(1);
    }
    std::this_thread::sleep_for(std::chrono::seconds(3));  // its context and its kernels are there
  }
  ~BusyGpu() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  BusyGpu(const BusyGpu&) = delete;
  BusyGpu& operator=(const BusyGpu&) = delete;

 private:
  testing::TemporaryFolder folder_;
  pid_t pid_ = -1;
};

}  // namespace

TEST_CASE("what another process does on the GPU is no verdict about a solution's host code", "[gpu]") {
  if (testing::gpu() == nullptr) return;
  if (!testing::has_cuda_tool("nvcc")) return;
  FibRun run;
  run.dataset.add_definition({1000});
  const auto source = testing::source_folder() / "tests/hostile/cuda/host_honest.cu";
  run.dataset.cuda_solution("host_honest", "test", util::read_file(source), ordered_json::object());
  {
    const BusyGpu busy;
    const auto result = run.run(few());
    INFO(result.out << result.err);
    CHECK(result.exit_code == 1);
    CHECK((result.out + result.err).find("other work keeps the GPU busy") != std::string::npos);
    CHECK(testing::read_traces(run.dataset.root()).empty());
  }
  REQUIRE(run.run(few({"--resume"})).exit_code == 0);
  const auto traces = testing::read_traces(run.dataset.root());
  REQUIRE(traces.size() == 1);
  CHECK(traces[0].status == "PASSED");
  CHECK(traces[0].log.empty());
}

// Small ones of launch plans are shared in host memory, others in device memory.
TEST_CASE("small and large buffers are judged alike on a GPU", "[gpu]") {
  if (testing::gpu() == nullptr) return;
  FibRun run;
  run.dataset.add_definition({1000, 200'000});
  // What the log of each says; nothing: it passes.
  const std::map<std::string, std::map<std::int64_t, std::string>> wanted = {
      {"honest", {}},
      {"host_honest", {}},
      {"changes_inputs", {}},
      {"zeros", {{1000, "elements do not match"}, {200'000, "elements do not match"}}},
      {"right_at_first", {{1000, "call 6: "}, {200'000, "call 6: "}}},
      {"wrong_last_element", {{1000, "first at c[999]"}, {200'000, "first at c[199999]"}}},
      {"unwritten",
       {{1000, "500 of 1000 elements were never written; first at c[500]"},
        {200'000, "100000 of 200000 elements were never written; first at c[100000]"}}},
  };
  for (const auto& [name, logs] : wanted) {
    if (name.starts_with("host_") && !testing::has_cuda_tool("nvcc")) continue;
    const auto file = testing::source_folder() / "tests/hostile/cuda" / (name + ".cu");
    run.dataset.cuda_solution(name, "test", util::read_file(file), expectations().at(name).spec);
  }
  const auto result = run.run(few());
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  for (const auto& trace : testing::read_traces(run.dataset.root())) {
    const std::int64_t n = ordered_json::parse(trace.text).at("workload").at("axes").at("n");
    INFO(trace.solution << " n = " << n << ": " << trace.status << "\n" << trace.log.substr(0, 2000));
    const auto& logs = wanted.at(trace.solution);
    CHECK(trace.status == (logs.empty() ? "PASSED" : "INCORRECT_NUMERICAL"));
    if (!logs.empty()) CHECK(trace.log.find(logs.at(n)) != std::string::npos);
    if (trace.solution == "changes_inputs")
      CHECK(trace.log.find("the solution changed its inputs in") != std::string::npos);
  }
}

TEST_CASE("a kernel reads alike from a launch plan and from host code that waits or has streams of its own",
          "[gpu]") {
  if (testing::gpu() == nullptr) return;
  if (!testing::has_cuda_tool("nvcc")) return;
  FibRun run;
  run.dataset.add_definition({100'000});
  const auto sources = testing::source_folder() / "tests/hostile/cuda";
  run.dataset.cuda_solution("honest", "test", util::read_file(sources / "honest.cu"), kLaunch);
  for (const std::string name :
       {"host_honest", "host_synchronises", "host_joined_stream", "host_short_side_stream"}) {
    run.dataset.cuda_solution(name, "test", util::read_file(sources / (name + ".cu")),
                              ordered_json::object());
  }
  REQUIRE(run.run({"--device", "cuda:0"}).exit_code == 0);
  std::map<std::string, double> latency_us;
  for (const auto& trace : testing::read_traces(run.dataset.root())) {
    INFO(trace.solution << ": " << trace.log);
    CHECK(trace.status == "PASSED");
    latency_us[trace.solution] = 1000 * trace.latency_ms;
    const auto fib = ordered_json::parse(trace.text).at("evaluation").at("fib");
    CHECK(fib.at("calibration").at("empty_event_pair_ns") > 500);
    CHECK(fib.at("segments") == 1);
    CHECK(fib.at("witness").at("device_clock") == "cupti-kernel");
  }
  REQUIRE(latency_us.size() == 5);
  for (const auto& [name, us] : latency_us) {
    INFO(name << ": " << us << " us, " << latency_us["honest"] << " us from a launch plan");
    CHECK(std::abs(us - latency_us["honest"]) < 0.5);
  }
}

// One fewer than there are solutions: nothing comes after the last.
TEST_CASE("the worker of each solution but the first is made ready while the one before it is measured",
          "[gpu]") {
  if (testing::gpu() == nullptr) return;
  if (util::usable_cores() < 6) {
    WARN("skipped: there is no core for it");
    return;
  }
  FibRun run;
  run.dataset.add_definition({1000});
  const auto source = util::read_file(testing::source_folder() / "tests/hostile/cuda/honest.cu");
  for (const std::string name : {"first", "second", "third"})
    run.dataset.cuda_solution(name, "test", source + "// " + name + "\n", kLaunch);
  const auto result = run.run(few({"--explain-time"}));
  REQUIRE(result.exit_code == 0);
  const auto text = result.out + result.err;
  INFO(text);
  CHECK(std::regex_search(text, std::regex("the next solution's worker +confine +2 ")));
  CHECK(std::regex_search(text, std::regex("the solution's worker +confine +1 ")));
  // The first one's beside the judge's and the reference's, the others' in turn.
  CHECK(std::regex_search(text, std::regex("the solution's worker +use device +1 ")));
  CHECK(std::regex_search(text, std::regex("the solution's worker +use device +2 ")));
  for (const auto& trace : testing::read_traces(run.dataset.root())) CHECK(trace.status == "PASSED");
}

TEST_CASE("a CUDA trace names the device, its state and its clock, and has no speedup across devices",
          "[gpu]") {
  auto* gpu = testing::gpu();
  if (gpu == nullptr) return;
  FibRun run;
  run.dataset.add_definition({1000, 100000});
  run.dataset.cuda_solution(
      "honest", "test", util::read_file(testing::source_folder() / "tests/hostile/cuda/honest.cu"), kLaunch);
  REQUIRE(run.run(few({"--flush", "dirty"})).exit_code == 0);
  const auto traces = testing::read_traces(run.dataset.root());
  REQUIRE(traces.size() == 2);
  for (const auto& trace : traces) {
    const auto evaluation = ordered_json::parse(trace.text).at("evaluation");
    CHECK(evaluation.at("environment").at("hardware") == gpu->info.name);
    CHECK(evaluation.at("performance").at("speedup_factor") == 0);
    CHECK(evaluation.at("performance").at("reference_latency_ms") == 0);
    CHECK(evaluation.at("performance").at("latency_ms") > 0.0005);
    const auto& fib = evaluation.at("fib");
    CHECK(fib.at("device").at("uuid") == gpu->info.uuid);
    CHECK(fib.at("clock") == "events");
    CHECK(fib.at("flush") == "dirty");
    CHECK(fib.at("device_state").at("driver").get<std::string>().size() > 3);
    CHECK(fib.at("sm_clock_median_mhz") > 200);
    CHECK(fib.at("reference").at("device") == "cpu");
  }
}

TEST_CASE("inputs have the same bits on the CPU and on the GPU: both solutions see the same sets", "[gpu]") {
  if (testing::gpu() == nullptr) return;
  FibRun run;
  run.dataset.add_definition({100, 50'000});
  const std::string seed(64, '7');
  // Both print the first element of every call.
  run.dataset.cuda_solution("device", "test", R"(
    extern "C" int printf(const char*, ...);
    extern "C" __global__ void run(const float* a, const float* b, float* c, long long n) {
      for (long long i = threadIdx.x; i < n; i += blockDim.x) c[i] = a[i] + b[i];
      if (threadIdx.x == 0) printf("%08x\n", __float_as_uint(a[0]));
    })",
                            kOneBlock);
  const auto result = run.run(few({"--seed", seed}));
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  const auto first = testing::read_traces(run.dataset.root());
  REQUIRE(first.size() == 2);
  for (const auto& trace : first) CHECK(trace.status == "PASSED");  // the reference saw inputs in host memory
  REQUIRE(run.run(few({"--seed", seed})).exit_code == 0);
  const auto second = testing::read_traces(run.dataset.root());
  REQUIRE(second.size() == 4);
  CHECK(second[0].log == second[2].log);
  CHECK(second[1].log == second[3].log);
  CHECK(std::count(second[0].log.begin(), second[0].log.end(), '\n') ==
        21);  // 14 calls, one to look at what a call does, six looks
}

TEST_CASE("made inputs have the same bits on the CPU and on the GPU", "[gpu]") {
  if (testing::gpu() == nullptr) return;
  FibRun run;
  const auto tensor = [](const ordered_json& shape, const char* dtype) {
    return ordered_json{{"shape", shape}, {"dtype", dtype}};
  };
  const auto constant = [](int value) { return ordered_json{{"type", "const"}, {"value", value}}; };
  // The keys of op type gdn are drawn small, on the host.
  const ordered_json definition = {
      {"name", "add"},
      {"op_type", "gdn"},
      {"axes", {{"n", {{"type", "var"}}}, {"d", constant(16)}, {"max_seq_len", constant(99)}}},
      {"inputs", {{"k", tensor({"n", "d"}, "float32")}, {"positions", tensor({"n"}, "int32")}}},
      {"outputs", {{"c", tensor({"n", "d"}, "float32")}}},
      {"reference", "def run(k, positions):\n    return k / 16 + positions[:, None] / 4096\n"}};
  const ordered_json blob = {{"type", "safetensors"}, {"path", "blob/none"}, {"tensor_key", "p"}};
  const ordered_json workload = {
      {"axes", {{"n", 2000}}}, {"inputs", {{"k", {{"type", "random"}}}, {"positions", blob}}}, {"uuid", "w"}};
  const ordered_json line = {
      {"definition", "add"}, {"workload", workload}, {"solution", nullptr}, {"evaluation", nullptr}};
  run.dataset.definition("gdn", "add", definition.dump(), {line.dump()});
  run.dataset.cuda_solution("device", "test", R"(
    extern "C" __global__ void run(const float* k, const int* positions, float* c, long long n) {
      for (long long i = threadIdx.x; i < 16 * n; i += blockDim.x)
        c[i] = k[i] / 16 + positions[i / 16] / 4096.0f;
    })",
                            kOneBlock);
  const auto result = run.run(few({"--synthesize-missing", "--atol", "1e-30", "--rtol", "1e-6"}));
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  const auto traces = testing::read_traces(run.dataset.root());
  REQUIRE(traces.size() == 1);
  INFO(traces[0].log);
  CHECK(traces[0].status == "PASSED");
  const auto fib = ordered_json::parse(traces[0].text).at("evaluation").at("fib");
  CHECK(fib.at("synthesized") == ordered_json{"k", "positions"});
}

TEST_CASE("two runs take turns on a GPU, and the second says that it waits", "[gpu]") {
  auto* gpu = testing::gpu();
  if (gpu == nullptr) return;
  const std::string honest = util::read_file(testing::source_folder() / "tests/hostile/cuda/honest.cu");
  FibRun first;
  first.dataset.add_definition({1000, 2000, 3000});
  first.dataset.cuda_solution("one", "test", honest, kLaunch);
  REQUIRE(first.run(few()).exit_code == 0);  // builds
  const int running = first.start({"--device", "cuda:0", "--iterations", "1000000", "--call-budget", "1000"});
  const auto lock = "/tmp/fib-locks/cuda-" + gpu->info.uuid + ".lock";
  for (int i = 0; i < 500 && util::FileLock::try_take(lock, util::FileLock::Sharing::kMachine); ++i)
    ::usleep(10'000);
  FibRun second;
  second.dataset.add_definition({1000});
  second.dataset.cuda_solution("two", "test", honest, kLaunch);
  const auto errors = second.folder.path() / "stderr";
  std::vector<std::string> words = {"/bin/sh", "-c", "exec \"$@\" 2>\"$0\"", errors.string()};
  for (const auto& word : second.words(few())) words.push_back(word);
  const int waiting = testing::start_process(words, second.environment());
  const std::string sentence = "waiting for another fib run to release the device " + gpu->info.name;
  const auto says_so = [&] {
    return std::filesystem::exists(errors) && util::read_file(errors).find(sentence) != std::string::npos;
  };
  for (int i = 0; i < 6000 && !says_so(); ++i) ::usleep(10'000);
  CHECK(says_so());
  CHECK(::kill(running, SIGINT) == 0);
  int status = 0;
  ::waitpid(running, &status, 0);
  ::waitpid(waiting, &status, 0);
  CHECK(status == 0);
}
