#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "cli/report_datasets.h"

// The numbers in all forms of one report are equal: csv has json's own, tables and Markdown have them
// rounded.
using namespace fib;
using testing::run_fib;
using Json = nlohmann::ordered_json;
using Words = std::vector<std::string>;
using Row = std::vector<std::string>;

namespace {

std::string out_of(const testing::ReportDatasets& datasets, Words words, const std::string& format) {
  words.insert(words.end(), {"--format", format});
  // No width: tables are not cut.
  const auto output = run_fib(words, datasets.folder(), {{"COLUMNS", "0"}});
  REQUIRE(output.exit_code == 0);
  return output.out;
}

// RFC 4180, without line breaks in fields.
std::vector<Row> csv_rows(const std::string& text) {
  std::vector<Row> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    Row row(1);
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
        row.back() += line[i++];
      } else if (line[i] == '"') {
        quoted = !quoted;
      } else if (line[i] == ',' && !quoted) {
        row.emplace_back();
      } else {
        row.back() += line[i];
      }
    }
    rows.push_back(row);
  }
  return rows;
}

// All lists of objects named `name`, one after another.
void collect(const Json& value, const std::string& name, Json& rows) {
  if (!value.is_structured()) return;
  for (const auto& [key, inner] : value.items()) {
    if (value.is_object() && key == name && inner.is_array()) {
      for (const auto& row : inner) rows.push_back(row);
    } else {
      collect(inner, name, rows);
    }
  }
}

std::string csv_text(const Json& value) {
  if (value.is_null()) return "";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

// The numbers and texts of every csv row stand in the json row of the same place, by key.
void check_csv(const std::vector<Row>& csv, const Json& json) {
  REQUIRE(csv.size() == json.size() + 1);
  for (std::size_t i = 0; i < json.size(); ++i) {
    for (std::size_t column = 0; column < csv[0].size(); ++column) {
      const auto found = json[i].find(csv[0][column]);
      if (found == json[i].end()) continue;  // dataset and hardware stand above the rows in json
      INFO(csv[0][column] << " of row " << i);
      if (found->is_number()) {
        CHECK(std::stod(csv[i + 1][column]) == found->get<double>());
      } else {
        CHECK(csv[i + 1][column] == csv_text(*found));
      }
    }
  }
}

// A number as people see it ("12.5%", "1.50x", "0.00123", "1.00e-03") with half a unit of its last digit.
struct Shown {
  double value = 0;
  double slack = 0;
};

std::optional<Shown> shown_number(std::string text) {
  double factor = 1;
  if (text.ends_with("x")) text.resize(text.size() - std::string("x").size());
  if (text.ends_with("%")) {
    text.pop_back();
    factor = 0.01;
  }
  std::size_t used = 0;
  double value = 0;
  try {
    value = std::stod(text, &used);
  } catch (const std::exception&) {
    return std::nullopt;
  }
  if (used != text.size()) return std::nullopt;
  const std::size_t mantissa_end = std::min(text.size(), text.find('e'));
  const std::size_t point = text.find('.');
  const double decimals = point == std::string::npos ? 0 : static_cast<double>(mantissa_end - point - 1);
  const double exponent = mantissa_end < text.size() ? std::stod(text.substr(mantissa_end + 1)) : 0;
  return Shown{value * factor, 0.5000001 * factor * std::pow(10, exponent - decimals)};
}

bool is_rounding_of_any(const Shown& shown, const Json& row) {
  for (const auto& value : row) {
    if (value.is_number() && std::abs(value.get<double>() - shown.value) <= shown.slack) return true;
  }
  return false;
}

Row md_cells(const std::string& line) {
  Row cells;
  std::size_t begin = 1;
  for (std::size_t end = line.find(" |", begin); end != std::string::npos; end = line.find(" |", begin)) {
    cells.push_back(line.substr(begin + 1, end - begin - 1));
    begin = end + 2;
  }
  return cells;
}

// The rows of all tables of a page whose header begins with `first`.
std::vector<Row> md_rows(const std::string& text, const std::string& first) {
  std::vector<Row> rows;
  std::istringstream lines(text);
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("| " + first + " |")) {
      inside = true;
    } else if (!line.starts_with("|")) {
      inside = false;
    } else if (inside && !line.starts_with("| --") && !line.starts_with("|--")) {
      rows.push_back(md_cells(line));
    }
  }
  return rows;
}

