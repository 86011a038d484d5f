#include <algorithm>
#include <catch2/catch.hpp>

#include "model/workload_order.h"

using namespace fib;
using model::Workload;

namespace {

Workload workload(const std::string& uuid, std::int64_t rows, std::int64_t columns) {
  Workload made;
  made.axes = {{"columns", {columns}}, {"rows", {rows}}};
  made.uuid = uuid;
  return made;
}

std::string order_of(const model::Definition* definition, std::vector<Workload> workloads) {
  std::sort(workloads.begin(), workloads.end(), [&](const Workload& left, const Workload& right) {
    return model::is_smaller(definition, left, right);
  });
  std::string uuids;
  for (const auto& one : workloads) uuids += one.uuid;
  return uuids;
}

}  // namespace

TEST_CASE("workloads stand in the order of their sizes, by the definition's first axis first") {
  const auto definition = model::parse_definition(
      R"({"name": "d", "op_type": "op", "axes": {"rows": {"type": "var"}, "columns": {"type": "var"}},
          "inputs": {"x": {"shape": ["rows", "columns"], "dtype": "float32"}},
          "outputs": {"y": {"shape": ["rows", "columns"], "dtype": "float32"}},
          "reference": "def run(x):\n    return x"})");
  const std::vector<Workload> workloads = {workload("a", 512, 1), workload("c", 7, 9), workload("d", 64, 1),
                                           workload("e", 7, 10), workload("b", 7, 9)};
  CHECK(order_of(&definition, workloads) == "bceda");
  CHECK(order_of(nullptr, workloads) == "dabce");  // their own first axis is "columns"
}
