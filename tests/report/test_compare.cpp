#include <catch2/catch.hpp>
#include <cmath>

#include "dataset/trace_stream.h"
#include "report/compare.h"
#include "report/compare_text.h"
#include "report/runs_dataset.h"

using namespace fib;
using report::Comparison;
using report::Verdict;
using testing::kRun1;
using testing::kRun2;
using testing::RunTrace;

namespace {

// A detail made of a line, with the pool that it points into.
class Details {
 public:
  const report::Detail& add(const RunTrace& trace) { return add(trace.line()); }
  const report::Detail& add(const std::string& line) {
    details_.push_back(std::make_unique<report::Detail>(
        report::make_detail(model::parse_trace(line), pool_, report::KeepLogs::yes)));
    return *details_.back();
  }

 private:
  dataset::RowPool pool_;
  std::vector<std::unique_ptr<report::Detail>> details_;
};

Verdict verdict_of(const RunTrace& a, const RunTrace& b) {
  Details details;
  return report::compare_pair(details.add(a), details.add(b)).verdict;
}

RunTrace trace(double median, double iqr) {
  return {.run = kRun1, .definition = "d", .solution = "s", .median = median, .iqr = iqr};
}

}  // namespace

TEST_CASE("a detail holds what evaluation.fib says") {
  Details details;
  const auto& detail =
      details.add({.run = kRun1, .definition = "d", .solution = "s", .median = 2, .log = "l"});
  CHECK(*detail.run_id == kRun1);
  CHECK(*detail.clock == "events");
  CHECK(*detail.config == R"({"iterations":50})");
  REQUIRE(detail.row.evaluation->calls.spread);
  CHECK(detail.row.evaluation->calls.spread->median_ms == Approx(2));
  CHECK(detail.row.evaluation->calls.spread->relative_iqr() == Approx(0.004));
  CHECK(detail.samples == 150);
  CHECK(detail.sets == 180);
  CHECK(*detail.sm_clock_mhz == Approx(1980));
  CHECK(detail.log == "l");
  const auto& failed = details.add({.run = kRun1, .definition = "d", .solution = "s", .status = "TIMEOUT"});
  CHECK(!failed.latency_ms());
  CHECK(!failed.row.evaluation->calls.spread);
}

TEST_CASE("what is compared is the latency that all reports show, not the median of the calls") {
  Details details;
  const auto before = trace(1, 0.004);
  std::string line = trace(1, 0.004).line();
  const std::string latency = R"("latency_ms":1.000000)";
  REQUIRE(line.find(latency) != std::string::npos);
  line.replace(line.find(latency), latency.size(), R"("latency_ms":1.5)");  // one trial was disturbed
  const auto pair = report::compare_pair(details.add(before), details.add(line));
  CHECK(pair.latency_a_ms == 1.0);
  CHECK(pair.latency_b_ms == 1.5);
  CHECK(*pair.change == Approx(0.5));
  CHECK(pair.verdict == Verdict::ambiguous);  // the quartile ranges overlap
}

TEST_CASE("a result that has lost its time holds no gate") {
  Details details;
  std::string line = trace(1, 0.004).line();
  const std::string latency = R"("latency_ms":1.000000)";
  line.replace(line.find(latency), latency.size(), R"("latency_ms":0)");
  const auto& timed = details.add(trace(1, 0.004));
  const auto& untimed = details.add(line);
  const auto result = report::compare({"A", {&timed}}, {"B", {&untimed}}, report::PairBy::solution);
  CHECK(result.untimed() == 1);
  CHECK(result.missing() == 0);
  const auto text =
      report::render_compare(result, report::CompareGate{.limit = 0.05}, report::CompareFormat::table, {});
  CHECK_THAT(text, Catch::Contains("1 result of A has no time in B: the gate cannot hold."));
  CHECK(report::compare({"A", {&untimed}}, {"B", {&timed}}, report::PairBy::solution).untimed() == 0);
}