void check_md(const std::vector<Row>& md, const Json& json) {
  REQUIRE(md.size() == json.size());
  std::size_t numbers = 0;
  for (std::size_t i = 0; i < md.size(); ++i) {
    for (const std::string& cell : md[i]) {
      const auto shown = shown_number(cell);
      if (!shown) continue;
      INFO(cell << " in " << json[i].dump());
      CHECK(is_rounding_of_any(*shown, json[i]));
      ++numbers;
    }
  }
  CHECK(numbers > 0);
}

// The words of a page that are numbers, in order: those of the table form and of Markdown are the same.
Row number_words(const std::string& text) {
  Row words;
  std::istringstream stream(text);
  for (std::string word; stream >> word;) {
    if (shown_number(word)) words.push_back(word);
  }
  return words;
}

struct Report {
  Words words;
  std::string list;    // of rows in json
  std::string header;  // of the first column in Markdown
};

}  // namespace

TEST_CASE("the numbers in all forms of one report are equal") {
  const testing::ReportDatasets datasets;
  const Report reports[] = {
      {{"report", "summary", "--show", "authors", "--local", "sample"}, "authors", "Rank"},
      {{"report", "summary", "--show", "solutions", "--local", "sample"}, "solutions", "Definition"},
      {{"report", "best", "--local", "sample", "--per-workload"}, "best", "Definition"},
      {{"report", "rank", "--local", "sample"}, "authors", "Rank"},
      {{"report", "sol", "--show", "workloads", "--local", "sample", "--bandwidth", "100"},
       "workloads",
       "Definition"},
      {{"report", "compare", "last~1", "last", "--local", "runs"}, "results", "Definition"},
      {{"list", "traces", "--local", "sample"}, "traces", "Definition"},
      {{"list", "solutions", "--local", "sample"}, "solutions", "Definition"},
  };
  for (const Report& report : reports) {
    INFO(report.words[0] << " " << report.words[1]);
    Json rows = Json::array();
    collect(Json::parse(out_of(datasets, report.words, "json")), report.list, rows);
    REQUIRE(!rows.empty());
    check_csv(csv_rows(out_of(datasets, report.words, "csv")), rows);
    const std::string md = out_of(datasets, report.words, "md");
    check_md(md_rows(md, report.header), rows);
    const std::string table = out_of(datasets, report.words, "table");
    CHECK(number_words(table).size() <= number_words(md).size());
    for (const std::string& word : number_words(table)) {
      INFO(word);
      CHECK(md.find(word) != std::string::npos);
    }
  }
}

TEST_CASE("fast_p's forms are equal") {
  const testing::ReportDatasets datasets;
  const Words words{"report", "fast-p", "--local", "sample"};
  const auto json = Json::parse(out_of(datasets, words, "json"));
  std::size_t checked = 0;
  const auto csv = csv_rows(out_of(datasets, words, "csv"));
  for (std::size_t i = 1; i < csv.size(); ++i) {
    for (const auto& hardware : json["datasets"][0]["hardware"]) {
      if (hardware["name"] != csv[i][1]) continue;
      for (const auto& author : hardware["authors"]) {
        if (author["author"] != csv[i][4]) continue;
        std::string p = csv[i][5];
        if (p.ends_with(".0")) p.resize(p.size() - 2);
        CHECK(author.at("fast_" + p).get<double>() == std::stod(csv[i][6]));
        ++checked;
      }
    }
  }
  CHECK(checked == csv.size() - 1);
  CHECK(checked > 0);
}
