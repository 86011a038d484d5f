#include <pty.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>

#include "cli/golden.h"
#include "cli/run_fib.h"
#include "report/sample_dataset.h"
#include "util/unique_fd.h"

using namespace fib;
using testing::run_fib;
using Words = std::vector<std::string>;

namespace {

void check(const Words& more, const std::string& golden) {
  const testing::TemporaryDataset files;
  testing::write_sample(files);
  Words words{"list"};
  words.insert(words.end(), more.begin(), more.end());
  words.insert(words.end(), {"--local", "."});
  const auto output = run_fib(words, files.root());
  CHECK(output.err == "");
  CHECK(output.exit_code == 0);
  testing::check_golden(golden, output.out);
}

// What the program writes to a terminal of 80 columns.
std::string on_terminal(const Words& words, const std::filesystem::path& folder,
                        const std::map<std::string, std::string>& environment) {
  int master = -1;
  int slave = -1;
  std::array<char, 64> name{};
  const winsize size{25, 80, 0, 0};
  REQUIRE(::openpty(&master, &slave, name.data(), nullptr, &size) == 0);
  const util::UniqueFd reading(master);
  const util::UniqueFd writing(slave);  // open until all is read
  const auto output = run_fib(words, folder, environment, name.data());
  CHECK(output.exit_code == 0);
  std::string text(65536, '\0');
  const auto bytes = ::read(reading.get(), text.data(), text.size());
  text.resize(bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
  return text;
}

}  // namespace

TEST_CASE("bold is for terminals without NO_COLOR only, and a table fits the terminal") {
  const testing::TemporaryDataset files;
  testing::write_sample(files);
  const Words words{"list", "definitions", "--local", "."};
  const std::string text = on_terminal(words, files.root(), {{"TERM", "xterm"}});
  CHECK_THAT(text, Catch::StartsWith("\x1b[1m  Definition"));
  CHECK_THAT(text, Catch::Contains("\r\n" + std::string(80, '-') + "\r\n"));
  CHECK(on_terminal(words, files.root(), {{"TERM", "xterm"}, {"NO_COLOR", "1"}}).find('\x1b') ==
        std::string::npos);
  CHECK(on_terminal(words, files.root(), {{"TERM", "dumb"}}).find('\x1b') == std::string::npos);
  CHECK(run_fib(words, files.root(), {{"TERM", "xterm"}}).out.find('\x1b') == std::string::npos);
}

TEST_CASE("--color and FORCE_COLOR say what no terminal can") {
  const testing::TemporaryDataset files;
  testing::write_sample(files);
  const auto is_bold = [&](std::vector<std::string> more,
                           const std::map<std::string, std::string>& environment) {
    std::vector<std::string> words{"list", "definitions", "--local", "."};
    words.insert(words.end(), more.begin(), more.end());
    return run_fib(words, files.root(), environment).out.find("\x1b[1m") != std::string::npos;
  };
  CHECK_FALSE(is_bold({}, {}));
  CHECK(is_bold({}, {{"FORCE_COLOR", "1"}}));
  CHECK_FALSE(is_bold({}, {{"FORCE_COLOR", "0"}}));
  CHECK_FALSE(is_bold({}, {{"FORCE_COLOR", "1"}, {"NO_COLOR", "1"}}));
  CHECK(is_bold({"--color", "always"}, {{"NO_COLOR", "1"}}));
  CHECK_FALSE(is_bold({"--color", "never"}, {{"FORCE_COLOR", "1"}}));
  CHECK(is_bold({"--color", "auto"}, {{"FORCE_COLOR", "1"}}));
  CHECK(run_fib({"list", "--color", "red", "--local", "."}, files.root()).exit_code == 2);
}

TEST_CASE("a result that cannot be written is an error") {
  const testing::TemporaryDataset files;
  const auto output = run_fib({"list", "--local", "."}, files.root(), {}, "/dev/full");
  CHECK(output.exit_code == 1);
  CHECK(output.err == "fib: cannot write to stdout: is the disk full?\n");
}

TEST_CASE("list shows an overview") {
  check({}, "list.txt");
  check({"--format", "json"}, "list.json");
  check({"--format", "csv"}, "list.csv");
  check({"--format", "md"}, "list.md");
}

TEST_CASE("list shows definitions, solutions, workloads and traces") {
  for (const std::string kind : {"definitions", "solutions", "workloads", "traces"}) {
    check({kind}, "list_" + kind + ".txt");
    check({kind, "--format", "csv"}, "list_" + kind + ".csv");
  }
}

TEST_CASE("list takes names and globs as filters") {
  check({"solutions", "--definitions", "gemm_*", "--authors", "alice", "b*"}, "list_solutions_filtered.txt");
  check({"traces", "--op-types", "norm", "--authors", "bob"}, "list_traces_filtered.txt");
  check({"traces", "--authors", "alice", "--definitions", "gemm_untried"}, "list_nothing.txt");
}

TEST_CASE("list refuses other words") {
  const testing::TemporaryDataset files;
  CHECK(run_fib({"list", "kernels"}, files.root()).exit_code == 2);
}

TEST_CASE("list of a folder that holds nothing says so") {
  const testing::TemporaryDataset files;
  const auto output = run_fib({"list", "--local", "."}, files.root());
  CHECK(output.out == "No definitions, solutions, workloads or traces in .\n");
  CHECK(output.exit_code == 0);
}
