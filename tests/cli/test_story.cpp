#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>
#include <vector>

#include "dataset/temporary_dataset.h"
#include "model/solution.h"
#include "run_fib.h"
#include "support/process.h"

// One story of a dataset: kernels that break, become slower and faster, are mended; a sweep; a merge with
// traces of older sources; a run that was killed. After each step every command that says how solutions stand
// has to say the same.
using namespace fib;
using namespace fib::testing;

namespace {

using nlohmann::json;

constexpr const char* kHere = "CPU X";
constexpr const char* kFailed = "INCORRECT_NUMERICAL";
const std::map<std::string, int> kWorkloads{{"w", 2}, {"v", 8}};  // uuid and size
const std::map<std::string, std::string> kAuthors{{"a", "alice"}, {"b", "bob"}, {"c", "carol"}};

// How solutions stand, as one command tells it: milliseconds, or -1 for a failure.
struct Standing {
  std::map<std::string, double> results;  // by "solution workload"
  std::string winner;                     // "": there is none

  [[nodiscard]] double geometric_mean(const std::string& solution) const {
    return std::sqrt(results.at(solution + " w") * results.at(solution + " v"));
  }
  [[nodiscard]] bool passed_all(const std::string& solution) const {
    return results.at(solution + " w") > 0 && results.at(solution + " v") > 0;
  }
};

class Story {
 public:
  Story() {
    files_.write("d/definitions/op/d.json", definition_text("d", "op"));
    std::string workloads;
    for (const auto& [uuid, size] : kWorkloads) workloads += workload_line(uuid, "d", size) + "\n";
    files_.write("d/workloads/op/d.jsonl", workloads);
    for (const auto& [name, author] : kAuthors) edit(name, "first");
  }

  // Gives a solution this source.
  void edit(const std::string& solution, const std::string& source) {
    const std::string& author = kAuthors.at(solution);
    auto text = solution_text(solution, author, "cpp", "cpu", "d");
    const std::string content = R"("content":"x")";
    text.replace(text.find(content), content.size(), R"("content":")" + source + "\"");
    files_.write("d/solutions/" + author + "/op/d/" + solution + ".json", text);
    sources_[solution] = model::content_sha256(model::parse_solution(text));
  }

  [[nodiscard]] const std::string& source_of(const std::string& solution) const {
    return sources_.at(solution);
  }

  // A trace of the run number `run`, made from `source`; `cost` in milliseconds an element, negative: it
  // failed.
  static std::string trace(const std::string& solution, const std::string& uuid, double cost, int run,
                           const std::string& source, const std::string& more = "",
                           const std::string& config = R"({"flush":"clean"})") {
    const int size = kWorkloads.at(uuid);
    const std::string day = "0" + std::to_string(run);
    std::string text = R"({"definition":"d","workload":)" + workload_text(uuid, size) + R"(,"solution":")" +
                       solution + R"(","evaluation":{"status":")" + (cost > 0 ? "PASSED" : kFailed) +
                       R"(","environment":{"hardware":")" + kHere +
                       R"(","libs":{}},"log":"a log","timestamp":"2026-01-)" + day + R"(T00:00:00+00:00",)" +
                       R"("correctness":{"max_relative_error":0.0,"max_absolute_error":0.0},)";
    if (cost > 0) {
      text += R"("performance":{"latency_ms":)" + std::to_string(cost * size) +
              R"(,"reference_latency_ms":)" + std::to_string(100.0 * size) + R"(,"speedup_factor":)" +
              std::to_string(100 / cost) + "},";
    }
    return text + R"("fib":{"schema":1,"run_id":"202601)" + day + R"(T000000.000000Z-1","config":)" + config +
           R"(,"solution_sha256":")" + source + "\"" + quantiles(cost * size) + more + "}}}\n";
  }

  // Of calls that all take the same time.
  static std::string quantiles(double latency) {
    if (latency <= 0) return "";
    std::string text;
    for (int i = 0; i <= 20; ++i) text += (i > 0 ? "," : "") + std::to_string(latency);
    return R"(,"n":150,"quantiles_ms":[)" + text + "]";
  }

  // A run of these solutions on all workloads.
  void run(const std::map<std::string, double>& costs) {
    ++runs_;
    for (const auto& [solution, cost] : costs) {
      for (const auto& [uuid, size] : kWorkloads)
        add(trace(solution, uuid, cost, runs_, sources_.at(solution)));
    }
  }
  void add(const std::string& lines) {
    traces_ += lines;
    files_.write("d/traces/x/op/d.jsonl", traces_);
  }
  int next_run() { return ++runs_; }

  // What a command prints; it has to succeed.
  [[nodiscard]] std::string ask(std::vector<std::string> words, const std::string& root = "d") const {
    words.insert(words.end(), {"--local", root});
    const bool takes_filters =
        words.front() != "list" && words.front() != "history" && words.at(1) != "compare";
    if (takes_filters) words.insert(words.end(), filters_.begin(), filters_.end());
    const auto result = run_fib(words, files_.root());
    INFO(words.front() << " " << words.at(1));
    CHECK(result.exit_code == 0);
    CHECK(result.err.find("error") == std::string::npos);
    return result.out;
  }
  [[nodiscard]] json ask_json(std::vector<std::string> words, const std::string& root = "d") const {
    words.insert(words.end(), {"--format", "json"});
    return json::parse(ask(words, root));
  }
  [[nodiscard]] const TemporaryDataset& files() const { return files_; }
  // Options for all reports and exports from now on.
  void choose(std::vector<std::string> filters) { filters_ = std::move(filters); }
  [[nodiscard]] bool is_filtered() const { return !filters_.empty(); }

 private:
  TemporaryDataset files_;
  std::vector<std::string> filters_;
  std::map<std::string, std::string> sources_;
  std::string traces_;
  int runs_ = 0;
};

