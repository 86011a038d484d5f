#include <catch2/catch.hpp>

#include "dataset/row_reader.h"
#include "dataset/temporary_dataset.h"

using namespace fib;

namespace {

// A trace of today's shape; `from` is replaced by `to`.
std::string line(const std::string& from = "", const std::string& to = "") {
  std::string text =
      R"({"definition":"d","workload":{"axes":{"M":2},"inputs":{"A":{"type":"random"}},"uuid":"w"},"solution":"s",)"
      R"("evaluation":{"status":"PASSED","environment":{"hardware":"NVIDIA H200","libs":{"cuda":"13.0"}},)"
      R"("timestamp":"2026-01-02T03:04:05","log":"","correctness":{"max_relative_error":0.5,)"
      R"("max_absolute_error":1e-3,"extra":null},"performance":{"latency_ms":0.25,"reference_latency_ms":1,)"
      R"("speedup_factor":4.0},"fib":{"schema":1,"device":{"kind":"cuda","index":0},"list":[1,2.5,"x",null,true]}}})";
  if (!from.empty()) text.replace(text.find(from), from.size(), to);
  return text;
}

struct Reading {
  dataset::RowPool pool;
  dataset::RowReader reader{pool};

  Reading() { (void)reader.learn(line(), model::parse_trace(line())); }

