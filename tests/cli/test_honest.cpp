#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>

#include "support/busy_machine.h"
#include "support/fib_run.h"
#include "support/python.h"
#include "util/files.h"

// Honest solutions (tests/hostile/honest) with pools of threads, OpenMP, child processes, compilers, torch
// where it is installed, on a machine with twice as many busy processes as cores beside them: none may be
// refused. Run by scripts/honest-test: FIB_HONEST_ROUNDS says how often.
namespace fs = std::filesystem;
using namespace fib;

namespace {

const fs::path kSources = testing::source_folder() / "tests/hostile/honest";

void add_cpp(testing::FibRun& run, const std::string& name, const std::string& source) {
  run.dataset.solution(name, "test", source, "add", {{"pool.h", util::read_file(kSources / "pool.h")}});
  if (source.find("-fopenmp") == std::string::npos) return;
  const auto path = run.dataset.root() / "solutions/test/test/add" / (name + ".json");
  auto json = nlohmann::ordered_json::parse(util::read_file(path));
  json["spec"]["compile_options"] = {{"cflags", {"-fopenmp"}}, {"ld_flags", {"-fopenmp"}}};
  util::write_file_atomic(path, json.dump());
}

// Returns how many there are.
std::size_t add_solutions(testing::FibRun& run, bool with_torch) {
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator(kSources)) {
    const std::string extension = entry.path().extension();
    const std::string source = util::read_file(entry.path());
    const std::string name = entry.path().stem().string() + (extension == ".py" ? "_python" : "");
    if (extension == ".cpp") {
      add_cpp(run, name, source);
    } else if (extension == ".py" && (with_torch || source.find("Needs torch") == std::string::npos)) {
      run.dataset.python_solution(name, source);
    } else {
      continue;
    }
    ++count;
  }
  return count;
}

std::string last_line(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text.substr(text.rfind('\n') + 1);  // npos + 1 is 0
}

// How often time was added to a solution's claims, and the most.
struct Added {
  int times = 0;
  double most_ms = 0;
  double to_ms = 0;  // the latency with it
};

// The milliseconds that the log says were added; none where it says nothing of it.
std::optional<double> added_ms(const std::string& log) {
  const std::size_t at = log.find(" ms a call (in the trial with the most) are added to the worker's claims");
  if (at == std::string::npos) return std::nullopt;
  return std::atof(log.c_str() + log.rfind('\n', at) + 1);
}

}  // namespace

TEST_CASE("on a busy machine no honest solution is refused", "[.]") {
  testing::FibRun run;
  const auto with_torch = testing::python_with_torch();
  run.python = with_torch ? *with_torch : testing::plain_python(run.folder.path());
  run.dataset.add_definition({1000, 100'000});
  const std::size_t solutions = add_solutions(run, with_torch.has_value());
  const char* rounds = std::getenv("FIB_HONEST_ROUNDS");
  const int wanted = rounds != nullptr ? std::atoi(rounds) : 1;
  std::map<std::string, int> refused;
  std::map<std::string, Added> added;
  std::size_t evaluations = 0;
  for (int round = 0; round < wanted; ++round) {
    const testing::BusyMachine busy;
    fs::remove_all(run.dataset.root() / "traces");
    // By a number of calls, and by as many as the number needs.
    const bool is_asked = round % 2 == 0;
    const auto result = is_asked ? run.run({"--iterations", "12", "--num-trials", "3", "--warmup-runs", "3",
                                            "--call-budget", "60"})
                                 : run.run({"--call-budget", "3"});
    INFO(result.err);
    CHECK(result.exit_code == 0);
    const auto traces = testing::read_traces(run.dataset.root());
    CHECK(traces.size() == 2 * solutions);
    evaluations += traces.size();
    for (const auto& trace : traces) {
      INFO(trace.solution << ": " << trace.log.substr(0, 3000));
      CHECK(trace.status == "PASSED");
      if (trace.status != "PASSED") ++refused[trace.solution + ": " + last_line(trace.log)];
      if (const auto ms = added_ms(trace.log)) {
        auto& seen = added[trace.solution];
        ++seen.times;
        if (*ms > seen.most_ms) seen = {seen.times, *ms, trace.latency_ms};
      }
    }
    if (wanted > 1)
      std::printf("round %d: %zu evaluations, %zu refused\n", round + 1, evaluations, refused.size());
    std::fflush(stdout);
  }
  for (const auto& [what, count] : refused) std::printf("refused %d times: %s\n", count, what.c_str());
  if (wanted > 1) {
    for (const auto& [name, seen] : added)
      std::printf("time added %d times: %s, at most %.4f ms (of %.4f)\n", seen.times, name.c_str(),
                  seen.most_ms, seen.to_ms);
  }
}
