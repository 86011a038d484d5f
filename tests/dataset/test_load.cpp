#include <sys/stat.h>

#include <catch2/catch.hpp>

#include "dataset/load.h"
#include "dataset/loaded.h"
#include "dataset/temporary_dataset.h"
#include "model/shared_data.h"
#include "util/error.h"

using namespace fib;
using dataset::Severity;
using testing::definition_text;
using testing::solution_text;
using testing::TemporaryDataset;
using testing::texts;
using testing::trace_line;
using testing::uuids;
using testing::workload_line;
using testing::workload_text;

TEST_CASE("the newest layout is read: files sorted by path, lines in order") {
  const TemporaryDataset files;
  files.write("definitions/op/d.json", definition_text("d"));
  files.write("solutions/me/op/d/s.json", solution_text("s", "me", "cuda"));
  files.write("workloads/op/d.jsonl", workload_line("w2") + "\n" + workload_line("w1") + "\n");
  files.write("traces/zoe/op/d.jsonl", trace_line("s", "w3", 1) + "\n");
  files.write("traces/me/op/d.jsonl", trace_line("s", "w1", 1) + "\n" + trace_line("s", "w2", 1) + "\n");
  const auto loaded = dataset::load(files.root());
  CHECK(texts(loaded).empty());
  CHECK(loaded.definitions.at("d").op_type == "op");
  CHECK(loaded.solutions.at("s").author == "me");
  CHECK(loaded.solution_files.at("s") == "solutions/me/op/d/s.json");
  CHECK(uuids(loaded, "d") == std::vector<std::string>{"w2", "w1"});
  REQUIRE(loaded.traces.size() == 3);
  CHECK(loaded.traces[0].workload->uuid == "w1");
  CHECK(loaded.traces[1].workload->uuid == "w2");
  CHECK(loaded.traces[2].workload->uuid == "w3");
}

TEST_CASE("what can have no place on disk costs itself alone") {
  const TemporaryDataset files;
  files.write("definitions/op/d.json", definition_text("d"));
  files.write("definitions/op/e.json", definition_text("../e"));
  files.write("definitions/op/f.json", definition_text("f", ".."));
  files.write("solutions/1.json", solution_text("s1", "../../x", "cpp"));
  files.write("solutions/2.json", solution_text("s2", "me", "cpp"));
  files.write("solutions/3.json", solution_text("s3", "a\\u000ab", "cpp"));
  files.write("solutions/4.json", solution_text("s/4", "me", "cpp"));
  const auto loaded = dataset::load(files.root());
  CHECK(loaded.definitions.size() == 1);
  CHECK(loaded.solutions.size() == 1);
  CHECK(loaded.solutions.contains("s2"));
  CHECK(loaded.error_count() == 5);
  CHECK(texts(loaded) ==
        std::vector<std::string>{
            "definitions/op/e.json: definition \"../e\" cannot be a file or folder name: it contains \"/\"; "
            "rename it",
            "definitions/op/f.json: op_type \"..\" cannot be a file or folder name: it means another folder; "
            "rename it",
            "solutions/1.json: author \"../../x\" cannot be a file or folder name: it contains \"/\"; rename "
            "it",
            "solutions/3.json: author \"a\nb\" cannot be a file or folder name: it contains a control "
            "character; "
            "rename it",
            "solutions/4.json: solution \"s/4\" cannot be a file or folder name: it contains \"/\"; rename "
            "it"});
}

TEST_CASE("flat folders and other files beside are read and ignored as they should be") {
  const TemporaryDataset files;
  files.write("definitions/d.json", definition_text("d"));
  files.write("definitions/README.md", "# hello");
  files.write("solutions/s.json", solution_text("s", "me", "cuda"));
  files.write("workloads/d.jsonl", workload_line("w1"));
  files.write("workloads/d.jsonl.torn-20260101T000000.000000Z", "{");
  files.write("traces/d.jsonl", trace_line("s", "w1", 1));
  const auto loaded = dataset::load(files.root());
  CHECK(texts(loaded).empty());
  CHECK(loaded.traces.size() == 1);
  CHECK(uuids(loaded, "d") == std::vector<std::string>{"w1"});
}

