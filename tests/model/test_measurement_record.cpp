#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <regex>
#include <set>

#include "model/measurement_record.h"
#include "support/places.h"

using namespace fib::model;

namespace {

// "a.b[].c" is c of the first item.
nlohmann::ordered_json::json_pointer pointer_to(const RecordField& field) {
  std::string path = "/" + std::regex_replace(field.name, std::regex(R"(\[\])"), ".0");
  std::replace(path.begin(), path.end(), '.', '/');
  return nlohmann::ordered_json::json_pointer(path);
}

// A record in which every field is there.
nlohmann::ordered_json whole_record() {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  for (const RecordField& field : record_fields()) {
    auto& value = object[pointer_to(field)];
    if (field.type == "text") value = "t";
    if (field.type == "number") value = 1.5;
    if (field.type == "count") value = 7;
    if (field.type == "flag") value = true;
    if (field.type == "numbers") value = {1.5, 2.0};
    if (field.type == "texts") value = {"a", "b"};
    if (field.type == "counts") value = {1, 2};
    if (field.type == "objects") value = nlohmann::ordered_json::array({nlohmann::ordered_json::object()});
    if (field.type == "object") value = nlohmann::ordered_json::object();
  }
  return object;
}

Evaluation with(nlohmann::ordered_json fib) {
  Evaluation evaluation;
  evaluation.fib = std::move(fib);
  return evaluation;
}

}  // namespace

TEST_CASE("a record that is read and written again has the same bytes") {
  auto whole = whole_record();
  CHECK(to_json(measurement_record(with(whole))).dump() == whole.dump());
  whole["device"]["uuid"] = nullptr;
  CHECK(to_json(measurement_record(with(whole))).dump() == whole.dump());
}

TEST_CASE("a value of another type is as if it were missing") {
  for (const RecordField& field : record_fields()) {
    auto whole = whole_record();
    const auto pointer = pointer_to(field);
    INFO(field.name);
    whole[pointer] = field.type == "flag" ? nlohmann::ordered_json(1) : nlohmann::ordered_json(true);
    const auto written = to_json(measurement_record(with(whole)));
    const bool is_missing = !written.contains(pointer) || written.at(pointer).is_null();
    CHECK(is_missing);
  }
  const auto nothing = to_json(MeasurementRecord());
  CHECK(to_json(measurement_record(with("text"))) == nothing);
  CHECK(to_json(measurement_record(with({{"n", -1}, {"sets", 1e300}}))) == nothing);
  CHECK(to_json(measurement_record(with({{"quantiles_ms", {1.0, "x"}}}))) == nothing);
}

TEST_CASE("what programs look at is there in every record, and nothing else that is not known") {
  const std::vector<std::string> answers = {
      "request_digest", "environment_digest", "interval",  "resources", "roofline", "baseline", "failure",
      "hint",           "reward_components",  "durations", "truncated"};
  const auto nothing = to_json(MeasurementRecord());
  std::vector<std::string> names;
  for (const auto& [name, value] : nothing.items()) {
    CHECK(value.is_null());
    names.push_back(name);
  }
  CHECK(names == answers);
  MeasurementRecord record;
  record.failure.emplace().code = "crash";
  record.device.emplace();
  record.load.emplace().cores = 2;
  const auto written = to_json(record);
  CHECK(written.at("failure").at("code") == "crash");
  CHECK(written.at("failure").at("mismatch").is_null());
  CHECK_FALSE(written.at("load").contains("average"));
}

TEST_CASE("docs/trace-record.md has every field with its type, and no other") {
  std::ifstream file(fib::testing::source_folder() / "docs/trace-record.md");
  const std::regex row(R"(^\| `([a-z0-9_.\[\]]+)` \| (\w+) \| .+ \|$)");
  std::set<std::pair<std::string, std::string>> documented;
  for (std::string line; std::getline(file, line);) {
    std::smatch match;
    if (std::regex_match(line, match, row)) documented.emplace(match[1], match[2]);
  }
  std::set<std::pair<std::string, std::string>> written;
  for (const RecordField& field : record_fields()) written.emplace(field.name, field.type);
  CHECK(documented == written);
}

TEST_CASE("records of earlier versions are read as they were") {
  // Before there were intervals, sandbox and definition hashes; sets were counted already.
  const auto record =
      measurement_record(with({{"schema", 1},
                               {"run_id", "20260101T000000.000001Z-7"},
                               {"version", "0.1.0"},
                               {"solution_sha256", "ab"},
                               {"config", {{"iterations", 50}, {"required_matched_ratio", 1.0}}},
                               {"trial_medians_ms", {1.0, 2.0}},
                               {"n", 100},
                               {"clock", "events"},
                               {"sets", 12}}));
  CHECK(record.run_id == "20260101T000000.000001Z-7");
  CHECK(record.config.at("iterations") == 50);
  CHECK(record.trial_medians_ms == std::vector<double>{1.0, 2.0});
  CHECK(record.n == 100U);
  CHECK_FALSE(record.interval);
  CHECK_FALSE(record.definition_sha256);
}
