#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "compile/launch_plan.h"
#include "util/error.h"

using namespace fib;
using nlohmann::json;
using Kind = compile::LaunchArgument::Kind;

namespace {

model::Definition definition() {
  return model::parse_definition(R"({"name": "d", "op_type": "x",
    "axes": {"n": {"type": "var"}, "m": {"type": "var"}, "k": {"type": "const", "value": 64}},
    "inputs": {"a": {"shape": ["n", "k"], "dtype": "float32"}, "scale": {"shape": null, "dtype": "float32"}},
    "outputs": {"c": {"shape": ["n", "m"], "dtype": "float32"}},
    "reference": "def run(a, scale):\n    return a\n"})");
}

compile::LaunchPlan plan_of(const json& launch, const json& workspace = nullptr) {
  json spec = {
      {"language", "cuda"}, {"target_hardware", {"cuda"}}, {"entry_point", "a.cu::run"}, {"launch", launch}};
  if (!workspace.is_null()) spec["workspace"] = workspace;
  const json sources = {{{"path", "a.cu"}, {"content", "x"}}};
  return compile::parse_launch_plan(
      model::parse_solution(
          json{{"name", "s"}, {"definition", "d"}, {"author", "a"}, {"spec", spec}, {"sources", sources}}
              .dump()),
      definition());
}

compile::ResolvedPlan resolved(const compile::LaunchPlan& plan) {
  return compile::resolve(plan, std::vector<std::string>(plan.launches.size(), "symbol"),
                          {{"n", 1000}, {"m", 3}, {"k", 64}});
}

std::string error_of(const json& launch, const json& workspace = nullptr) {
  try {
    (void)resolved(plan_of(launch, workspace));
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("one launch with defaults: the entry point, then inputs, outputs and variable axes") {
  const auto plan = plan_of({{"grid", "ceil_div(n, 256)"}, {"block", 256}});
  REQUIRE(plan.launches.size() == 1);
  const auto& launch = plan.launches[0];
  CHECK(launch.kernel == "run");
  REQUIRE(launch.arguments.size() == 5);
  CHECK(launch.arguments[0].kind == Kind::kInput);
  CHECK(launch.arguments[1].kind == Kind::kInput);
  CHECK(launch.arguments[1].index == 1);
  CHECK(launch.arguments[2].kind == Kind::kOutput);
  CHECK(launch.arguments[3].kind == Kind::kInteger);
  CHECK(launch.arguments[4].text == "m");
  const auto numbers = resolved(plan).launches[0];
  CHECK(numbers.grid == std::array<std::uint32_t, 3>{4, 1, 1});
  CHECK(numbers.block == std::array<std::uint32_t, 3>{256, 1, 1});
  CHECK(numbers.cluster == std::array<std::uint32_t, 3>{0, 0, 0});
  CHECK(numbers.arguments[3].value == 1000);
  CHECK_FALSE(numbers.cooperative);
}

TEST_CASE("several launches, workspaces, clusters, shared memory and integer arguments") {
  const auto plan = plan_of(json::array({{{"kernel", "f<64>"},
                                          {"grid", {"n", "m", 2}},
                                          {"block", {32, "k / 8"}},
                                          {"cluster", {2}},
                                          {"shared_memory", "4 * k"},
                                          {"args", {"a", "partial", "n * m"}}},
                                         {{"kernel", "g"},
                                          {"grid", {1}},
                                          {"block", {64}},
                                          {"cooperative", true},
                                          {"args", {"partial", "c"}}}}),
                            {{"partial", "4 * n * m"}});
  const auto numbers = resolved(plan);
  REQUIRE(numbers.launches.size() == 2);
  CHECK(numbers.launches[0].kernel == "f<64>");
  CHECK(numbers.launches[0].grid == std::array<std::uint32_t, 3>{1000, 3, 2});
  CHECK(numbers.launches[0].block == std::array<std::uint32_t, 3>{32, 8, 1});
  CHECK(numbers.launches[0].cluster == std::array<std::uint32_t, 3>{2, 1, 1});
  CHECK(numbers.launches[0].shared_memory == 256);
  CHECK(numbers.launches[0].arguments[1].kind == Kind::kWorkspace);
  CHECK(numbers.launches[0].arguments[2].value == 3000);
  CHECK(numbers.launches[1].cooperative);
  CHECK(numbers.workspaces == std::vector<std::uint64_t>{12000});
}

TEST_CASE("what a plan gets wrong is named with its field") {
  const json block = {{"grid", 1}, {"block", 32}};
  const auto with = [&](const char* key, const json& value) {
    json launch = block;
    launch[key] = value;
    return error_of(launch);
  };
  CHECK(error_of({{"block", 32}}) == "launch.grid: is missing");
  CHECK(error_of(json::array()) == "launch: expected 1 to 256 launches, got 0");
  CHECK(error_of(json::array({block, 7})) == "launch[1]: expected an object, got 7");
  CHECK(with("blocks", 1).find("launch: unknown key \"blocks\"; known are args, block") == 0);
  CHECK(with("grid", "q") == "launch.grid: expression \"q\": \"q\" is no axis of definition d");
  CHECK(with("grid", {1, 2, 3, 4}) == "launch.grid: expected one to three expressions, got 4");
  CHECK(with("args", {"b"}).find("launch.args: \"b\" is no input, output or workspace") == 0);
  CHECK(with("cooperative", 1) == "launch.cooperative: expected true or false, got 1");
  CHECK(with("shared_memory", 1.5) ==
        "launch.shared_memory: expected an expression (a string or a whole number), got 1.5");
  CHECK(error_of(block, {{"a", 4}}) == "workspace.a: an input or output has this name");
  CHECK(error_of(block, 3) == "workspace: expected an object, got 3");
}

TEST_CASE("sizes that CUDA does not allow are named with their value") {
  CHECK(error_of({{"grid", "n - 1000"}, {"block", 32}}) ==
        "launch of run: grid[0] is \"n - 1000\" = 0; it must be 1 to 2147483647");
  CHECK(error_of({{"grid", {1, 65536}}, {"block", 32}}) ==
        "launch of run: grid[1] is \"65536\" = 65536; it must be 1 to 65535");
  CHECK(error_of({{"grid", 1}, {"block", {64, 32}}}) ==
        "launch of run: it asks for 2048 threads a block, and may have 1024");
  CHECK(error_of({{"grid", 1}, {"block", "n / (m - 3)"}}) ==
        "launch of run: expression \"n / (m - 3)\": division by zero");
  CHECK(error_of({{"grid", 1}, {"block", 32}, {"shared_memory", -1}})
            .find("shared_memory is \"-1\" = -1 bytes") != std::string::npos);
  CHECK(error_of({{"grid", 1}, {"block", 32}}, {{"w", "0 - n"}}) ==
        "workspace \"w\" is \"0 - n\" = -1000 bytes");
}