TEST_CASE("workloads in traces/ and bare workloads are filed as workloads") {
  const TemporaryDataset files;
  files.write("definitions/d.json", definition_text("d"));
  files.write("traces/workloads/op/d.jsonl", workload_line("w1") + "\n");
  files.write("traces/d_workloads.jsonl", workload_text("w2") + "\n");
  files.write("workloads/d.workload.jsonl", workload_text("w3") + "\n");
  files.write("workloads/d.jsonl", R"({"definition":"d","workload":)" + workload_text("w4") +
                                       R"(,"solution":"","evaluation":{}})");
  const auto loaded = dataset::load(files.root());
  CHECK(texts(loaded).empty());
  CHECK(loaded.traces.empty());
  CHECK(uuids(loaded, "d") == std::vector<std::string>{"w4", "w3", "w2", "w1"});
}

TEST_CASE("a line that is too long, or that holds too many values, costs itself alone") {
  const TemporaryDataset files;
  files.write("definitions/d.json", definition_text("d"));
  std::string values = "0";
  for (int i = 0; i < 1'000'000; ++i) values += ",0";
  files.write("workloads/d.jsonl", std::string(65 << 20, 'x') + "\n" + R"({"definition":"d","more":[)" +
                                       values + "]}\n" + workload_line("w1") + "\n");
  const auto loaded = dataset::load(files.root());
  CHECK(uuids(loaded, "d") == std::vector<std::string>{"w1"});
  CHECK(texts(loaded) ==
        std::vector<std::string>{"workloads/d.jsonl:1: Invalid JSON: more than 67108864 bytes",
                                 "workloads/d.jsonl:2: Invalid JSON: more than 1000000 values"});
}

TEST_CASE("links to folders are not followed, and that is said") {
  const TemporaryDataset elsewhere;
  elsewhere.write("d.json", definition_text("d"));
  const TemporaryDataset files;
  files.write("definitions/e.json", definition_text("e"));
  std::filesystem::create_directory_symlink(elsewhere.root(), files.root() / "definitions/a");
  const auto loaded = dataset::load(files.root());
  CHECK(loaded.definitions.size() == 1);
  CHECK(texts(loaded) ==
        std::vector<std::string>{"definitions/a: cannot be listed: it is a link to a folder; put "
                                 "the folder itself there"});
}

TEST_CASE("a file is read once, however many links lead to it") {
  const TemporaryDataset files;
  files.write("definitions/d.json", definition_text("d"));
  files.write("store/e", definition_text("e"));
  for (const char* name : {"a.json", "z.json"})
    std::filesystem::create_symlink("d.json", files.root() / "definitions" / name);
  for (const char* name : {"e1.json", "e2.json"})
    std::filesystem::create_symlink("../store/e", files.root() / "definitions" / name);
  const auto loaded = dataset::load(files.root());
  CHECK(loaded.definitions.size() == 2);
  const std::string why = ": cannot be listed: it is a link to a file that is read already";
  CHECK(texts(loaded) == std::vector<std::string>{"definitions/a.json" + why, "definitions/e2.json" + why,
                                                  "definitions/z.json" + why});
}

TEST_CASE("a file is read once, however many names it has") {
  const TemporaryDataset files;
  const auto first = files.write("definitions/b.json", definition_text("d"));
  for (const char* name : {"definitions/c.json", "definitions/d.json", "kept.json"})
    std::filesystem::create_hard_link(first, files.root() / name);
  std::filesystem::create_symlink("d.json", files.root() / "definitions/a.json");
  const auto loaded = dataset::load(files.root());
  CHECK(loaded.definitions.size() == 1);
  const std::string why =
      ": cannot be listed: it is another name (a hard link) of a file that is read already";
  CHECK(texts(loaded) ==
        std::vector<std::string>{
            "definitions/a.json: cannot be listed: it is a link to a file that is read already",
            "definitions/c.json" + why, "definitions/d.json" + why});
}

