#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <fstream>
#include <functional>
#include <future>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/run_support.h"
#include "util/file_lock.h"
#include "util/files.h"
#include "worker/process_tree.h"

// The processes of `fib run`: who lives how long, who takes turns, and what is left when one is killed.
namespace fs = std::filesystem;
using namespace fib;
using namespace fib::testing;  // NOLINT: all of it is used

namespace {

// Right, and prints its process id once a workload.
const std::string kPrintsPid = R"(
#include <unistd.h>
#include <cstdio>
extern "C" void run(const float* a, const float* b, float* c, long n) {
  static long last = 0;
  if (last != n) std::printf("pid %d\n", int(getpid()));
  last = n;
  for (long i = 0; i < n; ++i) c[i] = a[i] + b[i];
})";

// As slow as kSlow, and without a signal when its parent dies, if that were allowed.
const std::string kWantsToSurvive = R"(
#include <sys/prctl.h>
#include <unistd.h>
extern "C" void run(const float* a, const float* b, float* c, long n) {
  prctl(PR_SET_PDEATHSIG, 0);
  usleep(100000);
  for (long i = 0; i < n; ++i) c[i] = a[i] + b[i];
})";

const std::string kKillsItself = R"(
#include <signal.h>
extern "C" void run(const float*, const float*, float*, long) { raise(SIGKILL); })";

// What killed builders left in the cache.
std::vector<fs::path> leftovers(const FibRun& run) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(run.folder.path() / "cache", error), end;
       !error && entry != end; entry.increment(error)) {
    if (entry->path().filename().string().find(".tmp-") != std::string::npos) found.push_back(entry->path());
  }
  return found;
}

// Processes of the run that were started with this hidden command.
std::vector<int> children(const FibRun& run, const std::string& command) {
  std::vector<int> found;
  for (const int pid : run.processes()) {
    std::ifstream file(fmt::format("/proc/{}/cmdline", pid));
    std::string text;
    std::getline(file, text);
    if (text.find(command) != std::string::npos) found.push_back(pid);
  }
  return found;
}

}  // namespace

TEST_CASE("two runs take turns on the device") {
  FibRun run;
  run.dataset.add_definition({100}).solution("slow", "alice", kSlow);
  const int first = run.start(few());
  REQUIRE(wait_for([&] {
    return !util::FileLock::try_take("/tmp/fib-locks/cpu.lock", util::FileLock::Sharing::kMachine);
  }));
  FibRun other;
  other.dataset.add_definition({100}).solution("one", "alice", kHonest);
  const auto second = other.run(few());
  CHECK(second.exit_code == 0);
  CHECK(second.err.find("waiting for another fib run to release the device cpu") != std::string::npos);
  int status = 0;
  ::waitpid(first, &status, 0);
  CHECK(status == 0);
}

TEST_CASE("kill -9 of the coordinator leaves no process and no torn record, and --resume does the rest") {
  FibRun run;
  run.dataset.add_definition({10, 20, 30, 40, 50, 60}).solution("slow", "alice", kSlow);
  const bool during_build = GENERATE(true, false);
  const int coordinator = run.start(few());
  if (during_build) {
    REQUIRE(wait_for([&] { return run.processes().size() > 3; }));
  } else {
    REQUIRE(wait_for([&] { return !testing::read_traces(run.dataset.root()).empty(); }));
  }
  ::kill(coordinator, SIGKILL);
  ::waitpid(coordinator, nullptr, 0);
  CHECK(wait_for([&] { return run.processes().empty(); }));
  CHECK(wait_for([&] { return fs::is_empty(run.folder.path() / "tmp"); }));
  CHECK(wait_for([&] { return leftovers(run).empty(); }));
  const auto before = testing::read_traces(run.dataset.root()).size();  // throws at a torn record
  CHECK(before < 6);
  const auto resumed = run.run(few({"--resume"}));
  CHECK(resumed.exit_code == 0);
  CHECK(resumed.out.find(fmt::format("{0} of {0} evaluations done", 6 - before)) == 0);
  CHECK(testing::read_traces(run.dataset.root()).size() == 6);
}

