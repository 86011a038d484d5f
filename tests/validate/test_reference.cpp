#include <catch2/catch.hpp>
#include <limits>

#include "validate/reference.h"
#include "validate/support.h"

using namespace fib;
using namespace fib::validate;  // NOLINT: all of it is used
using eval::Agreement;

namespace {

using Lines = std::vector<std::string>;

const Place kPlace{"definitions/op/d.json"};

ReferenceRun::Output output(const eval::OutputDifference& difference, const std::string& name = "y") {
  return {name, {2, 4}, difference};
}

eval::OutputDifference close(double ulps, double relative, double absolute) {
  return {Agreement::kClose, 8, 0, 0, ulps, relative, absolute, 0, "", ""};
}

ReferenceRun run(const std::string& uuid, const std::vector<ReferenceRun::Output>& outputs) {
  ReferenceRun result;
  result.workload = uuid;
  result.native.ms = 3;
  result.python.ms = 2;
  result.outputs = outputs;
  return result;
}

// "level: text" of each message, in order.
Lines checked(const std::vector<ReferenceRun>& runs, bool proposed = false, bool on_cuda = false) {
  Lines lines;
  for (const auto& message : check_reference({"none", proposed, on_cuda, runs}, kPlace)) {
    lines.push_back(std::string(name_of(message.level)) + ": " + message.text);
    CHECK((message.level == Level::info || message.place.file == kPlace.file));
  }
  return lines;
}

}  // namespace

TEST_CASE("engines that agree: by how much they differ, and what they took") {
  CHECK(checked({run("a", {output(close(0, 0, 0))})}) ==
        Lines{"info: engines agree on 1 of 1 workload, in every bit of every number",
              "info: time of one call: native 3 ms, Python 2 ms; native / Python 1.50"});
  CHECK(checked({run("a", {output(close(1, 1e-6, 0.5)), output(close(0.5, 1e-3, 0.25), "z")}),
                 run("b", {output(close(1.5, 1e-7, 0.125))})}) ==
        Lines{"info: engines agree on 2 of 2 workloads; at most 2 ulp, relative error 1.00e-03, "
              "absolute error 5.00e-01",
              "info: time of one call for each of 2 workloads: native 6 ms, Python 4 ms; native / Python "
              "1.50"});
}

TEST_CASE("engines that differ: which workload, output and element, both values, and by how much") {
  eval::OutputDifference far = close(512, 0.25, 1);
  far.differing = 3;
  far.first = 6;
  far.got_text = "0.5";
  far.expected_text = "-0.5";
  const auto lines = checked({run("a", {output(close(1, 1e-7, 1e-7)), output(far, "z")}), run("b", {})});
  REQUIRE(lines.size() == 3);
  CHECK(lines[0] ==
        "error: workload a: output z: 3 of 8 elements differ, first z[1, 2]: native 0.5, Python -0.5; at "
        "most 512 ulp, relative error 2.50e-01, absolute error 1.00e+00");
  CHECK(lines[1] ==
        "info: engines agree on 1 of 2 workloads; at most 512 ulp, relative error 2.50e-01, "
        "absolute error 1.00e+00");
  far.other_class = 2;
  CHECK_THAT(checked({run("a", {output(far)})})[0],
             Catch::Contains("Python -0.5; 2 are NaN or infinite in one engine only; at most 512 ulp"));
  far.other_class = 3;
  far.ulps = far.relative = far.absolute = 0;
  const auto special = checked({run("a", {output(far)})});
  CHECK_THAT(special[0], Catch::EndsWith("; 3 are NaN or infinite in one engine only"));
  CHECK(special[1] == "info: engines agree on 0 of 1 workload");
}

TEST_CASE("ranks that differ may be ties, so they are a warning") {
  eval::OutputDifference ranks{Agreement::kRanks, 8, 1, 0, 0, 0, 0, 7, "4", "-1"};
  const auto lines = checked({run("a", {output(ranks, "topk_indices")})});
  CHECK(lines[0] ==
        "warning: workload a: output topk_indices: 1 of 8 elements are chosen by one engine only, first "
        "topk_indices[1, 3]: native 4, Python -1; equal scores may be the reason, which are not known here");
}