TEST_CASE("what has a record's name and is no file is said, and not waited for") {
  const TemporaryDataset files;
  files.write("definitions/d.json", definition_text("d"));
  std::filesystem::create_symlink("nowhere.json", files.root() / "definitions/a.json");
  std::filesystem::create_symlink("me@here.1234", files.root() / "definitions/.#d.json");  // an editor's lock
  std::filesystem::create_directories(files.root() / "traces");
  REQUIRE(::mkfifo((files.root() / "traces/t.jsonl").c_str(), 0600) == 0);
  const auto loaded = dataset::load(files.root());
  CHECK(loaded.definitions.size() == 1);
  CHECK(texts(loaded) ==
        std::vector<std::string>{"definitions/a.json: cannot be listed: it is a link that leads nowhere",
                                 "traces/t.jsonl: cannot be listed: it is no file"});
}

TEST_CASE("files that lie outside of a dataset by a link are left out, and their text is nowhere") {
  const TemporaryDataset elsewhere;
  elsewhere.write("secret", "PASSWORD");
  elsewhere.write("d.json", definition_text("d"));
  elsewhere.write("definitions/f.json", definition_text("f"));
  const TemporaryDataset files;
  files.write("e.json", definition_text("e"));
  std::filesystem::create_directories(files.root() / "definitions/a");
  std::filesystem::create_symlink("../../e.json", files.root() / "definitions/a/e.json");  // within
  std::filesystem::create_symlink(elsewhere.root() / "d.json", files.root() / "definitions/a/d.json");
  std::filesystem::create_symlink(elsewhere.root() / "secret", files.root() / "definitions/a/s.json");
  auto loaded = dataset::load(files.root());
  CHECK(loaded.definitions.size() == 1);
  const std::string why =
      ".json: cannot be listed: it lies outside of the dataset, by a link; put the file itself there";
  CHECK(texts(loaded) == std::vector<std::string>{"definitions/a/d" + why, "definitions/a/s" + why});
  std::filesystem::remove_all(files.root() / "definitions");
  std::filesystem::create_directory_symlink(elsewhere.root() / "definitions", files.root() / "definitions");
  loaded = dataset::load(files.root());
  CHECK(loaded.definitions.empty());
  CHECK(texts(loaded) == std::vector<std::string>{"definitions/f" + why});
}

TEST_CASE("what a dataset keeps hidden, and problems that lie outside of it, are not read through links") {
  const TemporaryDataset elsewhere;
  elsewhere.write("secret", "PASSWORD");
  elsewhere.write("workload.jsonl", workload_text("w") + "\n");
  const TemporaryDataset files;
  files.write(".git/config", "PASSWORD");
  std::filesystem::create_directories(files.root() / "definitions");
  std::filesystem::create_symlink("../.git/config", files.root() / "definitions/d.json");
  const TemporaryDataset problems;
  problems.write("two/definition.json", definition_text("d"));
  std::filesystem::create_directories(problems.root() / "one");
  std::filesystem::create_symlink(elsewhere.root() / "secret", problems.root() / "one/definition.json");
  std::filesystem::create_symlink(elsewhere.root() / "workload.jsonl",
                                  problems.root() / "two/workload.jsonl");
  for (const auto& [root, count] : {std::pair(files.root(), 1), std::pair(problems.root(), 2)}) {
    const auto loaded = dataset::load(root);
    CHECK(loaded.workloads.empty());
    CHECK(texts(loaded).size() == static_cast<std::size_t>(count));
    for (const auto& text : texts(loaded)) {
      CHECK_THAT(text, Catch::Contains("lies outside of the dataset, by a link"));
      CHECK(text.find("PASSWORD") == std::string::npos);
    }
  }
}

