#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "cli/run_support.h"
#include "dataset/load.h"
#include "support/places.h"
#include "util/files.h"

// What `fib run` does and says when all goes its way, and when the user or the dataset is wrong.
namespace fs = std::filesystem;
using namespace fib;
using namespace fib::testing;  // NOLINT: all of it is used

namespace {

// Right, and prints the first input of every call.
const std::string kPrintsInput = R"(
    #include <cstdio>
    extern "C" void run(const float* a, const float* b, float* c, long n) {
      for (long i = 0; i < n; ++i) c[i] = a[i] + b[i];
      std::printf("%a\n", a[0]);
    })";

}  // namespace

TEST_CASE("a run leaves one trace for each solution and workload, and says what it did") {
  FibRun run;
  run.dataset.add_definition({100, 1000}).solution("one", "alice", kHonest).solution("two", "bob", kHonest);
  const auto result = run.run(few());
  INFO(result.err);
  CHECK(result.exit_code == 0);
  CHECK(result.out.find("4 of 4 evaluations done: 4 passed, 0 did not") == 0);
  const auto traces = testing::read_traces(run.dataset.root());
  REQUIRE(traces.size() == 4);
  CHECK(traces[0].solution == "one");
  CHECK(traces[0].workload == "w100");
  CHECK(traces[1].workload == "w1000");
  for (const auto& trace : traces) {
    CHECK(trace.latency_ms > 0);
    const auto fib = fib_record(trace);
    CHECK(fib.at("n") == 8);
    CHECK(fib.at("quantiles_ms").size() == 21);
    CHECK(fib.at("trial_medians_ms").size() == 2);
    CHECK(fib.at("sets") == 10);
    CHECK(fib.at("seeded") == false);
  }
  CHECK(run.processes().empty());
  CHECK(fs::is_empty(run.folder.path() / "tmp"));
}

TEST_CASE("traces are byte for byte what the format's writer makes of them") {
  FibRun run;
  run.dataset.add_definition({100}).solution("one", "alice", kHonest);
  REQUIRE(run.run(few()).exit_code == 0);
  const auto dataset = dataset::load(run.dataset.root());
  CHECK(dataset.problems.empty());
  REQUIRE(dataset.traces.size() == 1);
  const std::string text = testing::read_traces(run.dataset.root())[0].text;
  CHECK(model::to_json(model::parse_trace(text)) == text);
}

TEST_CASE("--dry-run prints the plan in order and runs nothing") {
  FibRun run;
  run.dataset.add_definition({200, 100}).solution("two", "bob", kHonest).solution("one", "alice", kHonest);
  const auto result = run.run({"--dry-run"});
  CHECK(result.exit_code == 0);
  CHECK(result.err.empty());
  CHECK(result.out ==
        "cpu  add  one  w100\ncpu  add  one  w200\ncpu  add  two  w100\ncpu  add  two  w200\n4 evaluations "
        "planned\n");
  CHECK_FALSE(fs::exists(run.dataset.root() / "traces"));
}

