#include <catch2/catch.hpp>

#include "dataset/load.h"
#include "dataset/loaded.h"
#include "dataset/temporary_dataset.h"

// Records of the same name.
using namespace fib;
using testing::definition_text;
using testing::solution_text;
using testing::TemporaryDataset;
using testing::texts;
using testing::uuids;
using testing::workload_line;

TEST_CASE("of records that differ under one name none is taken, and both files are named") {
  const TemporaryDataset files;
  files.write("definitions/a.json", definition_text("d", "first"));
  files.write("definitions/b.json", definition_text("d", "second"));
  files.write("solutions/a.json", solution_text("s", "me", "cuda"));
  files.write("solutions/b.json", solution_text("s", "you", "cuda"));
  const auto loaded = dataset::load(files.root());
  CHECK(loaded.definitions.empty());
  CHECK(loaded.solutions.empty());
  CHECK(loaded.error_count() == 2);
  CHECK_THAT(texts(loaded).at(0), Catch::StartsWith("definitions/b.json: Duplicate definition name: d ") &&
                                      Catch::Contains("definitions/a.json"));
  CHECK_THAT(texts(loaded).at(2),  // after the warning that nothing is known of their definition
             Catch::StartsWith("solutions/b.json: Duplicate solution name: s ") &&
                 Catch::Contains("another one is in solutions/a.json: neither is taken"));
}

TEST_CASE("a third record of a disputed name is not taken either, and the name belongs to no file") {
  const TemporaryDataset files;
  for (const char* author : {"me", "you", "them"})
    files.write(std::string("solutions/") + author + ".json", solution_text("s", author, "cuda"));
  const auto loaded = dataset::load(files.root());
  CHECK(loaded.solutions.empty());
  CHECK(loaded.solution_files.empty());
  CHECK(loaded.error_count() == 2);
}

TEST_CASE("a record that is there twice is kept once") {
  const TemporaryDataset files;
  for (const char* name : {"a", "b"}) {
    files.write(std::string("definitions/") + name + ".json", definition_text("d"));
    files.write(std::string("solutions/") + name + ".json", solution_text("s", "me", "cuda"));
  }
  const auto loaded = dataset::load(files.root());
  CHECK(loaded.definitions.contains("d"));
  CHECK(loaded.solutions.contains("s"));
  CHECK(loaded.error_count() == 2);
  CHECK_THAT(texts(loaded).at(1), Catch::Contains("(kept: the one of solutions/a.json)"));
}

TEST_CASE("a repeated workload is a warning; the first is kept") {
  const TemporaryDataset files;
  files.write("definitions/d.json", definition_text("d"));
  files.write("workloads/d.jsonl", workload_line("w") + "\n" + workload_line("w") + "\n");
  const auto loaded = dataset::load(files.root());
  CHECK(uuids(loaded, "d").size() == 1);
  CHECK(loaded.error_count() == 0);
  CHECK_THAT(texts(loaded).at(0),
             Catch::StartsWith("workloads/d.jsonl:2: ") && Catch::Contains("workloads/d.jsonl:1"));
}

TEST_CASE("of workloads that differ under one uuid none is taken") {
  const TemporaryDataset files;
  files.write("definitions/d.json", definition_text("d"));
  std::string other = workload_line("w");
  const auto place = other.find("\"axes\":{");
  REQUIRE(place != std::string::npos);
  other.insert(place + 8, "\"more\":7,");
  files.write("workloads/d.jsonl", workload_line("w") + "\n" + other + "\n");
  const auto loaded = dataset::load(files.root());
  CHECK(uuids(loaded, "d").empty());
  CHECK(loaded.error_count() == 1);
  CHECK_THAT(texts(loaded).at(0), Catch::Contains("is there already, with another content"));
}

TEST_CASE("of very many repeated workloads of a file a thousand are told") {
  const TemporaryDataset files;
  files.write("definitions/d.json", definition_text("d"));
  std::string lines;
  for (int i = 0; i < 1500; ++i) lines += workload_line("w" + std::to_string(i)) + "\n";
  files.write("workloads/d.jsonl", lines + lines);
  CHECK(dataset::load(files.root()).error_count() == 0);
  for (int i = 0; i < 1500; ++i) lines += workload_line("w" + std::to_string(i), "d", 3) + "\n";
  files.write("workloads/d.jsonl", lines);
  const auto loaded = dataset::load(files.root());
  CHECK(loaded.error_count() == 1001);
  CHECK(uuids(loaded, "d").empty());
  CHECK(loaded.problems.size() == 1001);
  CHECK_THAT(
      texts(loaded),
      Catch::VectorContains(std::string("workloads/d.jsonl: 500 more of its workloads are there already")));
}

TEST_CASE("a workload below traces/ displaces none of workloads/, and the others keep their order") {
  const TemporaryDataset files;
  files.write("definitions/d.json", definition_text("d"));
  files.write("workloads/d.jsonl", workload_line("w1") + "\n" + workload_line("w2") + "\n" +
                                       workload_line("w3") + "\n" + workload_line("w2", "d", 3) + "\n" +
                                       workload_line("w4") + "\n");
  files.write("traces/them/d.jsonl", workload_line("w1", "d", 3) + "\n" + workload_line("w4") + "\n" +
                                         workload_line("w5") + "\n" + workload_line("w6") + "\n" +
                                         workload_line("w6", "d", 3) + "\n");
  const auto loaded = dataset::load(files.root());
  CHECK(uuids(loaded, "d") == std::vector<std::string>{"w1", "w3", "w4", "w5"});
  CHECK(loaded.workloads.at("d").front().axes.front().second == 2);
  CHECK(loaded.error_count() == 3);  // w1, w2 and w6 differ; w4 is there twice
  CHECK_THAT(texts(loaded).at(1),
             Catch::StartsWith("traces/them/d.jsonl:1: workload \"w1\"") &&
                 Catch::Contains("is there already, with another content (kept: workloads/d.jsonl:1)"));
}