TEST_CASE("what a coordinator and its keeper leave that are killed together goes with the next run") {
  FibRun run;
  run.dataset.add_definition({10, 20, 30}).solution("slow", "alice", kSlow);
  const pid_t coordinator = run.start(few());
  const fs::path tmp = run.folder.path() / "tmp";
  REQUIRE(wait_for([&] { return !testing::read_traces(run.dataset.root()).empty(); }));
  const auto children = worker::children_of(coordinator);
  REQUIRE(children.size() == 1);
  for (const int signal : {SIGSTOP, SIGKILL}) {
    for (const pid_t pid : {children[0], coordinator}) ::kill(pid, signal);
  }
  ::waitpid(coordinator, nullptr, 0);
  CHECK(wait_for([&] { return run.processes().empty(); }));
  REQUIRE_FALSE(fs::is_empty(tmp));
  // A folder that is being made has no lock yet; a link may lead anywhere; other names are nobody's business.
  fs::create_directory(tmp / "fib-run-young");
  fs::create_directory(tmp / "other");
  util::write_file_atomic(tmp / "other/in-use", "");
  fs::create_directory_symlink("other", tmp / "fib-run-link");
  CHECK(run.run(few({"--resume"})).exit_code == 0);
  std::set<std::string> left;
  for (const auto& entry : fs::directory_iterator(tmp)) left.insert(entry.path().filename());
  CHECK(left == std::set<std::string>{"fib-run-link", "fib-run-young", "other"});
  CHECK(fs::exists(tmp / "other/in-use"));
}

TEST_CASE("a run leaves the folder of another one that lives") {
  FibRun run;
  run.dataset.add_definition({10, 20, 30}).solution("slow", "alice", kSlow);
  const pid_t first = run.start(few());
  REQUIRE(wait_for([&] { return !testing::read_traces(run.dataset.root()).empty(); }));
  CHECK(run.run(few({"--dry-run"})).exit_code == 0);
  CHECK(run.run(few()).exit_code == 0);
  int status = 0;
  ::waitpid(first, &status, 0);
  CHECK(status == 0);
}

TEST_CASE(
    "kill -9 of the keeper ends the run soon, with nothing left and no verdict, and --resume does the rest") {
  if (::geteuid() != 0) {
    WARN("skipped: only root can tell whose child a keeper is, which is not dumpable");
    return;
  }
  const auto [during_build, source] =
      GENERATE(std::pair(true, kSlow), std::pair(false, kSlow), std::pair(false, kWantsToSurvive));
  FibRun run;
  run.dataset.add_definition({10, 20, 30, 40, 50, 60}).solution("slow", "alice", source);
  auto ended = std::async(std::launch::async, [&run] { return run.run(few({"--format", "jsonl"})); });
  if (during_build) {
    REQUIRE(wait_for([&] { return !children(run, "__build").empty(); }));
  } else {
    REQUIRE(wait_for([&] { return !testing::read_traces(run.dataset.root()).empty(); }));
  }
  const auto keepers = children(run, "__keeper");
  REQUIRE(keepers.size() == 1);
  ::kill(keepers[0], SIGKILL);
  REQUIRE(ended.wait_for(std::chrono::seconds(20)) == std::future_status::ready);
  const auto result = ended.get();
  INFO(result.err);
  CHECK(result.exit_code == 1);
  CHECK(result.err.find(
            "the keeper process, the parent of all others, was lost: it ended with SIGKILL (Killed); "
            "to do the rest, run the same command with --resume") != std::string::npos);
  CHECK(result.err.find("not done: slow w60: the keeper") != std::string::npos);
  // No device is to blame, of whichever evaluation.
  CHECK(result.out.find("\"code\":\"machine_error\"") != std::string::npos);
  CHECK(result.out.find("lost_device") == std::string::npos);
  CHECK(run.processes().empty());
  CHECK(fs::is_empty(run.folder.path() / "tmp"));
  CHECK(leftovers(run).empty());
  const auto traces = testing::read_traces(run.dataset.root());
  CHECK(traces.size() < 6);
  for (const auto& trace : traces) CHECK(trace.status == "PASSED");
  CHECK(run.run(few({"--resume"})).exit_code == 0);
  CHECK(testing::read_traces(run.dataset.root()).size() == 6);
}