TEST_CASE("medians within one percent or the noise are the same") {
  CHECK(verdict_of(trace(1, 0), trace(1.0099, 0)) == Verdict::same);
  CHECK(verdict_of(trace(1, 0), trace(1.0101, 0)) == Verdict::slower);
  CHECK(verdict_of(trace(1, 0), trace(0.9901, 0)) == Verdict::same);
  CHECK(verdict_of(trace(1, 0), trace(0.9899, 0)) == Verdict::faster);
  // The larger noise of the two decides.
  CHECK(verdict_of(trace(1, 0.05), trace(1.049, 0)) == Verdict::same);
  CHECK(verdict_of(trace(1, 0), trace(1.049, 0.05)) == Verdict::same);
}

TEST_CASE("beyond the noise the quartile ranges decide") {
  // Ranges 0.98 .. 1.02 and 1.0252 .. 1.0668: disjoint.
  CHECK(verdict_of(trace(1, 0.04), trace(1.046, 0.04)) == Verdict::slower);
  // 0.98 .. 1.02 and 1.0202 .. 1.0618: just beyond the noise.
  CHECK(verdict_of(trace(1, 0.04), trace(1.041, 0.04)) == Verdict::slower);
  CHECK(verdict_of(trace(1, 0.04), trace(1.0399, 0.04)) == Verdict::same);
  // Skewed samples: a wide range above the median of A reaches B.
  Details details;
  report::Detail a = details.add(trace(1, 0));
  report::Detail b = details.add(trace(1.06, 0));
  a.row.evaluation->calls.spread = dataset::Spread{0.999, 1, 1.05};
  b.row.evaluation->calls.spread = dataset::Spread{1.04, 1.06, 1.061};
  CHECK(report::compare_pair(a, b).verdict == Verdict::ambiguous);
  CHECK(report::compare_pair(b, a).verdict == Verdict::ambiguous);
  b.row.evaluation->calls.spread = dataset::Spread{1.051, 1.06, 1.061};
  CHECK(report::compare_pair(a, b).verdict == Verdict::slower);
  CHECK(report::compare_pair(b, a).verdict == Verdict::faster);
}

TEST_CASE("without a record of the spread a difference is ambiguous") {
  Details details;
  report::Detail a = details.add(trace(1, 0));
  report::Detail b = details.add(trace(5, 0));
  b.row.evaluation->calls.spread.reset();
  const Comparison pair = report::compare_pair(a, b);
  CHECK(pair.verdict == Verdict::ambiguous);
  CHECK(!pair.noise);
  CHECK(*pair.change == Approx(4));
  report::Detail near = details.add(trace(1.005, 0));
  near.row.evaluation->calls.spread.reset();
  CHECK(report::compare_pair(a, near).verdict == Verdict::same);
}

TEST_CASE("failures are verdicts of their own") {
  const RunTrace passed = trace(1, 0);
  RunTrace failed = passed;
  failed.status = "RUNTIME_ERROR";
  CHECK(verdict_of(passed, failed) == Verdict::broken);
  CHECK(verdict_of(failed, passed) == Verdict::fixed);
  CHECK(verdict_of(failed, failed) == Verdict::failed);
}

TEST_CASE("clocks that differ are said") {
  Details details;
  RunTrace other = trace(1, 0);
  other.clock = "cupti-kernel";
  other.sm_clock = 1755;
  CHECK(report::compare_pair(details.add(trace(1, 0)), details.add(other)).remark ==
        "clock events → cupti-kernel, SM 1980 → 1755 MHz");
  CHECK(report::compare_pair(details.add(trace(1, 0)), details.add(trace(1, 0))).remark == "");
}

