#include <catch2/catch.hpp>

#include "apply/config.h"
#include "util/error.h"

using namespace fib;
using apply::parse_registry;

TEST_CASE("without a configuration every definition is handled strictly") {
  const auto registry = parse_registry("");
  const apply::Config* config = registry.find("anything");
  REQUIRE(config != nullptr);
  CHECK(config->hardware == "auto");
  CHECK(config->require_hash);
  CHECK_FALSE(config->max_atol);
  CHECK(config->on_miss == apply::MissPolicy::kFallbackOnly);
  CHECK_FALSE(config->verify_first);
  CHECK(config->verify_rate == 0);
}

TEST_CASE("one configuration is the default of all") {
  const auto registry = parse_registry(
      R"({"max_atol":0.5,"max_rtol":0.25,"aot_ratio":0.5,"on_miss_policy":"nearest","hardware":"any",)"
      R"("require_hash":false,"require_trust":true,"verify_first":true,"verify_rate":0.125,"verify_atol":0,)"
      R"("verify_rtol":0.5})");
  const apply::Config* config = registry.find("d");
  REQUIRE(config != nullptr);
  CHECK(config->max_atol == 0.5);
  CHECK(config->max_rtol == 0.25);
  CHECK(config->aot_ratio == 0.5);
  CHECK(config->on_miss == apply::MissPolicy::kNearest);
  CHECK(config->hardware == "any");
  CHECK_FALSE(config->require_hash);
  CHECK(config->require_trust);
  CHECK(config->verify_first);
  CHECK(config->verify_rate == 0.125);
  CHECK(config->verify_atol == 0);
  CHECK(config->verify_rtol == 0.5);
  CHECK(parse_registry(to_json(*config)).find("d")->max_atol == 0.5);  // what is written reads back
  CHECK(*parse_registry(to_json(*config)).find("d") == *config);
}

TEST_CASE("definitions have their own configuration, and none without a default") {
  const auto registry = parse_registry(R"({"per_definition":{"a":{"on_miss_policy":"use_def_best"}}})");
  REQUIRE(registry.find("a") != nullptr);
  CHECK(registry.find("a")->on_miss == apply::MissPolicy::kUseDefBest);
  CHECK(registry.find("b") == nullptr);
  CHECK(parse_registry(R"({"default":null,"per_definition":{}})").find("b") == nullptr);
  CHECK(parse_registry(R"({"default":{}})").find("b") != nullptr);
}

TEST_CASE("what is wrong is told with its place") {
  CHECK_THROWS_WITH(parse_registry("["), Catch::StartsWith("the configuration is no JSON: "));
  CHECK_THROWS_WITH(parse_registry("[]"), "the configuration has to be an object");
  CHECK_THROWS_WITH(parse_registry(R"({"max_atol":0})"), "max_atol: has to be a number above 0");
  CHECK_THROWS_WITH(parse_registry(R"({"aot_ratio":1.5})"), "aot_ratio: has to be a number from 0 to 1");
  CHECK_THROWS_WITH(parse_registry(R"({"verify_rate":-0.5})"), "verify_rate: has to be a number from 0 to 1");
  CHECK_THROWS_WITH(parse_registry(R"({"verify_atol":-1})"), "verify_atol: has to be a number of at least 0");
  CHECK_THROWS_WITH(parse_registry(R"({"verify_first":1})"), "verify_first: has to be true or false");
  CHECK_THROWS_WITH(parse_registry(R"({"on_miss_policy":"best"})"),
                    "on_miss_policy: has to be \"fallback_only\", \"use_def_best\" or \"nearest\"");
  CHECK_THROWS_WITH(parse_registry(R"({"default":{"hardware":""}})"),
                    "default.hardware: has to be a text that is not empty");
  CHECK_THROWS_WITH(parse_registry(R"({"per_definition":{"d":{"speed":1}}})"),
                    "per_definition.d.speed: is no key of a configuration");
  CHECK_THROWS_WITH(parse_registry(R"({"default":null,"more":1})"), "more: is no key of a configuration");
}
