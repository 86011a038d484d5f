#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "support/fib_run.h"
#include "util/files.h"

// `fib validate --checks workload-strength`: whether solutions that compute nothing would pass.
using namespace fib;
using Json = nlohmann::ordered_json;
using Catch::Contains;
using Words = std::vector<std::string>;

namespace {

struct StrengthRun : testing::FibRun {
  // y[n] = the reference of x[n], with workloads of these sizes.
  void add(const std::string& name, const std::string& reference, const std::vector<int>& sizes,
           const std::string& dtype = "float32") {
    const Json definition = {{"name", name},
                             {"op_type", "test"},
                             {"axes", {{"n", {{"type", "var"}}}}},
                             {"inputs", {{"x", {{"shape", {"n"}}, {"dtype", dtype}}}}},
                             {"outputs", {{"y", {{"shape", {"n"}}, {"dtype", dtype}}}}},
                             {"reference", reference}};
    Words lines;
    for (const int size : sizes) {
      const Json workload = {{"axes", {{"n", size}}},
                             {"inputs", {{"x", {{"type", "random"}}}}},
                             {"uuid", name + std::to_string(size)}};
      lines.push_back(
          Json{{"definition", name}, {"workload", workload}, {"solution", nullptr}, {"evaluation", nullptr}}
              .dump());
    }
    dataset.definition("test", name, definition.dump(), lines);
  }
  [[nodiscard]] testing::ProcessResult fib(Words words) const {
    words.insert(words.begin(), testing::fib_binary());
    return testing::run_process(words, environment());
  }
  // "level: text" of each message of a definition.
  Words messages(const std::string& definition, const Words& more = {}) {
    Words words{"validate", "--local", dataset.root().string(), "--checks", "workload-strength",
                "--format", "json"};
    words.insert(words.end(), more.begin(), more.end());
    const auto result = fib(words);
    CHECK(result.exit_code == 0);
    Words texts;
    const auto report = Json::parse(result.out);
    for (const auto& message : report.at("definitions").at(definition).at("workload-strength").at("messages"))
      texts.push_back(message.at("level").get<std::string>() + ": " +
                      message.at("message").get<std::string>());
    return texts;
  }
};

const std::string kTorch = "import torch\n\ndef run(x):\n    return ";

}  // namespace

TEST_CASE("workloads that tell a right solution from one that computes nothing are strong") {
  StrengthRun run;
  run.add("sums", kTorch + "torch.cumsum(x.to(torch.float32), 0).to(torch.float16) * 3\n", {64, 5},
          "float16");
  CHECK(run.messages("sums") == Words{"info: no null answer passes on 2 of 2 workloads"});
}

TEST_CASE("each answer that passes is named with the workloads that let it") {
  StrengthRun run;
  run.add("small", kTorch + "x * 1e-4\n", {8, 16, 32, 64});
  run.add("same", kTorch + "x\n", {8});
  run.add("one", kTorch + "x * 0 + 1\n", {8});
  const auto small = run.messages("small");
  REQUIRE(small.size() == 5);
  CHECK(small[0] ==
        "warning: zeros everywhere pass on 4 of 4 workloads (atol 0.01, rtol 0.01): small8, small16, small32 "
        "and 1 more");
  CHECK_THAT(small[1], Contains("the mean of the right output passes"));
  CHECK_THAT(small[2], Contains("an output passes that is right in its first element alone"));
  CHECK_THAT(small[3], Contains("arithmetic on inputs of lower precision passes"));
  CHECK(small[4] == "info: no null answer passes on 0 of 4 workloads");
  CHECK(run.messages("same").front() ==
        "warning: a copy of an input passes on 1 of 1 workload (atol 0.01, rtol 0.01): same8");
  const auto one = run.messages("one");
  CHECK_THAT(one.at(0), Contains("ones everywhere pass"));
  CHECK_THAT(one.at(1), Contains("the mean of the right output passes"));
}

TEST_CASE("a workload of one element lets its first element pass") {
  StrengthRun run;
  run.add("single", kTorch + "x * 3 + 5\n", {1, 9}, "float16");
  const auto found = run.messages("single");
  REQUIRE(found.size() >= 3);
  CHECK_THAT(found[0],
             Contains("the mean of the right output passes") && Contains("on 1 of 2") && Contains("single1"));
  CHECK_THAT(found[1], Contains("right in its first element alone on 1 of 2"));
}

TEST_CASE("a workload's own tolerance decides which answers pass") {
  StrengthRun run;
  const std::string name = "tight";
  run.add(name, kTorch + "x * 1e-4\n", {});
  const Json workload = {{"axes", {{"n", 8}}},
                         {"inputs", {{"x", {{"type", "random"}}}}},
                         {"uuid", "u"},
                         {"tolerance", {{"max_atol", 1e-9}, {"max_rtol", 1e-6}}}};
  run.dataset.definition(
      "test", name, util::read_file(run.dataset.root() / "definitions/test/tight.json"),
      {Json{{"definition", name}, {"workload", workload}, {"solution", nullptr}, {"evaluation", nullptr}}
           .dump()});
  CHECK(run.messages(name) == Words{"info: no null answer passes on 1 of 1 workload"});
}

TEST_CASE("what cannot be judged is a warning, and the others are judged") {
  StrengthRun run;
  run.add("broken", "def run(x):\n    return no_such_thing(x)\n", {8, 16});
  run.add("empty", kTorch + "x\n", {});
  const auto broken = run.messages("broken");
  REQUIRE(broken.size() == 2);
  CHECK_THAT(broken[0],
             Contains("warning: not judged: ") && Contains("no_such_thing") && Contains("broken8, broken16"));
  CHECK(broken[1] == "info: no null answer passes on 0 of 2 workloads");
  CHECK(run.messages("empty") ==
        Words{"warning: there are no workloads to run; --synthesize N proposes some"});
  CHECK_THAT(run.messages("empty", {"--synthesize", "2"}).back(), Contains("all proposed"));
}

TEST_CASE("the check runs references, so that it has to be asked for") {
  StrengthRun run;
  run.add("d", kTorch + "x\n", {8});
  const auto all = run.fib({"validate", "--local", run.dataset.root().string(), "--format", "json"});
  CHECK_FALSE(Json::parse(all.out).at("definitions").at("d").contains("workload-strength"));
  const auto upstream = run.fib({"validate", "--local", run.dataset.root().string(), "--mode", "upstream",
                                 "--checks", "workload-strength"});
  CHECK(upstream.exit_code == 2);
}