TEST_CASE("a snapshot in the cache of Hugging Face has links to the blobs beside it") {
  const TemporaryDataset cache;
  const std::string hash(40, '1');
  cache.write("repo/blobs/" + hash, definition_text("d"));
  const auto snapshot = cache.root() / "repo/snapshots/abc";
  std::filesystem::create_directories(snapshot / "definitions");
  std::filesystem::create_symlink("../../../blobs/" + hash, snapshot / "definitions/d.json");
  const auto loaded = dataset::load(snapshot);
  CHECK(texts(loaded).empty());
  CHECK(loaded.definitions.size() == 1);
}

TEST_CASE("a broken line costs that line only, and is named") {
  const std::string good = workload_line("good");
  const auto bad =
      GENERATE(as<std::string>{}, "{\"definition\":\"d", "{\"definition\":\"d}", "nonsense", "{} {}", "[1,2]",
               std::string("\0\0\0", 3), "{\"a\":1,}", "\xef\xbb\xbf{}", "{\"a\":\"\xff\"}", "// comment",
               R"({"definition":"d","workload":{"axes":{"M":-3},"inputs":{},"uuid":"u"}})",
               R"({"definition":"d","workload":{"axes":{"M":NaN},"inputs":{},"uuid":"u"}})",
               R"({"definition":"d","workload":{"axes":{"M":1e400},"inputs":{},"uuid":"u"}})");
  INFO(bad);
  const TemporaryDataset files;
  files.write("definitions/d.json", definition_text("d"));
  files.write("workloads/op/d.jsonl", good + "\n" + bad + "\n" + workload_line("next") + "\n");
  const auto loaded = dataset::load(files.root());
  CHECK(uuids(loaded, "d") == std::vector<std::string>{"good", "next"});
  REQUIRE(loaded.problems.size() == 1);
  CHECK(loaded.problems[0].file == "workloads/op/d.jsonl");
  CHECK(loaded.problems[0].line == 2);
  CHECK(loaded.problems[0].severity == Severity::error);
  CHECK(loaded.error_count() == 1);
}

TEST_CASE("links to themselves, and names too long for a file, cost themselves alone") {
  const TemporaryDataset files;
  files.write("definitions/d.json", definition_text("d"));
  files.write("workloads/op/d.jsonl", workload_line("w") + "\n" + workload_line("v", ".add") + "\n");
  std::string solution = solution_text("s", "me", "cuda");
  const std::string content = R"("content":"x")";
  solution.replace(solution.find(content), content.size(), R"("content":"")");
  files.write("solutions/s.json", solution);
  std::filesystem::create_symlink("a", files.root() / "solutions/a");  // its source
  std::filesystem::create_symlink("loop.json", files.root() / "definitions/loop.json");
  std::filesystem::create_symlink("traces", files.root() / "traces");
  const auto loaded = dataset::load(files.root());
  CHECK(loaded.definitions.size() == 1);
  CHECK(loaded.solutions.empty());
  CHECK(loaded.workloads.size() == 1);
  CHECK(loaded.error_count() >= 2);
}

TEST_CASE("what can be read as a workload can be read in its traces") {
  const TemporaryDataset files;
  files.write("definitions/d.json", definition_text("d"));
  const auto nested = [](int levels) {
    const auto half = static_cast<std::size_t>(levels - 1);  // the workload itself is one
    return R"({"axes":{"M":2},"inputs":{},"uuid":"w","x":)" + std::string(half, '[') +
           std::string(half, ']') + "}";
  };
  for (const int levels : {199, 200}) {
    files.write("workloads/op/d.jsonl", nested(levels) + "\n");
    CHECK(dataset::load(files.root()).workloads.size() == (levels == 199 ? 1 : 0));
  }
  files.write("workloads/op/d.jsonl",
              R"({"axes":{},"inputs":{"a":{"type":"scalar","value":"-009223372036854775808"}},"uuid":"w"})"
              "\n");
  const auto loaded = dataset::load(files.root());
  REQUIRE(loaded.workloads.at("d").size() == 1);
  const std::string text = model::to_json(loaded.workloads.at("d")[0]);
  CHECK_THAT(text, Catch::Contains(":-9223372036854775808}"));
  CHECK(model::parse_workload(text).inputs.size() == 1);
}