TEST_CASE("outputs that differ where topk chose among equals are a warning that says so") {
  eval::OutputDifference far{Agreement::kClose, 8, 3, 0, 0, 64, 0.5, 1, "2", "4"};
  auto tied = run("a", {output(far, "y")});
  CHECK(checked({tied})[0].starts_with("error: workload a: output y: 3 of 8 elements differ"));
  tied.tied_rows = 2;
  const auto lines = checked({tied});
  CHECK_THAT(lines[0],
             Catch::StartsWith("warning: workload a: output y: 3 of 8 elements differ") &&
                 Catch::EndsWith("; torch.topk took some of several equal values in 2 rows, which may "
                                 "be the reason"));
  CHECK(lines[1].starts_with("info: engines agree on 0 of 1 workload"));
}

TEST_CASE("draws are not compared, but both engines have to make them") {
  const eval::OutputDifference draws{Agreement::kDraws, 8, 0, 0, 0, 0, 0, 0, "", ""};
  auto failed = run("b", {});
  failed.native.error = "broken";
  const auto lines = checked({run("a", {output(draws, "samples")}), failed});
  REQUIRE(lines.size() == 3);
  CHECK(lines[0] == "error: workload b: native engine: broken");
  CHECK(lines[1] == "info: draws, not compared: samples; both engines ran 1 of 2 workloads");
}

TEST_CASE("an engine that fails is an error, once for all workloads with the same words") {
  auto one = run("a", {});
  one.native.error = "no such function";
  auto two = run("b", {});
  two.native.error = one.native.error;
  auto three = run("c", {});
  three.python.error = "RuntimeError: x";
  CHECK(checked({one, two, three}) == Lines{"error: workload a and 1 more: native engine: no such function",
                                            "error: workload c: Python engine: RuntimeError: x"});
}

TEST_CASE("workloads that cannot be run, and definitions without any, are warnings") {
  auto one = run("a", {});
  one.problem = "too much for this machine";
  CHECK(checked({one}) == Lines{"warning: workload a: not compared: too much for this machine"});
  CHECK(checked({}) == Lines{"warning: none"});
}

TEST_CASE("inputs and workloads that were made are told") {
  auto one = run("a", {output(close(0, 0, 0))});
  one.made = {"kv_indptr", "kv_indices"};
  auto two = run("b", {output(close(0, 0, 0))});
  const auto lines = checked({one, two}, true);
  REQUIRE(lines.size() == 4);
  CHECK(lines[2] == "info: the dataset has no workloads: 2 workloads proposed");
  CHECK(lines[3] == "info: inputs made by fib for 1 workload: kv_indices, kv_indptr");
}

TEST_CASE("times of different devices have no ratio") {
  const auto lines = checked({run("a", {output(close(0, 0, 0))})}, false, true);
  CHECK(lines[1] ==
        "info: time of one call: native 3 ms with tensors in host memory, Python 2 ms on the GPU");
}

TEST_CASE("the check runs when it is named, on the names in the documents, and its notes are the report's") {
  const testing::Checked files;
  Options options;
  options.disable_gpu = true;
  int calls = 0;
  options.reference = [&](const std::vector<std::string>& definitions) {
    ++calls;
    CHECK(definitions == std::vector<std::string>{"d"});
    ReferenceChecks checks;
    checks.definitions["d"].runs = {run("a", {output(close(0, 0, 0))})};
    checks.notes = {"both on the CPU"};
    return checks;
  };
  const auto without = validate::validate(files.files.root(), options);
  CHECK(calls == 0);
  CHECK_THAT(to_json(without), !Catch::Contains("\"reference\""));
  options.checks = {"reference"};
  const auto report = validate::validate(files.files.root(), options);
  CHECK(calls == 1);
  CHECK(report.notes == std::vector<std::string>{"both on the CPU"});
  const auto& check = report.definitions.at(0).checks.back();
  CHECK(check.name == "reference");
  REQUIRE(check.messages);
  CHECK(check.messages->size() == 2);
  CHECK_THAT(to_text(report), Catch::Contains("  reference:   ok\n    - engines agree on 1 of 1 workload"));
}
