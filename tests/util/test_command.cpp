#include <catch2/catch.hpp>

#include "util/command.h"
#include "util/error.h"

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

TEST_CASE("a program that does not exist is an error that names it") {
  CHECK_THROWS_WITH(run_command({"no-such-program"}, "/"), Catch::Contains("no-such-program"));
}