TEST_CASE("the latest trace of each counts, and pairs need equal hardware and workloads") {
  Details details;
  const auto make = [&](const char* run, const char* solution, const char* uuid, double median) {
    return RunTrace{.run = run, .definition = "d", .solution = solution, .uuid = uuid, .median = median};
  };
  std::vector<report::Detail> all{details.add(make(kRun2, "s", "w1", 3)),
                                  details.add(make(kRun1, "s", "w1", 1)),
                                  details.add(make(kRun1, "s", "w2", 1))};
  const auto kept = report::latest(all);
  REQUIRE(kept.size() == 2);
  CHECK(*kept[0]->run_id == kRun2);

  RunTrace elsewhere = make(kRun1, "s", "w2", 1);
  elsewhere.hardware = testing::kCpu;
  const std::vector<report::Detail> others{details.add(make(kRun1, "t", "w1", 6)),
                                           details.add(make(kRun1, "u", "w1", 5)), details.add(elsewhere)};
  const auto by_name = report::compare({"a", kept}, {"b", report::latest(others)}, report::PairBy::solution);
  CHECK(by_name.pairs.empty());
  CHECK(by_name.only_a.size() == 2);
  CHECK(by_name.only_b.size() == 3);
  const auto fastest = report::compare({"a", kept}, {"b", report::latest(others)}, report::PairBy::workload);
  REQUIRE(fastest.pairs.size() == 1);
  CHECK(*fastest.pairs[0].b->row.solution == "u");
  CHECK(*fastest.pairs[0].change == Approx(5.0 / 3 - 1));
  CHECK(fastest.only_a.size() == 1);
  CHECK(fastest.only_b.size() == 1);
}

TEST_CASE("a spread that contradicts itself or the latency says nothing") {
  Details details;
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string line = trace(2, 0.004).line();
    const std::size_t at = line.find(from);
    REQUIRE(at != std::string::npos);
    return details.add(line.replace(at, from.size(), to)).row.evaluation->calls.spread.has_value();
  };
  CHECK(with("\"n\"", "\"n\""));
  CHECK(!with("\"latency_ms\":2.0", "\"latency_ms\":9.0"));
  CHECK(!with("\"quantiles_ms\":[1.99", "\"quantiles_ms\":[-1.99"));
  CHECK(!with("\"quantiles_ms\":[1.99", "\"quantiles_ms\":[2.99"));
  CHECK(!with("\"quantiles_ms\":[1.99", "\"quantiles_ms\":[\"1\",1.99"));
  CHECK(!with("\"quantiles_ms\":[", "\"quantiles_ms\":[0,"));
}

TEST_CASE("an infinite latency is none") {
  Details details;
  std::string line = trace(2, 0.004).line();
  const std::string number = "\"latency_ms\":2.000000";
  line.replace(line.find(number), number.size(), "\"latency_ms\":1e400");
  const auto& infinite = details.add(line);
  CHECK(!infinite.latency_ms());
  CHECK(report::compare_pair(infinite, infinite).verdict == Verdict::ambiguous);
}

TEST_CASE("noise is also what trials and processes differ by") {
  Details details;
  report::Detail a = details.add(trace(1, 0));
  report::Detail b = details.add(trace(1.02, 0));
  CHECK(report::compare_pair(a, b).verdict == Verdict::slower);
  b.row.evaluation->calls.trial_range_ms = 0.021 * 1.02;
  CHECK(report::compare_pair(a, b).verdict == Verdict::same);
  // 0.5 us of 5 us on a GPU; on the CPU the difference counts.
  RunTrace fast = trace(0.005, 0);
  RunTrace slow = trace(0.0055, 0);
  CHECK(verdict_of(fast, slow) == Verdict::same);
  slow.median = 0.00561;
  CHECK(verdict_of(fast, slow) == Verdict::slower);
  slow.median = 0.0055;
  fast.hardware = slow.hardware = testing::kCpu;
  CHECK(verdict_of(fast, slow) == Verdict::slower);
}