TEST_CASE("filters select by name and by glob; a name that the dataset does not have is an error") {
  FibRun run;
  run.dataset.add_definition({100, 200}).solution("one", "alice", kHonest).solution("two", "bob", kHonest);
  CHECK(run.run({"--dry-run", "--authors", "bo*", "--workloads", "w100"}).out ==
        "cpu  add  two  w100\n1 evaluation planned\n");
  CHECK(run.run({"--dry-run", "--solutions", "one", "two", "--op-types", "test", "--definitions", "a?d"})
            .out.find("4 evaluations planned") != std::string::npos);
  CHECK(run.run({"--dry-run", "--exclude-solutions", "tw*", "--where", "n>=150"}).out ==
        "cpu  add  one  w200\n1 evaluation planned\n");
  CHECK(run.run({"--dry-run", "--exclude-definitions", "add"}).out == "0 evaluations planned\n");
  const auto all = [&](const std::string& kind) {
    return "to see what there is: fib list " + kind + " --local " + run.dataset.root().string();
  };
  for (const auto& [option, name, error] : std::vector<std::tuple<const char*, const char*, std::string>>{
           {"--solutions", "onn", "no solution is called \"onn\"; did you mean \"one\"?"},
           {"--workloads", "w1000", "no workload is called \"w1000\"; did you mean \"w100\" or \"w200\"?"},
           {"--authors", "nobody", "no author is called \"nobody\"; " + all("solutions")},
           {"--definitions", "ad", "no definition is called \"ad\"; did you mean \"add\"?"},
           {"--op-types", "rope", "no op type is called \"rope\"; " + all("definitions")}}) {
    const auto refused = run.run({"--dry-run", option, name});
    CHECK(refused.exit_code == 1);
    CHECK(refused.out.empty());
    CHECK(refused.err == "fib: " + error + "\n");
  }
  // Names of the dataset that have nothing in common are no slip of the pen.
  run.dataset.definition("test", "other",
                         R"({"name": "other", "op_type": "test", "axes": {"n": {"type": "var"}},
      "inputs": {"a": {"shape": ["n"], "dtype": "float32"}}, "outputs": {"b": {"shape": ["n"], "dtype": "float32"}},
      "reference": "def run(a):\n    return a\n"})",
                         {});
  CHECK(run.run({"--dry-run", "--definitions", "other", "--solutions", "one"}).out ==
        "0 evaluations planned\n");
}

TEST_CASE("--resume skips what has a trace and does the rest; another configuration is not the same") {
  FibRun run;
  run.dataset.add_definition({100}).solution("one", "alice", kHonest);
  REQUIRE(run.run(few()).exit_code == 0);
  run.dataset.solution("two", "bob", kHonest);
  CHECK(run.run(few({"--resume"})).out.find("1 of 1 evaluations done") == 0);
  CHECK(run.run(few({"--resume"})).out ==
        "nothing to run: 2 evaluations are done (--since TIME does those again that are older)\n");
  const auto other = run.run(few({"--resume", "--rtol", "0.5", "--timeout", "200"}));
  CHECK(other.out.find("2 of 2 evaluations done") == 0);
  CHECK(other.err.find(
            "2 of these have results with other options, which are not taken for done (rtol, timeout_s): "
            "they are made again") != std::string::npos);
  run.dataset.solution("two", "bob", kHonest + "// changed\n");
  CHECK(run.run(few({"--resume"})).out.find("1 of 1 evaluations done") == 0);
}

TEST_CASE("--no-save-results writes nothing") {
  FibRun run;
  run.dataset.add_definition({100}).solution("one", "alice", kHonest);
  CHECK(run.run(few({"--no-save-results"})).exit_code == 0);
  CHECK_FALSE(fs::exists(run.dataset.root() / "traces"));
  CHECK_FALSE(fs::exists(run.dataset.root() / "runs"));
}

TEST_CASE("--strict turns a failed evaluation into exit code 3") {
  FibRun run;
  run.dataset.add_definition({100}).solution("bad", "alice", "extern \"C\" void run() {}");
  CHECK(run.run(few()).exit_code == 0);
  CHECK(run.run(few({"--strict"})).exit_code == 3);
}

TEST_CASE("the seed of a run's record replays its inputs, and the traces are marked") {
  FibRun run;
  run.dataset.add_definition({100}).solution("one", "alice", kPrintsInput);
  REQUIRE(run.run(few()).exit_code == 0);
  const auto record = nlohmann::json::parse(util::read_file(run.dataset.root() / "runs" / "runs.jsonl"));
  CHECK(record.at("seed").get<std::string>().size() == 64);
  CHECK(record.at("seeded") == false);
  REQUIRE(run.run(few({"--seed", record.at("seed")})).exit_code == 0);
  REQUIRE(run.run(few()).exit_code == 0);
  const auto traces = testing::read_traces(run.dataset.root());
  REQUIRE(traces.size() == 3);
  // A busy machine may have had a run's calls made again, with further inputs.
  const auto first = testing::printed_by(traces[0]);
  const auto second = testing::printed_by(traces[1]);
  REQUIRE_FALSE(first.empty());
  CHECK((first.starts_with(second) || second.starts_with(first)));
  CHECK(testing::printed_by(traces[0]) != testing::printed_by(traces[2]));
  CHECK(fib_record(traces[0]).at("seeded") == false);
  CHECK(fib_record(traces[1]).at("seeded") == true);
}

