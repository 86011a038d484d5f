#include <algorithm>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>

#include "device/cuda/snapshot.h"
#include "gpu/gpu.h"
#include "support/fib_run.h"

// Which evaluations are held against the device's own counters.
using namespace fib;
using nlohmann::ordered_json;
using testing::FibRun;

namespace {

bool can_count() {
  const auto* gpu = testing::gpu();
  if (gpu == nullptr) return false;
  if (!std::filesystem::exists("/usr/local/cuda/bin/nvcc") && std::getenv("CUDA_HOME") == nullptr) {
    WARN("skipped: no nvcc");
    return false;
  }
  const device::cuda::DeviceWatch watch(gpu->context, gpu->info.uuid);
  if (watch.counter().problem().empty()) return true;
  WARN("skipped: the device has no counters of its work");
  return false;
}

// Host code on three workloads.
struct Counting {
  explicit Counting(const std::string& source) {
    run.dataset.add_definition({1000, 2000, 4000});
    run.dataset.cuda_solution("s", "test", source, ordered_json::object());
  }
  // The traces by their n.
  std::map<int, testing::TraceLine> traces_with(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(),
                     {"--device", "cuda:0", "--iterations", "5", "--num-trials", "2", "--warmup-runs", "2"});
    const auto result = run.run(arguments);
    INFO(result.err);
    CHECK(result.exit_code == 0);
    std::map<int, testing::TraceLine> traces;
    for (const auto& trace : testing::read_traces(run.dataset.root()))
      traces.emplace(ordered_json::parse(trace.text).at("workload").at("axes").at("n").get<int>(), trace);
    return traces;
  }

  FibRun run;
};

std::string source_of(const std::string& name) {
  return util::read_file(testing::source_folder() / "tests/hostile/cuda" / (name + ".cu"));
}

bool is_counted(const testing::TraceLine& trace) {
  const auto witness = ordered_json::parse(trace.text).at("evaluation").at("fib").at("witness");
  return witness.contains("counters") && witness.at("counters").contains("calls");
}

}  // namespace

TEST_CASE("none of a solution's evaluations are counted, one or two, or each, as --count-work says",
          "[gpu]") {
  if (!can_count()) return;
  const auto counts_with = [](const std::vector<std::string>& arguments) {
    const auto traces = Counting(source_of("host_honest")).traces_with(arguments);
    CHECK(traces.size() == 3);
    for (const auto& [n, trace] : traces) CHECK(trace.status == "PASSED");
    return std::count_if(traces.begin(), traces.end(),
                         [](const auto& one) { return is_counted(one.second); });
  };
  CHECK(counts_with({"--count-work", "none"}) == 0);
  CHECK(counts_with({"--count-work", "each"}) == 3);
  CHECK(counts_with({"--use-isolated-runner"}) == 2);  // the work is so little that the first tells nothing
}

TEST_CASE("a solution that hides work is found in each of its evaluations, though one was chosen", "[gpu]") {
  if (!can_count()) return;
  const auto traces = Counting(source_of("host_switches_callbacks_off")).traces_with({});
  CHECK(traces.size() == 3);
  for (const auto& [n, trace] : traces) {
    INFO(n << ": " << trace.log);
    CHECK(trace.status == "RUNTIME_ERROR");
    CHECK(trace.log.find("the device's own counters saw its") != std::string::npos);
  }
}

TEST_CASE("work that is hidden on one workload alone is found where each evaluation is counted", "[gpu]") {
  if (!can_count()) return;
  std::string source = source_of("host_switches_callbacks_off");
  const std::string launch = "work<<<";
  const auto place = source.find(launch);
  REQUIRE(place != std::string::npos);
  source.insert(place, "if (n == 2000) ");
  const auto traces = Counting(source).traces_with({"--count-work", "each"});
  CHECK(traces.size() == 3);
  for (const auto& [n, trace] : traces) {
    INFO(n << ": " << trace.log);
    CHECK(trace.status == (n == 2000 ? "RUNTIME_ERROR" : "PASSED"));
  }
}

TEST_CASE("an isolated evaluation is counted in a worker that has served no other workload", "[gpu]") {
  if (!can_count()) return;
  std::string source = source_of("host_honest");
  const std::string body = "  add<<<";
  const auto place = source.find(body);
  REQUIRE(place != std::string::npos);
  source.insert(place, "  static const std::int64_t first = n;\n  if (n != first) return 1;\n");
  for (const std::string mode : {"one", "each"}) {
    const auto traces = Counting(source).traces_with({"--use-isolated-runner", "--count-work", mode});
    CHECK(traces.size() == 3);
    for (const auto& [n, trace] : traces) {
      INFO(n << ": " << trace.log);
      CHECK(trace.status == "PASSED");
    }
  }
}
