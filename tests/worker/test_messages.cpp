#include <catch2/catch.hpp>
#include <cmath>
#include <tuple>

#include "worker/judge_messages.h"
#include "worker/keeper_messages.h"
#include "worker/messages.h"
#include "worker/worker_messages.h"

using namespace fib;
using namespace fib::worker;

namespace {

eval::Layout some_layout() {
  eval::Layout layout;
  layout.inputs = {{"a", tensor::DType::kBFloat16, false, {3, 5}, 0, 30},
                   {"s", tensor::DType::kFloat32, true, {}, 256, 8}};
  layout.outputs = {{"c", tensor::DType::kFloat32, false, {15}, 0, 60}};
  layout.axes = {3, -1};
  layout.input_bytes = 264;
  layout.output_bytes = 60;
  return layout;
}

compile::ResolvedPlan some_plan() {
  using Kind = compile::LaunchArgument::Kind;
  compile::ResolvedLaunch launch;
  launch.kernel = "f<4>";
  launch.symbol = "_Z1fILi4EEvv";
  launch.grid = {1, 2, 3};
  launch.block = {4, 5, 6};
  launch.cluster = {2, 1, 1};
  launch.shared_memory = 7;
  launch.cooperative = true;
  launch.arguments = {{Kind::kInput, 1}, {Kind::kInteger, -9}};
  return {{launch}, {4096, 8}};
}

}  // namespace

TEST_CASE("a layout survives the way to a worker") {
  const Open decoded = Open::decode(Open{some_layout(), some_plan()}.encode());
  REQUIRE(decoded.layout.inputs.size() == 2);
  CHECK(decoded.layout.inputs[0].name == "a");
  CHECK(decoded.layout.inputs[0].shape == std::vector<std::int64_t>{3, 5});
  CHECK(decoded.layout.inputs[1].scalar);
  CHECK(decoded.layout.outputs[0].dtype == tensor::DType::kFloat32);
  CHECK(decoded.layout.axes == std::vector<std::int64_t>{3, -1});
  CHECK(eval::is_sound(decoded.layout));
}

TEST_CASE("the sets at a door's places survive the way to the judge, in order") {
  const auto decoded = SetsRequest::decode(SetsRequest{7, {{"a", 1}, {"", 2}}}.encode());
  CHECK(decoded.door == 7);
  CHECK(decoded.sets == std::vector<SetId>{{"a", 1}, {"", 2}});
}

TEST_CASE("what was seen of several calls survives the way from a worker") {
  Called called;
  called.calls.resize(2);
  called.calls[0].done.elapsed_ns = 5;
  called.calls[1].done.elapsed_ns = 7;
  called.calls[1].collected.outputs = {{tensor::DType::kInt8, {2, 3}}};
  const auto decoded = Called::decode(called.encode()).calls;
  REQUIRE(decoded.size() == 2);
  CHECK(decoded[0].done.elapsed_ns == 5);
  CHECK(decoded[1].done.elapsed_ns == 7);
  REQUIRE(decoded[1].collected.outputs.size() == 1);
  CHECK(decoded[1].collected.outputs[0].shape == std::vector<std::int64_t>{2, 3});
}

TEST_CASE("a launch plan survives the way to a worker") {
  const auto plan = Open::decode(Open{some_layout(), some_plan()}.encode()).plan;
  REQUIRE(plan.launches.size() == 1);
  const auto& launch = plan.launches[0];
  CHECK(launch.kernel == "f<4>");
  CHECK(launch.symbol == "_Z1fILi4EEvv");
  CHECK(launch.grid == std::array<std::uint32_t, 3>{1, 2, 3});
  CHECK(launch.block == std::array<std::uint32_t, 3>{4, 5, 6});
  CHECK(launch.cluster == std::array<std::uint32_t, 3>{2, 1, 1});
  CHECK(launch.shared_memory == 7);
  CHECK(launch.cooperative);
  REQUIRE(launch.arguments.size() == 2);
  CHECK(launch.arguments[0].kind == compile::LaunchArgument::Kind::kInput);
  CHECK(launch.arguments[1].value == -9);
  CHECK(plan.workspaces == std::vector<std::uint64_t>{4096, 8});
}

TEST_CASE("times that are no numbers, and negative ones but the claim, are refused") {
  const Done honest{100, 50, false, 1980};
  const Done decoded = Done::decode(honest.encode());
  CHECK(decoded.elapsed_ns == 100);
  CHECK(decoded.host_ns == 50);
  CHECK_FALSE(decoded.covered);
  CHECK(decoded.clock_mhz == 1980);
  for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    CHECK_THROWS_AS(Done::decode(Done{bad, 50}.encode()), ProtocolError);
    CHECK_THROWS_AS(Done::decode(Done{100, bad}.encode()), ProtocolError);
    CHECK_THROWS_AS(Done::decode(Done{100, 50, true, bad}.encode()), ProtocolError);
  }
  CHECK(Done::decode(Done{-1, 50}.encode()).elapsed_ns == -1);
  CHECK_THROWS_AS(Done::decode(Done{1, -1}.encode()), ProtocolError);
  CHECK_THROWS_AS(Done::decode(Done{1, 1, true, -1}.encode()), ProtocolError);
  CHECK_THROWS_AS(Done::decode(Done{1, 1, true, 1, 2, -1}.encode()), ProtocolError);
  CHECK(Done::decode(Done{1, 1, true, 1, 2, 1280}.encode()).segments == 2);
  Done refused{1, 1};
  refused.refused_launch = "it asks for 2048 threads";
  CHECK(Done::decode(refused.encode()).refused_launch == "it asks for 2048 threads");
  Done launches{1, 1};
  launches.uses = {{{"scale", {1, 2, 3}, {4, 5, 6}, 32, 16, 8, 4}, 7, 100}};
  const auto uses = Done::decode(launches.encode()).uses;
  REQUIRE(uses.size() == 1);
  CHECK(uses[0].launch == launches.uses[0].launch);
  CHECK(uses[0].times == 7);
  CHECK(uses[0].busy_ns == 100);
  launches.uses[0].busy_ns = -1;
  CHECK_THROWS_AS(Done::decode(launches.encode()), ProtocolError);
  launches.uses.assign(device::cuda::kMostUses + 1, {});
  CHECK_THROWS_AS(Done::decode(launches.encode()), ProtocolError);
}