TEST_CASE("no input set comes twice within a worker, nor in two solutions") {
  FibRun run;
  run.dataset.add_definition({100})
      .solution("one", "alice", kPrintsInput)
      .solution("two", "bob", kPrintsInput + "// other\n");
  REQUIRE(run.run(few()).exit_code == 0);
  std::set<std::string> seen;
  std::size_t calls = 0;
  for (const auto& trace : testing::read_traces(run.dataset.root())) {
    std::istringstream lines(trace.log);
    for (std::string line; std::getline(lines, line); ++calls) seen.insert(line);
  }
  CHECK(calls == 20);
  CHECK(seen.size() == calls);
}

TEST_CASE("without a profiled baseline, reference latency and speedup are zero") {
  FibRun run;
  run.dataset.add_definition({100}).solution("one", "alice", kHonest);
  REQUIRE(run.run(few({"--no-profile-baseline"})).exit_code == 0);
  const auto performance = nlohmann::json::parse(testing::read_traces(run.dataset.root())[0].text)
                               .at("evaluation")
                               .at("performance");
  CHECK(performance.at("reference_latency_ms") == 0);
  CHECK(performance.at("speedup_factor") == 0);
  CHECK(performance.at("latency_ms") > 0);
}

TEST_CASE("a slow solution makes fewer calls, no less than three of each") {
  FibRun run;
  run.dataset.add_definition({100}).solution("slow", "alice", kSlow);
  REQUIRE(run.run({"--call-budget", "0.5"}).exit_code == 0);
  const auto fib = fib_record(testing::read_traces(run.dataset.root())[0]);
  CHECK(fib.at("calls").at("trials") == 3);
  CHECK(fib.at("calls").at("timed") == 3);
  CHECK(fib.at("n") == 9);
  CHECK(fib.at("sets_shared") == false);  // its reference is fast
}

TEST_CASE("a broken line costs that line only, unless --strict-load") {
  FibRun run;
  run.dataset.add_definition({100}).solution("one", "alice", kHonest);
  std::ofstream(run.dataset.root() / "workloads" / "test" / "add.jsonl", std::ios::app)
      << "{\"definition\": \"add\n";
  const auto lenient = run.run(few());
  CHECK(lenient.exit_code == 0);
  CHECK(lenient.err.find("workloads/test/add.jsonl:2") != std::string::npos);
  CHECK(lenient.out.find("1 of 1 evaluations done") == 0);
  CHECK(run.run(few({"--strict-load"})).exit_code == 1);
}

TEST_CASE("a reference that cannot be run is listed and gives exit code 1, without a trace") {
  FibRun run;
  run.dataset
      .definition("test", "odd", R"({"name": "odd", "op_type": "test", "axes": {"n": {"type": "var"}},
        "inputs": {"a": {"shape": ["n"], "dtype": "float32"}}, "outputs": {"b": {"shape": ["n"], "dtype": "float32"}},
        "reference": "import torch\n\ndef run(a):\n    return torch.no_such_function(a)\n"})",
                  {R"({"definition": "odd", "workload": {"axes": {"n": 4}, "inputs": {}, "uuid": "w"}})"})
      .solution("one", "alice", "extern \"C\" void run(const float*, float*, long) {}", "odd");
  const auto result = run.run(few());
  CHECK(result.exit_code == 1);
  CHECK(result.err.find("not done: one w: the reference failed") != std::string::npos);
  CHECK(result.err.find("line 4") != std::string::npos);
  CHECK(result.err.find("no_such_function") != std::string::npos);
  CHECK(testing::read_traces(run.dataset.root()).empty());
}