// The standing after a step, from what each solution costs.
Standing standing_of(const std::map<std::string, double>& costs, const std::string& winner) {
  Standing standing{{}, winner};
  for (const auto& [solution, cost] : costs) {
    for (const auto& [uuid, size] : kWorkloads)
      standing.results[solution + " " + uuid] = cost > 0 ? cost * size : -1;
  }
  return standing;
}

using Results = std::map<std::string, double>;

void check_results(const std::string& teller, const Results& found, const Results& expected) {
  std::string keys;
  for (const auto& [key, value] : found) keys += key + ", ";
  INFO(teller << ": " << keys);
  REQUIRE(found.size() == expected.size());
  for (const auto& [key, value] : expected) {
    INFO(key);
    REQUIRE(found.contains(key));
    CHECK(found.at(key) == Approx(value));
  }
}

double milliseconds(const json& latency) { return latency.is_null() ? -1 : latency.get<double>(); }

void check_summary(const Story& story, const std::string& root, const Standing& expected) {
  const auto document = story.ask_json({"report", "summary"}, root);
  const auto& hardware = document.at("datasets").at(0).at("hardware").at(0);
  std::set<std::string> first;
  for (const auto& entry : hardware.at("solutions")) {
    const auto solution = entry.at("solution").get<std::string>();
    if (entry.at("rank") == 1) first.insert(solution);
    CHECK((entry.at("passed") == entry.at("workloads")) == expected.passed_all(solution));
    if (expected.passed_all(solution))
      CHECK(entry.at("latency_ms").get<double>() == Approx(expected.geometric_mean(solution)));
  }
  CHECK(first == std::set<std::string>{expected.winner});
  CHECK(std::regex_search(story.ask({"report", "summary"}, root),
                          std::regex("\n +1  " + expected.winner + " ")));
  const auto ranked = story.ask_json({"report", "rank"}, root);
  const auto& authors = ranked.at("datasets").at(0).at("hardware").at(0).at("authors");
  CHECK(authors.at(0).at("author") == kAuthors.at(expected.winner));
  for (const auto& author : authors) {
    for (const auto& [solution, name] : kAuthors) {
      if (name == author.at("author"))
        CHECK((author.at("geomean_speedup").get<double>() > 0) == expected.passed_all(solution));
    }
  }
}

// How many results of each solution stand, and how many of them passed, by `fib list`.
void check_list(const Story& story, const std::string& root, const Standing& expected) {
  const auto document = story.ask_json({"list", "solutions"}, root);
  std::map<std::string, std::pair<int, int>> found;
  for (const auto& entry : document.at("datasets").at(0).at("solutions"))
    found[entry.at("solution").get<std::string>()] = {entry.at("results"), entry.at("passed")};
  std::map<std::string, std::pair<int, int>> wanted;
  for (const auto& [name, author] : kAuthors) wanted[name] = {0, 0};
  for (const auto& [key, latency] : expected.results) {
    auto& [results, passed] = wanted[key.substr(0, 1)];
    ++results;
    if (latency > 0) ++passed;
  }
  CHECK(found == wanted);
}

