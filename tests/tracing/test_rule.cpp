#include <catch2/catch.hpp>

#include "tracing/rule.h"
#include "tracing/traced.h"
#include "util/error.h"

using namespace fib;
using Catch::Matchers::Contains;
using tracing::DumpPolicy;
using tracing::FilterPolicy;
using tracing::parse_config;
using tracing::Rule;

namespace {

model::Definition mixed() { return model::parse_definition(testing::kMixed); }

Rule rule_of(const std::string& config) { return *tracing::rule_for(parse_config(config), mixed()); }

std::vector<std::string> dumped(const std::string& config) {
  const Rule rule = rule_of(config);
  std::vector<std::string> names;
  for (const auto& input : mixed().inputs) {
    if (!input.is_scalar() && tracing::takes(rule.dump, input)) names.push_back(input.name);
  }
  return names;
}

FilterPolicy filter(const std::string& policy, const std::string& arguments = "{}") {
  return rule_of(R"({"filter_policy":")" + policy + R"(","filter_policy_kwargs":)" + arguments + "}").filter;
}

}  // namespace

TEST_CASE("dump policies say which tensors have values") {
  using Names = std::vector<std::string>;
  CHECK(dumped(R"({"input_dump_policy":"dump_all"})") == Names{"x", "ids", "bytes", "mask", "zero"});
  CHECK(dumped(R"({"input_dump_policy":"dump_none"})").empty());
  CHECK(dumped(R"({"input_dump_policy":"dump_int"})") == Names{"ids", "bytes", "mask", "zero"});
  CHECK(dumped(R"({"input_dump_policy":["mask","x"]})") == Names{"x", "mask"});
}

TEST_CASE("filter policies have the k that is given, or 1") {
  using Kind = FilterPolicy::Kind;
  CHECK(filter("keep_all").kind == Kind::all);
  CHECK(filter("keep_none").kind == Kind::none);
  CHECK(filter("keep_first").kind == Kind::first);
  CHECK(filter("keep_first").k == 1);
  CHECK(filter("keep_first_k", R"({"k":3})").kind == Kind::first);
  CHECK(filter("keep_first_k", R"({"k":3})").k == 3);
  CHECK(filter("keep_first_k_by_axes").kind == Kind::first_by_axes);
  CHECK(filter("keep_first_k_by_axes").k == 1);
  CHECK(filter("attention", R"({"k":2})").kind == Kind::attention);
  CHECK(filter("attention", R"({"k":2})").k == 2);
}

TEST_CASE("what a configuration does not know is an error") {
  const std::pair<const char*, const char*> wrong[] = {
      {"{", "not valid JSON"},
      {"[]", "has to be an object"},
      {R"({"defalt":null})", "has no key \"defalt\"; did you mean \"default\"?"},
      {R"({"input_dump_policy":"dump_some"})",
       "there is no input_dump_policy \"dump_some\"; there are dump_all, dump_none, dump_int"},
      {R"({"input_dump_policy":7})", "a policy's name or a list of names"},
      {R"({"input_dump_policy":[7]})", "a policy's name or a list of names"},
      {R"({"input_dump_policy":"dump_all","input_dump_policy_kwargs":{"k":1}})", "has no key \"k\""},
      {R"({"filter_policy":"keep_some"})",
       "there is no filter_policy \"keep_some\"; there are attention, keep_all"},
      {R"({"filter_policy":"keep_first_k"})", "keep_first_k needs \"k\""},
      {R"({"filter_policy":"keep_first_k","filter_policy_kwargs":{"k":0}})", "at least 1"},
      {R"({"filter_policy":"attention","filter_policy_kwargs":{"k":-1}})", "at least 1"},
      {R"({"filter_policy":"keep_first_k_by_axes","filter_policy_kwargs":{"k":1.5}})", "at least 1"},
      {R"({"filter_policy":"keep_first","filter_policy_kwargs":{"k":2}})", "has no key \"k\""},
      {R"({"filter_policy_kwargs":{"k":2}})", "stands without filter_policy"},
      {R"({"memory_bytes":-1})", "whole number of bytes"},
      {R"({"per_definition":[]})", "has to be an object"},
      {R"({"per_definition":{"mixed":{"filter":1}}})", "the rule of mixed has no key \"filter\""}};
  for (const auto& [config, message] : wrong) {
    INFO(config);
    CHECK_THROWS_WITH(parse_config(config), Contains(message));
  }
}

TEST_CASE("a rule that names no input of its definition is an error") {
  CHECK_THROWS_WITH(rule_of(R"({"input_dump_policy":["idz"]})"),
                    "mixed has no input \"idz\", which input_dump_policy names; did you mean \"ids\"?");
}

TEST_CASE("a definition has its own rule, the default one, or none") {
  const auto config = parse_config(
      R"({"default":null,"per_definition":{"mixed":{"filter_policy":"keep_first"}},"memory_bytes":10,"device_bytes":20})");
  CHECK(tracing::rule_for(config, mixed())->filter.kind == FilterPolicy::Kind::first);
  CHECK_FALSE(tracing::rule_for(config, model::parse_definition(testing::kRagged)));
  CHECK(config.memory_bytes == 10);
  CHECK(config.device_bytes == 20);
  const auto by_default = parse_config(R"({"default":{"filter_policy":"keep_all"}})");
  CHECK(tracing::rule_for(by_default, mixed())->filter.kind == FilterPolicy::Kind::all);
  CHECK_FALSE(tracing::rule_for(parse_config(R"({"default":null})"), mixed()));
}

TEST_CASE("what a rule does not say is the preset's") {
  for (const char* config : {"", "null", "{}", R"({"default":{}})"}) {
    CHECK(rule_of(config).filter.kind == FilterPolicy::Kind::first_by_axes);
    CHECK(dumped(config) == std::vector<std::string>{"ids", "mask", "zero"});
  }
  const auto changed = rule_of(R"({"filter_policy":"keep_all"})");
  CHECK(changed.filter.kind == FilterPolicy::Kind::all);
  CHECK(changed.dump.names == std::vector<std::string>{"ids", "mask", "zero"});
}