TEST_CASE("the message of a broken line names file, line and field") {
  const TemporaryDataset files;
  files.write("definitions/d.json", definition_text("d"));
  files.write("workloads/op/d.jsonl",
              "\n\n"
              R"({"definition":"d","workload":{"axes":{"M":-3},"inputs":{},"uuid":"u"}})"
              "\n");
  const auto loaded = dataset::load(files.root());
  CHECK(texts(loaded) ==
        std::vector<std::string>{
            "workloads/op/d.jsonl:3: workload.axes.M: Input should be greater than or equal to 0"});
}

TEST_CASE("odd but readable lines are read") {
  const TemporaryDataset files;
  files.write("definitions/d.json", definition_text("d"));
  const std::string infinite =
      R"({"definition":"d","workload":{"axes":{"M":1},"inputs":{"A":{"type":"scalar",)"
      R"("value":1e400}},"uuid":"w3"}})";
  files.write("workloads/op/d.jsonl",
              "\r\n  \n" + workload_line("w1") + "\r\n\n  " + workload_line("w2") + "  \r\n" + infinite);
  const auto loaded = dataset::load(files.root());
  CHECK(texts(loaded).empty());
  CHECK(uuids(loaded, "d") == std::vector<std::string>{"w1", "w2", "w3"});
}

TEST_CASE("a log of 5 MiB is read") {
  const TemporaryDataset files;
  files.write("definitions/d.json", definition_text("d"));
  files.write("solutions/s.json", solution_text("s", "me", "cuda"));
  const std::string log = std::string(5 << 20, 'x');
  files.write("traces/d.jsonl", trace_line("s", "w1", 0, "cpu", R"(,"log":")" + log + "\"") + "\n" +
                                    trace_line("s", "w2", 1) + "\n");
  const auto loaded = dataset::load(files.root());
  CHECK(texts(loaded).empty());
  REQUIRE(loaded.traces.size() == 2);
  CHECK(testing::traces_of(files.root())[0].evaluation->log == log);
}

TEST_CASE("a last line cut at any byte is a problem, never a record") {
  const std::string line = workload_line("w2");
  for (std::size_t length = 1; length <= line.size(); ++length) {
    INFO("cut at byte " << length);
    const TemporaryDataset files;
    files.write("definitions/d.json", definition_text("d"));
    files.write("workloads/d.jsonl", workload_line("w1") + "\n" + line.substr(0, length));
    const auto loaded = dataset::load(files.root());
    const bool whole = length == line.size();
    CHECK(uuids(loaded, "d").size() == (whole ? 2 : 1));
    CHECK(loaded.problems.size() == (whole ? 0 : 1));
    if (!whole)
      CHECK_THAT(to_string(loaded.problems[0]), Catch::StartsWith("workloads/d.jsonl:2: torn record"));
  }
}

TEST_CASE("files beyond what people write cost themselves alone") {
  const TemporaryDataset files;
  files.write("definitions/d.json", definition_text("d"));
  files.write("definitions/large.json", "{}");
  std::filesystem::resize_file(files.root() / "definitions/large.json", std::uintmax_t{65} << 20U);
  std::string lines;
  for (int i = 0; i < 5000; ++i) lines += "x\n";
  files.write("traces/t.jsonl", lines);
  const auto loaded = dataset::load(files.root());
  CHECK(loaded.definitions.size() == 1);
  CHECK(loaded.error_count() == 1002);
  CHECK_THAT(texts(loaded).at(0), Catch::Contains("more than the 67108864 that are read"));
  CHECK_THAT(texts(loaded),
             Catch::VectorContains(std::string("traces/t.jsonl: 4000 more of its lines cannot be read")));
}