TEST_CASE("a worker that is killed from outside is replaced once") {
  if (::geteuid() != 0) {
    WARN("skipped: only root can tell whose child a worker is, which is not dumpable");
    return;
  }
  FibRun run;
  run.dataset.add_definition({10}).solution("slow", "alice", kSlow);
  auto ended = std::async(std::launch::async, [&run] { return run.run(few()); });
  std::vector<int> workers;  // the solution's is the first, its definition's reference the second
  REQUIRE(wait_for([&] { return (workers = children(run, "__worker")).size() == 2; }));
  ::kill(std::min(workers[0], workers[1]), SIGKILL);
  const auto result = ended.get();
  INFO(result.err);
  CHECK(result.exit_code == 0);
  CHECK(result.err.find("slow: its worker was killed by SIGKILL") != std::string::npos);
  const auto traces = testing::read_traces(run.dataset.root());
  REQUIRE(traces.size() == 1);
  CHECK(traces[0].status == "PASSED");
  CHECK(traces[0].log.find("a first worker was killed by SIGKILL\n") == 0);
}

TEST_CASE("a solution that kills itself fails") {
  FibRun run;
  run.dataset.add_definition({10}).solution("suicide", "alice", kKillsItself);
  CHECK(run.run(few()).exit_code == 0);
  const auto traces = testing::read_traces(run.dataset.root());
  REQUIRE(traces.size() == 1);
  CHECK(traces[0].status == "RUNTIME_ERROR");
  CHECK(traces[0].log.find("the solution's worker ended with SIGKILL") != std::string::npos);
}

TEST_CASE("an interrupt keeps all traces, cleans up, and says how to go on") {
  FibRun run;
  run.dataset.add_definition({10, 20, 30, 40}).solution("slow", "alice", kSlow);
  const int coordinator = run.start(few());
  REQUIRE(wait_for([&] { return !testing::read_traces(run.dataset.root()).empty(); }));
  ::kill(coordinator, SIGINT);
  ::usleep(1000);  // `timeout -s INT` signals the process and its group: one request
  ::kill(coordinator, SIGINT);
  int status = 0;
  ::waitpid(coordinator, &status, 0);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 130);
  CHECK(wait_for([&] { return run.processes().empty(); }));
  const auto record = nlohmann::json::parse(util::read_file(run.dataset.root() / "runs/runs.jsonl"));
  CHECK(record.at("interrupted") == true);
  const auto kept = testing::read_traces(run.dataset.root());
  CHECK(kept.size() < 4);
  for (const auto& trace : kept) CHECK(trace.status == "PASSED");
  CHECK(record.at("finished") == kept.size());
  CHECK(record.at("passed") == kept.size());
  CHECK(record.at("not_begun") == 4 - kept.size());
  CHECK(record.at("not_done") == 0);
  CHECK(run.run(few({"--resume"})).exit_code == 0);
  CHECK(testing::read_traces(run.dataset.root()).size() == 4);
}

TEST_CASE("one worker serves all workloads of a solution, or each its own with --use-isolated-runner") {
  FibRun run;
  run.dataset.add_definition({100, 200}).solution("one", "alice", kPrintsPid);
  REQUIRE(run.run(few()).exit_code == 0);
  auto pids = logs(run);
  REQUIRE(pids.size() == 2);
  CHECK(pids[0] == pids[1]);
  REQUIRE(run.run(few({"--use-isolated-runner"})).exit_code == 0);
  pids = logs(run);
  REQUIRE(pids.size() == 4);
  CHECK(pids[2] != pids[3]);
}

