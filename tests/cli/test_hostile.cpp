#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "support/fib_run.h"
#include "util/files.h"
#include "util/machine.h"

// Solutions that break, hang, lie or cheat (tests/hostile/cpp), run by the real program: each must end with
// the status and the log that it deserves, and the run must go on.
namespace fs = std::filesystem;
using namespace fib;

namespace {

const fs::path kSources = testing::source_folder() / "tests/hostile/cpp";

std::string source_of(const std::string& name) { return util::read_file(kSources / (name + ".cpp")); }

// AddressSanitizer's operator new does not throw.
#if defined(__SANITIZE_ADDRESS__)
constexpr const char* kOutOfMemory = "out of memory";
#else
constexpr const char* kOutOfMemory = "bad_alloc";
#endif

struct Expectation {
  std::string status;  // empty: it passes with the true time, is refused as a RUNTIME_ERROR, or was too early
  std::string log;     // a part of it
  double least_ms = 0;  // what its calls take in truth, less what watching them can see
};

const std::map<std::string, Expectation>& expectations() {
  static const std::map<std::string, Expectation> table = {
      {"honest", {"PASSED", ""}},
      {"wrong_value", {"INCORRECT_NUMERICAL", "elements do not match; first at c["}},
      {"wrong_last_element", {"INCORRECT_NUMERICAL", "1 of 1000 elements do not match; first at c[999]"}},
      {"right_at_first", {"INCORRECT_NUMERICAL", "call 6: "}},
      {"cached_first_answer", {"INCORRECT_NUMERICAL", "call 2: "}},
      {"cached_by_pointer", {"INCORRECT_NUMERICAL", "call 2: "}},
      {"replays_from_a_file", {"INCORRECT_NUMERICAL", "call 2: "}},
      {"zeros", {"INCORRECT_NUMERICAL", "elements do not match"}},
      {"returns_an_input", {"INCORRECT_NUMERICAL", "elements do not match"}},
      {"fingerprint_cache", {"PASSED", ""}},
      {"changed_inputs", {"PASSED", "the solution changed its inputs in"}},
      {"unwritten_output",
       {"INCORRECT_NUMERICAL", "500 of 1000 elements were never written; first at c[500]"}},
      {"segfault", {"RUNTIME_ERROR", "about to fall\ncall 1: the solution's worker ended with SIGSEGV"}},
      {"aborts", {"RUNTIME_ERROR", "SIGABRT"}},
      {"exits", {"RUNTIME_ERROR", "exit code 0"}},
      {"throws", {"RUNTIME_ERROR", "threw an exception: no luck today"}},
      {"returns_error", {"RUNTIME_ERROR", "returned the error code 7"}},
      {"infinite_loop", {"TIMEOUT", "call 1: no answer while the solution ran"}},
      {"much_output", {"PASSED", "[log truncated]"}},
      {"forged_message", {"RUNTIME_ERROR", "broke the protocol"}},
      {"truncates_buffers", {"PASSED", "truncated 0, writable 1"}},  // the outputs are its own to write
      {"allocates_100_gb", {"RUNTIME_ERROR", kOutOfMemory}},
      {"compile_error", {"COMPILE_ERROR", "error: 'undeclared_name' was not declared"}},
      {"missing_symbol", {"COMPILE_ERROR", "declare the function extern \"C\""}},
      {"fills_descriptors", {"PASSED", "refused with "}},
      {"fork_bomb", {"RUNTIME_ERROR", "fork: Operation not permitted"}},
      {"runaway_grandchild", {"PASSED", "computed"}},
      // Its thread works for 3 ms; they are found in its time.
      {"late_thread", {"PASSED", "", 2.5}},
      // What it leaves out is near the most that is not called a lie.
      {"claims_a_microsecond", {"", "are added to the worker's claims", 0.15}},
      {"works_when_prepared", {"PASSED", "are added to the worker's claims", 0.7}},
      {"works_when_collected", {"PASSED", "are added to the worker's claims", 0.7}},
      {"works_after_collecting", {"PASSED", ""}},  // a test of its own
      {"works_in_turn", {"PASSED", "are added to the worker's claims", 0.7}},
      {"works_before_the_call", {"", "", 0.7}},
      {"rests_while_another_works", {"PASSED", "", 5}},
      {"works_between", {"PASSED", "", 2.5}},  // a test of its own
      {"helper_takes_the_cpu", {"", "", 4}},
      {"answers_early", {"RUNTIME_ERROR", "broke the protocol: it answered"}},
      {"reads_the_shared_inputs", {"PASSED", ""}},
      {"reads_the_judge", {"PASSED", "opened 0"}},
      {"looks_around", {"PASSED", "command "}},
      {"wrong_shape", {"INCORRECT_SHAPE", "expected shape (1000), got (1001)"}},
      {"wrong_dtype", {"INCORRECT_DTYPE", "expected dtype float32, got bfloat16"}},
      {"claims_no_time", {"RUNTIME_ERROR", "broke the protocol"}},
      {"claims_less", {"", "", 15}},
  };
  return table;
}

std::string without(std::string text, const std::string& part) {
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part)) text.erase(at, part.size());
  return text;
}