TEST_CASE("one uuid with other axes is other work") {
  Details details;
  RunTrace larger = trace(1, 0);
  larger.m = 1000;
  const auto& a = details.add(trace(1, 0));
  const auto& b = details.add(larger);
  const auto result = report::compare({"a", {&a}}, {"b", {&b}}, report::PairBy::solution);
  CHECK(result.pairs.empty());
  CHECK(result.missing() == 1);
}

TEST_CASE("results of another definition of the name are other work, where both say which it was") {
  Details details;
  const auto with_hash = [](const std::string& hash) {
    std::string line = trace(1, 0).line();
    const std::string member = R"("config":{"iterations":50})";
    return line.insert(line.find(member), R"("definition_sha256":")" + hash + R"(",)");
  };
  const auto& a = details.add(with_hash("aa"));
  const auto& same = details.add(with_hash("aa"));
  const auto& other = details.add(with_hash("bb"));
  const auto& silent = details.add(trace(1, 0));
  const auto pairs_with = [&](const report::Detail& b) {
    const auto result = report::compare({"a", {&a}}, {"b", {&b}}, report::PairBy::solution);
    CHECK(result.only_a.size() == result.only_b.size());
    return result.pairs.size();
  };
  CHECK(pairs_with(same) == 1);
  CHECK(pairs_with(other) == 0);
  CHECK(pairs_with(silent) == 1);
}

TEST_CASE("swept axes are the workload's, swept options stand in the order of their names") {
  Details details;
  const auto sweep_of = [&](const std::string& sweep) {
    std::string line = trace(1, 0).line();
    line.insert(line.find("\"config\""), "\"sweep\":" + sweep + ",");
    const auto* text = details.add(line).sweep;
    return text == nullptr ? "none" : *text;
  };
  CHECK(sweep_of(R"({"M":4})") == "none");
  CHECK(sweep_of(R"({"iterations":4,"M":1,"flush":"none"})") == "flush=none iterations=4");
}

TEST_CASE("where both traces have an interval, the wider one is the noise, whatever their calls differ by") {
  Details details;
  RunTrace before = trace(1, 0.04);
  RunTrace after = trace(1.046, 0.04);
  before.hardware = after.hardware = testing::kCpu;
  report::Detail a = details.add(before);
  report::Detail b = details.add(after);
  CHECK(report::compare_pair(a, b).verdict == Verdict::slower);
  a.row.evaluation->interval = 0.02;
  CHECK(report::compare_pair(a, b).verdict == Verdict::slower);  // the other one has none
  b.row.evaluation->interval = 0.05;
  CHECK(*report::compare_pair(a, b).noise == 0.05);
  CHECK(report::compare_pair(a, b).verdict == Verdict::same);
  b.row.evaluation->interval = 0.03;
  CHECK(*report::compare_pair(a, b).noise == 0.03);
  CHECK(report::compare_pair(a, b).verdict == Verdict::slower);
}

TEST_CASE("on CUDA the noise is twice the wider interval") {
  Details details;
  report::Detail a = details.add(trace(1, 0.04));
  report::Detail b = details.add(trace(1.046, 0.04));
  a.row.evaluation->interval = 0.01;
  b.row.evaluation->interval = 0.025;
  CHECK(*report::compare_pair(a, b).noise == 0.05);
  CHECK(report::compare_pair(a, b).verdict == Verdict::same);
  b.row.evaluation->interval = 0.02;
  CHECK(report::compare_pair(a, b).verdict == Verdict::slower);
}

TEST_CASE("what noise hides is counted as doubtful") {
  Details details;
  const auto& a = details.add(trace(1, 0));
  const auto& b = details.add(trace(1.9, 0.99));
  const auto result = report::compare({"a", {&a}}, {"b", {&b}}, report::PairBy::solution);
  CHECK(result.pairs.at(0).verdict == Verdict::ambiguous);
  CHECK(result.doubtful(0.05).size() == 1);
  CHECK(result.regressions(0.05).empty());
}

