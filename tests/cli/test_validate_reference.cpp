#include <sys/wait.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "support/fib_run.h"
#include "support/places.h"
#include "support/python.h"
#include "util/files.h"

// `fib validate --checks reference`: both engines on the same inputs.
using namespace fib;
using Json = nlohmann::ordered_json;
using Catch::Contains;
namespace fs = std::filesystem;
using Words = std::vector<std::string>;

namespace {

struct ReferenceRun : testing::FibRun {
  // y[n] = the reference of x[n, 4096], with a workload for each size.
  void add(const std::string& name, const std::string& reference, const std::vector<int>& sizes,
           const std::string& op_type = "test", const Json& input = {{"type", "random"}}) {
    const Json definition = {
        {"name", name},
        {"op_type", op_type},
        {"axes", {{"n", {{"type", "var"}}}, {"h", {{"type", "const"}, {"value", 4096}}}}},
        {"inputs", {{"x", {{"shape", {"n", "h"}}, {"dtype", "float32"}}}}},
        {"outputs", {{"y", {{"shape", {"n"}}, {"dtype", "float32"}}}}},
        {"reference", reference}};
    Words lines;
    for (const int size : sizes) {
      const Json workload = {
          {"axes", {{"n", size}}}, {"inputs", {{"x", input}}}, {"uuid", name + std::to_string(size)}};
      lines.push_back(
          Json{{"definition", name}, {"workload", workload}, {"solution", nullptr}, {"evaluation", nullptr}}
              .dump());
    }
    dataset.definition(op_type, name, definition.dump(), lines);
  }
  [[nodiscard]] Words validate_words(const Words& more) const {
    Words words{testing::fib_binary(), "validate", "--local", dataset.root(), "--checks", "reference"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  // Guests of this run that live.
  [[nodiscard]] std::set<int> interpreters() const {
    std::set<int> found;
    for (const int process : processes()) {
      std::ifstream words("/proc/" + std::to_string(process) + "/cmdline", std::ios::binary);
      const std::string text(std::istreambuf_iterator<char>(words), {});
      if (text.find("fib_guest_serve") != std::string::npos) found.insert(process);
    }
    return found;
  }
  [[nodiscard]] testing::ProcessResult validated(const Words& more = {}) const {
    return testing::run_process(validate_words(more), environment());
  }
};

// Sums in whatever order an engine likes.
const std::string kSums = "import torch\ndef run(x):\n    return x.sum(-1)\n";
const std::string kMaxima = "import torch\ndef run(x):\n    return x.max(-1).values\n";

// The messages of a definition's check, from the JSON report.
std::vector<std::string> messages(const testing::ProcessResult& result, const std::string& definition) {
  std::vector<std::string> texts;
  const auto report = Json::parse(result.out);
  for (const auto& message : report.at("definitions").at(definition).at("reference").at("messages"))
    texts.push_back(message.at("level").get<std::string>() + ": " + message.at("message").get<std::string>());
  return texts;
}

}  // namespace

TEST_CASE("references that both engines run alike are ok; what ran and how long it took is told") {
  const auto python = testing::python_with_torch();
  if (!python) return;
  ReferenceRun run;
  run.python = *python;
  run.add("maxima", kMaxima, {3, 100});
  run.add("sums", kSums, {50});
  const auto result = run.validated({"--strict"});
  INFO(result.out << result.err);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, Contains("the reference check compares native (") && Contains(" with Python ") &&
                             Contains(", torch ") && Contains("both on the CPU"));
  CHECK_THAT(result.out, Contains("2 definitions: 2 ok, 0 warning, 0 error"));
  CHECK_THAT(result.out, Contains("- engines agree on 2 of 2 workloads, in every bit of every number\n") &&
                             Contains("- engines agree on 1 of 1 workload; at most ") &&
                             Contains("- time of one call for each of 2 workloads: native ") &&
                             Contains(" ms; native / Python "));
  CHECK_THAT(result.out, !Contains("skipped"));
  CHECK(testing::read_traces(run.dataset.root()).empty());
  CHECK(run.processes().empty());
}

TEST_CASE("engines that differ are an error with the element and both values, in every form") {
  const auto python = testing::python_with_torch();
  if (!python) return;
  ReferenceRun run;
  run.python = *python;
  // Sums of 4096 numbers are no more than 2 ulps apart where nothing cancels; some of 2000 do.
  run.add("norms", kSums, {2000}, "rmsnorm");
  const auto result = run.validated({"--format", "json"});
  CHECK(result.exit_code == 3);
  const auto lines = messages(result, "norms");
  REQUIRE(lines.size() == 3);
  CHECK_THAT(lines[0], Catch::StartsWith("error: workload norms2000: output y: ") &&
                           Contains(" of 2000 elements differ, first y[") && Contains("]: native ") &&
                           Contains(", Python ") && Contains(" ulp, relative error "));
  CHECK_THAT(lines[1], Catch::StartsWith("info: engines agree on 0 of 1 workload; at most "));
  const auto github = run.validated({"--format", "github"});
  CHECK(github.exit_code == 3);
  CHECK_THAT(github.out, Contains("::error ") && Contains("definitions/rmsnorm/norms.json") &&
                             Contains("title=norms reference") &&
                             Contains(lines[0].substr(std::string("error: ").size())));
  const auto junit = run.validated({"--format", "junit"});
  CHECK(junit.exit_code == 3);
  CHECK_THAT(junit.out,
             Contains("name=\"reference\"") && Contains("<failure") && Contains("norms2000: output y: "));
}

TEST_CASE("an engine that fails on a reference is an error and does not stop the rest") {
  const auto python = testing::python_with_torch();
  if (!python) return;
  ReferenceRun run;
  run.python = *python;
  run.add("a_native",
          "import torch\n\n\nclass Sum:\n    def of(self, x):\n        return x.sum(-1)\n\n\ndef run(x):\n   "
          " return Sum().of(x)\n",
          {1, 2, 3});
  run.add("b_both", "import torch\ndef run(x):\n    return x.sum(-1).no_such_method()\n", {1});
  run.add("c_dies",
          "import torch\nimport os\ndef run(x):\n    if x.shape[0] == 2:\n        os.kill(os.getpid(), 9)\n  "
          "  return x.sum(-1)\n",
          {1, 2, 3});
  run.add("d_fine", kMaxima, {1});
  const auto result = run.validated({"--format", "json"});
  INFO(result.out << result.err);
  CHECK(result.exit_code == 3);
  const auto native = messages(result, "a_native");
  REQUIRE(native.size() == 1);
  CHECK_THAT(native[0], Catch::StartsWith("error: workload a_native1 and 2 more: native engine: "));
  const auto both = messages(result, "b_both");
  REQUIRE(both.size() == 2);
  CHECK_THAT(both[0], Contains("native engine: ") && Contains("no_such_method"));
  CHECK_THAT(both[1], Contains("Python engine: AttributeError: ") && Contains("no_such_method"));
  const auto dies = messages(result, "c_dies");
  REQUIRE(dies.size() == 2);
  CHECK_THAT(dies[0], Contains("native engine: "));  // it knows no os
  CHECK_THAT(dies[1], Contains("workload c_dies2: Python engine: "));
  CHECK_THAT(messages(result, "d_fine")[0], Contains("engines agree on 1 of 1 workload"));
}

TEST_CASE("a torch that cannot be imported is told in a sentence for each definition") {
  ReferenceRun run;
  run.python = testing::broken_python(run.folder.path());
  run.add("sums", kSums, {2, 3});
  const auto result = run.validated({"--format", "json"});
  INFO(result.out << result.err);
  CHECK(result.exit_code == 3);
  CHECK(messages(result, "sums") ==
        Words{"error: workload sums2 and 1 more: Python engine: " + run.python + " " + testing::kWhyBroken});
}

TEST_CASE(
    "definitions without workloads get proposed ones where that is asked for, and missing inputs are made") {
  const auto python = testing::python_with_torch();
  if (!python) return;
  ReferenceRun run;
  run.python = *python;
  run.add("none", kMaxima, {});
  run.add("blobs", kMaxima, {2}, "test",
          {{"type", "safetensors"}, {"path", "blob/x.safetensors"}, {"tensor_key", "x"}});
  const auto without = run.validated({"--format", "json"});
  CHECK(without.exit_code == 0);
  CHECK(messages(without, "none") ==
        Words{"warning: there are no workloads to run; --synthesize N proposes some"});
  const auto blobs = messages(without, "blobs");
  CHECK_THAT(blobs.front(), Contains("engines agree on 1 of 1 workload"));
  CHECK(blobs.back() == "info: inputs made by fib for 1 workload: x");
  const auto with = run.validated({"--format", "json", "--synthesize", "2", "--definitions", "none"});
  INFO(with.out << with.err);
  CHECK(with.exit_code == 0);
  CHECK_THAT(messages(with, "none").front(), Contains("engines agree on 2 of 2 workloads"));
  CHECK(messages(with, "none").back() == "info: the dataset has no workloads: 2 workloads proposed");
}

TEST_CASE("without a Python that has torch the check says what it needs") {
  ReferenceRun run;
  run.add("maxima", kMaxima, {3});
  run.python = testing::plain_python(run.folder.path());
  auto result = run.validated();
  CHECK(result.exit_code == 1);
  CHECK(result.out.empty());
  CHECK(result.err == "fib: the reference check needs a Python with torch: " + run.python +
                          " has no torch; FIB_PYTHON names another\n");
  run.python.clear();
  result = run.validated();
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.err, Contains("the reference check needs a Python with torch: no Python was found"));
}