namespace {

// Runs a dataset whose only solution says that it is in this language.
testing::ProcessResult run_in_language(const std::string& language) {
  FibRun run;
  run.dataset.add_definition({100}).solution("one", "alice", kHonest);
  const auto file = run.dataset.root() / "solutions" / "alice" / "test" / "add" / "one.json";
  auto json = nlohmann::ordered_json::parse(util::read_file(file));
  json["spec"]["language"] = language;
  util::write_file_atomic(file, json.dump());
  return run.run();
}

}  // namespace

TEST_CASE("what fib cannot run is skipped with its reason and has no trace") {
  const auto result = run_in_language("mojo");
  CHECK(result.exit_code == 0);
  CHECK(result.out == "nothing to run\n");
  CHECK(result.err.find("skipped one: language \"mojo") != std::string::npos);
}

TEST_CASE("what fib says of a dataset has nothing in it that a terminal would obey") {
  const auto result = run_in_language("mojo\033]0;x\007\033[2J \xe2\x80\xae");
  INFO(result.err);
  CHECK(result.err.find("skipped one: language \"mojo") != std::string::npos);
  for (const char* part : {"\033", "\007", "\xe2\x80\xae"}) CHECK(result.err.find(part) == std::string::npos);
}

TEST_CASE("what a solution burns between its calls is added to its time, if it is not refused") {
  FibRun run;
  run.dataset.add_definition({1 << 22}).solution("hog", "mallory", R"(
    #include <unistd.h>
    #include <atomic>
    #include <chrono>
    #include <thread>
    using Clock = std::chrono::steady_clock;
    static std::atomic<bool> called{false};
    static std::atomic<long> ended{0};
    static long now() { return Clock::now().time_since_epoch().count(); }
    static void burn() {
      for (;;) {
        if (called || now() - ended < 2000000) usleep(300);
      }
    }
    static std::thread hog(burn);
    extern "C" void run(const float* a, const float* b, float* c, long n) {
      called = true;
      for (long i = 0; i < n; ++i) c[i] = a[i] + b[i];
      ended = now();
      called = false;
    })");
  const auto result =
      run.run({"--device", "cpu", "--num-trials", "1", "--warmup-runs", "0", "--iterations", "60"});
  CHECK(result.exit_code == 0);
  const auto traces = testing::read_traces(run.dataset.root());
  REQUIRE(traces.size() == 1);
  INFO(traces[0].log);
  // It is refused where its thread is seen at work right after a call has returned.
  if (traces[0].status == "RUNTIME_ERROR") {
    CHECK(traces[0].log.find("threads of the solution keep running after the call") != std::string::npos);
    return;
  }
  CHECK(traces[0].status == "PASSED");
  CHECK(traces[0].log.find("are added to the worker's claims") != std::string::npos);
  const double added_ms = fib_record(traces[0]).at("witness").at("added_ms").at(0).get<double>();
  CHECK(added_ms > 1);  // it burns while the next inputs are made and copied
  CHECK(traces[0].latency_ms > added_ms);
}

TEST_CASE("a plan without evaluations says why") {
  FibRun run;
  std::string warned;
  const auto out = [&] {
    const auto result = run.run(few());
    CHECK(result.exit_code == 0);
    warned = result.err;
    return result.out;
  };
  run.dataset.add_definition({});
  CHECK(out() == "nothing to run: there are no solutions\n");
  CHECK(warned.empty());
  run.dataset.solution("one", "alice", kHonest);
  CHECK(out() == "nothing to run: there are no workloads\n");
  CHECK_THAT(warned, Catch::Contains("one cannot be evaluated: there are no workloads of add\n"));
  run.dataset.definition(
      "test", "other", R"({"name": "other", "op_type": "test", "axes": {"n": {"type": "var"}},
      "inputs": {"a": {"shape": ["n"], "dtype": "float32"}}, "outputs": {"c": {"shape": ["n"], "dtype": "float32"}},
      "reference": "def run(a):\n    return a\n"})",
      {R"({"definition": "other", "workload": {"axes": {"n": 4}, "inputs": {}, "uuid": "w"}})"});
  CHECK(out() ==
        "nothing to run: no definition that was asked for has both solutions and workloads that were asked "
        "for\n");
  const auto elsewhere = run.run(few({"--definitions", "other", "--solutions", "one"}));
  CHECK(elsewhere.out == "nothing to run: the solutions that were asked for are for add\n");
}