  [[nodiscard]] bool takes(const std::string& text) { return reader.read(text).has_value(); }
};

void check_equal(const dataset::TraceRow& one, const dataset::TraceRow& other) {
  CHECK(one.definition == other.definition);
  CHECK(one.solution == other.solution);
  CHECK(one.workload == other.workload);
  REQUIRE(one.evaluation.has_value());
  REQUIRE(other.evaluation.has_value());
  CHECK(one.evaluation->status == other.evaluation->status);
  CHECK(one.evaluation->device == other.evaluation->device);
  CHECK(one.evaluation->hardware == other.evaluation->hardware);
  CHECK(one.evaluation->timestamp == other.evaluation->timestamp);
  REQUIRE(one.evaluation->correctness.has_value() == other.evaluation->correctness.has_value());
  if (one.evaluation->correctness) {
    CHECK(one.evaluation->correctness->max_relative_error ==
          other.evaluation->correctness->max_relative_error);
    CHECK(one.evaluation->correctness->max_absolute_error ==
          other.evaluation->correctness->max_absolute_error);
  }
  REQUIRE(one.evaluation->performance.has_value() == other.evaluation->performance.has_value());
  if (one.evaluation->performance) {
    CHECK(one.evaluation->performance->latency_ms == other.evaluation->performance->latency_ms);
    CHECK(one.evaluation->performance->reference_latency_ms ==
          other.evaluation->performance->reference_latency_ms);
    CHECK(one.evaluation->performance->speedup_factor == other.evaluation->performance->speedup_factor);
  }
  const auto& origin = one.evaluation->origin;
  const auto& expected = other.evaluation->origin;
  CHECK(origin.run_id == expected.run_id);
  CHECK(origin.solution_sha256 == expected.solution_sha256);
  CHECK(origin.definition_sha256 == expected.definition_sha256);
  CHECK(origin.run_conditions == expected.run_conditions);
  CHECK(origin.workload_conditions == expected.workload_conditions);
  CHECK(origin.is_sweep_point == expected.is_sweep_point);
  CHECK(one.evaluation->interval == other.evaluation->interval);
  const auto& calls = one.evaluation->calls;
  const auto& expected_calls = other.evaluation->calls;
  CHECK(calls.count == expected_calls.count);
  CHECK(calls.cv == expected_calls.cv);
  CHECK(calls.tail == expected_calls.tail);
  REQUIRE(calls.spread.has_value() == expected_calls.spread.has_value());
  if (calls.spread) CHECK(calls.spread->q25_ms == expected_calls.spread->q25_ms);
  if (calls.spread) CHECK(calls.spread->median_ms == expected_calls.spread->median_ms);
  if (calls.spread) CHECK(calls.spread->q75_ms == expected_calls.spread->q75_ms);
  CHECK(calls.trial_range_ms == expected_calls.trial_range_ms);
  CHECK(calls.slow == expected_calls.slow);
  CHECK(calls.sm_clock_mhz == expected_calls.sm_clock_mhz);
  CHECK(calls.max_sm_clock_mhz == expected_calls.max_sm_clock_mhz);
  CHECK(calls.throttled == expected_calls.throttled);
  CHECK(calls.zeros_pass == expected_calls.zeros_pass);
  REQUIRE(calls.load.has_value() == expected_calls.load.has_value());
  if (calls.load) CHECK(calls.load->average == expected_calls.load->average);
  if (calls.load) CHECK(calls.load->cores == expected_calls.load->cores);
  REQUIRE(one.evaluation->reference.has_value() == other.evaluation->reference.has_value());
  if (!one.evaluation->reference) return;
  const auto& reference = *one.evaluation->reference;
  const auto& expected_reference = *other.evaluation->reference;
  CHECK(reference.device_uuid == expected_reference.device_uuid);
  CHECK(reference.median_ms == expected_reference.median_ms);
  CHECK(reference.q25_ms == expected_reference.q25_ms);
  CHECK(reference.q75_ms == expected_reference.q75_ms);
  CHECK(reference.is_shared == expected_reference.is_shared);
}

// A trace with a record of the measurement.
std::string recorded(const std::string& from = "", const std::string& to = "") {
  std::string text = line(
      R"({"schema":1,"device":{"kind":"cuda","index":0},"list":[1,2.5,"x",null,true]})",
      R"({"schema":1,"run_id":"r1","solution_sha256":"ab","definition_sha256":"cd","config":{"noise":0.005,)"
      R"("rtol":0.01,"atol":0.02,"required_matched_ratio":null,"clock":"auto","flush":"clean"},)"
      R"("device":{"kind":"cuda","uuid":"GPU-1"},"sweep":{"M":2},"interval":{"low_ms":0.2,"high_ms":0.3},)"
      R"("synthesized":["A","B"],"reference":{"engine":"native","latency_ms":1.5,"n":40,"q25_ms":1.4,)"
      R"("q75_ms":1.75,"sets":"shared"},"rule":"low-bit","n":150,"cv":0.07,"slow_calls":12,)"
      R"("trial_medians_ms":[1,1.5],"zeros_pass":["dx","dy"],"sm_clock_median_mhz":1755.5,"quantiles_ms":[1,1,1,1,1,1,1,1,1,1,2,2,2,2,2,2,2,2,2,5,6],)"
      R"("load":{"average":3.5,"cores":2},"device_state":{"power_w":90.5,"max_sm_clock_mhz":1980,"throttle_reasons":["a","b"]},)"
      R"("tolerance":{"atol":0.5,"rtol":0.25,"required_matched_ratio":0.9}})");
  if (!from.empty()) text.replace(text.find(from), from.size(), to);
  return text;
}

}  // namespace