std::vector<std::string> few_calls(std::vector<std::string> more = {}) {
  more.insert(more.end(), {"--iterations", "5", "--num-trials", "2", "--warmup-runs", "2"});
  return more;
}

testing::ProcessResult run_hostile(testing::FibRun& run, const std::set<std::string>& names,
                                   const std::vector<std::string>& options) {
  run.dataset.add_definition({1000});
  const std::string header = util::read_file(kSources / "takes_over_protocol.h");
  for (const auto& name : names)
    run.dataset.solution(name, "test", source_of(name), "add", {{"takes_over_protocol.h", header}});
  return run.run(options);
}

// A part of what the reference's calls take beside the work; milliseconds.
double overhead(const testing::TraceLine& trace, const char* part) {
  const auto line = nlohmann::json::parse(trace.text);
  const auto& witness = line.at("evaluation").at("fib").at("witness");
  return witness.contains("overhead") ? witness.at("overhead").at(part).get<double>() : 0;
}

// What may be left out of a claim where calls of the reference's worker take long or differ much (an emulated
// machine, say), beyond what is left out on a usual one; milliseconds.
double left_out_here(const testing::TraceLine& trace) {
  constexpr double kUsual = 0.3;
  double sum = 0;
  for (const char* part : {"run_ms", "prepare_ms", "collect_ms", "slack_ms"}) sum += overhead(trace, part);
  return std::max(0.0, sum - kUsual);
}

void check_expected(const testing::TraceLine& trace) {
  REQUIRE(expectations().contains(trace.solution));
  const auto& expected = expectations().at(trace.solution);
  if (expected.least_ms > 0 && trace.status == "PASSED")
    CHECK(trace.latency_ms + left_out_here(trace) > expected.least_ms);
  if (expected.status.empty())
    CHECK((trace.status == "PASSED" || trace.status == "RUNTIME_ERROR" ||
           trace.status == "INCORRECT_NUMERICAL"));
  if (!expected.status.empty()) CHECK(trace.status == expected.status);
  CHECK(trace.log.find(expected.log) != std::string::npos);
}

}  // namespace

TEST_CASE("lies are found where an evaluation makes as many calls as it needs") {
  const std::set<std::string> names = {
      "right_at_first",       "late_thread",          "claims_a_microsecond",
      "works_when_prepared",  "works_when_collected", "works_in_turn",
      "helper_takes_the_cpu", "claims_less",          "rests_while_another_works"};
  testing::FibRun run;
  const auto result = run_hostile(run, names, {"--timeout", "60", "--call-budget", "1"});
  INFO(result.err);
  const auto traces = testing::read_traces(run.dataset.root());
  REQUIRE(traces.size() == names.size());
  for (const auto& trace : traces) {
    INFO(trace.solution << ": " << trace.log.substr(0, 2000));
    check_expected(trace);
  }
}

