#include <algorithm>
#include <catch2/catch.hpp>
#include <sstream>

#include "dataset/temporary_dataset.h"
#include "run_fib.h"

// Words that fib does not know.
using namespace fib;
using namespace fib::testing;

namespace {

constexpr const char* kHelp = "\nRun with --help for more information.\n";

void check_refused(const std::vector<std::string>& words, const std::string& sentence) {
  const util::TemporaryFolder empty(std::filesystem::temp_directory_path(), "fib-wrong-usage-");
  const auto result = run_fib(words, empty.path());
  CHECK(result.exit_code == 2);
  CHECK(result.out.empty());
  CHECK(result.err == sentence + kHelp);
}

}  // namespace

TEST_CASE("a command or option that there is not is named, with those that are like it") {
  check_refused({"rnu"}, "fib: there is no command \"rnu\"; did you mean \"run\"?");
  check_refused({"run", "--iteratons", "5"},
                "fib run: there is no option --iteratons; did you mean \"--iterations\"?");
  check_refused({"run", "--iteratons=5"},
                "fib run: there is no option --iteratons; did you mean \"--iterations\"?");
  check_refused({"report", "sumary"},
                "fib report: there is no command \"sumary\"; did you mean \"summary\"?");
  check_refused({"report", "summary", "--locla", "x"},
                "fib report summary: there is no option --locla; did you mean \"--local\"?");
  check_refused({"--locla", "x"}, "fib: there is no option --locla");
  check_refused({"new", "workloads", "--help"},
                "fib new: there is no command \"workloads\"; did you mean \"workload\"?");
  check_refused({"help"}, "fib: there is no command \"help\"; to see all commands: fib --help");
  check_refused({"-V"}, "fib: there is no option -V; fib --version says the version");
  check_refused({"xyzzy"}, "fib: there is no command \"xyzzy\"");
  check_refused({"run", "x"}, "fib run: \"x\" is one word too many");
  check_refused({"run", "/usr"}, "fib run: \"/usr\" is one word too many; a dataset is named with --local");
  check_refused({"rnu\x1b[2J"}, "fib: there is no command \"rnu?[2J\"");
}

TEST_CASE("a word that is missing is named, and a value that is no number") {
  check_refused({"pack"}, "fib pack: FOLDER is missing");
  check_refused({"baseline", "set"}, "fib baseline set: NAME is missing");
  check_refused({"new"}, "fib new: a subcommand is required: definition, workload, solution");
  check_refused({"run", "--noise", "5%"},
                "fib run: --noise takes a number, which \"5%\" is not; 5 % are 0.05");
  check_refused({"run", "--iterations", "ten"}, "fib run: --iterations takes a number, which \"ten\" is not");
}

TEST_CASE("an empty value is no value of any option") {
  for (const auto& [command, option] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"run"}, "--rtol"},
           {{"run"}, "--timeout"},
           {{"run"}, "--local"},
           {{"run"}, "--solutions"},
           {{"export", "--format", "csv"}, "--run"},
           {{"export", "--format", "junit"}, "--since"},
           {{"report", "compare", "a", "b"}, "--fail-on-regression"}}) {
    auto words = command;
    words.insert(words.end(), {option, ""});
    check_refused(words, option + ": the value is empty");
    words.erase(words.end() - 2, words.end());
    words.insert(words.end(), {option + "=", "--verbose"});
    check_refused(words, option + ": the value is empty");  // and takes no other word for its value
  }
  check_refused({"report", "compare", "", "b"}, "A: the value is empty");
}

TEST_CASE("flashinfer-bench's commands are told what does their work, or are taken") {
  check_refused({"serve", "--local", "x"},
                "fib: there is no command \"serve\"; to evaluate solutions: fib run");
  check_refused({"validate-render", "x"},
                "fib: there is no command \"validate-render\"; to have the report as text: fib validate "
                "--outputs text");
  const TemporaryDataset files;
  for (const char* command : {"visualize", "merge"})
    CHECK(run_fib({"report", command, "--help"}, files.root()).exit_code == 0);
}