TEST_CASE("where a result comes from is read as the model reads it, once its conditions are known") {
  Reading reading;
  CHECK_FALSE(reading.takes(recorded()));
  (void)reading.reader.learn(recorded(), model::parse_trace(recorded()));
  const std::vector<std::string> lines = {
      recorded(),
      recorded(R"("run_id":"r1")", R"("run_id":"r2")"),
      recorded(R"("run_id":"r1",)"),
      recorded(R"("solution_sha256":"ab")", R"("solution_sha256":"ef")"),
      recorded(R"("high_ms":0.3)", R"("high_ms":0.5)"),
      recorded(R"("interval":{"low_ms":0.2,"high_ms":0.3})", R"("interval":null,"failure":null)"),
      recorded(R"("latency_ms":1.5)", R"("latency_ms":2.5)"),
      recorded(R"(["a","b"])", "[]"),
      recorded(R"("average":3.5,)"),
      recorded(R"(["dx","dy"])", "[]"),
      recorded(R"("zeros_pass":["dx","dy"],)"),
  };
  for (const auto& text : lines) {
    INFO(text);
    const auto row = reading.reader.read(text);
    REQUIRE(row.has_value());
    check_equal(*row, reading.pool.row(model::parse_trace(text)));
  }
  const auto timed =
      recorded(R"("sets":"shared")", R"("sets":"shared","timed_by":"Python 3.12, torch 2.11")");
  CHECK_FALSE(reading.takes(timed));
  (void)reading.reader.learn(timed, model::parse_trace(timed));
  check_equal(*reading.reader.read(timed), reading.pool.row(model::parse_trace(timed)));
  CHECK_THAT(*reading.reader.read(timed)->evaluation->origin.workload_conditions,
             Catch::Contains("reference Python,"));
  const auto row = reading.reader.read(recorded());
  CHECK(*row->evaluation->origin.run_conditions == "flush clean, clock auto, rtol 0.01, atol 0.02");
  CHECK(*row->evaluation->origin.workload_conditions ==
        "rule low-bit, reference native, own tolerance rtol 0.25 atol 0.5 matched 0.9, made inputs A B");
  CHECK_FALSE(row->evaluation->origin.is_sweep_point);  // an axis was swept
  CHECK(row->evaluation->interval == Approx(0.2));
  CHECK(row->evaluation->calls.count == 150U);
  CHECK(row->evaluation->calls.cv == 0.07);
  CHECK(row->evaluation->calls.tail == 2.5);
  CHECK(row->evaluation->calls.slow == 12U);
  CHECK(row->evaluation->calls.sm_clock_mhz == 1755.5);
  CHECK(row->evaluation->calls.max_sm_clock_mhz == 1980);
  CHECK(row->evaluation->calls.load->average == 3.5);
  CHECK(row->evaluation->calls.load->cores == 2U);
  CHECK(*row->evaluation->calls.throttled == "a, b");
  CHECK(*row->evaluation->calls.zeros_pass == "dx, dy");
  REQUIRE(row->evaluation->reference);
  CHECK(*row->evaluation->reference->device_uuid == "GPU-1");
  CHECK(row->evaluation->reference->median_ms == 1.5);
  CHECK(row->evaluation->reference->q25_ms == 1.4);
  CHECK(row->evaluation->reference->q75_ms == 1.75);
  CHECK(row->evaluation->reference->is_shared);
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {R"("flush":"clean")", R"("flush":"none")"},
           {R"("engine":"native")", R"("engine":"Python 3.12")"},
           {R"("synthesized":["A","B"])", R"("synthesized":["A"])"},
           {R"("atol":0.5)", R"("atol":0.75)"},
           {R"("sweep":{"M":2})", R"("sweep":{"rtol":0.01})"}}) {
    INFO(from);
    const std::string text = recorded(from, to);
    CHECK_FALSE(reading.takes(text));
    const auto learned = reading.reader.learn(text, model::parse_trace(text));
    const auto again = reading.reader.read(text);
    REQUIRE(again.has_value());
    check_equal(*again, learned);
  }
  const auto swept = recorded(R"("sweep":{"M":2})", R"("sweep":{"rtol":0.01})");
  CHECK(reading.reader.read(swept)->evaluation->origin.is_sweep_point);
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {R"("run_id":"r1")", R"("run_id":7)"},
           {R"("rule":"low-bit")", R"("rule":null)"},
           {R"("high_ms":0.3)", R"("high_ms":"x")"},
           {R"("run_id":"r1")", R"("run_id":"r1","run_id":"r2")"}}) {
    INFO(to);
    CHECK_FALSE(reading.takes(recorded(from, to)));  // the model decides
  }
}