TEST_CASE("the reference check and its options are used where they mean something") {
  ReferenceRun run;
  run.add("maxima", kMaxima, {3});
  const auto run_with = [&](Words words) {
    words.insert(words.begin(), {testing::fib_binary(), "validate", "--local", run.dataset.root()});
    return testing::run_process(words, run.environment()).exit_code;
  };
  CHECK(run_with({}) == 0);  // not run where it is not named
  CHECK(run_with({"--synthesize", "2"}) == 2);
  CHECK(run_with({"--checks", "layout", "--synthesize", "2"}) == 2);
  CHECK(run_with({"--checks", "reference", "--synthesize", "0"}) == 2);
  CHECK(run_with({"--checks", "reference", "--mode", "upstream"}) == 2);
  CHECK(run_with({"--checks", "layout", "--device", "cpu"}) == 2);
}

TEST_CASE("an interrupted comparison reports what it has and leaves no process behind") {
  const auto python = testing::python_with_torch();
  if (!python) return;
  ReferenceRun run;
  run.python = *python;
  run.add("a_fast", kSums, {1});
  run.add("slow", "import time\ndef run(x):\n    time.sleep(100)\n", {1});
  const auto reports = run.folder.path() / "reports";
  const int child = testing::start_process(
      run.validate_words({"--outputs", "text", "--output-folder", reports.string()}), run.environment());
  // Each definition has an interpreter of its own: the second one's comes when the first is compared.
  std::set<int> interpreters;
  for (int i = 0; i < 1200 && interpreters.size() < 2; ++i) {
    ::usleep(50'000);
    interpreters.merge(run.interpreters());
  }
  CHECK(interpreters.size() == 2);
  ::kill(child, SIGINT);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 130);
  for (int i = 0; i < 100 && !run.processes().empty(); ++i) ::usleep(50'000);
  CHECK(run.processes().empty());
  REQUIRE(fs::exists(reports));
  const auto report = util::read_file(fs::directory_iterator(reports)->path());
  CHECK_THAT(report, Contains("interrupted: the reference check looked at 1 of 2 workloads") &&
                         Contains("engines agree on 1 of 1 workload") &&
                         Contains("interrupted before its workloads were compared"));
}