TEST_CASE("wrong usage is exit code 2 with a sentence") {
  FibRun run;
  run.dataset.add_definition({100});
  for (const std::vector<std::string>& options : {std::vector<std::string>{"--iterations", "0"},
                                                  {"--rtol", "0"},
                                                  {"--required-matched-ratio", "1.1"},
                                                  {"--warmup-runs", "-1"},
                                                  {"--device", "tpu"},
                                                  {"--no-such-option"},
                                                  {"--reference", "fortran"}}) {
    const auto result = run.run(options);
    INFO(options[0]);
    CHECK(result.exit_code == 2);
    CHECK(result.out.empty());
    CHECK(result.err.find(options[0]) != std::string::npos);
  }
  CHECK(testing::run_process({testing::fib_binary()}).exit_code == 2);
  CHECK(testing::run_process({testing::fib_binary(), "run", "--local", "/no/such/folder"}).exit_code == 1);
}

TEST_CASE("solutions for real definitions pass on all real workloads") {
  const fs::path real = testing::source_folder() / "../shared/data/flashinfer_trace";
  if (!fs::exists(real)) {
    WARN("skipped: no real dataset beside the project");
    return;
  }
  FibRun run;
  const fs::path solutions = testing::source_folder() / "tests/data/real_cpp";
  std::size_t workloads = 0;
  for (const auto& [op_type, name] : {std::pair{"rmsnorm", "rmsnorm_h4096"},
                                      {"rmsnorm", "fused_add_rmsnorm_h2048"},
                                      {"gemm", "gemm_n128_k2048"}}) {
    const auto relative = [&](const char* folder, const std::string& extension) {
      return fs::path(folder) / op_type / (name + extension);
    };
    for (const auto& file : {relative("definitions", ".json"), relative("workloads", ".jsonl")}) {
      fs::create_directories((run.dataset.root() / file).parent_path());
      fs::copy_file(real / file, run.dataset.root() / file);
    }
    const auto lines = util::read_file(real / relative("workloads", ".jsonl"));
    workloads +=
        static_cast<std::size_t>(std::count(lines.begin(), lines.end(), '\n')) + (lines.back() != '\n');
    const fs::path target = run.dataset.root() / "solutions" / "test" / op_type / name;
    fs::create_directories(target);
    fs::copy_file(solutions / (std::string("test_") + name + ".json"),
                  target / (std::string("test_") + name + ".json"));
  }
  const auto result =
      run.run({"--strict", "--call-budget", "0.2", "--iterations", "3", "--warmup-runs", "0"});
  INFO(result.err);
  CHECK(result.exit_code == 0);
  CHECK(testing::read_traces(run.dataset.root()).size() == workloads);
}

TEST_CASE("a solution's environment and descriptors show nothing of the harness") {
  FibRun run;
  run.dataset.add_definition({100}).solution("one", "alice", R"(
    #include <cstdio>
    extern char** environ;
    extern "C" void run(const float* a, const float* b, float* c, long n) {
      for (char** e = environ; *e; ++e) std::printf("%s\n", *e);
      for (long i = 0; i < n; ++i) c[i] = a[i] + b[i];
    })");
  REQUIRE(testing::run_process(run.words(few()), {"TMPDIR=" + (run.folder.path() / "tmp").string(),
                                                  "FIB_CACHE_PATH=" + (run.folder.path() / "cache").string(),
                                                  "FIB_DATASET_PATH=/secret", "MY_TOKEN=secret"})
              .exit_code == 0);
  const auto log = logs(run)[0];
  CHECK(log.find("secret") == std::string::npos);
  CHECK(log.find("FIB_") == std::string::npos);
  CHECK(log.find("LC_ALL=C") != std::string::npos);
}

