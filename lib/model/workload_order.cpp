#include "model/workload_order.h"

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace fib::model {
namespace {

std::vector<std::int64_t> sizes_of(const Definition* definition, const Workload& workload) {
  std::vector<std::int64_t> sizes;
  if (definition == nullptr) {
    for (const auto& [name, value] : workload.axes) sizes.push_back(value.value);
    return sizes;
  }
  for (const auto& name : var_axes(*definition)) {
    const auto* value = find(workload.axes, name);
    sizes.push_back(value == nullptr ? -1 : value->value);
  }
  return sizes;
}

}  // namespace

bool is_smaller(const Definition* definition, const Workload& left, const Workload& right) {
  const auto left_sizes = sizes_of(definition, left);
  const auto right_sizes = sizes_of(definition, right);
  return std::tie(left_sizes, left.uuid) < std::tie(right_sizes, right.uuid);
}

}  // namespace fib::model