TEST_CASE("no process serves two solutions, nor two versions of one") {
  FibRun run;
  run.dataset.add_definition({100}).solution("one", "alice", kPrintsPid).solution("two", "alice", kPrintsPid);
  REQUIRE(run.run(few()).exit_code == 0);
  run.dataset.solution("one", "alice", kPrintsPid + "\n");
  REQUIRE(run.run(few({"--solutions", "one"})).exit_code == 0);
  auto pids = logs(run);
  CHECK(pids.size() == 3);
  std::sort(pids.begin(), pids.end());
  CHECK(std::unique(pids.begin(), pids.end()) == pids.end());
  const auto source = run.folder.path() / "a.cpp";
  const auto other = run.folder.path() / "b.cpp";
  for (const auto& file : {source, other}) util::write_file_atomic(file, kPrintsPid);
  const auto both =
      testing::run_process({testing::fib_binary(), "eval", source.string(), other.string(), "--definition",
                            "add", "--local", run.dataset.root().string(), "--format", "json"},
                           run.environment());
  INFO(both.out << both.err);
  const auto tried = nlohmann::json::parse(both.out).at("solutions");
  REQUIRE(tried.size() == 2);
  const auto pid_of = [&](std::size_t i) {
    const auto log = tried[i].at("results").at(0).at("log").get<std::string>();
    return log.substr(0, log.find('\n'));
  };
  CHECK_THAT(pid_of(0), Catch::StartsWith("pid "));
  CHECK(pid_of(0) != pid_of(1));
}

TEST_CASE("after a failure the next workload gets a fresh worker") {
  FibRun run;
  run.dataset.add_definition({100, 200, 300});
  std::string failing = kPrintsPid;
  failing.replace(failing.find("for (long i"), 0, "if (n == 200) { c[0] = 1e9f; return; }\n  ");
  run.dataset.solution("one", "alice", failing);
  REQUIRE(run.run(few()).exit_code == 0);
  const auto traces = testing::read_traces(run.dataset.root());
  REQUIRE(traces.size() == 3);
  CHECK(traces[1].status == "INCORRECT_NUMERICAL");
  CHECK(traces[2].status == "PASSED");
  const std::string first = traces[0].log.substr(0, traces[0].log.find('\n') + 1);
  CHECK(first.starts_with("pid "));
  CHECK(traces[1].log.starts_with(first));  // the same worker as before
  CHECK(traces[2].log.find(first) == std::string::npos);
}

TEST_CASE(
    "a judge that dies is replaced; where it dies again on a workload, the others are evaluated all the "
    "same") {
  if (::geteuid() != 0) {
    WARN("skipped: only root can tell whose child a judge is, which is not dumpable");
    return;
  }
  FibRun run;
  run.dataset.add_definition({10, 20, 30, 40}).solution("slow", "alice", kSlow);
  const auto [twice, at_once] =
      GENERATE(std::pair(false, true), std::pair(false, false), std::pair(true, false));
  const auto traces_now = [&run] { return testing::read_traces(run.dataset.root()).size(); };
  auto ended = std::async(std::launch::async, [&run] { return run.run(few()); });
  int killed = 0;
  std::size_t before = 0;
  for (int i = 0; i < (twice ? 2 : 1); ++i) {
    std::vector<int> judges;
    REQUIRE(wait_for([&] {
      judges = children(run, "__judge");
      return judges.size() == 1 && judges[0] != killed;
    }));
    // At once: before it has reported. A trace more: it has judged. The second one dies on the first one's
    // workload.
    if (!at_once && i == 0) REQUIRE(wait_for([&] { return traces_now() > before; }));
    before = traces_now();
    killed = judges[0];
    ::kill(killed, SIGKILL);
  }
  const auto result = ended.get();
  INFO(result.err);
  const auto traces = testing::read_traces(run.dataset.root());
  // Where the second one died on the same workload; it may have judged that one just before.
  const bool is_put_aside = result.err.find("the device's judge was lost twice on it: ") != std::string::npos;
  if (is_put_aside) CHECK(twice);
  CHECK(result.exit_code == (is_put_aside ? 1 : 0));
  CHECK(traces.size() == (is_put_aside ? 3 : 4));
  for (const auto& trace : traces) CHECK(trace.status == "PASSED");
}