TEST_CASE("equal file names in different folders are fine") {
  const TemporaryDataset files;
  files.write("definitions/a/x.json", definition_text("d1"));
  files.write("definitions/b/x.json", definition_text("d2"));
  const auto loaded = dataset::load(files.root());
  CHECK(texts(loaded).empty());
  CHECK(loaded.definitions.size() == 2);
}

TEST_CASE("records of unknown definitions and solutions are kept with one warning a file") {
  const TemporaryDataset files;
  files.write("solutions/s.json", solution_text("s", "me", "cuda"));
  files.write("workloads/d.jsonl", workload_line("w1") + "\n" + workload_line("w2") + "\n");
  files.write("traces/d.jsonl", trace_line("gone", "w1", 1) + "\n" + trace_line("gone", "w2", 1) + "\n");
  const auto loaded = dataset::load(files.root());
  CHECK(loaded.solutions.size() == 1);
  CHECK(uuids(loaded, "d").size() == 2);
  CHECK(loaded.traces.size() == 2);
  CHECK(loaded.error_count() == 0);
  CHECK(loaded.problems.size() == 4);
}

TEST_CASE("an unknown language never stops a load") {
  const TemporaryDataset files;
  files.write("definitions/d.json", definition_text("d"));
  files.write("solutions/s.json", solution_text("s", "me", "hip"));
  const auto loaded = dataset::load(files.root());
  CHECK(texts(loaded).empty());
  CHECK(loaded.solutions.at("s").spec.language == model::Language::unknown);
}

TEST_CASE("a strict load throws with the problems listed, but not for warnings") {
  const TemporaryDataset files;
  files.write("definitions/d.json", definition_text("d"));
  files.write("workloads/x.jsonl", workload_line("w1", "x") + "\n");
  CHECK_NOTHROW(dataset::load(files.root(), {.strict = true}));
  files.write("definitions/e.json", "{");
  files.write("workloads/y.jsonl", "{}\n");
  CHECK_THROWS_WITH(dataset::load(files.root(), {.strict = true}),
                    Catch::Contains("definitions/e.json: ") && Catch::Contains("workloads/y.jsonl:1: "));
}

TEST_CASE("a missing root is an error that names it") {
  CHECK_THROWS_WITH(dataset::load("/nonexistent/dataset"),
                    Catch::StartsWith("there is no dataset folder /nonexistent/dataset; "));
}

TEST_CASE("an empty root is an empty dataset") {
  const TemporaryDataset files;
  const auto loaded = dataset::load(files.root());
  CHECK(loaded.definitions.empty());
  CHECK(texts(loaded).empty());
}

TEST_CASE("SOL-ExecBench's problems are read: a folder each, bare workloads, sources beside their solution") {
  const TemporaryDataset files;
  files.write("L1/one/definition.json", definition_text("d"));
  files.write("L1/one/workload.jsonl",
              workload_text("w1") + "\n" + workload_text("w2") + "\n" + trace_line("s", "w2", 1) + "\n");
  files.write("L1/one/config.json", "{}");
  std::string solution = solution_text("s", "me", "cuda");
  solution.replace(solution.find(R"("content":"x")"), std::string(R"("content":"x")").size(),
                   R"("content":"")");
  files.write("L1/one/solution.json", solution);
  files.write("L1/one/a", "// the source\n");
  files.write("L2/two/definition.json", definition_text("e"));
  files.write("L2/two/solution_lost.json", solution_text("t", "me", "cuda", "any", "e"));
  files.write("other/solution.json", "not a problem");
  files.write("traces/me/op/d.jsonl", trace_line("s", "w1", 1) + "\n");
  const auto loaded = dataset::load(files.root());
  CHECK(texts(loaded) ==
        std::vector<std::string>{"L1/one/workload.jsonl:3: holds results; they belong below traces/"});
  CHECK(loaded.definitions.size() == 2);
  CHECK(uuids(loaded, "d") == std::vector<std::string>{"w1", "w2"});
  CHECK(loaded.solutions.at("s").sources[0].content == "// the source\n");
  CHECK(loaded.solutions.contains("t"));
  CHECK(loaded.traces.size() == 2);
  CHECK(testing::traces_of(files.root()).size() == 2);
}

