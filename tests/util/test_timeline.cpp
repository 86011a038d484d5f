#include <sys/resource.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <thread>

#include "support/in_child.h"
#include "util/error.h"
#include "util/files.h"
#include "util/timeline.h"

using namespace fib;
using util::Timeline;

namespace {

void pass_ms(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

constexpr std::int64_t kMs = 1'000'000;

}  // namespace

TEST_CASE("spans add up by owner, kind and the outermost span around them; a thread knows its own alone") {
  Timeline timeline;
  {
    const Timeline::Span outer(&timeline, 0, "fib", "evaluation");
    for (int i = 0; i < 2; ++i) {
      const Timeline::Span inner(&timeline, 7, "the judge", "fill");
      const Timeline::Span innermost(&timeline, 7, "the judge", "copy");
      pass_ms(2);
    }
    std::thread([&] { const Timeline::Span other(&timeline, 7, "the judge", "fill"); }).join();
    pass_ms(3);
  }
  const auto totals = timeline.totals();
  REQUIRE(totals.size() == 4);
  const auto is = [&](std::size_t at, const char* within, const char* owner, const char* what,
                      std::uint64_t times) {
    const auto& total = totals[at];
    return total.within == within && total.owner == owner && total.what == what && total.times == times;
  };
  CHECK(is(0, "evaluation", "the judge", "copy", 2));
  CHECK(is(1, "evaluation", "the judge", "fill", 2));
  CHECK(is(2, "", "the judge", "fill", 1));
  CHECK(is(3, "", "fib", "evaluation", 1));
  CHECK(totals[0].ns >= 4 * kMs);
  CHECK(totals[1].ns >= totals[0].ns);
  CHECK(totals[1].own_ns == totals[1].ns - totals[0].ns);
  CHECK(totals[3].own_ns >= 3 * kMs);
  CHECK(totals[3].own_ns == totals[3].ns - totals[1].ns);
}

TEST_CASE("work of what is no process adds up within the span around it, and is no part of that") {
  Timeline timeline;
  {
    const Timeline::Span outer(&timeline, 0, "fib", "evaluation");
    const Timeline::Span inner(&timeline, 7, "the worker", "run");
    timeline.add_work("GPU-1", "the device", "calls", 5 * kMs, 1);
    timeline.add_work("GPU-2", "the device", "calls", 7 * kMs, 3);
  }
  timeline.add_work("GPU-1", "the device", "calls", kMs, 1);
  const auto totals = timeline.totals();
  REQUIRE(totals.size() == 4);
  CHECK(totals[0].within == "evaluation");
  CHECK(totals[0].owner == "the device");
  CHECK(totals[0].ns == 12 * kMs);
  CHECK(totals[0].times == 4);
  CHECK(totals[1].what == "run");
  CHECK(totals[1].own_ns == totals[1].ns);
  CHECK(totals[3].within.empty());
  CHECK(totals[3].ns == kMs);
}

TEST_CASE("each thing that is no process has a row of its own in the file, which no process can have") {
  const util::TemporaryFolder folder("/tmp", "fib-test-");
  const auto path = folder.path() / "timeline.json";
  Timeline timeline(path);
  timeline.add_work("GPU-1", "the device", "calls", 5 * kMs, 4);
  timeline.add_work("GPU-2", "the device", "calls", kMs, 1);
  timeline.add_work("GPU-1", "the device", "calls", kMs, 1);
  timeline.finish();
  std::vector<nlohmann::json> events;
  for (const auto& event : nlohmann::json::parse(util::read_file(path))) {
    if (event.at("ph") == "X") events.push_back(event);
  }
  REQUIRE(events.size() == 3);
  CHECK(events[0].at("dur") == 5000);
  CHECK(events[0].at("pid") == events[2].at("pid"));
  CHECK(events[0].at("pid") != events[1].at("pid"));
  CHECK(events[0].at("pid") > 1 << 22);
}

TEST_CASE("without a timeline a span does nothing") {
  const Timeline::Span span(nullptr, 0, "fib", "evaluation");
}

TEST_CASE("a timeline's file has an event for each span, and a name for each process, in Chrome's format") {
  const util::TemporaryFolder folder("/tmp", "fib-test-");
  const auto path = folder.path() / "timeline.json";
  util::write_file_atomic(path, "of an earlier run");
  {
    Timeline timeline(path);
    {
      Timeline::Span span(&timeline, 0, "the judge", "start", "any \xff\n bytes");
      span.draw_at(1234);
      pass_ms(1);
    }
    { const Timeline::Span span(&timeline, 0, "fib", "evaluation"); }
    timeline.finish();
  }
  const auto events = nlohmann::json::parse(util::read_file(path));
  REQUIRE(events.size() == 5);
  CHECK(events[0] ==
        nlohmann::json::parse(
            R"({"name": "process_name", "ph": "M", "pid": 1234, "args": {"name": "the judge"}})"));
  CHECK(events[1].at("name") == "start");
  CHECK(events[1].at("ph") == "X");
  CHECK(events[1].at("pid") == 1234);
  CHECK(events[1].at("args").at("detail") == "any \xef\xbf\xbd\n bytes");
  CHECK(events[1].at("ts").get<double>() >= 0);
  CHECK(events[1].at("dur").get<double>() >= 1000);
  CHECK(events[3].at("pid") == ::getpid());
  CHECK(events[3].at("ts").get<double>() >= events[1].at("ts").get<double>() + 1000);
  CHECK(events[4].at("name") == "end");
}

TEST_CASE("a timeline that cannot be written is an error") {
  CHECK_THROWS_WITH(Timeline("/tmp"), "cannot write /tmp");
  CHECK_THROWS_WITH(Timeline("/dev/full"), "cannot write /dev/full");
  const util::TemporaryFolder folder("/tmp", "fib-test-");
  const int seen = testing::in_child([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{1000, 1000};
    ::setrlimit(RLIMIT_FSIZE, &small);
    Timeline timeline(folder.path() / "timeline.json");
    { const Timeline::Span span(&timeline, 0, "fib", std::string(100'000, 'x')); }
    try {
      timeline.finish();
    } catch (const Error& error) {
      return std::string(error.what()).rfind("cannot write all of ", 0) == 0 ? 3 : 4;
    }
    return 5;
  });
  CHECK(seen == 3);
}