// Where the worker and the coordinator have one CPU between them, some of it cannot be told from a worker
// that looks for its next request, or from a coordinator that waits for others (docs/THREAT-MODEL.md). A
// quiet machine gives each its own, most of the time.
TEST_CASE("work after answers is added where worker and coordinator have a CPU each") {
  constexpr int kTries = 6;
  // With the least that is read; of 0.12 and 6 ms that they work.
  const auto [name, least_ms] =
      GENERATE(table<std::string, double>({{"works_after_collecting", 0.06}, {"works_between", 5}}));
  std::string seen;
  for (int i = 0; i < kTries; ++i) {
    testing::FibRun run;
    (void)run_hostile(run, {name}, {"--timeout", "60", "--call-budget", "1"});
    const auto traces = testing::read_traces(run.dataset.root());
    REQUIRE(traces.size() == 1);
    CHECK(traces[0].status == "PASSED");
    const bool is_said = traces[0].log.find("are added to the worker's claims") != std::string::npos;
    if (is_said && traces[0].latency_ms > least_ms) return;
    seen += fmt::format("{} ", traces[0].latency_ms);
  }
  const auto load = util::machine_load();
  // The average follows a minute behind, and two of the processes that run are this test's.
  constexpr double kRounding = 0.5;
  if (load && load->average > load->cores - kRounding) {
    WARN("the machine is too busy to tell: " << name << " read " << seen << "ms");
  } else {
    FAIL_CHECK(name << " read " << seen << "ms");
  }
}

TEST_CASE("every hostile solution gets the status it deserves, and the run goes on to its end") {
  std::set<std::string> files;
  for (const auto& entry : fs::directory_iterator(kSources)) {
    if (entry.path().extension() == ".cpp") files.insert(entry.path().stem());
  }
  testing::FibRun run;
  const auto result = run_hostile(run, files, few_calls({"--timeout", "4"}));
  INFO(result.err);
  CHECK(result.exit_code == 0);  // everything planned has a trace
  const auto traces = testing::read_traces(run.dataset.root());
  REQUIRE(traces.size() == files.size());
  for (const auto& trace : traces) {
    INFO(trace.solution << ": " << trace.log.substr(0, 2000));
    check_expected(trace);
    CHECK(trace.log.size() < 6 * 1024 * 1024);
    if (trace.solution == "fingerprint_cache") CHECK(trace.log.find("FOUND") == std::string::npos);
    if (trace.solution == "looks_around") {
      CHECK(trace.log.find(run.dataset.root().string()) == std::string::npos);
      CHECK(trace.log.find("FIB_") == std::string::npos);
      CHECK(trace.log.find("__worker") != std::string::npos);  // it is told apart from nothing else
    }
    if (trace.solution == "reads_the_judge") CHECK(without(testing::printed_by(trace), "opened 0\n").empty());
  }
  CHECK(run.processes().empty());
}

TEST_CASE("the table of hostile solutions names all of them") {
  const fs::path folder = kSources.parent_path();
  const std::string table = util::read_file(folder / "README.md");
  for (const char* language : {"cpp", "python", "cuda"}) {
    for (const auto& entry : fs::directory_iterator(folder / language)) {
      if (entry.path().extension() == ".h") continue;
      INFO(entry.path());
      CHECK(table.find("`" + entry.path().stem().string() + "`") != std::string::npos);
    }
  }
}

TEST_CASE("a constant in the place of a reduction is found out") {
  testing::FibRun run;
  run.dataset.definition(
      "test", "log_softmax",
      R"({"name": "log_softmax", "op_type": "test", "axes": {"m": {"type": "var"}, "n": {"type": "const", "value": 32000}},
        "inputs": {"a": {"shape": ["m", "n"], "dtype": "float32"}}, "outputs": {"b": {"shape": ["m", "n"], "dtype": "float32"}},
        "reference": "import torch\n\ndef run(a):\n    return torch.log_softmax(a, dim=-1)\n"})",
      {R"({"definition": "log_softmax", "workload": {"axes": {"m": 1}, "inputs": {"a": {"type": "random"}}, "uuid": "w"}})"});
  // The logarithm of the sum of 32,000 exponentials of N(0,1) is within 0.01 of this.
  run.dataset.solution("constant", "mallory", R"(
    extern "C" void run(const float* a, float* b, long m) {
      for (long i = 0; i < m * 32000; ++i) b[i] = a[i] - 10.8735f;
    })",
                       "log_softmax");
  const auto result = run.run({"--timeout", "20"});
  INFO(result.err);
  const auto traces = testing::read_traces(run.dataset.root());
  REQUIRE(traces.size() == 1);
  INFO(traces[0].log);
  CHECK(traces[0].status == "INCORRECT_NUMERICAL");
}