TEST_CASE("where judges die again and again the lane ends and says so") {
  if (::geteuid() != 0) {
    WARN("skipped: only root can tell whose child a judge is, which is not dumpable");
    return;
  }
  FibRun run;
  std::vector<int> sizes;
  for (int i = 1; i <= 12; ++i) sizes.push_back(i);
  run.dataset.add_definition(sizes).solution("slow", "alice", kSlow);
  auto ended = std::async(std::launch::async, [&run] { return run.run(few()); });
  int killed = 0;
  for (int i = 0; i < 20; ++i) {
    std::vector<int> judges;
    REQUIRE(wait_for([&] {
      judges = children(run, "__judge");
      return judges.size() == 1 && judges[0] != killed;
    }));
    killed = judges[0];
    ::kill(killed, SIGKILL);
  }
  const auto result = ended.get();
  INFO(result.err);
  CHECK(result.exit_code == 1);
  CHECK(result.err.find("the device's judge was lost 20 times in a row, its lane is closed: ") !=
        std::string::npos);
}

TEST_CASE("an interrupt while waiting for the device ends with 130") {
  FibRun first;
  first.dataset.add_definition({10, 20, 30}).solution("slow", "alice", kSlow);
  const int holder = first.start(few());
  REQUIRE(wait_for([&] { return !testing::read_traces(first.dataset.root()).empty(); }));
  FibRun second;
  second.dataset.add_definition({10}).solution("one", "alice", kHonest);
  const fs::path said = second.folder.path() / "said";
  const int waiting = second.start(few(), said);
  REQUIRE(wait_for([&] {
    return fs::exists(said) && util::read_file(said).find("waiting for another fib run") != std::string::npos;
  }));
  ::kill(waiting, SIGINT);
  int status = 0;
  ::waitpid(waiting, &status, 0);
  CHECK(WEXITSTATUS(status) == 130);
  ::kill(holder, SIGINT);
  ::waitpid(holder, &status, 0);
  CHECK(WEXITSTATUS(status) == 130);
  CHECK(first.processes().empty());
}

TEST_CASE("--max-time is over for a run that waits for the device too") {
  FibRun first;
  first.dataset.add_definition({10, 20, 30}).solution("slow", "alice", kSlow);
  const int holder = first.start({});
  REQUIRE(wait_for([&] { return !testing::read_traces(first.dataset.root()).empty(); }));
  FibRun second;
  second.dataset.add_definition({10}).solution("one", "alice", kHonest);
  const auto result = second.run(few({"--max-time", "0.3"}));
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.err, Catch::Contains("waiting for another fib run") &&
                             Catch::Contains("--max-time: 0.3 s are over; 1 evaluation did not begin"));
  CHECK_FALSE(fs::exists(second.dataset.root() / "runs"));  // nothing was tried
  const auto events = second.run(few({"--max-time", "0.3", "--format", "jsonl"}));
  CHECK_THAT(events.out, Catch::Contains(R"("event":"run_ended")") && Catch::Contains(R"("run_id":null)"));
  CHECK_FALSE(testing::read_traces(first.dataset.root()).size() == 3);
  int status = 0;
  ::kill(holder, SIGINT);
  ::waitpid(holder, &status, 0);
}

TEST_CASE("a keeper that is lost while its run waits for the device ends the run") {
  if (::geteuid() != 0) {
    WARN("skipped: only root can tell whose child a keeper is, which is not dumpable");
    return;
  }
  const auto lock =
      util::FileLock::take("/tmp/fib-locks/cpu.lock", util::FileLock::Sharing::kMachine, [] { return true; });
  FibRun run;
  run.dataset.add_definition({10}).solution("one", "alice", kHonest);
  auto ended = std::async(std::launch::async, [&run] { return run.run(few()); });
  std::vector<int> keepers;
  REQUIRE(wait_for([&] { return (keepers = children(run, "__keeper")).size() == 1; }));
  ::kill(keepers[0], SIGKILL);
  REQUIRE(ended.wait_for(std::chrono::seconds(20)) == std::future_status::ready);
  const auto result = ended.get();
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.err, Catch::Contains("fib: the keeper process, the parent of all others, was lost: "));
  CHECK(run.processes().empty());
  CHECK(fs::is_empty(run.folder.path() / "tmp"));
}