TEST_CASE("a verdict does not hang on which side is A, however wide the noise is") {
  using report::verdict_of_ratio;
  CHECK(verdict_of_ratio(0.2, 1.33) == Verdict::faster);
  CHECK(verdict_of_ratio(5.0, 1.33) == Verdict::slower);
  CHECK(verdict_of_ratio(0.5, 1.33) == Verdict::ambiguous);
  CHECK(verdict_of_ratio(2.0, 1.33) == Verdict::ambiguous);
  CHECK(verdict_of_ratio(1.05, 1.33) == Verdict::same);
  CHECK(verdict_of_ratio(1.05, 0.06) == Verdict::same);
  CHECK(verdict_of_ratio(1.009, 0.001) == Verdict::same);
  CHECK(verdict_of_ratio(1.02, 0.001) == Verdict::slower);
  CHECK(verdict_of_ratio(1.02, std::nullopt) == Verdict::ambiguous);
}

TEST_CASE("points of a sweep are compared with the same point") {
  Details details;
  const auto swept = [&](const char* run, double median, const std::string& sweep) {
    std::string line = RunTrace{.run = run, .definition = "d", .solution = "s", .median = median}.line();
    line.insert(line.find("\"config\""), "\"sweep\":" + sweep + ",");
    return details.add(line);
  };
  const std::vector<report::Detail> a{swept(kRun1, 1, R"({"flush":"clean"})"),
                                      swept(kRun1, 2, R"({"flush":"none"})")};
  const std::vector<report::Detail> b{swept(kRun2, 2, R"({"flush":"none"})"),
                                      swept(kRun2, 3, R"({"flush":"clean"})")};
  CHECK(report::latest(a).size() == 1);
  const auto apart = report::SweepPoints::apart;
  const auto result = report::compare({"a", report::latest(a, apart)}, {"b", report::latest(b, apart)},
                                      report::PairBy::solution);
  REQUIRE(result.pairs.size() == 2);
  CHECK(result.pairs[0].verdict == Verdict::slower);
  CHECK(result.pairs[0].remark == "sweep flush=clean");
  CHECK(result.pairs[1].verdict == Verdict::same);
}

TEST_CASE("regressions are what is slower beyond the limit or broken") {
  const testing::TemporaryDataset files;
  testing::write_runs(files);
  std::vector<std::string> unreadable;
  const auto dataset = dataset::load_without_results(files.root(), unreadable);
  const auto details = report::read_details(dataset, {}, unreadable, report::KeepLogs::no);
  CHECK(unreadable.empty());
  report::CompareSide sides[2] = {{"1", {}}, {"2", {}}};
  for (const auto& detail : details) sides[*detail.run_id == kRun2].results.push_back(&detail);
  const auto result = report::compare(sides[0], sides[1], report::PairBy::solution);
  CHECK(result.count(Verdict::same) == 1);
  CHECK(result.count(Verdict::faster) == 1);
  CHECK(result.count(Verdict::slower) == 2);
  CHECK(result.count(Verdict::broken) == 1);
  CHECK(result.count(Verdict::fixed) == 1);
  CHECK(result.count(Verdict::failed) == 1);
  CHECK(result.only_b.size() == 1);
  CHECK(result.regressions(0.05).size() == 1);
  CHECK(result.regressions(0.025).size() == 2);
  CHECK(result.regressions(0).size() == 3);
  CHECK(*result.mean_speedup() == Approx(std::pow(1 / (1.005 * 0.9 * 1.03 * 1.02), 0.25)).epsilon(1e-4));
}