TEST_CASE("solutions that share sets share the small plan too") {
  FibRun run;
  run.dataset.definition(
      "test", "dear", R"({"name": "dear", "op_type": "test", "axes": {"n": {"type": "var"}},
        "inputs": {"a": {"shape": ["n"], "dtype": "float32"}}, "outputs": {"b": {"shape": ["n"], "dtype": "float32"}},
        "reference": "import torch\n\ndef run(a):\n    b = a\n    for i in range(20000):\n        b = b + 0\n    return b\n"})",
      {R"({"definition": "dear", "workload": {"axes": {"n": 4}, "inputs": {}, "uuid": "w"}})"});
  for (const std::string name : {"one", "two", "three"}) {
    run.dataset.solution(name, "alice",
                         "extern \"C\" void run(const float* a, float* b, long n) { for (long i = 0; i < n; "
                         "++i) b[i] = a[i]; }\n//" +
                             name,
                         "dear");
  }
  REQUIRE(run.run({"--call-budget", "0.01"}).exit_code == 0);
  const auto traces = testing::read_traces(run.dataset.root());
  REQUIRE(traces.size() == 3);
  for (const auto& trace : traces) {
    const auto fib = fib_record(trace);
    CHECK(fib.at("sets_shared") == true);
    CHECK(fib.at("n") == 9);
    CHECK(fib.at("calls").at("timed") == 3);
    CHECK(fib.at("reference").at("latency_ms") > 0);
  }
}

TEST_CASE("compile options that would run programs are refused") {
  FibRun run;
  run.dataset.add_definition({10}).solution("one", "alice", kHonest);
  const auto file = run.dataset.root() / "solutions" / "alice" / "test" / "add" / "one.json";
  auto json = nlohmann::ordered_json::parse(util::read_file(file));
  json["spec"]["compile_options"] = {{"cflags", {"-wrapper", "/bin/sh,-c,true"}}};
  util::write_file_atomic(file, json.dump());
  REQUIRE(run.run(few()).exit_code == 0);
  const auto traces = testing::read_traces(run.dataset.root());
  REQUIRE(traces.size() == 1);
  CHECK(traces[0].status == "COMPILE_ERROR");
  CHECK(traces[0].log.find("-wrapper") != std::string::npos);
}

TEST_CASE("a device that is not there is one sentence, not something to fall back from") {
  FibRun run;
  run.dataset.add_definition({100});
  const auto without_gpus = [&](const std::string& device) {
    auto environment = run.environment();
    environment.emplace_back("CUDA_VISIBLE_DEVICES=");
    return testing::run_process(run.words({"--device", device}), environment);
  };
  for (const char* device : {"cuda", "cuda:0"}) {
    const auto result = without_gpus(device);
    CHECK(result.exit_code == 1);
    CHECK(result.out.empty());
    CHECK(result.err.find("fib: no CUDA device: ") == 0);
    CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
  }
}

TEST_CASE("words for devices that mean nothing, or not together, are wrong usage") {
  FibRun run;
  run.dataset.add_definition({100});
  const auto error_of = [&](const std::string& device) {
    const auto result = run.run({"--device", device});
    CHECK(result.exit_code == 2);
    return result.err;
  };
  CHECK(error_of("gpu").find("gpu: expected auto, cpu, cuda, cuda:N") != std::string::npos);
  CHECK(error_of("cuda:x").find("cuda:x: expected cuda:N") != std::string::npos);
  CHECK(error_of("cpu,cuda:0").find("need a run each") != std::string::npos);
  CHECK(error_of("auto,cpu").find("auto stands alone") != std::string::npos);
}