// What each author has solved.
void check_fast_p(const Story& story, const std::string& root, const Standing& expected) {
  const auto document = story.ask_json({"report", "fast-p"}, root);
  const auto& hardware = document.at("datasets").at(0).at("hardware").at(0);
  std::map<std::string, int> found;
  for (const auto& author : hardware.at("authors")) found[author.at("author")] = author.at("solved");
  std::map<std::string, int> wanted;
  for (const auto& [key, latency] : expected.results)
    wanted[kAuthors.at(key.substr(0, 1))] += latency > 0 ? 1 : 0;
  CHECK(found == wanted);
}

void check_best(const Story& story, const std::string& root, const Standing& expected) {
  const auto document = story.ask_json({"report", "best"}, root);
  const auto& best = document.at("datasets").at(0).at("hardware").at(0).at("best").at(0);
  CHECK(best.at("solution") == expected.winner);
  CHECK(best.at("latency_ms").get<double>() == Approx(expected.geometric_mean(expected.winner)));
}

void check_show(const Story& story, const std::string& root, const Standing& expected) {
  Results found;
  for (const auto& [solution, author] : kAuthors) {
    if (!expected.results.contains(solution + " w")) continue;
    const auto document = story.ask_json({"report", "show", "solution", solution}, root);
    for (const auto& result : document.at("datasets").at(0).at("results")) {
      found[solution + " " + result.at("workload").get<std::string>()] =
          milliseconds(result.at("latency_ms"));
    }
  }
  check_results("show", found, expected.results);
}

// No field of these rows has a comma in it.
std::vector<std::string> fields(const std::string& line) {
  std::vector<std::string> found(1);
  for (const char c : line) {
    if (c == ',') {
      found.emplace_back();
    } else {
      found.back() += c;
    }
  }
  return found;
}

void check_rows(const Story& story, const std::string& root, const Standing& expected) {
  std::istringstream table(story.ask({"export", "--format", "csv"}, root));
  std::string line;
  std::getline(table, line);
  const auto columns = fields(line);
  Results found;
  std::map<std::string, std::size_t> by_run;
  while (std::getline(table, line)) {
    std::map<std::string, std::string> row;
    const auto cells = fields(line);
    REQUIRE(cells.size() == columns.size());
    for (std::size_t i = 0; i < cells.size(); ++i) row[columns[i]] = cells[i];
    if (row.at("counts") != "1") continue;  // by the rule without filters
    ++by_run[row.at("run_id")];
    const auto& latency = row.at("latency_ms");
    found[row.at("solution") + " " + row.at("workload_uuid")] = latency.empty() ? -1 : std::stod(latency);
  }
  check_results("csv", found, expected.results);
  const auto history = story.ask_json({"history"}, root);
  for (const auto& run : history.at("datasets").at(0).at("runs")) {
    CAPTURE(root, run.dump());
    CHECK(run.at("standing") == by_run[run.at("run_id")]);
  }

  const auto database = (story.files().root() / "d.sqlite").string();
  std::filesystem::remove(database);
  static_cast<void>(story.ask({"export", "--format", "sqlite", "--output", database}, root));
  const std::string query =
      "import sqlite3\n"
      "db = sqlite3.connect('" +
      database +
      "')\n"
      "for row in db.execute('select solution, workload_uuid, coalesce(latency_ms, -1) from results'): "
      "print(*row)\n"
      "print('best', *[row[0] for row in db.execute('select solution from best_per_definition')])\n";
  const auto answer = run_process({"python3", "-c", query});
  INFO(answer.err);
  std::istringstream lines(answer.out);
  Results of_database;
  std::string best;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string solution;
    std::string workload;
    words >> solution >> workload;
    if (solution == "best") {
      best = workload;
    } else {
      words >> of_database[solution + " " + workload];
    }
  }
  check_results("SQLite", of_database, expected.results);
  CHECK(best == expected.winner);
}

std::size_t count(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  return static_cast<std::size_t>(
      std::distance(std::sregex_iterator(text.begin(), text.end(), regex), std::sregex_iterator()));
}

void check_ci(const Story& story, const std::string& root, const Standing& expected) {
  const auto junit = story.ask({"export", "--format", "junit"}, root);
  const auto summary = story.ask({"export", "--format", "job-summary"}, root);
  const auto github = story.ask({"export", "--format", "github"}, root);
  std::size_t failures = 0;
  std::set<std::string> errors;
  for (const auto& [key, latency] : expected.results) {
    const auto size = std::to_string(kWorkloads.at(key.substr(2)));
    const std::string name = key.substr(0, 1) + " / M=" + size;
    INFO(name);
    if (latency > 0) {
      std::ostringstream seconds;
      seconds << latency / 1000;
      CHECK(count(junit, "name=\"" + name + "\" time=\"" + seconds.str() + "\"") == 1);
      continue;
    }
    ++failures;
    CHECK(count(junit, "name=\"" + name + "\">\\s*<failure") == 1);
    // One annotation tells of all workloads with the same error.
    const std::string solution = key.substr(0, 1);
    CHECK(count(github, "::error [^\n]*d / " + solution + " / ([^\n]*, )?M=" + size) == 1);
    errors.insert(solution);
  }
  CHECK(count(junit, "<failure") == failures);
  CHECK(count(github, "::error") == errors.size());
  CHECK(count(summary, "\n\\| 1 \\| " + expected.winner + " \\| ") == 1);
  CHECK(count(summary, "\n\\| 1 \\| ") == 1);
}

