#include <fcntl.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "util/capture.h"

using fib::util::Capture;
using fib::util::UniqueFd;

namespace {

struct Pipe {
  UniqueFd read_end;
  UniqueFd write_end;
  Pipe() {
    int ends[2];
    REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
    read_end.reset(ends[0]);
    write_end.reset(ends[1]);
  }
  void write(const std::string& text) const {
    REQUIRE(::write(write_end.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  }
};

}  // namespace

TEST_CASE("take returns what was written before it, at once") {
  Pipe pipe;
  Capture capture(std::move(pipe.read_end), 100);
  for (int i = 0; i < 100; ++i) {
    pipe.write("line\n");
    CHECK(capture.take() == "line\n");
  }
  CHECK(capture.take().empty());
}

TEST_CASE("more than the limit is thrown away and said so, and the writer never blocks") {
  Pipe pipe;
  Capture capture(std::move(pipe.read_end), 10);
  const std::string block(1 << 16, 'x');
  for (int i = 0; i < 64; ++i) pipe.write(block);  // a pipe holds far less than 4 MiB
  CHECK(capture.take() == "xxxxxxxxxx\n\n[log truncated]\n");
  pipe.write("new");
  CHECK(capture.take() == "new");
}

TEST_CASE("stop returns even when a writer stays open") {
  Pipe pipe;
  Capture capture(std::move(pipe.read_end), 10);
  pipe.write("abc");
  capture.stop(10);
  CHECK(capture.take() == "abc");
}