TEST_CASE("a line whose workload and environment are known becomes the row that the model makes of it") {
  Reading reading;
  const std::vector<std::string> lines = {
      line(),
      line("0.25", "1e2"),
      line("\"solution\":\"s\"", "\"solution\":\"t\""),
      line(R"("log":"")", R"("log":"an \u00e9clair \ud83d\ude00\n")"),
      line(R"("kind":"cuda")", R"("kind":"cpu")"),
      line(R"(,"fib":{"schema":1,"device":{"kind":"cuda","index":0},"list":[1,2.5,"x",null,true]})"),
      line(R"("extra":null)", R"("extra":{"mismatched":3,"at":[{}]})"),
      line(R"("status":"PASSED")", R"( "status" : "PASSED" )"),
  };
  for (const auto& text : lines) {
    INFO(text);
    const auto row = reading.reader.read(text);
    REQUIRE(row.has_value());
    check_equal(*row, reading.pool.row(model::parse_trace(text)));
  }
  CHECK(reading.reader.read(lines[4])->evaluation->device == model::DeviceKind::cpu);
  CHECK(reading.reader.read(lines[5])->evaluation->device == model::DeviceKind::cuda);  // by its name
}

TEST_CASE("a line of another shape is left to the model") {
  Reading reading;
  const auto failed = [](const std::string& status) {
    std::string text = line("PASSED", status);
    return text;
  };
  const std::vector<std::string> lines = {
      line("\"M\":2", "\"M\":3"),    // a workload never seen
      line("13.0", "12.8"),          // an environment never seen
      line("0.25", "\"Infinity\""),  // numbers of other kinds
      line("0.25", "null"),
      line("0.25", "NaN"),
      line("0.25", "1e999"),
      line(R"("log":"",)", R"("log":"","note":1,)"),  // a key that nobody knows
      line(R"("solution":"s")", R"("solution":null)"),
      line(R"("extra":null)", R"("extra":null,"extra":null)"),  // a key said twice
      line(R"("device":{)", R"("device":{},"device":{)"),
      failed("TIMEOUT"),  // against the rule of the status
  };
  for (const auto& text : lines) {
    INFO(text);
    CHECK_FALSE(reading.takes(text));
  }
}

TEST_CASE("a line that the model refuses is never a row") {
  Reading reading;
  const std::vector<std::string> lines = {
      "",
      "\xef\xbb\xbf" + line(),
      "{}",
      "1",
      line() + "x",
      line() + line(),
      line().substr(0, line().size() - 1),
      line("0.25", "-1"),
      line("0.25", "00.25"),
      line("0.25", "0x1"),
      line("0.25", ".25"),
      line("0.25", "1."),
      line("0.25", "+1"),
      line("true", "tru"),
      line("2.5,", "2.5,,"),
      line("2.5", "02"),
      line("null,true", "null true"),
      line(R"("log":"")", "\"log\":\"\xff\""),
      line(R"("log":"")", R"("log":"\ud800")"),
      line(R"("log":"")", "\"log\":\"\x01\""),
      line(R"("log":"")", R"("log":"\q")"),
      line(R"("log":"")", R"("log":1)"),
      line("\"list\":[1", "\"list\":[\"\\udc00\",1"),
      line("\"list\":", "\"\\ud800\":"),
      line("\"list\":", "list:"),
      line("PASSED", "PASSE"),
      line(R"("definition":"d")", R"("definition":"")"),
      line("\"2026-01-02T03:04:05\"", "\"\""),
      line("\"list\":[", "\"list\":" + std::string(300, '[') + std::string(300, ']') + ",\"m\":["),
  };
  for (const auto& text : lines) {
    INFO(text);
    CHECK_THROWS_AS(model::parse_trace(text), model::ParseError);
    CHECK_FALSE(reading.takes(text));
  }
}

TEST_CASE("equal names and workloads of different readers are the same objects") {
  dataset::RowPool pool;
  dataset::RowReader one(pool);
  dataset::RowReader other(pool);
  const std::string spaced = line("\"M\":2", "\"M\" : 2");
  const auto first = one.learn(line(), model::parse_trace(line()));
  const auto second = other.learn(spaced, model::parse_trace(spaced));
  check_equal(first, second);
  CHECK(other.read(spaced)->workload == first.workload);
}
