#include <catch2/catch.hpp>

#include "present/text.h"
#include "report/speedup_text.h"

using namespace fib;
using dataset::SpeedupRange;

TEST_CASE("a speedup whose range is wide is written from–to, its value stays the number") {
  CHECK(report::speedup_text(36.5, SpeedupRange{31.24, 38.4}, present::format_score) == "31.2–38.4");
  CHECK(report::speedup_text(2, SpeedupRange{1.5, 12}, present::format_score) == "1.50–12.0");
  CHECK(report::speedup_text(900, SpeedupRange{99.96, 1234.5}, present::format_score) == "100–1234");
  CHECK(report::speedup_text(36.5, SpeedupRange{36, 37}, present::format_score) == "36.5000");
  CHECK(report::speedup_text(36.5, std::nullopt, present::format_score) == "36.5000");
  const auto cell = report::speedup_cell(36.5, SpeedupRange{31, 38}, present::format_score);
  CHECK(cell.text == "31.0–38.0");
  CHECK(cell.value.text == "36.5");
  CHECK(report::speedup_cell(std::nullopt, std::nullopt, present::format_score).text == "-");
  CHECK(report::range_cells(SpeedupRange{31, 38})[1].value.text == "38.0");
  CHECK(report::range_cells(std::nullopt)[0].value.kind == model::json::Kind::null);
}

TEST_CASE("a speedup of a latency that varies much has as many digits as it deserves") {
  const auto text = [](double speedup, std::optional<double> interval) {
    return report::digits_for(interval)(speedup);
  };
  CHECK(text(15.25, 0.66) == "15");
  CHECK(text(6.96, 0.1) == "7.0");
  CHECK(text(0.157, 0.5) == "0.16");
  CHECK(text(15.25, 0.09) == "15.25");
  CHECK(text(15.25, std::nullopt) == "15.25");
}

TEST_CASE("how far a winner is ahead is told in percent where that is little") {
  CHECK(report::lead_text(1.014, std::nullopt) == "1.4%");
  CHECK(report::lead_text(2, std::nullopt) == "2.00x");
  CHECK(report::lead_text(1.0001, std::nullopt) == "less than 0.1%");
  CHECK(report::lead_text(12.72, 0.26) == "13x");  // as a speedup of such a latency is written
}
