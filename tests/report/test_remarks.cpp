#include <catch2/catch.hpp>

#include "dataset/temporary_dataset.h"
#include "model/solution.h"
#include "model/workload.h"
#include "report/remarks.h"

using namespace fib;

namespace {

// Two solutions on a workload, in whose evaluations the reference took these milliseconds, on these devices.
std::vector<std::string> cautions(double first, double second, const std::string& second_device = "GPU-1") {
  const testing::TemporaryDataset files;
  files.write("definitions/d.json", testing::definition_text("d"));
  files.write("workloads/d.jsonl", testing::workload_line("w") + "\n");
  std::string lines;
  for (const auto& [name, time, device] :
       {std::tuple("s", first, std::string("GPU-1")), std::tuple("t", second, second_device)}) {
    const auto text = testing::solution_text(name, "me", "python");
    files.write(std::string("solutions/") + name + ".json", text);
    const std::string ms = std::to_string(time);
    lines += R"({"definition":"d","workload":)" + testing::workload_text("w") + R"(,"solution":")" + name +
             R"(","evaluation":{"status":"PASSED","environment":{"hardware":"H200"},"timestamp":"t",)" +
             R"("correctness":{},"performance":{"latency_ms":2,"reference_latency_ms":)" + ms +
             R"(,"speedup_factor":1},"fib":{"run_id":"r","solution_sha256":")" +
             model::content_sha256(model::parse_solution(text)) + R"(","device":{"kind":"cuda","uuid":")" +
             device + R"("},"reference":{"latency_ms":)" + ms + R"(,"q25_ms":)" + ms + R"(,"q75_ms":)" + ms +
             R"(,"sets":"own"}}}})" + "\n";
  }
  files.write("traces/t.jsonl", lines);
  auto data = dataset::load(files.root());
  REQUIRE(data.error_count() == 0);
  const dataset::StandingResults standing(data, data.traces);
  dataset::keep_standing(data, standing);
  for (const auto& row : data.traces) {
    CHECK(row.evaluation->performance->reference_latency_ms == Approx((first + second) / 2));
    CHECK(row.evaluation->performance->speedup_factor == Approx((first + second) / 4));
    REQUIRE(row.evaluation->performance->speedup_range);
    CHECK(row.evaluation->performance->speedup_range->low == Approx(first / 2));
    CHECK(row.evaluation->performance->speedup_range->high == Approx(second / 2));
  }
  CHECK(report::cautions_of(nullptr, data.traces).empty());
  CHECK(report::cautions_of(&standing, data.traces, report::HasReferences::no).empty());
  return report::cautions_of(&standing, data.traces);
}

// A result that passed, with what its calls tell.
dataset::TraceRow passed_row(dataset::RowPool& pool, const char* solution, const dataset::RowCalls& calls) {
  dataset::TraceRow row{pool.name("d"),
                        pool.name(solution),
                        pool.workload(model::parse_workload(testing::workload_text("w"))),
                        {}};
  row.evaluation.emplace();
  row.evaluation->status = model::Status::PASSED;
  row.evaluation->hardware = pool.name("H200");
  row.evaluation->calls = calls;
  return row;
}

}  // namespace

TEST_CASE(
    "a reference whose times spread is said, with the number and what to do; all solutions share its time") {
  CHECK(cautions(10, 10.9).empty());
  CHECK(cautions(10, 12) ==
        std::vector<std::string>{
            "Speedups against the reference say little for 1 workload: within one "
            "run the reference's own times differ by more than 10%, "
            "most of all d on w M=2 (10.00000 to 12.00000 ms). Speedups that this "
            "blurs are written as ranges (from–to), and rank nobody. Latencies are what to "
            "compare; a quiet machine helps."});
}

TEST_CASE("devices that differ in the time of a reference are said") {
  CHECK(cautions(10, 10.1, "GPU-2").empty());
  CHECK(cautions(10, 10.5, "GPU-2") ==
        std::vector<std::string>{"The devices of one run differ by more than 2% in the time of the reference "
                                 "for 1 workload, most of all d "
                                 "on w M=2 (4.9%). One device alone (--device) is measured on equal terms."});
}

