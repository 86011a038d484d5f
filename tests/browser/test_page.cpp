#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/report_datasets.h"
#include "cli/run_fib.h"
#include "model/shared_data.h"
#include "support/browser.h"
#include "support/browser_tests.h"

// The HTML report of `fib visualize`, as a reader's browser shows it.
using namespace fib;
using Json = nlohmann::json;
using testing::Browser;
using testing::run_fib;
using testing::skips_without_chromium;

namespace {

std::filesystem::path make_page(const std::filesystem::path& folder, const std::string& dataset,
                                const std::string& traces = "standing") {
  const auto output =
      run_fib({"visualize", "--local", dataset, "--html", "report.html", "--traces", traces}, folder);
  CHECK(output.err == "report.html written\n");
  REQUIRE(output.exit_code == 0);
  return folder / "report.html";
}

// series -> [[x, y, failed]] of the chart in the section with this heading whose caption begins with
// `caption`.
Json points(testing::Page& page, const std::string& heading, const std::string& caption) {
  return page.evaluate(R"((() => {
    const section = [...document.querySelectorAll("section")].find((s) => s.querySelector("h2,h3").textContent === )" +
                       Json(heading).dump() + R"();
    const figure = [...section.querySelectorAll("figure")].find((f) => f.querySelector("figcaption").textContent.startsWith()" +
                       Json(caption).dump() + R"());
    const result = {};
    for (const series of figure.querySelectorAll("[data-series]"))
      result[series.dataset.series] = [...series.querySelectorAll("[data-x]")].map(
        (p) => [Number(p.dataset.x), p.dataset.y === undefined ? null : Number(p.dataset.y), p.dataset.failed === "1"]).sort((a, b) => a[0] - b[0]);
    return result;
  })())");
}

}  // namespace

TEST_CASE("the report's charts have the traces' numbers in the page", "[page]") {
  if (skips_without_chromium()) return;
  const testing::ReportDatasets datasets;
  Browser browser;
  auto page = browser.open(make_page(datasets.folder(), "runs"));
  const Json latency = points(page, "gemm_n128", "Latency against size");
  CHECK(latency.at("alice_fast") ==
        Json({{1, 1.005, false}, {2, 0.9, false}, {4, 1.03, false}, {8, 1.02, false}}));
  CHECK(latency.at("alice_slow")[0][2] == true);
  CHECK(latency.at("alice_slow")[1] == Json({2, 4, false}));
  CHECK(latency.at("bob_gemm") == Json({{1, 2, false}}));
  const Json history = points(page, "History", "gemm_n128 on NVIDIA H200");
  CHECK(history.at("alice_fast").size() == 2);
  CHECK(history.at("alice_slow")[0][2] == true);
  const Json curve = points(page, "NVIDIA H200", "fast_p");
  CHECK(curve.at("alice")[0] == Json({0.1, 1, false}));
  CHECK(curve.at("alice").back() == Json({2, 0, false}));
  // Bars and boxes are rows of their own.
  CHECK(page.evaluate("[...document.querySelectorAll('[data-x=alice]')].map(e => Number(e.dataset.y))") ==
        Json({2, 2}));
  CHECK(page.requests().empty());
  CHECK(page.errors().empty());
}

TEST_CASE("the page is complete without scripts, and asks for nothing", "[page]") {
  if (skips_without_chromium()) return;
  const testing::ReportDatasets datasets;
  Browser browser;
  const auto file = make_page(datasets.folder(), "sample");
  auto with = browser.open(file);
  auto without = browser.open(file, {.scripts = false});
  for (const char* selector : {"section", "svg", "svg [data-x]", "table tbody tr", "figure", "nav a"}) {
    CHECK(with.count(selector) > 0);
    CHECK(with.count(selector) == without.count(selector));
  }
  // Nothing that would do nothing.
  CHECK(without.count("button") == 0);
  CHECK(without.count("input") == 0);
  CHECK(with.count("th button") > 0);
  for (auto* page : {&with, &without}) {
    CHECK(page->requests().empty());
    CHECK(page->errors().empty());
  }
  // Every link of the page leads somewhere in it.
  CHECK(without.evaluate("[...document.querySelectorAll('a')].filter(a => !document.getElementById("
                         "decodeURIComponent(a.getAttribute('href').slice(1)))).length") == 0);
}

