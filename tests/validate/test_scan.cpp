#include "util/error.h"
#include "validate/python_lines.h"
#include "validate/scan.h"
#include "validate/support.h"

using namespace fib;
using namespace fib::testing;

TEST_CASE("lines end where Python ends them, and blank ones are left out") {
  const auto lines = validate::python_lines(
      " a \r\nb\rc\x1e\n\xe2\x80\xa8"
      "d\xc2\x85"
      "e\v\f f");
  Lines texts;
  std::vector<std::size_t> numbers;
  for (const auto& line : lines) {
    texts.emplace_back(line.text);
    numbers.push_back(line.number);
  }
  CHECK(texts == Lines{"a", "b", "c", "d", "e", "f"});
  CHECK(numbers == std::vector<std::size_t>{1, 2, 3, 6, 7, 9});
  CHECK(validate::python_lines("").empty());
}

TEST_CASE("the root is shown as Python's Path shows it") {
  const Checked files;
  CHECK(validate::scan(files.files.root() / "./", kLenient).shown_root == files.files.root().string());
}

TEST_CASE("a folder that is not there is an error") {
  CHECK_THROWS_WITH(validate::scan("/nowhere/at/all", kLenient),
                    Catch::StartsWith("there is no dataset folder"));
}

TEST_CASE("a folder with the name of a file is a file that cannot be read") {
  const Checked files;
  std::filesystem::create_directories(files.files.root() / "workloads/op/d.jsonl");
  const validate::Tree tree = validate::scan(files.files.root(), kUpstream);
  REQUIRE(tree.workloads.contains("d"));
  CHECK(tree.workloads.at("d").errors.size() == 1);
  CHECK(tree.workloads.at("d").errors[0].line == 0);
}

TEST_CASE("files that lie outside of the dataset by a link are not read") {
  const Checked files;
  const testing::TemporaryDataset elsewhere;
  elsewhere.write("secret", "PASSWORD");
  files.files.write(".git/config", "PASSWORD");
  const auto folder = files.files.root() / "definitions/op";
  std::filesystem::create_directories(folder);
  std::filesystem::create_symlink(elsewhere.root() / "secret", folder / "outside.json");
  std::filesystem::create_symlink("../../.git/config", folder / "hidden.json");
  for (const auto mode : {kLenient, kUpstream}) {
    const validate::Tree tree = validate::scan(files.files.root(), mode);
    for (const char* name : {"outside", "hidden"}) {
      CHECK_FALSE(tree.definitions.at(name).definition);
      CHECK_THAT(tree.definitions.at(name).error, Catch::Contains("lies outside of the dataset, by a link"));
    }
  }
}

TEST_CASE("a solution whose source cannot be read is none, with the reason") {
  const Checked files;
  files.files.write("solutions/me/op/d/s.json",
                    R"({"name":"s","definition":"d","author":"me","spec":{"language":"cpp",)"
                    R"("target_hardware":["cpu"],"entry_point":"a.cpp::run"},)"
                    R"("sources":[{"path":"a.cpp","content":""}]})");
  const validate::Tree tree = validate::scan(files.files.root(), kLenient);
  REQUIRE(tree.solutions.at("d").size() == 1);
  CHECK_FALSE(tree.solutions.at("d")[0].solution);
  CHECK_THAT(tree.solutions.at("d")[0].error, Catch::Contains("No such file"));
  CHECK_NOTHROW(validate::validate(files.files.root(), {}));
}

TEST_CASE("dots in names belong to them") {
  const Checked files;
  files.files.write("definitions/op/a.b.json", definition_json("a.b").dump());
  CHECK(validate::scan(files.files.root(), kLenient).definitions.contains("a.b"));
}

TEST_CASE("a file is checked once, however many links lead to it") {
  const Checked files;
  for (const char* name : {"x.json", "y.json"})
    std::filesystem::create_symlink("d.json", files.files.root() / "definitions/op" / name);
  const auto tree = validate::scan(files.files.root(), kLenient);
  CHECK(tree.definitions.size() == 1);
  REQUIRE(tree.unlisted.size() == 2);
  CHECK(tree.unlisted[0].first == "definitions/op/x.json");
  CHECK(tree.unlisted[0].second == "it is a link to a file that is read already");
}
