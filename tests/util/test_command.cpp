#include <sys/wait.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <fstream>
#include <string>
#include <thread>

#include "util/command.h"
#include "util/error.h"

using fib::util::HeldCommand;
using fib::util::run_command;

TEST_CASE("a command's output and exit code come back") {
  const auto result = run_command({"sh", "-c", "echo out; echo err >&2; pwd; exit 3"}, "/");
  CHECK_FALSE(result.succeeded());
  CHECK(result.status_text() == "exit code 3");
  CHECK(result.output == "out\nerr\n/\n");
}

TEST_CASE("variables win over the environment's") {
  CHECK(run_command({"sh", "-c", "echo $HOME"}, "/", {"HOME=/nowhere"}).output == "/nowhere\n");
}

TEST_CASE("a killed command says which signal") {
  CHECK(run_command({"sh", "-c", "kill -9 $$"}, "/").status_text() == "signal 9");
}

TEST_CASE("errors of programs that are not there are told from others") {
  const auto error_of = [](const std::string& program) {
    try {
      (void)run_command({program}, "/");
    } catch (const fib::Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(fib::util::is_of_missing_program(error_of("/no/such/program")));
  CHECK(fib::util::is_of_missing_program(error_of("/etc/passwd")));
  CHECK_FALSE(fib::util::is_of_missing_program("cannot start \"c++\": Resource temporarily unavailable"));
  CHECK_FALSE(fib::util::is_of_missing_program(
      "cannot start \"c++\": Resource temporarily unavailable\nx: No such file or directory"));
  CHECK_FALSE(fib::util::is_of_missing_program("no such file: No such file or directory"));
}

TEST_CASE("a program that does not exist is an error that names it") {
  CHECK_THROWS_WITH(run_command({"no-such-program"}, "/"), Catch::Contains("no-such-program"));
}

TEST_CASE("a command that takes too long is killed with what it started") {
  const auto result = run_command({"sh", "-c", "sleep 1000 & echo $!; wait"}, "/", {}, {0.2, nullptr});
  CHECK(result.status_text() == "signal 9");
  const std::string stat = "/proc/" + std::to_string(std::stoi(result.output)) + "/stat";
  const auto lives = [&] {  // not a zombie either, which nobody may have waited for
    std::ifstream file(stat);
    std::string pid;
    std::string name;
    std::string state;
    return file >> pid >> name >> state && state != "Z";
  };
  for (int i = 0; i < 100 && lives(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  CHECK_FALSE(lives());
}

TEST_CASE("an interrupted command is killed; one that is done in time is not") {
  std::atomic<bool> interrupted = true;
  CHECK(run_command({"sleep", "1000"}, "/", {}, {0, &interrupted}).status_text() == "signal 9");
  interrupted = false;
  CHECK(run_command({"true"}, "/", {}, {100, &interrupted}).succeeded());
}

TEST_CASE("a command that is held has answered and lives until it is let go") {
  const std::string script = "echo answer; echo err >&2; exec >&- 2>&-; cat; exit 7";
  HeldCommand held({"sh", "-c", script});
  CHECK(held.answer() == "answer\nerr\n");
  int status = 0;
  CHECK(::waitpid(-1, &status, WNOHANG) == 0);  // a child, and none has ended
  CHECK(fib::util::status_text(held.wait()) == "exit code 7");
  CHECK(fib::util::status_text(held.wait()) == "exit code 7");
}

TEST_CASE("a command that ends by itself needs not be let go; its end is told") {
  HeldCommand held({"sh", "-c", "kill -9 $$"});
  CHECK(held.answer().empty());
  CHECK(fib::util::status_text(held.wait()) == "signal 9");
  CHECK_THROWS_WITH(HeldCommand({"no-such-program"}), Catch::Contains("no-such-program"));
}

TEST_CASE("a held command ends when nobody holds it any more") {
  std::string pid;
  {
    const HeldCommand held({"sh", "-c", "echo $$; exec >&- 2>&-; cat"});
    pid = held.answer().substr(0, held.answer().find('\n'));
    CHECK(::kill(std::stoi(pid), 0) == 0);
  }
  CHECK(::kill(std::stoi(pid), 0) != 0);
}

TEST_CASE("a command has no signal blocked, whatever its parent has") {
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, &before);
  const auto result = run_command({"sh", "-c", "kill -TERM $$; echo lives"}, "/");
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  CHECK(result.status_text() == "signal 15");
}

TEST_CASE("what follows a mark is taken from the last line that begins with it") {
  using fib::util::line_after;
  CHECK(line_after("fib: ", "fib: one") == "one");
  CHECK(line_after("fib: ", "fib: one\nfib: two\nrest\n") == "two");
  CHECK(line_after("fib: ", "warning: fib: one\n").empty());
  CHECK(line_after("fib: ", "").empty());
}
