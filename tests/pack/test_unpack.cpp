#include <algorithm>
#include <catch2/catch.hpp>

#include "dataset/temporary_dataset.h"
#include "model/shared_data.h"
#include "model/solution.h"
#include "pack/pack.h"
#include "pack/unpack.h"
#include "support/places.h"
#include "util/error.h"

using namespace fib;
namespace fs = std::filesystem;
using Files = testing::TemporaryDataset;

namespace {

std::string there_and_back(const std::string& text) {
  const Files files;
  pack::write_unpacked(pack::unpacked(text), files.root());
  return pack::pack_folder(files.root());
}

std::string canonical(const std::string& text) { return model::to_json(model::parse_solution(text)); }

// A solution in the format's form, from JSON members of the spec, the sources and the solution.
std::string solution(const std::string& spec, const std::string& sources, const std::string& more = "",
                     const std::string& language = "cuda") {
  return canonical(R"({"name":"n","definition":"d","author":"a","spec":{"language":")" + language +
                   R"(","target_hardware":["cuda"],"entry_point":"k.cu::run")" + spec + R"(},"sources":[)" +
                   sources + "]" + more + "}");
}

const std::string kSource = R"({"path":"k.cu","content":"void run() {}\n"})";

std::string source(const std::string& path) {
  return R"({"path":")" + path + R"(","content":")" + path + R"("})";
}

std::string config_of(const std::string& text) { return pack::unpacked(text).back().content; }

std::vector<fs::path> solutions_below(const fs::path& folder) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".json") found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

TEST_CASE("a solution becomes a folder that reads well") {
  const std::string text = solution(
      R"(,"destination_passing_style":true,"launch":[{"kernel":"k<4>","grid":["M"]}],"workspace":{"p":"4*M"})",
      source("a.h") + "," + kSource, R"(,"description":"two\nlines")");
  const auto files = pack::unpacked(text);
  REQUIRE(files.size() == 3);
  CHECK(files[0].path == "solution/cuda/a.h");
  CHECK(files[1].path == "solution/cuda/k.cu");
  CHECK(files[1].content == "void run() {}\n");
  CHECK(files[2].path == "config.toml");
  CHECK(files[2].content == R"([solution]
name = "n"
definition = "d"
author = "a"
description = '''
two
lines'''

[build]
language = "cuda"
target_hardware = ["cuda"]
entry_point = "k.cu::run"
destination_passing_style = true
launch = [
  { kernel = "k<4>", grid = ["M"] }
]

[build.workspace]
p = "4*M"
)");
}

TEST_CASE("a list of files is written only when it is needed") {
  CHECK(config_of(solution("", source("a.h") + "," + kSource)).find("files") == std::string::npos);
  CHECK_THAT(config_of(solution("", kSource + "," + source("a.h"))),
             Catch::Contains("files = [\"k.cu\", \"a.h\"]\n"));
  CHECK_THAT(config_of(solution("", source("a.inl") + "," + kSource)),
             Catch::Contains("files = [\"a.inl\", \"k.cu\"]\n"));
}

TEST_CASE("packing an unpacked solution gives its bytes") {
  const std::vector<std::string> specs = {
      "",
      R"(,"dependencies":[],"destination_passing_style":false,"binding":null)",
      R"(,"dependencies":["cutlass"],"binding":"tvm-ffi")",
      R"(,"binding":"other")",
      R"(,"compile_options":{},"launch":[],"workspace":{})",
      R"(,"launch":null,"workspace":[1,null])",
      R"(,"compile_options":{"cflags":["-O3"],"ld_flags":[],"z":{"y":null},"a":1.50})",
      R"(,"launch":{"z":1,"a":{"y":[1.5,-0.0,1e+300],"b":true},"c":[[{}]],"":"\u0001","x.y":"z"})",
      R"(,"launch":{"a":18446744073709551615})",
      R"(,"launch":{"a":NaN,"b":[-Infinity]})",
      R"(,"json":1,"files":[],"source_dir":null,"zz":{"b":1.50,"a":123456789012345678901234567890})",
      R"(,"languages":["cuda_cpp"],"name":"x","spec":1,"sources":2,"":{"":""})"};
  const std::vector<std::string> ends = {
      "", R"(,"description":null)", R"(,"description":"")",
      R"(,"description":"'''\n\"\"\" \\ \u0000\u007f \r\n\t'","json":null,"x":"'''\n")"};
  for (const auto& spec : specs) {
    for (const auto& end : ends) {
      const std::string text = solution(spec, kSource, end);
      INFO(text);
      CHECK(there_and_back(text) == text);
    }
  }
}