void check_page(const Story& story, const std::string& root, const Standing& expected) {
  const auto page = (story.files().root() / "page.html").string();
  static_cast<void>(story.ask({"visualize", "--html", page}, root));
  const auto html = util::read_file(page);
  const std::string winner = "<span class=\"who\"><i [^>]*></i><a [^>]*>" + expected.winner + "<";
  CHECK(count(html, "Solutions on " + std::string(kHere) +
                        ",[^<]*</caption>.*?<tbody><tr><td class=\"n\" data-v=\"1\" "
                        "data-name=\"Rank\">1</td><td( class=\"won\")? data-name=\"Solution\">" +
                        winner) == 1);
  CHECK(count(html, "Who won,[^<]*</caption>.*?<tbody><tr><td[^>]*><a [^>]*>d</a></td><td[^>]*>" + winner) ==
        1);
  // Who has nobody to win against has passed alone, and has no star.
  CHECK(count(html, "<p class=\"lead\">" + expected.winner + " (wins|alone passed every workload of) d: ") ==
        1);
  const auto wins = count(html, "<p class=\"lead\">" + expected.winner + " wins d: ");
  CHECK(count(html, "<td class=\"won\" data-name=\"Solution\">") == wins);
  CHECK(count(html, "<td class=\"won\" data-name=\"Winner\">") == wins);
}

void check_everything(const Story& story, const Standing& expected, const std::string& root = "d") {
  check_summary(story, root, expected);
  if (!story.is_filtered()) check_list(story, root, expected);
  check_best(story, root, expected);
  check_fast_p(story, root, expected);
  check_show(story, root, expected);
  if (!story.is_filtered()) check_rows(story, root, expected);
  check_ci(story, root, expected);
  check_page(story, root, expected);
}

// How many results of the latest run passed and failed, by `fib history`.
std::pair<int, int> latest_run(const Story& story) {
  const auto runs = story.ask_json({"history"}).at("datasets").at(0).at("runs");
  json latest = runs.at(0);
  for (const auto& run : runs) {
    if (run.at("run_id") > latest.at("run_id")) latest = run;
  }
  return {latest.at("passed"), latest.at("failed")};
}

// The latencies of the latest run by solution, -1 for a failure, by `fib history last`.
Results latest_latencies(const Story& story) {
  const auto document = story.ask_json({"history", "last"});
  Results found;
  for (const auto& entry : document.at("datasets").at(0).at("evaluations"))
    found[entry.at("solution").get<std::string>()] = milliseconds(entry.at("latency_ms"));
  return found;
}

// What the latest run made of the one before, or of another: "a v broken, a w broken, ".
std::string compared(const Story& story, const std::string& before = "last~1") {
  std::map<std::string, std::string> verdicts;
  const auto document = story.ask_json({"report", "compare", before, "last"});
  for (const auto& result : document.at("results")) {
    verdicts[result.at("solution_b").get<std::string>() + " " + result.at("workload").get<std::string>()] =
        result.at("verdict");
  }
  std::string text;
  for (const auto& [key, verdict] : verdicts) text += key + " " + verdict + ", ";
  return text;
}

}  // namespace

