#include <catch2/catch.hpp>

#include "dataset/run_order.h"
#include "util/error.h"

namespace fib {
namespace {

using Ids = std::vector<std::string>;

TEST_CASE("runs are in the order in which they began, whatever their ids say") {
  dataset::RunOrder order;
  order.add_record("9", "2026-01-01T10:00:00Z");
  order.add_record("1", "2026-01-01T13:00:00+01:00");
  order.add_trace("5", "2026-01-01T11:30:00Z");
  order.add_trace("5", "2026-01-01T11:00:00Z");
  CHECK(order.ids() == Ids{"9", "5", "1"});
}

TEST_CASE("a run's record tells when it began; without one, or without its time, the first trace does") {
  dataset::RunOrder order;
  order.add_record("recorded", "2026-01-01T12:00:00Z");
  order.add_trace("recorded", "2026-01-01T09:00:00Z");
  order.add_record("unreadable", "noon");
  order.add_trace("unreadable", "2026-01-01T11:00:00Z");
  order.add_trace("killed", "2026-01-01T10:00:00Z");
  order.add_record("b", "");
  order.add_trace("a", "");
  CHECK(order.ids() == Ids{"a", "b", "killed", "unreadable", "recorded"});
}

TEST_CASE(
    "of several records of a run the earliest counts; runs that began together are in the order of their "
    "ids") {
  dataset::RunOrder order;
  order.add_record("b", "2026-01-01T12:00:00Z");
  order.add_record("b", "2026-01-01T10:00:00Z");
  order.add_record("c", "2026-01-01T11:00:00Z");
  order.add_record("a", "2026-01-01T11:00:00Z");
  CHECK(order.ids() == Ids{"b", "a", "c"});
}

TEST_CASE("a word names the last run, one before it, or the one whose id begins so") {
  const Ids ids = {"20260102", "20260101", "2026", "x"};
  CHECK(dataset::find_run(ids, "last") == "x");
  CHECK(dataset::find_run(ids, "last~0") == "x");
  CHECK(dataset::find_run(ids, "last~3") == "20260102");
  CHECK(dataset::find_run(ids, "2026") == "2026");  // a whole id, though others begin so
  CHECK(dataset::find_run(ids, "20260101") == "20260101");
  CHECK(dataset::find_run({"20260102", "x"}, "20") == "20260102");
  CHECK_FALSE(dataset::find_run(ids, "y"));
  CHECK_FALSE(dataset::find_run(ids, "last~"));
  CHECK_FALSE(dataset::find_run(ids, "last~-1"));
  CHECK_FALSE(dataset::find_run({}, "x"));
}

TEST_CASE("a word that names no run before the last ones, or several, is an error") {
  const auto error_of = [](const Ids& ids, const std::string& word) -> std::string {
    try {
      (void)dataset::find_run(ids, word);
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  };
  CHECK(error_of({"a", "b"}, "last~2") == "last~2: there are 2 runs only");
  CHECK(error_of({"a"}, "last~1") == "last~1: there is 1 run only");
  CHECK(error_of({}, "last") == "last: there are 0 runs only");
  CHECK(error_of({"20260102", "20260101"}, "2026") ==
        "the ids of 2 runs begin with \"2026\", from 20260101 to 20260102; write more of the id");
}

}  // namespace
}  // namespace fib
