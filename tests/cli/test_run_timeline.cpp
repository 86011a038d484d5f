#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/run_support.h"

// Where the time of `fib run` goes, as it says itself.
namespace fs = std::filesystem;
using namespace fib;
using testing::few;

namespace {

struct Row {
  std::string process;  // who
  std::string what;
};
bool operator<(const Row& a, const Row& b) {
  return std::tie(a.process, a.what) < std::tie(b.process, b.what);
}

// The spans of a timeline's file in milliseconds, by process and kind.
std::map<Row, std::vector<double>> spans_of(const fs::path& file) {
  std::map<int, std::string> names;
  std::map<Row, std::vector<double>> spans;
  for (const auto& event : nlohmann::json::parse(util::read_file(file))) {
    if (event.at("ph") == "M") names[event.at("pid")] = event.at("args").at("name");
    if (event.at("ph") == "X")
      spans[{names.at(event.at("pid")), event.at("name")}].push_back(event.at("dur").get<double>() / 1e3);
  }
  return spans;
}

// The numbers in the row of --explain-time's table that begins with these words.
std::vector<double> numbers_of(const std::string& table, const std::string& process,
                               const std::string& what) {
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind(process + "  ", 0) != 0) continue;
    const std::size_t at = line.find_first_not_of(' ', process.size());
    if (line.compare(at, what.size() + 2, what + "  ") != 0) continue;
    std::istringstream rest(line.substr(at + what.size()));
    std::vector<double> numbers;
    for (double number = 0; rest >> number;) numbers.push_back(number);
    return numbers;
  }
  return {};
}

}  // namespace

TEST_CASE("--explain-time and --timeline say where the time went, process by process") {
  testing::FibRun run;
  run.dataset.add_definition({10, 20}).solution("slow", "alice", testing::kSlow);
  const fs::path file = run.folder.path() / "timeline.json";
  const auto result = run.run(few({"--explain-time", "--timeline", file.string()}));
  INFO(result.out);
  CHECK(result.exit_code == 0);
  const auto spans = spans_of(file);
  const auto times = [&](const std::string& process, const std::string& what) {
    const auto found = spans.find({process, what});
    return found == spans.end() ? std::size_t{0} : found->second.size();
  };
  CHECK(times("fib", "evaluation") == 2);
  CHECK(times("fib", "all builds") == 1);
  CHECK(times("fib", "write the trace") == 2);
  CHECK(times("builder", "build") == 1);
  CHECK(times("the judge", "start") == 1);
  CHECK(times("the solution's worker", "start") == 1);
  CHECK(times("the solution's worker", "load") == 1);
  CHECK(times("the solution's worker", "open") == 2);
  const std::size_t calls = times("the solution's worker", "run");
  CHECK(calls >= 12);
  CHECK(times("the solution's worker", "prepare") == calls);
  CHECK(times("the solution's worker", "collect") == calls);
  CHECK(times("the judge", "compare") == calls);
  CHECK(times("the reference's worker", "run") > 0);
  CHECK(times("the judge", "fill") == calls + times("the reference's worker", "run"));

  // Its calls take a tenth of a second each, and are most of what there is.
  const auto row = numbers_of(result.out, "the solution's worker", "run");
  REQUIRE(row.size() == 4);
  CHECK(row[0] == Approx(calls));
  CHECK(row[1] >= 0.1 * static_cast<double>(calls));
  CHECK(row[2] == Approx(1e3 * row[1] / row[0]).margin(0.1));
  const auto all = numbers_of(result.out, "fib", "evaluation");
  REQUIRE(all.size() == 4);
  CHECK(all[0] == 2);
  CHECK(all[3] == 100);
  CHECK(row[3] == Approx(100 * row[1] / all[1]).margin(0.1));
  CHECK(numbers_of(result.out, "fib", "everything else").size() == 4);
  CHECK(numbers_of(result.out, "builder", "build").size() == 3);  // beside evaluations: no share of them
}

TEST_CASE("without --explain-time nothing is said of it, and a timeline that cannot be written is an error") {
  testing::FibRun run;
  run.dataset.add_definition({10}).solution("honest", "alice", testing::kHonest);
  const auto plain = run.run(few());
  CHECK(plain.out.find("Seconds") == std::string::npos);
  const auto nowhere = run.run(few({"--timeline", run.folder.path() / "nowhere/timeline.json"}));
  CHECK(nowhere.exit_code == 1);
  CHECK(nowhere.err.find("cannot write " + (run.folder.path() / "nowhere/timeline.json").string()) !=
        std::string::npos);
}