TEST_CASE("any list of sources survives: order, suffixes, bytes, and paths that no file can have") {
  const std::string longest(300, 'x');
  std::string deepest;
  for (int i = 0; i < 32; ++i) deepest += "d/";
  for (const std::string& sources :
       {source("z.h") + "," + source("a.h"), source("B.cu") + "," + source("a.cu"),
        source("a/b/c.cu") + "," + source("a/b.cu") + "," + source("a.cu"), source("./k.cu"),
        source("a") + "," + source("a/b") + "," + source("a/b/c"), source("a//b.cu") + "," + source("a/"),
        source(".git/x.cu") + "," + source(".x.cu"), source(longest + ".cu"), source(deepest + "a.cu"),
        source("a\\u0000b.cu"), source("source_1.txt/x") + "," + source("./b") + "," + source("./c"),
        source("config.toml"), source("caf\xc3\xa9 '\\\"\\\\.cu") + "," + source("new\\nline.cu"),
        std::string(R"({"path":"b.cu","content":"\u0000\r\n\ufeff é\n\n","z":[null],"a":1.50})")}) {
    const std::string text = solution("", sources + "," + kSource);
    INFO(text);
    CHECK(there_and_back(text) == text);
  }
}

TEST_CASE("nothing is unpacked to where a program keeps what is its own") {
  const std::string text = solution(
      "",
      source(".git/config") + "," + source("a/.git/config") + "," + source("\\u001b[31m.cu") + "," + kSource,
      "", ".git");
  INFO(text);
  for (const auto& file : pack::unpacked(text)) {
    CHECK(file.path.find("/.") == std::string::npos);
    CHECK(file.path.find('\x1b') == std::string::npos);
  }
}

TEST_CASE("languages that no folder can be named after survive") {
  for (const std::string language : {"", "..", ".git", "a/../..", "x/y", "sycl", "\\u0000"}) {
    const std::string text = solution("", kSource, "", language);
    INFO(text);
    CHECK(there_and_back(text) == text);
  }
}

TEST_CASE("a solution in another form comes back in the format's") {
  const std::string text = R"({"sources": [{"content": "x", "path": "k.cu"}], "name": "n", "author": "a",
    "spec": {"entry_point": "k.cu::run", "launch": {"x": 1e5}, "language": "CUDA", "target_hardware": ["H100"]},
    "more": 1, "definition": "d"})";
  CHECK(there_and_back(text) == canonical(text));
}

TEST_CASE("every real solution comes back as it was") {
  const auto folder = testing::shared_data("real/fib_a800/solutions");
  if (!folder) return;
  int same = 0;
  for (const fs::path& file : solutions_below(*folder)) {
    INFO(file.string());
    const std::string text = util::read_file(file);
    CHECK(there_and_back(text) == canonical(text));
    if (text == canonical(text)) ++same;
  }
  CHECK(same > 0);
}

TEST_CASE("every example solution comes back as it was") {
  const auto files = solutions_below(testing::source_folder() / "dataset-examples/solutions");
  CHECK_FALSE(files.empty());
  for (const fs::path& file : files) {
    INFO(file.string());
    const std::string text = util::read_file(file);
    CHECK(there_and_back(text) == text);
  }
}

TEST_CASE("a folder that holds something is refused and left alone") {
  const Files files;
  files.write("folder/mine", "x");
  const auto unpacked = pack::unpacked(solution("", kSource));
  CHECK_THROWS_WITH(pack::write_unpacked(unpacked, files.root() / "folder"),
                    Catch::Contains("folder is not empty"));
  CHECK_THROWS_WITH(pack::write_unpacked(unpacked, files.root() / "folder/mine"),
                    Catch::Contains("mine is no folder"));
  CHECK_THROWS_WITH(pack::write_unpacked(unpacked, files.root() / "folder/mine/x"),
                    Catch::Contains("cannot make the folder"));
  CHECK(util::read_file(files.root() / "folder/mine") == "x");
  CHECK(std::distance(fs::directory_iterator(files.root() / "folder"), fs::directory_iterator()) == 1);
}

TEST_CASE("new and empty folders are filled with nothing but the files") {
  const Files files;
  fs::create_directories(files.root() / "empty");
  for (const std::string name : {"empty", "new/er"}) {
    const fs::path folder = files.root() / name;
    pack::write_unpacked(pack::unpacked(solution("", kSource)), folder);
    CHECK(util::read_file(folder / "solution/cuda/k.cu") == "void run() {}\n");
    CHECK(std::distance(fs::recursive_directory_iterator(folder), fs::recursive_directory_iterator()) == 4);
  }
}

TEST_CASE("a failure leaves no folder behind") {
  const Files files;
  const std::vector<pack::UnpackedFile> impossible = {{"a", "x"}, {"a/b", "x"}};
  CHECK_THROWS_AS(pack::write_unpacked(impossible, files.root() / "new"), Error);
  CHECK_FALSE(fs::exists(files.root() / "new"));
}

TEST_CASE("what is no solution is not unpacked, nor are paths that leave the folder") {
  CHECK_THROWS_AS(pack::unpacked("{"), model::ParseError);
  for (const std::string path : {"../x", "/x", "a/../../x"}) {
    const std::string text = R"({"name":"n","definition":"d","author":"a","spec":{"language":"cuda",)"
                             R"("target_hardware":["x"],"entry_point":"k.cu::run"},"sources":[)" +
                             kSource + "," + source(path) + "]}";
    CHECK_THROWS_WITH(pack::unpacked(text), Catch::Contains("Invalid source path"));
  }
}