TEST_CASE(
    "calls that vary, are few, have a long tail, or ran on a slow GPU are said, with the worst of them") {
  dataset::RowPool pool;
  std::vector<dataset::TraceRow> rows;
  const auto add = [&](const char* solution, const dataset::RowCalls& calls) {
    rows.push_back(passed_row(pool, solution, calls));
  };
  add("good", {.count = 150, .cv = 0.05, .tail = 1.5, .slow = 7, .sm_clock_mhz = 1980});
  CHECK(report::cautions_of(nullptr, rows).empty());
  add("wild", {.count = 150, .cv = 0.06, .tail = 1.6, .slow = 8, .sm_clock_mhz = 1700});
  add("wilder", {.count = 9, .cv = 0.14, .tail = 2.5, .slow = 3, .sm_clock_mhz = 1200});
  dataset::RowCalls steady{.count = 150, .cv = {}, .tail = {}, .slow = {}, .sm_clock_mhz = 1200};
  steady.max_sm_clock_mhz = 1300;
  add("steady", steady);
  dataset::RowCalls locked{.count = 150, .cv = {}, .tail = {}, .slow = {}, .sm_clock_mhz = 1980};
  locked.max_sm_clock_mhz = 2300;
  add("locked", locked);
  add("failed", {.count = 1, .cv = 9, .tail = {}, .slow = {}, .sm_clock_mhz = {}});
  rows.back().evaluation->status = model::Status::TIMEOUT;
  CHECK(report::cautions_of(nullptr, rows) ==
        std::vector<std::string>{"2 results with calls that vary by more than 5% (CV), most of all wilder on "
                                 "w M=2 (14%). A quiet machine "
                                 "helps, or more calls (a lower --noise, or more --iterations).",
                                 "1 result with fewer than 10 timed calls: wilder on w M=2 (9 calls). "
                                 "--call-budget and --iterations "
                                 "ask for more.",
                                 "2 results of whose calls 5% took more than 1.5 times the median, most of "
                                 "all wilder on w M=2 (2.5 times). Other "
                                 "programs, or work that the solution does now and then, may be the cause.",
                                 "3 results at GPU clocks below 90% of their maximum, most of all wilder "
                                 "on w M=2 (1200 of 1980 MHz). Let "
                                 "the GPU cool, or raise its limit on power, and run again; where its clocks "
                                 "are locked, or none reaches that, compare with runs at the same clock.",
                                 "2 results with more than 5% of calls made again because the GPU was "
                                 "throttled, most of all wilder on w M=2 (3 "
                                 "of 9). Let the GPU cool, or limit its power less, and run again."});
}

TEST_CASE("a loaded machine and a throttled GPU are said, with the worst of them") {
  dataset::RowPool pool;
  std::vector<dataset::TraceRow> rows;
  const auto add = [&](const char* solution, double load, const std::string* throttled) {
    dataset::RowCalls calls;
    calls.load = model::RecordedLoad{load, 16};
    calls.throttled = throttled;
    rows.push_back(passed_row(pool, solution, calls));
  };
  add("calm", 16, nullptr);
  CHECK(report::cautions_of(nullptr, rows).empty());
  add("busy", 17, pool.name("sw_power_cap, hw_slowdown"));
  add("busier", 33.25, nullptr);
  CHECK(
      report::cautions_of(nullptr, rows) ==
      std::vector<std::string>{
          "2 results of runs that began on a machine with a load above the number of its cores, most of all "
          "busier on w M=2 (33.2 on 16 cores). Other programs make latencies longer and less certain: stop "
          "them, or wait, and run again.",
          "1 result during which the GPU was throttled: busy on w M=2 (sw_power_cap, "
          "hw_slowdown). Let it cool, or limit its power less, and run again."});
}

TEST_CASE("workloads on which zeros would have passed are said once") {
  dataset::RowPool pool;
  dataset::RowCalls calls;
  std::vector rows{passed_row(pool, "fine", calls)};
  CHECK(report::cautions_of(nullptr, rows).empty());
  calls.zeros_pass = pool.name("y, z");
  rows.push_back(passed_row(pool, "one", calls));
  rows.push_back(passed_row(pool, "other", calls));
  const std::vector<std::string> once = {
      "Zeros in place of an output would have passed for 1 workload: d on w M=2 (y, z). What passed there "
      "may have "
      "computed nothing: a lower --atol and --rtol, or a tolerance of its own for the workload, tells. fib "
      "validate "
      "--checks workload-strength says more."};
  CHECK(report::cautions_of(nullptr, rows) == once);
  rows.front().evaluation->calls = calls;
  rows.front().definition = pool.name("c");
  CHECK_THAT(report::cautions_of(nullptr, rows).at(0),
             Catch::StartsWith(
                 "Zeros in place of an output would have passed for 2 workloads, first of all c on w"));
  // What failed there was found out.
  for (auto& row : rows) row.evaluation->status = model::Status::INCORRECT_NUMERICAL;
  CHECK(report::cautions_of(nullptr, rows).empty());
}

TEST_CASE("remarks are lines below a report, and members of its JSON") {
  present::Document document(present::Format::table, {});
  write(document, report::Remarks{});
  CHECK(document.text().empty());
  const report::Remarks remarks{"2 traces do not count", {"careful"}};
  write(document, remarks);
  CHECK(document.text() == "2 traces do not count\ncareful\n");
  auto object = model::json::make_object();
  add_to(object, remarks);
  add_to(object, report::Remarks{});
  CHECK(model::json::dump(object, model::json::Form::compact, model::json::NonFinite::strings) ==
        R"({"not_counted":"2 traces do not count","cautions":["careful"],"not_counted":null,"cautions":[]})");
}

TEST_CASE("definitions whose results that stand are of several runs are named") {
  dataset::RowPool pool;
  const auto cautions = [&](const char* first, const char* second, bool counts_all = false) {
    std::vector<dataset::TraceRow> rows = {passed_row(pool, "s", {}), passed_row(pool, "t", {})};
    rows[0].evaluation->origin.run_id = pool.name(first);
    rows[1].evaluation->origin.run_id = pool.name(second);
    const dataset::Dataset data;
    const dataset::StandingResults standing(data, {});
    return report::cautions_of(counts_all ? nullptr : &standing, rows, report::HasReferences::no);
  };
  CHECK(cautions("1", "2") ==
        std::vector<std::string>{"Not all results of d are of one run: a machine may be "
                                 "slower in one than in another."});
  CHECK(cautions("1", "1").empty());
  CHECK(cautions("1", "2", true).empty());
}