TEST_CASE("readers sort and filter tables", "[page]") {
  if (skips_without_chromium()) return;
  const testing::ReportDatasets datasets;
  std::string traces;
  datasets.write("many/definitions/d.json", testing::definition_text("d"));
  for (int i = 0; i < 12; ++i) {
    const std::string name = "s" + std::to_string(i);
    datasets.write("many/solutions/" + name + ".json", testing::solution_text(name, "me", "cuda"));
    traces += testing::RunTrace{.run = testing::kRun1,
                                .definition = "d",
                                .solution = "s" + std::to_string(i),
                                .median = 1.0 + (i * 7) % 12}
                  .line();
  }
  datasets.write("many/traces/t.jsonl", traces);
  Browser browser;
  const auto output = run_fib({"visualize", "--local", "many", "--html", "report.html"}, datasets.folder());
  REQUIRE(output.exit_code == 0);
  auto page = browser.open(datasets.folder() / "report.html");
  const std::string table = "section.definition table.sortable";
  const auto column = [&](int n) {
    return page.evaluate("[...document.querySelector('" + table +
                         "').tBodies[0].rows].filter(r => !r.hidden).map(r => r.cells[" + std::to_string(n) +
                         "].textContent)");
  };
  page.click(table + " th:nth-child(4) button");  // latency: the best, which is the lowest, comes first
  const auto latencies = [&] {
    std::vector<double> values;
    for (const auto& text : column(3)) values.push_back(std::stod(text.get<std::string>()));
    return values;
  };
  const std::vector<double> rising = latencies();
  REQUIRE(rising.size() == 12);
  CHECK(std::is_sorted(rising.begin(), rising.end()));
  CHECK(page.attributes(table + " th:nth-child(4)").at("aria-sort") == "ascending");
  page.press("Enter");  // the button has the focus
  const std::vector<double> falling = latencies();
  CHECK(std::is_sorted(falling.rbegin(), falling.rend()));
  CHECK(page.attributes(table + " th:nth-child(4)").at("aria-sort") == "descending");
  page.click("section.definition label.filter input");
  page.type("s1");
  CHECK(column(1).size() == 3);  // s1, s10, s11
  CHECK(page.errors().empty());
}

TEST_CASE("a failure's cell leads to its log", "[page]") {
  if (skips_without_chromium()) return;
  const testing::ReportDatasets datasets;
  Browser browser;
  auto page = browser.open(make_page(datasets.folder(), "runs"));
  CHECK(page.count("td.f a") == 2);
  CHECK(page.count("td.p") == 6);
  CHECK(!page.visible("#log-1 pre"));
  page.click("td.f a");
  page.wait_until("document.getElementById('log-1').open");
  CHECK(page.visible("#log-1 pre"));
  CHECK(page.text("#log-1 pre") == "illegal memory access");
  CHECK(page.count("td.f a[href='#log-1']") == 2);  // both failed in the same way, which is told once
  CHECK(page.count("#log-2") == 0);
  auto deep = browser.open(datasets.folder() / "report.html", {.fragment = "log-1"});
  deep.wait_until("document.getElementById('log-1').open");
}

TEST_CASE("points say what they are under the pointer", "[page]") {
  if (skips_without_chromium()) return;
  const testing::ReportDatasets datasets;
  Browser browser;
  auto page = browser.open(make_page(datasets.folder(), "sample"));
  page.evaluate("document.querySelector('rect[data-x]').scrollIntoView({block: 'center'})");
  page.hover("rect[data-x]");
  page.wait_until("!document.querySelector('.tip').hidden");
  CHECK(page.text(".tip") != "");
}

