#include <catch2/catch.hpp>

#include "dataset/temporary_dataset.h"
#include "visual/size.h"

using namespace fib;
using visual::SizeAxis;

namespace {

model::Workload workload(std::vector<std::pair<std::string, std::int64_t>> axes) {
  model::Workload result;
  for (const auto& [name, value] : axes) result.axes.emplace_back(name, value);
  return result;
}

const char* const kTwoAxes =
    R"({"name":"d","op_type":"o","axes":{"M":{"type":"var"},"N":{"type":"var"}},
        "inputs":{"A":{"shape":["M","N"],"dtype":"float32"}},"outputs":{"B":{"shape":["M"],"dtype":"float32"}},
        "reference":"def run(A):\n    return A\n"})";

}  // namespace

TEST_CASE("the only axis that differs is the size") {
  const auto definition = model::parse_definition(kTwoAxes);
  const auto a = workload({{"M", 8}, {"N", 3}});
  const auto b = workload({{"M", 16}, {"N", 3}});
  const SizeAxis axis = visual::size_axis(&definition, {&a, &b});
  CHECK(axis.kind == SizeAxis::Kind::axis);
  CHECK(axis.title() == "M");
  CHECK(visual::size_of(axis, &definition, b, 1) == 16);
}

TEST_CASE("of several axes the bytes are the size") {
  const auto definition = model::parse_definition(kTwoAxes);
  const auto a = workload({{"M", 8}, {"N", 3}});
  const auto b = workload({{"M", 16}, {"N", 5}});
  const SizeAxis axis = visual::size_axis(&definition, {&a, &b});
  CHECK(axis.kind == SizeAxis::Kind::bytes);
  CHECK(visual::size_of(axis, &definition, b, 1) == 4 * (16 * 5 + 16));
}

TEST_CASE("without a definition that fits the place in the list is the size") {
  const auto definition = model::parse_definition(kTwoAxes);
  const auto a = workload({{"M", 8}, {"N", 3}});
  const auto b = workload({{"M", 16}, {"K", 5}});
  CHECK(visual::size_axis(nullptr, {&a, &b}).kind == SizeAxis::Kind::place);
  const SizeAxis axis = visual::size_axis(&definition, {&a, &b});
  CHECK(axis.kind == SizeAxis::Kind::place);
  CHECK(visual::size_of(axis, &definition, b, 1) == 2);
}

TEST_CASE("of many workloads the smallest, the largest and some between are taken") {
  const std::vector<model::Workload> all(7);
  std::vector<const model::Workload*> workloads;
  for (const model::Workload& one : all) workloads.push_back(&one);
  CHECK(visual::some_of_each_size(workloads, 7) == workloads);
  CHECK(visual::some_of_each_size(workloads, 3) ==
        std::vector<const model::Workload*>{&all[0], &all[3], &all[6]});
}