TEST_CASE("all commands tell one story, whatever happens to a dataset") {
  Story story;
  story.run({{"a", 1}, {"b", 2}, {"c", 4}});
  check_everything(story, standing_of({{"a", 1}, {"b", 2}, {"c", 4}}, "a"));
  CHECK(latest_run(story) == std::pair(6, 0));
  check_results("history", latest_latencies(story), {{"a", 4}, {"b", 8}, {"c", 16}});

  // One kernel is broken, one slowed, one faster.
  for (const char* solution : {"a", "b", "c"}) story.edit(solution, "second");
  story.run({{"a", -1}, {"b", 3}, {"c", 2.5}});
  check_everything(story, standing_of({{"a", -1}, {"b", 3}, {"c", 2.5}}, "c"));
  CHECK(latest_run(story) == std::pair(4, 2));
  check_results("history", latest_latencies(story), {{"a", -1}, {"b", 12}, {"c", 10}});
  CHECK(compared(story) == "a v broken, a w broken, b v slower, b w slower, c v faster, c w faster, ");

  // All are mended.
  for (const char* solution : {"a", "b", "c"}) story.edit(solution, "third");
  story.run({{"a", 1}, {"b", 2}, {"c", 2.5}});
  const auto mended = standing_of({{"a", 1}, {"b", 2}, {"c", 2.5}}, "a");
  check_everything(story, mended);
  CHECK(compared(story) == "a v fixed, a w fixed, b v faster, b w faster, c v same, c w same, ");
  CHECK(latest_run(story) == std::pair(6, 0));
  check_results("history", latest_latencies(story), {{"a", 4}, {"b", 8}, {"c", 10}});

  // The points of a sweep are no results of the ordinary conditions.
  const int sweep = story.next_run();
  for (const auto& [uuid, size] : kWorkloads) {
    story.add(Story::trace("c", uuid, 0.1, sweep, story.source_of("c"), R"(,"sweep":{"iterations":5})"));
    story.add(Story::trace("c", uuid, -1, sweep, story.source_of("c"), R"(,"sweep":{"iterations":9})"));
  }
  check_everything(story, mended);
  CHECK(compared(story).empty());  // nor are they compared with any

  // Another machine of the same kind has later traces, of the sources that were broken and slow.
  story.edit("a", "second");
  const std::string broken = story.source_of("a");
  story.edit("a", "third");
  const auto copied = story.files().root() / "other";
  std::filesystem::copy(story.files().root() / "d", copied, std::filesystem::copy_options::recursive);
  std::string old;
  for (const auto& [uuid, size] : kWorkloads) old += Story::trace("a", uuid, -1, 9, broken);
  util::write_file_atomic(copied / "traces/x/op/d.jsonl", old);
  const auto merged =
      run_fib({"merge", "--local", "d", "--local", "other", "--output", "all"}, story.files().root());
  INFO(merged.err);
  REQUIRE(merged.exit_code == 0);
  check_everything(story, mended, "all");

  // A run was killed: it has no record, and tried one workload only.
  story.add(Story::trace("a", "w", 1.5, story.next_run(), story.source_of("a")));
  auto killed = mended;
  killed.results["a w"] = 3;
  check_everything(story, killed);
  CHECK(latest_run(story) == std::pair(1, 0));
  check_results("history", latest_latencies(story), {{"a", 3}});
  CHECK(compared(story, "last~2") == "a w slower, ");

  // A run under other conditions rules; it is said, and without it all is as before.
  const int loose = story.next_run();
  for (const auto& [uuid, size] : kWorkloads)
    story.add(Story::trace("b", uuid, 7, loose, story.source_of("b"), "", R"({"flush":"none"})"));
  check_everything(story, standing_of({{"b", 7}}, "b"));
  CHECK(compared(story, "last~3") == "b v slower, b w slower, ");
  CHECK_THAT(std::regex_replace(story.ask({"report", "compare", "last~3", "last"}), std::regex("\\s+"), " "),
             Catch::Contains("flush"));
  const std::string note =
      "Of d only results under flush none count; to count those under flush clean: "
      "--exclude-run 2026010" +
      std::to_string(loose) + "T000000.000000Z-1.";
  for (const auto& report : std::vector<std::vector<std::string>>{{"report", "summary"},
                                                                  {"report", "best"},
                                                                  {"report", "rank"},
                                                                  {"report", "show", "definition", "d"},
                                                                  {"visualize", "--html", "-"}}) {
    INFO(report.at(1));
    const auto text = std::regex_replace(story.ask(report), std::regex("</?span[^>]*>"), "");
    CHECK_THAT(std::regex_replace(text, std::regex("\\s+"), " "), Catch::Contains(note));
  }
  story.choose({"--exclude-run", "last"});
  check_everything(story, killed);
  story.choose({"--run", "last~3"});  // the one in which all were mended
  check_everything(story, mended);
}

TEST_CASE("a solution that failed in some of the runs of its source is named with how many it passed") {
  Story story;
  for (const double cost : {1.0, -1.0, 1.0}) story.run({{"a", cost}, {"b", 2}});
  const auto text = std::regex_replace(story.ask({"report", "summary"}), std::regex("\\s+"), " ");
  CHECK_THAT(text, Catch::Contains("a on d: passed 2 of 3 runs of this source"));
  CHECK_THAT(text, !Catch::Contains("b on d: passed"));
}