TEST_CASE("themes, phones and paper", "[page]") {
  if (skips_without_chromium()) return;
  const testing::ReportDatasets datasets;
  Browser browser;
  const auto file = make_page(datasets.folder(), "runs");
  auto light = browser.open(file);
  auto dark = browser.open(file, {.dark = true});
  CHECK(light.style("body", "background-color") == "rgb(255, 255, 255)");
  CHECK(dark.style("body", "background-color") == "rgb(20, 24, 29)");
  CHECK(light.style("svg text", "fill") != dark.style("svg text", "fill"));
  dark.click("button.theme");
  CHECK(dark.style("body", "background-color") == "rgb(255, 255, 255)");
  auto phone = browser.open(file, {.width = 360, .height = 740});
  CHECK(phone.evaluate("document.documentElement.scrollWidth").get<int>() <= 360);
  // Charts and tables that are wider scroll in boxes of their own, and who won is told in cards.
  CHECK(phone.evaluate("[...document.querySelectorAll('figure')].every((figure) =>"
                       "  figure.getBoundingClientRect().right <= 361)") == true);
  // Those of the history show the latest runs.
  CHECK(phone.evaluate("[...document.querySelectorAll('#history figure .wide')].every((box) =>"
                       "  box.scrollLeft > 0 && box.scrollLeft + box.clientWidth >= box.scrollWidth - 1)") ==
        true);
  CHECK(phone.count("#history figure .wide") > 0);
  // Text of charts can be read.
  CHECK(phone.evaluate("[...document.querySelectorAll('svg.chart text')].every((text) =>"
                       " text.getBoundingClientRect().height >= 9 || text.closest('details:not([open])'))") ==
        true);
  CHECK(phone.evaluate("[...document.querySelectorAll('.cards td')].every((cell) =>"
                       "  cell.offsetWidth > 0 && cell.getBoundingClientRect().right <= 361)") == true);
  CHECK(phone.count(".cards td[data-name='Latency (ms)']") > 0);
  CHECK(phone.visible("header .contents"));
  CHECK(!light.visible("header .contents"));
  auto paper = browser.open(file, {.dark = true, .print = true});
  CHECK(!paper.visible("nav"));
  CHECK(!paper.visible("button.theme"));
  CHECK(paper.style("body", "background-color") == "rgb(255, 255, 255)");
  CHECK(paper.style("svg text", "fill") == light.style("svg text", "fill"));
}

TEST_CASE("tables fit a window of 1280 pixels", "[page]") {
  if (skips_without_chromium()) return;
  const testing::ReportDatasets datasets;
  Browser browser;
  std::vector<std::string> datasets_shown = {"runs", "sample"};
  if (const auto real = testing::shared_data("real/fib_a800")) datasets_shown.push_back(real->string());
  for (const std::string& dataset : datasets_shown) {
    auto page = browser.open(make_page(datasets.folder(), dataset), {.width = 1280, .height = 900});
    CHECK(page.count("table") > 0);
    CHECK(page.evaluate("document.documentElement.scrollWidth").get<int>() <= 1280);
    // Those that do not, with their heads.
    CHECK(page.evaluate("[...document.querySelectorAll('.wide, .tall')].filter((box) => box.scrollWidth > "
                        "box.clientWidth + 1).map((box) => box.textContent.slice(0, 80))") == Json::array());
  }
}

TEST_CASE("hostile names and logs stay text", "[page]") {
  if (skips_without_chromium()) return;
  const testing::ReportDatasets datasets;
  const std::string evil =
      "</script></pre><img src=http://127.0.0.1:9/x onerror=alert(1)><script>throw 1</script>'";
  datasets.write(
      "evil/traces/t.jsonl",
      testing::RunTrace{.run = testing::kRun1, .definition = evil, .solution = evil, .log = evil}.line() +
          testing::RunTrace{.run = testing::kRun1,
                            .definition = evil,
                            .solution = evil,
                            .uuid = "w2",
                            .status = "TIMEOUT",
                            .log = evil}
              .line());
  Browser browser;
  auto page = browser.open(make_page(datasets.folder(), "evil", "all"));
  CHECK(page.requests().empty());
  CHECK(page.errors().empty());
  CHECK(page.count("img") == 0);
  CHECK(page.count("script") == 1);
  CHECK(page.text("#log-1 pre") == evil);
}