TEST_CASE("every truncation and every extension of a message is refused") {
  const std::string whole = Open{some_layout(), some_plan()}.encode();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CHECK_THROWS_AS(Open::decode(whole.substr(0, size)), ProtocolError);
  }
  CHECK_THROWS_AS(Open::decode(whole + '\0'), ProtocolError);
}

TEST_CASE("claims of a worker are checked field by field") {
  Collected claim{true, {{tensor::DType::kInt32, {2, 3}}}};
  claim.tied_rows = 7;
  std::string payload = claim.encode();
  const Collected decoded = Collected::decode(payload);
  CHECK(decoded.inputs_changed);
  CHECK(decoded.tied_rows == 7);
  CHECK(decoded.outputs[0].shape == std::vector<std::int64_t>{2, 3});
  CHECK(decoded.outputs[0].dtype == tensor::DType::kInt32);
  CHECK_FALSE(Collected::decode(Collected{true, {{std::nullopt, {2}}}}.encode()).outputs[0].dtype);
  payload[0] = 2;  // not a boolean
  CHECK_THROWS_AS(Collected::decode(payload), ProtocolError);
  payload[0] = 0;
  payload[5] = 99;  // not a dtype
  CHECK_THROWS_AS(Collected::decode(payload), ProtocolError);
  payload = claim.encode();
  payload[4] = '\x7f';  // two thousand million outputs
  CHECK_THROWS_AS(Collected::decode(payload), ProtocolError);
}

TEST_CASE("what the judge is asked and says of calls and of an evaluation survives the way") {
  const auto request = CompareRequest::decode(CompareRequest{{7, {"sha", 9}}, 2}.encode());
  CHECK(request.set.door == 7);
  CHECK(request.set.set == SetId{"sha", 9});
  CHECK(request.outputs == 2);
  CHECK_FALSE(request.fills_next);
  const auto filling = CompareRequest::decode(CompareRequest{{7, {"sha", 9}}, 2, true, {"", 10}}.encode());
  CHECK(filling.fills_next);
  CHECK(filling.next == SetId{"", 10});
  const auto concluded = Concluded::decode(Concluded{{false, 1, 2, 0.5, "why"}, R"({"samples":3})"}.encode());
  CHECK_FALSE(concluded.judgement.correct);
  CHECK(concluded.judgement.max_relative_error == 2);
  CHECK(concluded.judgement.matched_ratio == 0.5);
  CHECK(concluded.judgement.explanation == "why");
  CHECK(concluded.extra == R"({"samples":3})");
  const auto opened = JudgeOpened::decode(JudgeOpened{1, some_layout(), true, 1334, 22}.encode());
  CHECK(opened.calls_wanted == 1334);
  CHECK(opened.repeats_wanted == 22);
}

TEST_CASE("findings about two engines' outputs survive the way, field by field") {
  eval::OutputDifference found{eval::Agreement::kRanks, 1, 2, 3, 4.5, 5.5, HUGE_VAL, 7, "got", "expected"};
  std::string payload = Differed{{{}, found}}.encode();
  const auto decoded = Differed::decode(payload);
  REQUIRE(decoded.outputs.size() == 2);
  const auto& one = decoded.outputs[1];
  CHECK(one.rule == eval::Agreement::kRanks);
  CHECK(std::tuple(one.count, one.differing, one.other_class, one.first) == std::tuple(1U, 2U, 3U, 7U));
  CHECK(std::tuple(one.ulps, one.relative, one.absolute) == std::tuple(4.5, 5.5, HUGE_VAL));
  CHECK(one.got_text == "got");
  CHECK(one.expected_text == "expected");
  payload[4] = 9;  // not a rule
  CHECK_THROWS_AS(Differed::decode(payload), ProtocolError);
}

TEST_CASE("an unsound layout is noticed") {
  auto layout = some_layout();
  SECTION("beyond the buffer") {
    layout.inputs[0].offset = 256;
    layout.input_bytes = 280;
  }
  SECTION("misaligned") { layout.inputs[0].offset = 8; }
  SECTION("bytes that are not the shape's") { layout.outputs[0].bytes = 64; }
  SECTION("negative shape") { layout.outputs[0].shape = {-15}; }
  SECTION("overflowing shape") { layout.outputs[0].shape = {INT64_MAX, INT64_MAX}; }
  CHECK_FALSE(eval::is_sound(layout));
}

TEST_CASE("all children of one build share a build id") {
  CHECK(build_id().size() == 40);
  CHECK(build_id() == build_id());
}
