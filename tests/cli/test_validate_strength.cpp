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
  CHECK(run.messages("sums") ==
        Words{"info: a solution that computes nothing would fail on 2 of 2 workloads"});
}

TEST_CASE("each answer that passes is named with the workloads that let it") {
  StrengthRun run;
  run.add("small", kTorch + "x * 1e-4\n", {8, 16, 32, 64});
  run.add("same", kTorch + "x\n", {8});
  run.add("one", kTorch + "x * 0 + 1\n", {8});
  const auto small = run.messages("small");
  REQUIRE(small.size() == 5);
  CHECK(
      small[0] ==
      "warning: zeros would pass on 4 of 4 workloads (atol 0.01, rtol 0.01): small8, small16, small32 and 1 "
      "more");
  CHECK_THAT(small[1], Contains("warning: one value everywhere (the mean of what is right) would pass"));
  CHECK_THAT(small[2], Contains("warning: zeros but for a right first element would pass"));
  CHECK_THAT(small[3], Contains("info: what the reference makes of inputs in lower precision would pass"));
  CHECK(small[4] == "info: a solution that computes nothing would fail on 0 of 4 workloads");
  CHECK(run.messages("same").front() ==
        "warning: a copy of an input would pass on 1 of 1 workload (atol 0.01, rtol 0.01): same8");
  const auto one = run.messages("one");
  CHECK_THAT(one.at(0), Contains("warning: ones would pass"));
  CHECK_THAT(one.at(1), Contains("one value everywhere"));
}

TEST_CASE("a workload of one element lets its first element pass") {
  StrengthRun run;
  run.add("single", kTorch + "x * 3 + 5\n", {1, 9}, "float16");
  const auto found = run.messages("single");
  REQUIRE(found.size() >= 3);
  CHECK_THAT(found[0], Contains("one value everywhere") && Contains("on 1 of 2") && Contains("single1"));
  CHECK_THAT(found[1], Contains("a right first element would pass on 1 of 2"));
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
  CHECK(run.messages(name) == Words{"info: a solution that computes nothing would fail on 1 of 1 workload"});
}

TEST_CASE("what cannot be judged is a warning, and the others are judged") {
  StrengthRun run;
  run.add("broken", "def run(x):\n    return no_such_thing(x)\n", {8, 16});
  run.add("empty", kTorch + "x\n", {});
  const auto broken = run.messages("broken");
  REQUIRE(broken.size() == 2);
  CHECK_THAT(broken[0],
             Contains("warning: not judged: ") && Contains("no_such_thing") && Contains("broken8, broken16"));
  CHECK(broken[1] == "info: a solution that computes nothing would fail on 0 of 2 workloads; 2 not judged");
  CHECK(run.messages("empty") ==
        Words{"warning: there are no workloads to run; --synthesize N proposes some"});
  CHECK_THAT(run.messages("empty", {"--synthesize", "2"}).back(),
             Contains("all workloads are proposed ones"));
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

TEST_CASE("of several outputs each one has to tell") {
  StrengthRun run;
  const Json output = {{"shape", {"n"}}, {"dtype", "float32"}};
  const Json definition = {{"name", "two"},
                           {"op_type", "test"},
                           {"axes", {{"n", {{"type", "var"}}}}},
                           {"inputs", {{"x", output}}},
                           {"outputs", {{"small", output}, {"large", output}}},
                           {"reference", "import torch\n\ndef run(x):\n    return x * 1e-4, x * 50 + 7\n"}};
  const Json workload = {{"axes", {{"n", 64}}}, {"inputs", {{"x", {{"type", "random"}}}}}, {"uuid", "u"}};
  run.dataset.definition(
      "test", "two", definition.dump(),
      {Json{{"definition", "two"}, {"workload", workload}, {"solution", nullptr}, {"evaluation", nullptr}}
           .dump()});
  const auto found = run.messages("two");
  CHECK(found.front() ==
        "warning: zeros in place of output small would pass on 1 of 1 workload (atol 0.01, rtol 0.01): u");
  for (const auto& message : found) {
    if (message.starts_with("warning")) CHECK_THAT(message, !Contains("output large"));
  }
}

TEST_CASE("definitions and workloads that cannot be read are not taken for strong ones") {
  StrengthRun run;
  run.add("good", kTorch + "x\n", {8});
  run.add("lines", kTorch + "x\n", {});
  util::write_file_atomic(run.dataset.root() / "definitions/test/broken.json", R"({"name": "broken"})");
  util::write_file_atomic(run.dataset.root() / "workloads/test/lines.jsonl", "{\"definition\": \"lines\"}\n");
  CHECK(run.messages("broken") == Words{"warning: the definition cannot be read (see the check definition)"});
  CHECK(run.messages("lines", {"--synthesize", "2"}) ==
        Words{"warning: no workload can be read (see the check workload)"});
}

TEST_CASE("inputs that are made are named") {
  StrengthRun run;
  run.add("made", kTorch + "x * 3 + 5\n", {64});
  const Json workload = {
      {"axes", {{"n", 64}}},
      {"inputs", {{"x", {{"type", "safetensors"}, {"path", "blob/none.safetensors"}, {"tensor_key", "x"}}}}},
      {"uuid", "u"}};
  util::write_file_atomic(
      run.dataset.root() / "workloads/test/made.jsonl",
      Json{{"definition", "made"}, {"workload", workload}, {"solution", nullptr}, {"evaluation", nullptr}}
              .dump() +
          "\n");
  CHECK(run.messages("made").back() == "info: inputs made by fib for 1 workload: x");
}