namespace {

// Results of so many solutions on fifty workloads each, one in twenty of which failed.
void write_large(const testing::ReportDatasets& datasets, int definitions, int solutions) {
  std::filesystem::remove_all(datasets.folder() / "large");
  for (int i = 0; i < definitions * solutions; ++i) {
    const std::string definition = "rmsnorm_h" + std::to_string(4096 + i / solutions);
    const std::string name = "a_solution_with_a_name_" + std::to_string(i);
    datasets.write("large/definitions/" + definition + ".json", testing::definition_text(definition));
    datasets.write("large/solutions/" + name + ".json",
                   testing::solution_text(name, "me", "cuda", "any", definition));
  }
  std::ofstream traces(datasets.write("large/traces/t.jsonl", ""));
  for (int i = 0; i < definitions * solutions * 50; ++i) {
    const int workload = i % 50;
    const int solution = i / 50;
    traces << testing::RunTrace{.run = testing::kRun1,
                                .definition = "rmsnorm_h" + std::to_string(4096 + solution / solutions),
                                .solution = "a_solution_with_a_name_" + std::to_string(solution),
                                .uuid = "w" + std::to_string(workload),
                                .m = 1 + 10 * workload,
                                .median = 0.0123 * (1 + workload) * (1 + 0.001 * solution),
                                .status = (solution + workload) % 20 == 0 ? "RUNTIME_ERROR" : "PASSED",
                                .log = "kernel.cu(12): illegal memory access"}
                  .line();
  }
}

}  // namespace

TEST_CASE("a report of 500 solutions on 50 workloads is below 5 MB and has all points", "[page]") {
  const testing::ReportDatasets datasets;
  for (const int definitions : {1, 50}) {
    write_large(datasets, definitions, 500 / definitions);
    const auto file = make_page(datasets.folder(), "large");
    CHECK(std::filesystem::file_size(file) < 5'000'000);
    if (skips_without_chromium()) continue;
    Browser browser;
    auto page = browser.open(file);
    // Of 500 lines a chart has 20; the table has all results.
    CHECK(page.evaluate("[...document.querySelectorAll('section.definition figure:first-child')].map("
                        "f => f.querySelectorAll('[data-x]').length).reduce((a, b) => a + b)") ==
          (definitions == 1 ? 20 * 50 : 25000));
    CHECK(page.count("table.matrix tbody td:not(.f)") == 23750);
    // Long tables scroll in boxes of their own, below their heads; on paper they are whole.
    const char* fits =
        "[...document.querySelectorAll('.tall')].every((box) => box.offsetHeight <= innerHeight)";
    CHECK(page.count(".tall") > 0);
    CHECK(page.evaluate(fits) == true);
    CHECK(page.style(".tall thead th", "position") == "sticky");
    CHECK(browser.open(file, {.print = true}).evaluate(fits) == false);
    // Fifty columns are more than a sheet bears; afterwards the page is as before.
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))");
    const char* widest =
        "Math.max(...[...document.querySelectorAll('table.matrix')].filter((table) => !table.hidden)"
        ".map((table) => table.tHead.rows[0].cells.length))";
    CHECK(page.evaluate(widest) == 11);
    page.evaluate("window.dispatchEvent(new Event('afterprint'))");
    CHECK(page.count("table.matrix tbody td:not(.f)") == 23750);
    CHECK(page.evaluate("(() => { const field = document.querySelector('#solutions .filter input');"
                        "field.value = 'Name_499'; field.dispatchEvent(new Event('input'));"
                        "return [...document.querySelectorAll('#solutions > details')]"
                        ".filter((one) => !one.hidden).length; })()") == 1);
    CHECK(page.errors().empty());
  }
}

// Not a test: scripts/bench-page runs it.
TEST_CASE("how long a report of 500 solutions on 50 workloads takes to open", "[.bench]") {
  const testing::ReportDatasets datasets;
  Browser browser;
  for (const int definitions : {1, 50}) {
    write_large(datasets, definitions, 500 / definitions);
    const auto file = make_page(datasets.folder(), "large");
    std::printf("%d definitions, %.2f MB:", definitions,
                static_cast<double>(std::filesystem::file_size(file)) / 1e6);
    for (int i = 0; i < 5; ++i) {
      auto page = browser.open(file);
      std::printf(" %.0f", page.load_ms());
    }
    std::printf(" ms to the load event\n");
  }
}
