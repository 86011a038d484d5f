#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "gpu/gpu.h"
#include "support/busy_machine.h"
#include "support/fib_run.h"
#include "support/python.h"

// Honest solutions (tests/hostile/honest/cuda) with threads, pools, streams and graphs of their own, that
// allocate, print, wait, compile and start programs in their calls: none may be refused, on an idle machine
// nor on one with twice as many busy processes as cores, and on the idle one each has to get a verdict. Run
// by scripts/gpu-test (steps "honest" and "honest-busy"): FIB_HONEST_ROUNDS says how often.
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
                            {"plan.h", util::read_file(path.parent_path() / "plan.h")},
                            {"pool.h", util::read_file(path.parent_path().parent_path() / "pool.h")}});
}

// Returns how many there are.
std::size_t add_solutions(testing::FibRun& run, bool with_nvcc, bool with_torch) {
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator(testing::source_folder() / "tests/hostile/honest/cuda")) {
    const auto& path = entry.path();
    if (path.extension() == ".cu" && with_nvcc) {
      add_cuda(run, path);
    } else if (path.extension() == ".py" && with_torch) {
      run.dataset.python_solution(path.stem().string(), util::read_file(path));
    } else {
      continue;
    }
    ++count;
  }
  return count;
}

std::vector<std::string> lines_with(const std::string& text, const std::string& words) {
  std::vector<std::string> lines;
  std::istringstream all(text);
  for (std::string line; std::getline(all, line);) {
    if (line.find(words) != std::string::npos) lines.push_back(line);
  }
  return lines;
}

// Runs all of them as often as FIB_HONEST_ROUNDS says, else once. Returns how many evaluations got a verdict
// in the last round, and how many there were to make.
std::pair<std::size_t, std::size_t> run_honest(bool is_busy) {
  testing::FibRun run;
  const auto with_torch = testing::python_with_torch();
  run.python = with_torch ? *with_torch : testing::plain_python(run.folder.path());
  run.dataset.add_definition({1000, 1'000'000});
  const std::size_t solutions = add_solutions(run, testing::has_cuda_tool("nvcc"), with_torch.has_value());
  const char* rounds = std::getenv("FIB_HONEST_ROUNDS");
  const int wanted = rounds != nullptr ? std::atoi(rounds) : 1;
  std::size_t judged = 0;
  for (int round = 0; round < wanted; ++round) {
    std::optional<testing::BusyMachine> busy;
    if (is_busy) busy.emplace();
    fs::remove_all(run.dataset.root() / "traces");
    const auto result = run.run({"--device", "cuda:0"});
    const auto traces = testing::read_traces(run.dataset.root());
    judged = traces.size();
    for (const auto& trace : traces) {
      INFO("round " << round + 1 << ": " << trace.solution << ": " << trace.log.substr(0, 2000));
      CHECK(trace.status == "PASSED");
    }
    std::printf("round %d: %zu of %zu evaluations have a verdict\n", round + 1, judged, 2 * solutions);
    for (const auto& line : lines_with(result.err, "not done:")) std::printf("  %s\n", line.c_str());
    std::fflush(stdout);
  }
  return {judged, 2 * solutions};
}

}  // namespace

TEST_CASE("no honest solution on a GPU is refused, or left without a verdict", "[.][gpu]") {
  if (testing::gpu() == nullptr) return;
  const auto [judged, wanted] = run_honest(false);
  CHECK(judged == wanted);
}

// What waits for a CPU in its own threads and processes may have no verdict there.
TEST_CASE("on a busy machine no honest solution on a GPU is refused", "[.][gpu]") {
  if (testing::gpu() == nullptr) return;
  const auto [judged, wanted] = run_honest(true);
  CHECK(2 * judged > wanted);
}