TEST_CASE("a source whose file cannot be taken is a problem that names it") {
  const TemporaryDataset elsewhere;
  elsewhere.write("secret", "x");
  const TemporaryDataset files;
  files.write("definitions/d.json", definition_text("d"));
  std::string solution = solution_text("s", "me", "cuda");
  const std::string content = R"("content":"x")";
  solution.replace(solution.find(content), content.size(), R"("content":"")");
  files.write("solutions/s.json", solution);
  const auto source = files.root() / "solutions/a";
  const auto problem = [&] {
    const auto loaded = dataset::load(files.root());
    CHECK(loaded.solutions.empty());
    REQUIRE(loaded.problems.size() == 1);
    std::filesystem::remove(source);
    return loaded.problems[0].message;
  };
  CHECK_THAT(problem(), Catch::Contains(source.string()) && Catch::Contains("No such file"));
  std::filesystem::create_symlink(elsewhere.root() / "secret", source);
  CHECK_THAT(problem(), Catch::Contains("leads out of the dataset"));
  files.write("solutions/a", "");
  CHECK_THAT(problem(), Catch::Contains("is empty"));
  files.write("solutions/a", "// caf\xe9");
  CHECK_THAT(problem(), Catch::Contains("is not UTF-8"));
  REQUIRE(::mkfifo(source.c_str(), 0600) == 0);
  CHECK_THAT(problem(), Catch::Contains("is not a regular file"));
}

TEST_CASE("everything of other projects' files is read, or says why in a line") {
  const auto data = testing::shared_data("real");
  if (!data) return;
  const TemporaryDataset files;
  for (const std::string name : {"rmsnorm", "jamba_attn_proj", "custom_inputs_matmul", "flux_rope"}) {
    const auto copy = [&](const std::string& from, const std::string& to) {
      const auto path = *data / "sol_execbench" / (name + "." + from);
      if (std::filesystem::exists(path)) files.write(name + "/" + to, util::read_file(path));
    };
    copy("definition.json", "definition.json");
    copy("workload.jsonl", "workload.jsonl");
    copy("solution_cuda.json", "solution.json");
  }
  const auto sol = dataset::load(files.root());
  CHECK(texts(sol).empty());
  CHECK(sol.definitions.size() == 4);
  CHECK(sol.solutions.size() == 2);
  CHECK(sol.workloads.size() == 3);
  for (const auto& entry : std::filesystem::directory_iterator(*data / "fi_trace_dump")) {
    INFO(entry.path());
    try {
      (void)model::parse_definition(util::read_file(entry.path()));
    } catch (const model::ParseError& error) {
      const std::string why = error.what();
      CHECK_FALSE(why.empty());
      CHECK(why.find('\n') == std::string::npos);
    }
  }
}

TEST_CASE("the published dataset loads without problems") {
  const auto root = testing::shared_data("flashinfer_trace");
  if (!root) return;
  const auto loaded = dataset::load(*root);
  CHECK(texts(loaded).empty());
  CHECK_FALSE(loaded.definitions.empty());
  std::size_t count = 0;
  for (const auto& [name, workloads] : loaded.workloads) {
    for (const auto& workload : workloads) {
      ++count;
      INFO(name << " " << workload.uuid);
      CHECK_NOTHROW(axis_values(loaded.definitions.at(name), workload.axes));
    }
  }
  CHECK(count > 0);
}
