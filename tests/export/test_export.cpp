#include <sqlite3.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>

#include "dataset/queries.h"
#include "export/export.h"
#include "export/row.h"
#include "report/sample_dataset.h"
#include "support/temporary.h"

using namespace fib;
using exports::TextForm;
using testing::TemporaryDataset;

namespace {

dataset::Dataset catalog(const TemporaryDataset& files) {
  dataset::LoadOptions options;
  options.results = dataset::KeepResults::no;
  return dataset::load(files.root(), options);
}

std::string text(const TemporaryDataset& files, TextForm form, const dataset::Filter& filter = {}) {
  std::string all;
  std::vector<std::string> unreadable;
  exports::export_text(catalog(files), filter, form, unreadable,
                       [&](std::string_view piece) { all += piece; });
  CHECK(unreadable.empty());
  return all;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

using Rows = std::vector<std::vector<std::string>>;

struct Sqlite {
  testing::TemporaryFolder folder;
  sqlite3* handle = nullptr;

  explicit Sqlite(const TemporaryDataset& files, const dataset::Filter& filter = {}) {
    const std::string file = folder.path() / "d.sqlite";
    std::vector<std::string> unreadable;
    exports::export_sqlite(catalog(files), filter, file, unreadable);
    REQUIRE(::sqlite3_open_v2(file.c_str(), &handle, SQLITE_OPEN_READONLY, nullptr) == SQLITE_OK);
  }
  ~Sqlite() { ::sqlite3_close(handle); }
  Sqlite(const Sqlite&) = delete;
  Sqlite& operator=(const Sqlite&) = delete;

  Rows operator()(const std::string& query) const {
    Rows rows;
    const auto add = [](void* all, int count, char** values, char**) {
      auto& row = static_cast<Rows*>(all)->emplace_back();
      for (int i = 0; i < count; ++i) row.emplace_back(values[i] == nullptr ? "null" : values[i]);
      return 0;
    };
    char* error = nullptr;
    INFO(query);
    const int result = ::sqlite3_exec(handle, query.c_str(), add, &rows, &error);
    INFO((error == nullptr ? "" : error));
    REQUIRE(result == SQLITE_OK);
    return rows;
  }
};

}  // namespace

TEST_CASE("jsonl and json hold every trace as the format writes it") {
  const TemporaryDataset files;
  testing::write_sample(files);
  const auto lines = lines_of(text(files, TextForm::jsonl));
  const auto traces = testing::traces_of(files.root());
  REQUIRE(lines.size() == traces.size());
  for (std::size_t i = 0; i < lines.size(); ++i) CHECK(lines[i] == model::to_json(traces[i]));
  const auto array = nlohmann::json::parse(text(files, TextForm::json));
  REQUIRE(array.size() == lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) CHECK(array[i] == nlohmann::json::parse(lines[i]));
}

TEST_CASE("csv and Markdown hold a flat row a trace under one head, however many there are") {
  const TemporaryDataset files;
  testing::write_sample(files);
  std::string many;
  for (int i = 0; i < 2500; ++i)
    many += testing::SampleTrace{"gemm_n128", "bob_gemm", "w" + std::to_string(i), 3, 0.5, 2}.line();
  files.write("traces/all.jsonl", many);
  const auto csv = lines_of(text(files, TextForm::csv));
  REQUIRE(csv.size() == 2501);
  CHECK(csv[0].substr(0, 40) == "definition,op_type,solution,author,workl");
  CHECK_THAT(csv[0],
             Catch::EndsWith(",run_reference_ms,run_reference_low_ms,run_reference_high_ms,error_code,error_"
                             "pattern"));  // whose values test_ci.cpp has
  CHECK(csv[2500] ==
        "gemm_n128,gemm,bob_gemm,bob,w2499,\"{\"\"M\"\":3}\",PASSED,AMD EPYC 9555 64-Core "
        "Processor,cpu,2026-01-01T00:00:00+00:00,0.5,1.0,2.0,0.001,0.001,,,,,,,,,,,1,,,,,");
  const auto md = lines_of(text(files, TextForm::md));
  CHECK(md.size() == 2502);
  CHECK(md[1].substr(0, 7) == "| --- |");
  files.write("traces/all.jsonl", "");
  CHECK(lines_of(text(files, TextForm::csv)).size() == 1);
  CHECK(text(files, TextForm::md).empty());
  CHECK(nlohmann::json::parse(text(files, TextForm::json)).empty());
}

TEST_CASE("filters choose by definition, solution, author, op type, status, hardware and time") {
  const TemporaryDataset files;
  testing::write_sample(files);
  const auto count = [&](const dataset::Filter& filter) {
    return lines_of(text(files, TextForm::jsonl, filter)).size();
  };
  using dataset::Filter;
  const auto with = [&](std::vector<std::string> Filter::*field, std::vector<std::string> patterns) {
    Filter filter;
    filter.*field = std::move(patterns);
    return filter;
  };
  CHECK(count({}) == 14);
  CHECK(count(with(&Filter::definitions, {"gemm_*"})) == 8);
  CHECK(count(with(&Filter::solutions, {"alice_gemm", "bob_norm"})) == 4);
  CHECK(count(with(&Filter::authors, {"alice"})) == 6);
  CHECK(count(with(&Filter::op_types, {"norm"})) == 6);
  CHECK(count(with(&Filter::statuses, {"*_ERROR"})) == 2);
  CHECK(count(with(&Filter::hardware, {"NVIDIA*"})) == 4);
  Filter both = with(&Filter::authors, {"alice"});
  both.hardware = {"NVIDIA*"};
  CHECK(count(both) == 3);
  dataset::Filter since;
  since.since = 1767225600'000000;  // 2026-01-01 in UTC
  CHECK(count(since) == 14);
  ++*since.since;
  CHECK(count(since) == 0);
}

TEST_CASE("the SQLite form has all records, and its views agree with the reports") {
  const TemporaryDataset files;
  testing::write_sample(files);
  const Sqlite query(files);
  CHECK(query("select count(*) from definitions") == Rows{{"3"}});
  CHECK(query("select count(*) from solutions") == Rows{{"8"}});
  CHECK(query("select count(*) from workloads") == Rows{{"6"}});
  CHECK(query("select count(*), count(latency_ms), max(id) from traces") == Rows{{"14", "12", "14"}});
  CHECK(query("select distinct value from axes order by value") == Rows{{"1"}, {"64"}});
  CHECK(query("select typeof(latency_ms), typeof(run_id) from traces where id = 1") ==
        Rows{{"real", "null"}});
  CHECK(
      query("select solution, workloads, against, speedup, tied from best_per_definition where definition = "
            "'gemm_n128' order by hardware") ==
      Rows{{"alice_gemm", "2", "baseline", "4.0", "0"}, {"alice_gemm", "1", "baseline", "3.0", "0"}});
  CHECK(query("select solution, latency_ms from best_per_workload where definition = 'gemm_n128' and "
              "hardware like "
              "'AMD%' order by workload_uuid") == Rows{{"alice_gemm", "4.0"}, {"bob_gemm", "1.0"}});
  CHECK(
      query(
          "select author, rank, against, definitions from author_ranking where hardware like 'AMD%' order by "
          "rank, author") == Rows{{"carol", "null", "baseline", "1"},
                                  {"alice", "1", "baseline", "2"},
                                  {"bob", "2", "baseline", "2"}});
  CHECK(query("select json_extract(document, '$.author') from solutions where name = 'bob_gemm'") ==
        Rows{{"bob"}});
  CHECK(query("pragma integrity_check") == Rows{{"ok"}});
}

TEST_CASE("every hardware has its rankings, however many there are") {
  const TemporaryDataset files;
  testing::write_sample(files);
  std::string traces;
  for (int i = 0; i < 70; ++i) {
    std::string line = testing::SampleTrace{"gemm_n128", "bob_gemm", "u1", 1, 1, 2}.line();
    const std::string known = "\"hardware\":\"";
    traces += line.insert(line.find(known) + known.size(), std::to_string(i) + " ");
  }
  files.write("traces/all.jsonl", traces);
  const Sqlite query(files);
  CHECK(query("select count(distinct hardware) from traces") == Rows{{"70"}});
  CHECK(query("select count(distinct hardware) from best_per_definition") == Rows{{"70"}});
}

TEST_CASE("the views are about the results that count, as the reports are") {
  const TemporaryDataset files;
  testing::write_sample(files);
  const auto trace = [](const std::string& uuid, double latency, double speedup) {
    return testing::SampleTrace{"gemm_n128", "bob_gemm", uuid, 1, latency, speedup}.line();
  };
  files.write("traces/all.jsonl", trace("u1", 1, 2) + trace("u1", 2, 5) + trace("u2", 9, 1));
  const Sqlite query(files);
  CHECK(query("select against, rank, passed, workloads, round(latency_ms, 6) from solution_ranking") ==
        Rows{{"baseline", "1", "2", "2", "4.242641"}});
  CHECK(query("select latency_ms, speedup_vs_reference from solution_workloads order by workload_uuid") ==
        Rows{{"2.0", "5.0"}, {"9.0", "1.0"}});
}

TEST_CASE("the columns of csv are those of the SQLite table") {
  const TemporaryDataset files;
  testing::write_sample(files);
  const Sqlite query(files);
  Rows expected{{"id"}};
  for (const auto& column : exports::row_columns()) expected.push_back({column.key});
  expected.push_back({"log"});
  expected.push_back({"fib"});
  CHECK(query("select name from pragma_table_info('traces')") == expected);
}

TEST_CASE("lines that cannot be read are reported and the others exported") {
  const TemporaryDataset files;
  testing::write_sample(files);
  files.write("traces/broken.jsonl",
              R"({"definition":"gemm_n128","solution":"s","evaluation":{"status":"?"}})"
              "\n");
  std::vector<std::string> unreadable;
  std::size_t bytes = 0;
  const auto written = exports::export_text(catalog(files), {}, TextForm::jsonl, unreadable,
                                            [&](std::string_view piece) { bytes += piece.size(); });
  CHECK(written == 14);
  CHECK(bytes > 0);
  REQUIRE(unreadable.size() == 1);
  CHECK_THAT(unreadable[0], Catch::Contains("broken.jsonl:1: "));
}