TEST_CASE("levels of log lines may be in capitals, and reports know them") {
  const TemporaryDataset files;
  files.write("definitions/op/d.json", "{");
  const auto at = [&](const std::string& level) {
    const auto result =
        run_fib({"report", "summary", "--local", files.root().string(), "--log-level", level}, files.root());
    CHECK(result.exit_code == 0);
    return result.err;
  };
  CHECK(at("ERROR").starts_with("error: "));
  CHECK(at("warning").starts_with("error: "));
  CHECK(at("OFF").empty());
  const std::string root = files.root().string();
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{"report", "best"},
                                             {"report", "rank"},
                                             {"report", "fast-p"},
                                             {"report", "sol"},
                                             {"report", "compare", root, root},
                                             {"report", "visualize", "--local", root},
                                             {"list", "--local", root},
                                             {"history", "--local", root},
                                             {"export", "--local", root, "--skip-unreadable"}}) {
    auto words = command;
    if (words.size() == 2) words.insert(words.end(), {"--local", root});
    INFO(words.at(0) << " " << words.at(1));
    CHECK_THAT(run_fib(words, files.root()).err, Catch::Contains("error: "));
    words.insert(words.end(), {"--log-level", "OFF"});
    CHECK_THAT(run_fib(words, files.root()).err, !Catch::Contains("error: "));
  }
  CHECK(run_fib({"run", "--local", files.root().string(), "--log-level", "DEBUG", "--dry-run"}, files.root())
            .exit_code == 0);
  CHECK(run_fib({"run", "--log-level", "loud"}, files.root()).exit_code == 2);
}

TEST_CASE("a file in place of a dataset's folder is said to be one, by every command") {
  const TemporaryDataset files;
  files.write("file", "x");
  for (const std::vector<std::string>& command : {std::vector<std::string>{"run"},
                                                  {"report", "summary"},
                                                  {"report", "show", "definition", "d"},
                                                  {"list"},
                                                  {"history"},
                                                  {"export"},
                                                  {"visualize"},
                                                  {"validate"}}) {
    INFO(command.front());
    auto words = command;
    words.insert(words.end(), {command.front() == "validate" ? "--dataset" : "--local", "file"});
    const auto result = run_fib(words, files.root());
    CHECK(result.exit_code == 1);
    CHECK(result.err ==
          "fib: file is a file, not a dataset folder; name one with --local DIR or with FIB_DATASET_PATH\n");
    words.back() = "nowhere";
    CHECK(run_fib(words, files.root()).err ==
          "fib: there is no dataset folder nowhere; name one with --local DIR or with FIB_DATASET_PATH\n");
  }
}

TEST_CASE("a word that an option does not take is echoed, with the words that it takes and those like it") {
  const auto result = run_fib({"export", "--format", "jnuit"}, "/tmp");
  CHECK(result.exit_code == 2);
  CHECK_THAT(result.err, Catch::Contains("--format: \"jnuit\" is none of ") &&
                             Catch::Contains("; did you mean \"junit\"?"));
  CHECK_THAT(run_fib({"run", "--flush", "claen"}, "/tmp").err,
             Catch::Contains("\"claen\" is none of clean, dirty, none; did you mean \"clean\"?"));
}

TEST_CASE(
    "a folder of other things is said to be no dataset, by every command; an empty one has no records") {
  const TemporaryDataset files;
  files.write("home/notes.txt", "x");
  std::filesystem::create_directory(files.root() / "empty");
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"run"}, {"validate"}, {"report", "summary"}, {"export"}, {"list"}}) {
    auto words = command;
    words.insert(words.end(), {command.front() == "validate" ? "--dataset" : "--local", "home"});
    const auto result = run_fib(words, files.root());
    CHECK(result.exit_code == 1);
    CHECK_THAT(result.err, Catch::Contains("home is no dataset: it has no folder definitions, workloads, "
                                           "solutions or traces\n"));
  }
  CHECK(run_fib({"list", "--local", "empty"}, files.root()).exit_code == 0);
}

TEST_CASE("help texts are as wide as the terminal") {
  const auto help = [](const std::vector<std::string>& words, const char* columns) {
    const auto result = run_fib(words, "/tmp", {{"COLUMNS", columns}});
    CHECK(result.exit_code == 0);
    return result.out;
  };
  const auto widest = [](const std::string& text) {
    std::size_t width = 0;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) width = std::max(width, line.size());
    return width;
  };
  for (const std::vector<std::string>& words : {std::vector<std::string>{"run", "--help"},
                                                {"report", "best", "--help"},
                                                {"export", "--help"},
                                                {"report", "--help"}}) {
    INFO(words.front());
    CHECK(widest(help(words, "80")) <= 80);
    CHECK(widest(help(words, "0")) > 80);
  }
  // Nothing is lost.
  const auto letters = [](std::string text) {
    std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
    return text;
  };
  CHECK(letters(help({"run", "--help"}, "70")) == letters(help({"run", "--help"}, "0")));
}
