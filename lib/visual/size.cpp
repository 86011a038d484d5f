#include "visual/size.h"

#include <map>
#include <set>

#include "roofline/bound.h"

namespace fib::visual {
namespace {

// The axes whose values differ or that not all have; all axes when there is one workload only.
std::set<std::string> varying_axes(const std::vector<const model::Workload*>& workloads) {
  std::map<std::string, std::set<std::int64_t>> values;
  std::map<std::string, std::size_t> counts;
  for (const model::Workload* workload : workloads) {
    for (const auto& [name, value] : workload->axes) {
      values[name].insert(value.value);
      ++counts[name];
    }
  }
  std::set<std::string> varying;
  for (const auto& [name, seen] : values) {
    if (seen.size() > 1 || counts[name] < workloads.size() || workloads.size() == 1) varying.insert(name);
  }
  return varying;
}

// 0 where its axes do not fit the definition.
double bytes_of(const model::Definition& definition, const model::Workload& workload) {
  const auto work = roofline::known_work(definition, workload);
  return work ? work->bytes : 0;
}

}  // namespace

std::string SizeAxis::title() const {
  if (kind == Kind::axis) return axis;
  return kind == Kind::bytes ? "bytes moved at least" : "workload";
}

SizeAxis size_axis(const model::Definition* definition,
                   const std::vector<const model::Workload*>& workloads) {
  const auto varying = varying_axes(workloads);
  if (varying.size() == 1) return {SizeAxis::Kind::axis, *varying.begin()};
  if (definition == nullptr) return {};
  for (const model::Workload* workload : workloads) {
    if (!(bytes_of(*definition, *workload) > 0)) return {};
  }
  return {SizeAxis::Kind::bytes, ""};
}

double size_of(const SizeAxis& axis, const model::Definition* definition, const model::Workload& workload,
               std::size_t place) {
  if (axis.kind == SizeAxis::Kind::bytes) return bytes_of(*definition, workload);
  if (axis.kind == SizeAxis::Kind::axis) {
    for (const auto& [name, value] : workload.axes) {
      if (name == axis.axis) return static_cast<double>(value.value);
    }
  }
  return static_cast<double>(place + 1);
}

std::vector<const model::Workload*> some_of_each_size(const std::vector<const model::Workload*>& workloads,
                                                      std::size_t most) {
  if (workloads.size() <= most) return workloads;
  std::vector<const model::Workload*> some;
  for (std::size_t i = 0; i < most; ++i) some.push_back(workloads[i * (workloads.size() - 1) / (most - 1)]);
  return some;
}

}  // namespace fib::visual
