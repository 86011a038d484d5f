#include <catch2/catch.hpp>

#include "reference/support.h"

namespace {

using namespace fib::test;  // NOLINT: all of it is used
using fib::reference::Engine;
using Values = std::vector<double>;

TEST_CASE("A tensor, a tuple, a list or a number are outputs in order") {
  HostTensor a = make(DType::kFloat32, {2}, {1, 2});
  CHECK(run_body("return a", {a.argument()}).size() == 1);
  CHECK(run_body("return a, a + 1", {a.argument()}).at(1).values() == Values{2, 3});
  CHECK(run_body("return [a]", {a.argument()}).size() == 1);
  CHECK(run_body("return (a,)", {a.argument()}).size() == 1);
  CHECK(run_body("pass", {a.argument()}).empty());
  Engine engine("def run():\n    return 1.5, 3, True\n");
  const auto outputs = engine.run({});
  REQUIRE(outputs.size() == 3);
  CHECK(outputs[0].is_scalar());
  CHECK(outputs[0].dtype() == DType::kFloat64);
  CHECK(outputs[1].dtype() == DType::kInt64);
  CHECK(outputs[2].dtype() == DType::kBool);
}

TEST_CASE("A dict gives the outputs by name") {
  Engine engine("def run():\n    return {'x': 1, 'y': 2}\n");
  const auto outputs = engine.run({}, {"y", "x"});
  REQUIRE(outputs.size() == 2);
  CHECK(to_host(outputs[0]).values() == Values{2});
  CHECK(to_host(outputs[1]).values() == Values{1});
  CHECK_THROWS_WITH(engine.run({}, {"z"}), "run returned a dict without \"z\"");
}

TEST_CASE("Outputs are contiguous and independent of the inputs' memory") {
  HostTensor a = make(DType::kFloat32, {2, 2}, {1, 2, 3, 4});
  Engine engine("def run(a):\n    return a, a.T\n");
  const auto outputs = engine.run({a.argument()});
  a = make(DType::kFloat32, {2, 2}, {0, 0, 0, 0});
  CHECK(to_host(outputs[0]).values() == Values{1, 2, 3, 4});
  CHECK(to_host(outputs[1]).values() == Values{1, 3, 2, 4});
}

TEST_CASE("Outputs outlive the engine") {
  HostTensor a = make(DType::kFloat32, {100000}, Values(100000, 1));
  std::vector<fib::reference::OutputTensor> outputs;
  {
    Engine engine("def run(a):\n    return a * 2\n");
    outputs = engine.run({a.argument()});
  }
  CHECK(to_host(outputs.at(0)).values() == Values(100000, 2));
}

TEST_CASE("Arguments are not copied: a reference that writes to them changes the caller's memory") {
  HostTensor a = make(DType::kFloat32, {2}, {1, 2});
  Engine engine("def run(a):\n    a += 1\n    return a\n");
  (void)engine.run({a.argument()});
  CHECK(a.values() == Values{2, 3});
}

TEST_CASE("All kinds of arguments") {
  Engine engine("def run(a, b, c, d=1):\n    return a + 1, b + 1, c, d is None\n");
  const auto outputs = engine.run({1.5, std::int64_t{2}, true, fib::reference::NoneArgument{}});
  CHECK(to_host(outputs[0]).values() == Values{2.5});
  CHECK(to_host(outputs[1]).values() == Values{3});
  CHECK(to_host(outputs[2]).values() == Values{1});
  CHECK(to_host(outputs[3]).values() == Values{1});
  CHECK(engine.run({1.0, std::int64_t{2}, true}).size() == 4);
}

TEST_CASE("Every run starts anew") {
  Engine engine("COUNT = [0]\ndef run():\n    COUNT[0] += 1\n    return COUNT[0]\n");
  CHECK(to_host(engine.run({}).at(0)).values() == Values{1});
  CHECK(to_host(engine.run({}).at(0)).values() == Values{1});
}

TEST_CASE("An engine can be moved") {
  Engine first("def run():\n    return 7\n");
  Engine second = std::move(first);
  CHECK(to_host(second.run({}).at(0)).values() == Values{7});
}

TEST_CASE("Arguments go to the parameters of their inputs' names, whatever the order") {
  Engine engine("def run(b, c, a=0):\n    return a - b, c\n");
  engine.bind_by_name({"a", "b", "c"});
  const auto outputs = engine.run({std::int64_t{10}, std::int64_t{3}, std::int64_t{5}});
  REQUIRE(outputs.size() == 2);
  CHECK(to_host(outputs[0]).values() == std::vector<double>{7});
  CHECK(to_host(outputs[1]).values() == std::vector<double>{5});
  Engine more("def run(b, a, more=100):\n    return a - b + more\n");
  more.bind_by_name({"a", "b"});
  CHECK(to_host(more.run({std::int64_t{10}, std::int64_t{3}}).at(0)).values() == std::vector<double>{107});
}

TEST_CASE("Arguments go by position where parameters have other names") {
  for (const std::vector<std::string>& inputs :
       {std::vector<std::string>{"a", "x"}, {"b"}, {"b", "a", "c"}, {}}) {
    Engine engine("def run(b, a):\n    return a - b\n");
    engine.bind_by_name(inputs);
    CHECK(to_host(engine.run({std::int64_t{10}, std::int64_t{3}}).at(0)).values() == std::vector<double>{-7});
  }
}

}  // namespace
