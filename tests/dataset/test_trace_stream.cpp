#include <catch2/catch.hpp>

#include "dataset/temporary_dataset.h"
#include "dataset/trace_stream.h"
#include "util/error.h"

using namespace fib;

namespace {

// More lines than are parsed side by side, of which some cannot be read.
constexpr int kLines = 3000;
constexpr int kBroken = 700;  // each line whose number this divides

class ManyTraces {
 public:
  ManyTraces() {
    files_.write("definitions/d.json", testing::definition_text("d"));
    files_.write("solutions/s.json", testing::solution_text("s", "me", "python"));
    std::string lines;
    for (int line = 1; line <= kLines; ++line)
      lines += (line % kBroken == 0 ? R"({"definition":"d","solution":"s","evaluation":{"status":1}})"
                                    : testing::trace_line("s", "w" + std::to_string(line), line)) +
               "\n";
    files_.write("traces/a.jsonl", lines);
    files_.write("traces/b.jsonl", testing::trace_line("s", "last", 1) + "\n");
    dataset_ = dataset::load_without_results(files_.root(), unreadable_);
  }

  void visit(const std::function<void(const model::Trace&)>& visit,
             const std::atomic<bool>* interrupted = nullptr) {
    unreadable_.clear();
    dataset::for_each_trace(dataset_, {}, unreadable_, visit, interrupted);
  }

  [[nodiscard]] const std::vector<std::string>& unreadable() const { return unreadable_; }

 private:
  testing::TemporaryDataset files_;
  std::vector<std::string> unreadable_;
  dataset::Dataset dataset_;
};

}  // namespace

TEST_CASE("traces are visited in the order of their lines, and those that cannot be read are named") {
  ManyTraces traces;
  std::vector<std::string> wanted;
  for (int line = 1; line <= kLines; ++line) {
    if (line % kBroken != 0) wanted.push_back("w" + std::to_string(line));
  }
  wanted.emplace_back("last");
  std::vector<std::string> visited;
  traces.visit([&](const model::Trace& trace) { visited.push_back(trace.workload.uuid); });
  CHECK(visited == wanted);
  REQUIRE(traces.unreadable().size() == kLines / kBroken);
  for (std::size_t i = 0; i < traces.unreadable().size(); ++i)
    CHECK_THAT(traces.unreadable()[i], Catch::Contains(fmt::format("a.jsonl:{}: ", (i + 1) * kBroken)));
}

TEST_CASE("what a visitor throws ends the visits") {
  ManyTraces traces;
  int visited = 0;
  CHECK_THROWS_WITH(traces.visit([&](const model::Trace&) {
    if (++visited == 1500) throw Error("enough");
  }),
                    "enough");
  CHECK(visited == 1500);
}

TEST_CASE("an interrupt ends the visits soon") {
  ManyTraces traces;
  std::atomic<bool> interrupted = false;
  int visited = 0;
  CHECK_THROWS_WITH(traces.visit(
                        [&](const model::Trace&) {
                          ++visited;
                          interrupted = true;
                        },
                        &interrupted),
                    Catch::Contains("interrupted"));
  CHECK(visited < kLines / 2);
}
