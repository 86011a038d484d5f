#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "gpu/gpu.h"
#include "support/busy_machine.h"
#include "support/fib_run.h"
#include "support/python.h"

// Honest solutions (tests/hostile/honest/cuda) with threads, pools, streams and graphs of their own, that
// allocate, print, wait, compile and start programs in their calls: none may be refused, and each has to get
// a verdict, on an idle machine and on one with twice as many busy processes as cores. Run by
// scripts/gpu-test (step "honest"): FIB_HONEST_ROUNDS says how often.
namespace fs = std::filesystem;
using namespace fib;
using nlohmann::ordered_json;

namespace {

void add_cuda(testing::FibRun& run, const fs::path& path) {
  const std::string source = util::read_file(path);
  ordered_json spec = {
      {"language", "cuda"}, {"target_hardware", {"cuda"}}, {"entry_point", "kernel.cu::run"}};
  if (source.find("Needs -fopenmp") != std::string::npos)
    spec["compile_options"] = {{"cuda_cflags", {"-Xcompiler=-fopenmp"}}, {"ld_flags", {"-lgomp"}}};
  run.dataset.any_solution(path.stem().string(), "add", spec,
                           {{"kernel.cu", source},
                            {"add.h", util::read_file(path.parent_path() / "add.h")},
                            {"pool.h", util::read_file(path.parent_path().parent_path() / "pool.h")}});
}

// Returns their names.
std::set<std::string> add_solutions(testing::FibRun& run, bool with_nvcc, bool with_torch) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(testing::source_folder() / "tests/hostile/honest/cuda")) {
    const auto& path = entry.path();
    if (path.extension() == ".cu" && with_nvcc) {
      add_cuda(run, path);
    } else if (path.extension() == ".py" && with_torch) {
      run.dataset.python_solution(path.stem().string(), util::read_file(path));
    } else {
      continue;
    }
    names.insert(path.stem().string());
  }
  return names;
}

// What became of a solution that has no verdict, as fib has said it.
std::string said_of(const std::string& solution, const std::string& err) {
  const auto at = err.find(solution + ":");
  return at == std::string::npos ? "nothing is said of it" : err.substr(at, err.find('\n', at) - at);
}

}  // namespace

TEST_CASE("no honest solution on a GPU is refused, or left without a verdict", "[.][gpu]") {
  if (testing::gpu() == nullptr) return;
  testing::FibRun run;
  const auto with_torch = testing::python_with_torch();
  run.python = with_torch ? *with_torch : testing::plain_python(run.folder.path());
  const bool with_nvcc = testing::has_cuda_tool("nvcc");
  constexpr std::size_t kWorkloads = 2;
  run.dataset.add_definition({1000, 1'000'000});
  const auto solutions = add_solutions(run, with_nvcc, with_torch.has_value());
  const char* rounds = std::getenv("FIB_HONEST_ROUNDS");
  const int wanted = rounds != nullptr ? std::atoi(rounds) : 2;
  std::map<std::string, int> refused;
  std::size_t evaluations = 0;
  for (int round = 0; round < wanted; ++round) {
    std::optional<testing::BusyMachine> busy;
    if (round % 2 == 1) busy.emplace();
    fs::remove_all(run.dataset.root() / "traces");
    const auto result = run.run({"--device", "cuda:0"});
    std::map<std::string, std::size_t> done;
    for (const auto& trace : testing::read_traces(run.dataset.root())) {
      ++evaluations;
      if (trace.status == "PASSED")
        ++done[trace.solution];
      else
        ++refused[trace.solution + ": " + trace.status + ": " + trace.log.substr(0, 2000)];
    }
    for (const auto& name : solutions) {
      if (done[name] < kWorkloads) ++refused[said_of(name, result.err)];
    }
    CHECK(result.exit_code == 0);
    std::printf("round %d%s: %zu evaluations, %zu refused\n", round + 1, busy ? ", busy" : "", evaluations,
                refused.size());
    std::fflush(stdout);
  }
  for (const auto& [what, count] : refused) UNSCOPED_INFO("refused " << count << " times: " << what);
  CHECK(refused.empty());
  CHECK(evaluations == kWorkloads * solutions.size() * static_cast<std::size_t>(wanted));
}
