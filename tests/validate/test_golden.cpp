#include <algorithm>

#include "model/shared_data.h"
#include "util/files.h"
#include "validate/support.h"

using namespace fib;
using namespace fib::testing;

namespace {

// The texts of parse errors are the parser's own, and paths begin where the dataset lies.
std::string comparable(std::string text, const std::string& root) {
  const std::size_t error = text.find("parse error: ");
  if (error != std::string::npos && text.find("duplicate definition name") == std::string::npos) {
    text.resize(error);
  }
  constexpr std::string_view kHere = "<root>";
  for (std::size_t at = text.find(root); at != std::string::npos; at = text.find(root, at + kHere.size())) {
    text.replace(at, root.size(), kHere);
  }
  return text;
}

Json comparable(Json report, const std::string& root) {
  for (auto& definition : report["definitions"]) {
    for (auto& check : definition) {
      if (!check.is_object()) continue;
      for (auto& message : check["messages"]) {
        message["message"] = comparable(message["message"].get<std::string>(), root);
      }
    }
  }
  report["config"].erase("dataset");
  return report;
}

validate::Report report_of(const std::filesystem::path& root, model::Mode mode) {
  validate::Options options;
  options.mode = mode;
  return validate::validate(root, options);
}

std::size_t parse_errors(const Json& report) {
  std::size_t count = 0;
  for (const auto& definition : report["definitions"]) {
    for (const auto& check : definition) {
      if (!check.is_object()) continue;
      for (const auto& message : check["messages"]) {
        if (message["message"].get<std::string>().find("parse error: ") != std::string::npos) ++count;
      }
    }
  }
  return count;
}

}  // namespace

TEST_CASE("upstream mode says of the broken dataset what the format's first implementation says") {
  const auto golden = shared_data("golden");
  if (!golden) return;
  const std::string root = (*golden / "validate_broken").string();
  const Json expected = Json::parse(util::read_file(*golden / "validate_broken.expected.json"));
  const Json report = Json::parse(to_json(report_of(root, kUpstream)));
  CHECK(comparable(report, root).dump() == comparable(expected, "golden/validate_broken").dump());
  CHECK(parse_errors(report) == parse_errors(expected));
}

TEST_CASE("lenient mode gives its definitions the same statuses, and the seven checks say the same") {
  const auto golden = shared_data("golden");
  if (!golden) return;
  const std::string root = (*golden / "validate_broken").string();
  const Json expected = comparable(Json::parse(util::read_file(*golden / "validate_broken.expected.json")),
                                   "golden/validate_broken");
  const Json report = comparable(Json::parse(to_json(report_of(root, kLenient))), root);
  for (const auto& [name, definition] : expected["definitions"].items()) {
    for (const auto& [check, result] : definition.items()) {
      INFO(name << " " << check);
      CHECK(report["definitions"][name][check] == result);
    }
  }
}

TEST_CASE("the real dataset lacks blobs of some definitions and baselines of all others, in both modes") {
  const auto root = shared_data("flashinfer_trace");
  if (!root) return;
  for (const model::Mode mode : {kUpstream, kLenient}) {
    const auto [ok, warnings, errors] = count_by_status(report_of(*root, mode));
    CHECK(ok == 0);
    CHECK(warnings + errors > 0);
  }
}

TEST_CASE("every constraint of the real dataset names what its definition has, and none is broken") {
  const auto root = shared_data("flashinfer_trace");
  if (!root) return;
  validate::Options options;
  options.checks = {"constraints"};
  const validate::Report report = validate::validate(*root, options);
  CHECK_FALSE(report.definitions.empty());
  CHECK(status_of(report) == validate::Status::ok);
}
