#include <csignal>
#include <fstream>
#include <thread>

#include "dataset/paths.h"
#include "support/in_child.h"
#include "support/small_disk.h"
#include "tracing/traced.h"
#include "util/error.h"

using namespace fib;
using testing::AddCall;
using testing::collect;
using testing::statistics_of;
using testing::TracedDataset;
using tracing::Outcome;
using tracing::parse_config;
using tracing::Tracing;

TEST_CASE("what cannot be written is told by flush and statistics, and leaves no blob") {
  const TracedDataset data;
  const auto file = dataset::workloads_file(data.builder.root(), "test", "add");
  std::filesystem::remove(file);
  std::filesystem::create_directories(file);  // no file can have this name now
  Tracing tracing(data.load(), parse_config(R"({"input_dump_policy":"dump_all"})"));
  CHECK(collect(tracing, "add", AddCall(4)) == Outcome::kept);
  CHECK(collect(tracing, "mixed", testing::MixedCall(4)) == Outcome::kept);
  CHECK_THROWS_WITH(tracing.flush(), Catch::Matchers::StartsWith("1 kept calls could not be written: "));
  CHECK_NOTHROW(tracing.flush());  // told once
  const auto statistics = statistics_of(tracing);
  CHECK(statistics.at("definitions").at("add").at("lost") == 1);
  CHECK_FALSE(statistics.at("definitions").at("add").contains("written"));
  CHECK(statistics.at("definitions").at("mixed").at("written") == 1);
  CHECK_FALSE(statistics.at("last_error").get<std::string>().empty());
  CHECK(std::filesystem::is_empty(data.builder.root() / "blob/workloads/test/add"));
  std::filesystem::remove(file);
  CHECK(collect(tracing, "add", AddCall(5)) == Outcome::kept);
  CHECK_NOTHROW(tracing.flush());
  CHECK(data.workloads("add").size() == 1);
}

TEST_CASE("a full disk costs what was kept, and nothing that was written") {
  testing::SmallDisk disk;
  testing::DatasetBuilder(disk.root() / "data").add_definition({4});
  const auto load = [&] { return dataset::load(disk.root() / "data"); };
  Tracing tracing(load(), parse_config(R"({"input_dump_policy":"dump_all"})"));
  CHECK(collect(tracing, "add", AddCall(5)) == Outcome::kept);
  tracing.flush();
  disk.fill();
  CHECK(collect(tracing, "add", AddCall(5000)) == Outcome::kept);
  CHECK_THROWS_WITH(tracing.flush(), Catch::Matchers::Contains(disk.word()));
  disk.make_room();
  CHECK(collect(tracing, "add", AddCall(6)) == Outcome::kept);
  tracing.flush();
  const auto loaded = load();
  CHECK(loaded.problems.empty());
  CHECK(loaded.workloads.at("add").size() == 3);
}

TEST_CASE("the writer's thread takes no signals") {
  const TracedDataset data;
  const Tracing tracing(data.load(), {});
  std::size_t threads = 0;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    if (thread.path().filename() == std::to_string(::getpid())) continue;
    std::ifstream status(thread.path() / "status");
    for (std::string line; std::getline(status, line);) {
      if (!line.starts_with("SigBlk:")) continue;
      ++threads;
      CHECK((std::stoull(line.substr(7), nullptr, 16) >> (SIGTERM - 1) & 1U) == 1);
      CHECK((std::stoull(line.substr(7), nullptr, 16) >> (SIGINT - 1) & 1U) == 1);
    }
  }
  CHECK(threads == 1);
}

TEST_CASE("a forked child is told to open its own, and ends") {
  const TracedDataset data;
  Tracing tracing(data.load(), {});
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // by now the writer waits for work
  CHECK(testing::in_child([&] {
          ::alarm(10);  // seconds; then the child is killed
          const AddCall call(4);
          if (collect(tracing, "add", call) != Outcome::not_traced) return 1;
          try {
            tracing.flush();
            return 2;
          } catch (const Error&) {
            tracing.~Tracing();
            return 0;
          }
        }) == 0);
  CHECK(collect(tracing, "add", AddCall(4)) == Outcome::kept);
  tracing.flush();
  CHECK(data.workloads("add").size() == 1);
}