TEST_CASE("where every result failed on both sides nothing was compared, and a gate cannot hold") {
  Details details;
  const auto failed = [] {
    RunTrace one = trace(1, 0);
    one.status = "TIMEOUT";
    return one;
  };
  const auto& a = details.add(failed());
  const auto& b = details.add(failed());
  const auto both = report::compare({"a", {&a}}, {"b", {&b}}, report::PairBy::solution);
  CHECK(both.nothing_compared());
  const auto text = [&](report::CompareFormat format) {
    return report::render_compare(both, report::CompareGate{0.1}, format, {});
  };
  CHECK_THAT(text(report::CompareFormat::table), Catch::Contains("No result passed in A or in B"));
  CHECK_THAT(text(report::CompareFormat::github), Catch::Contains("::error"));
  CHECK_THAT(text(report::CompareFormat::junit),
             Catch::Contains("failures=\"1\" errors=\"0\" skipped=\"1\""));
  const auto& passed = details.add(trace(2, 0));
  CHECK_FALSE(report::compare({"a", {&a}}, {"b", {&passed}}, report::PairBy::solution).nothing_compared());
  CHECK(report::CompareReport().nothing_compared());
}

namespace {

// A trace of `solution` on a workload of its own, made from `source`.
std::string made_from(const std::string& source, const std::string& solution, double median,
                      const char* run = kRun1) {
  RunTrace made{.run = run, .definition = "d", .solution = solution, .uuid = "w", .median = median};
  std::string line = made.line();
  line.insert(line.find("\"config\""), R"("solution_sha256":")" + source + "\",");
  return line;
}

// Solutions s0, s1, ...: A's median is 1, B's is `medians`; `sources` holds B's, A's is "x".
report::CompareReport drifting(Details& details, const std::vector<double>& medians,
                               const std::vector<std::string>& sources,
                               report::CorrectDrift correct = report::CorrectDrift::no) {
  report::CompareSide a{"a", {}};
  report::CompareSide b{"b", {}};
  for (std::size_t i = 0; i < medians.size(); ++i) {
    const std::string name = "s" + std::to_string(i);
    a.results.push_back(&details.add(made_from("x", name, 1)));
    b.results.push_back(&details.add(made_from(sources[i], name, medians[i])));
  }
  return report::compare(a, b, report::PairBy::solution, correct);
}

std::string verdicts_of(const report::CompareReport& result) {
  std::string text;
  for (const Comparison& pair : result.pairs)
    text += *pair.a->row.solution + " " + std::string(name_of(pair.verdict)) + ", ";
  return text;
}

}  // namespace

TEST_CASE("changed sources are told from unchanged ones") {
  Details details;
  const auto result = drifting(details, {1, 1}, {"x", "y"});
  CHECK(result.pairs[0].sources == report::Sources::same);
  CHECK(result.pairs[1].sources == report::Sources::changed);
  const auto faster = drifting(details, {1.25, 0.25}, {"x", "y"});
  REQUIRE(verdicts_of(faster) == "s0 slower, s1 faster, ");
  CHECK(faster.pairs[0].remark == "the source is the same");
  CHECK(faster.pairs[1].remark == "source or its options changed");
  CHECK_THAT(report::totals_text(faster),
             Catch::Contains("B's speed is 1.7889x A's (geometric mean), 0.8000x of unchanged sources and "
                             "4.0000x of changed ones"));
  CHECK_THAT(report::totals_text(drifting(details, {1.25, 0.25}, {"x", "x"})),
             Catch::Contains("(geometric mean)") && !Catch::Contains("source"));
  CHECK(result.pairs[0].remark.empty());
  CHECK(result.pairs[1].remark == "source or its options changed");
  CHECK(report::compare_pair(details.add(trace(1, 0)), details.add(trace(1, 0))).sources ==
        report::Sources::unknown);
}

