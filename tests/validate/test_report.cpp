#include "validate/support.h"

using namespace fib;
using namespace fib::testing;
using validate::Level;

namespace {

validate::Report sample(model::Mode mode = kLenient) {
  validate::Report report;
  report.mode = mode;
  report.config = {"data", {"layout", "trace"}, true, {}, {"d"}};
  report.definitions = {
      {"d",
       "definitions/op/d.json",
       {{"layout", validate::Messages{{Level::error, "a <b> & 'c'\nd: 100%, \x1b", {"x,y.json", 3}}}},
        {"trace", validate::Messages{{Level::info, "i", {}}, {Level::warning, "w", {"t.jsonl"}}}},
        {"benchmark", std::nullopt, "no \"GPU\""}}},
      {"e", "definitions/op/e.json", {{"layout", validate::Messages{}}}}};
  if (mode == kLenient) {
    report.dataset = {{"orphans", validate::Messages{{Level::warning, "o", {"z.json"}}}}};
    report.notes = {"n"};
  }
  return report;
}

}  // namespace

TEST_CASE("a status is the worst of its parts") {
  const validate::Report report = sample();
  CHECK(status_of(report.definitions[0].checks[0]) == validate::Status::error);
  CHECK(status_of(report.definitions[0].checks[1]) == validate::Status::warning);
  CHECK(status_of(report.definitions[0].checks[2]) == validate::Status::ok);
  CHECK(status_of(report.definitions[0].checks) == validate::Status::error);
  CHECK(status_of(report) == validate::Status::error);
  CHECK(count_by_status(report) == std::array<std::size_t, 3>{1, 0, 1});
}

TEST_CASE("JSON of a report") {
  const Json upstream = Json::parse(to_json(sample(kUpstream)));
  CHECK(
      upstream.dump() ==
      R"({"config":{"dataset":"data","checks":["layout","trace"],"disable_gpu":true,"op_types":[],"definitions":["d"]},)"
      R"("definitions":{"d":{"status":"error","layout":{"status":"error","messages":[{"level":"error","message":)"
      R"("a <b> & 'c'\nd: 100%, \u001b"}]},"trace":{"status":"warning","messages":[{"level":"info","message":"i"},)"
      R"({"level":"warning","message":"w"}]},"benchmark":null},"e":{"status":"ok","layout":{"status":"ok",)"
      R"("messages":[]}}}})");
  const Json lenient = Json::parse(to_json(sample()));
  CHECK(lenient["definitions"] == upstream["definitions"]);
  CHECK(lenient["dataset"]["status"] == "warning");
  CHECK(lenient["dataset"]["orphans"]["messages"][0]["message"] == "o");
  CHECK(lenient["notes"] == Json{"n"});
}

TEST_CASE("text of a report") {
  CHECK(to_text(sample(kUpstream)) ==
        "=== Dataset Validation Report ===\n"
        "dataset:       data\n"
        "checks:        layout, trace\n"
        "disable_gpu:   True\n"
        "op_types:      (all)\n"
        "definitions:   d\n"
        "\n"
        "2 definitions: 1 ok, 0 warning, 1 error\n"
        "\n"
        "--- d [ERROR] ---\n"
        "  layout:      error\n"
        "    - a <b> & 'c'\nd: 100%, \x1b\n"
        "  trace:       warning\n"
        "    - i\n"
        "    - w\n"
        "  benchmark:   None (skipped)\n"
        "\n"
        "--- e [OK] ---\n"
        "  layout:      ok\n");
}

TEST_CASE("fib's text has notes, the dataset as a whole, and no control characters") {
  const std::string text = to_text(sample());
  CHECK_THAT(text, Catch::Contains("definitions:   d\nnote:          n\n\n"));
  CHECK_THAT(text, Catch::Contains("    - a <b> & 'c' d: 100%, ?\n"));
  CHECK_THAT(text, Catch::EndsWith("\n--- (dataset) [WARNING] ---\n  orphans:     warning\n    - o\n"));
}

TEST_CASE("GitHub annotations escape what has a meaning in them") {
  CHECK(to_github(sample()) ==
        "::error file=data/x%2Cy.json,line=3,title=d layout::a <b> & 'c'%0Ad: 100%25, ?\n"
        "::warning file=data/t.jsonl,title=d trace::w\n"
        "::warning file=data/z.json,title=dataset orphans::o\n"
        "::notice::n\n"
        "2 definitions: 1 ok, 0 warning, 1 error\n");
}

TEST_CASE("of many errors and warnings GitHub gets ten of each, errors first") {
  validate::Report report = sample();
  auto& messages = *report.definitions[0].checks[1].messages;
  for (int i = 0; i < 12; ++i) messages.push_back({i % 2 == 0 ? Level::warning : Level::error, "m", {}});
  for (int i = 0; i < 6; ++i) messages.push_back({Level::error, "m", {}});
  const std::string text = to_github(report);
  const auto rest = text.find("... and 3 more errors\n::warning");
  CHECK(rest != std::string::npos);
  CHECK(text.rfind("::error") < rest);
}

TEST_CASE("JUnit: errors fail, and warnings when they shall") {
  const std::string text = to_junit(sample(), false);
  CHECK_THAT(text, Catch::StartsWith(
                       "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                       "<testsuites name=\"fib validate\" tests=\"5\" failures=\"1\" errors=\"0\" "
                       "skipped=\"1\">\n"
                       "  <testsuite name=\"d\" tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\">\n"));
  CHECK_THAT(text,
             Catch::Contains(
                 "message=\"error: a &lt;b&gt; &amp; 'c'\">error: a &lt;b&gt; &amp; 'c'&#10;d: 100%, �<"));
  CHECK_THAT(text,
             Catch::Contains("name=\"trace\">\n      <system-out>info: i&#10;warning: w</system-out>\n"));
  CHECK_THAT(text, Catch::Contains("      <skipped message=\"no &quot;GPU&quot;\"/>\n"));
  CHECK_THAT(to_junit(sample(), true),
             Catch::Contains("tests=\"5\" failures=\"3\"") &&
                 Catch::Contains("<failure message=\"warning: w\">warning: w</failure>\n      "
                                 "<system-out>info: i</system-out>\n"));
}