TEST_CASE("a solution does not run while the reference is timed") {
  testing::FibRun run;
  // Takes some tenths of a second.
  run.dataset.definition(
      "test", "slow",
      R"({"name": "slow", "op_type": "test", "axes": {"n": {"type": "var"}},
        "inputs": {"a": {"shape": ["n"], "dtype": "float32"}}, "outputs": {"b": {"shape": ["n"], "dtype": "float32"}},
        "reference": "import torch\n\ndef run(a):\n    x = a\n    for i in range(20):\n        x = torch.log(torch.exp(x))\n    return x\n"})",
      {R"({"definition": "slow", "workload": {"axes": {"n": 1000000}, "inputs": {"a": {"type": "random"}}, "uuid": "w"}})"});
  // Its thread wakes up every millisecond, and remembers for how long it once did not.
  run.dataset.solution("wakes", "mallory", R"(
    #include <time.h>
    #include <unistd.h>
    #include <atomic>
    #include <cstdio>
    #include <cstring>
    #include <thread>
    static std::atomic<double> longest{0};
    static double now() { timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return 1e3 * t.tv_sec + 1e-6 * t.tv_nsec; }
    static std::thread watch([] {
      for (double last = now();; usleep(1000)) {
        const double time = now();
        if (time - last > longest) longest = time - last;
        last = time;
      }
    });
    extern "C" void run(const float* a, float* b, long n) {
      std::memcpy(b, a, 4 * n);
      std::printf("did not run for %.0f ms\n", longest.load());
    })",
                       "slow");
  const auto result = run.run(few_calls());
  INFO(result.err);
  const auto traces = testing::read_traces(run.dataset.root());
  REQUIRE(traces.size() == 1);
  INFO(traces[0].log << traces[0].text);
  CHECK(traces[0].status == "PASSED");
  const auto said = traces[0].log.rfind("did not run for ");
  REQUIRE(said != std::string::npos);
  const auto fib = nlohmann::json::parse(traces[0].text).at("evaluation").at("performance");
  CHECK(std::stod(traces[0].log.substr(said + 16)) > 0.8 * fib.at("reference_latency_ms").get<double>());
}

TEST_CASE("a cache of answers gains nothing in a second run either") {
  testing::FibRun run;
  run.dataset.add_definition({1000});
  run.dataset.solution("fingerprint_cache", "test", source_of("fingerprint_cache"));
  for (int i = 0; i < 2; ++i) REQUIRE(run.run(few_calls()).exit_code == 0);
  const auto traces = testing::read_traces(run.dataset.root());
  REQUIRE(traces.size() == 2);
  for (const auto& trace : traces) CHECK(trace.log.find("FOUND") == std::string::npos);
}

TEST_CASE("with --strict-inputs a changed input is an incorrect result") {
  testing::FibRun run;
  run.dataset.add_definition({1000});
  run.dataset.solution("changed_inputs", "test", source_of("changed_inputs"));
  REQUIRE(run.run(few_calls({"--strict-inputs"})).exit_code == 0);
  const auto traces = testing::read_traces(run.dataset.root());
  REQUIRE(traces.size() == 1);
  CHECK(traces[0].status == "INCORRECT_NUMERICAL");
  CHECK(traces[0].log.find("changed its inputs") != std::string::npos);
}

TEST_CASE("a build that takes too long is a compile error that says so") {
  testing::FibRun run;
  run.dataset.add_definition({1000});
  // A template that keeps any compiler busy for minutes.
  run.dataset.solution("endless_build", "test", R"(
    template <int N, long M> struct F { static constexpr long value = F<N - 1, 2 * M>::value + F<N - 1, 2 * M + 1>::value; };
    template <long M> struct F<0, M> { static constexpr long value = 1; };
    extern "C" void run(const float*, const float*, float* c, long) { c[0] = F<40, 0>::value; })");
  REQUIRE(run.run(few_calls({"--build-timeout", "2"})).exit_code == 0);
  const auto traces = testing::read_traces(run.dataset.root());
  REQUIRE(traces.size() == 1);
  CHECK(traces[0].status == "COMPILE_ERROR");
  CHECK(traces[0].log.find("--build-timeout") != std::string::npos);
  CHECK(run.processes().empty());
}