TEST_CASE(
    "drift is the median change of five unchanged sources, and counts as change unless it is corrected") {
  Details details;
  const std::vector<double> medians{1.1, 1.1, 1.11, 1.09, 1.5, 1.1, 0.9};
  const std::vector<std::string> sources{"x", "x", "x", "x", "x", "y", "y"};
  const auto raw = drifting(details, medians, sources);
  REQUIRE(raw.drifts.size() == 1);
  CHECK(raw.drifts.at(testing::kGpu).ratio == Approx(1.1));
  CHECK(raw.drifts.at(testing::kGpu).pairs == 5);
  CHECK(verdicts_of(raw) == "s4 slower, s2 slower, s0 slower, s1 slower, s5 slower, s3 slower, s6 faster, ");
  CHECK(*raw.pairs[0].change_less_drift == Approx(1.5 / 1.1 - 1));
  CHECK(raw.regressions(0.05).size() == 6);

  const auto corrected = drifting(details, medians, sources, report::CorrectDrift::yes);
  CHECK(verdicts_of(corrected) == "s4 slower, s0 same, s1 same, s2 same, s3 same, s5 same, s6 faster, ");
  CHECK(*corrected.pairs[0].change == Approx(0.5));
  CHECK(corrected.regressions(0.05).size() == 1);
  CHECK(corrected.regressions(0.4).empty());

  CHECK(drifting(details, {1.1, 1.1, 1.1, 1.1, 1.1}, {"x", "x", "x", "x", "y"}).drifts.empty());
}

TEST_CASE("what ten unchanged sources scatter by widens the noise of all results") {
  Details details;
  const double up = 1.05;
  const double down = 1 / 1.05;
  std::vector<double> medians{up, down, up, down, up, down, up, down, up, down, 1, 1.6};
  std::vector<std::string> sources(12, "x");
  const auto own = [](const Comparison& pair) { return *report::relative_noise(pair.a->row, pair.b->row); };
  const auto scatter_of = [](const report::CompareReport& result) {
    return result.drifts.at(testing::kGpu).scatter;
  };
  const auto busy = drifting(details, medians, sources);
  REQUIRE(scatter_of(busy) > 1.5);
  for (const Comparison& pair : busy.pairs)
    CHECK(*pair.noise == Approx(report::wider(own(pair), scatter_of(busy))));
  CHECK_THAT(verdicts_of(busy), Catch::StartsWith("s11 slower, "));

  // A change that is more than 1 % and the noise, and less than the wider one.
  medians[10] = 1 + 0.98 * *busy.pairs[0].noise;
  REQUIRE(medians[10] > 1 + std::max(report::kSameWithin, own(busy.pairs[0])));
  const auto doubtful = drifting(details, medians, sources);
  CHECK_THAT(verdicts_of(doubtful), Catch::Contains("s10 ambiguous") || Catch::Contains("s10 same"));
  sources[10] = "y";  // judged by what those do that did not change
  CHECK(verdicts_of(drifting(details, medians, sources)).find("s10 slower") == std::string::npos);

  // Where all but a few are as they were, it stays a change.
  sources[10] = "x";
  std::fill_n(medians.begin(), 10, 1);
  const auto quiet = drifting(details, medians, sources);
  CHECK(scatter_of(quiet) == 1);
  CHECK_THAT(verdicts_of(quiet), Catch::StartsWith("s11 slower, s10 slower, "));
}

TEST_CASE("the worst stand first: definitions by their worst result, and results within them") {
  Details details;
  report::CompareSide a{"a", {}};
  report::CompareSide b{"b", {}};
  const auto add = [&](const char* definition, const char* solution, double median,
                       const char* status = "PASSED") {
    RunTrace made{.run = kRun1, .definition = definition, .solution = solution};
    a.results.push_back(&details.add(made));
    made.median = median;
    made.status = status;
    b.results.push_back(&details.add(made));
  };
  add("d1", "same", 1);
  add("d1", "slower", 1.2);
  add("d2", "faster", 0.5);
  add("d2", "broken", 1, "TIMEOUT");
  add("d3", "slowest", 3);
  CHECK(verdicts_of(report::compare(a, b, report::PairBy::solution)) ==
        "broken broken, faster faster, slowest slower, slower slower, same same, ");
}
