#include "bench/sweep_axes.h"

#include <algorithm>

#include "dataset/filter.h"
#include "util/hash.h"

namespace fib::bench {
namespace {

using nlohmann::ordered_json;
using Combination = std::vector<std::pair<std::string, std::int64_t>>;  // axis, value

std::vector<Combination> combinations(const Sweep& sweep) {
  std::vector<Combination> all = {{}};
  for (const auto& [axis, values] : sweep.axes) {
    std::vector<Combination> longer;
    for (const Combination& combination : all) {
      for (const std::int64_t value : values) {
        longer.push_back(combination);
        longer.back().emplace_back(axis, value);
      }
    }
    all = std::move(longer);
  }
  return all;
}

// What makes two workloads of a definition the same: all they say but the uuid, in one order.
std::string identity_of(model::Workload workload) {
  const auto by_name = [](const auto& left, const auto& right) { return left.first < right.first; };
  std::sort(workload.axes.begin(), workload.axes.end(), by_name);
  std::sort(workload.inputs.begin(), workload.inputs.end(), by_name);
  workload.uuid.clear();
  return model::to_json(workload);
}

// Laid out as the uuids of RFC 9562, version 8: the digest's digits but for version and variant.
std::string derived_uuid(const std::string& definition, const std::string& identity) {
  std::string hex = util::Sha256().add("swept workload").add(definition).add(identity).hex();
  hex[12] = '8';
  hex[16] = "89ab"[hex[16] % 4];
  return fmt::format("{}-{}-{}-{}-{}", hex.substr(0, 8), hex.substr(8, 4), hex.substr(12, 4),
                     hex.substr(16, 4), hex.substr(20, 12));
}

// What cannot be made for other sizes.
std::string why_not_sized(const model::Workload& workload) {
  for (const auto& [name, input] : workload.inputs) {
    if (input.kind == model::InputKind::safetensors)
      return fmt::format("input {} comes from a file, which has one size", name);
    if (input.kind == model::InputKind::custom)
      return fmt::format("input {} is made by a function of the definition", name);
  }
  return {};
}

std::string text_of(const Combination& combination) {
  std::string text;
  for (const auto& [axis, value] : combination) text += fmt::format(" {}={}", axis, value);
  return text;
}

// One definition of one dataset.
class Expansion {
 public:
  Expansion(const model::Definition& definition, std::vector<model::Workload>& workloads,
            const WorkloadCheck& check, std::vector<SkippedWorkload>& skipped)
      : definition_(definition), workloads_(workloads), check_(check), skipped_(skipped) {
    for (const auto& workload : workloads) uuids_.emplace(identity_of(workload), workload.uuid);
  }

  void add(const model::Workload& base, const std::vector<Combination>& all) {
    const std::string reason = why_not_sized(base);
    if (!reason.empty()) return skip(base, {}, reason);
    for (const Combination& combination : all) add(base, combination);
  }

  std::map<std::string, ordered_json> take() { return std::move(values_); }

 private:
  void add(model::Workload workload, const Combination& combination) {
    for (const auto& [axis, value] : combination) set_axis(workload, axis, value);
    const std::string identity = identity_of(workload);
    if (!seen_.insert(identity).second) return;
    const auto known = uuids_.find(identity);
    workload.uuid = known != uuids_.end() ? known->second : derived_uuid(definition_.name, identity);
    if (const std::string reason = why_not(workload); !reason.empty()) {
      return skip(workload, combination, reason);
    }
    ordered_json& values = values_[workload.uuid];
    for (const auto& [axis, value] : combination) values[axis] = value;
    if (known == uuids_.end()) workloads_.push_back(std::move(workload));
  }

  static void set_axis(model::Workload& workload, const std::string& axis, std::int64_t value) {
    for (auto& [name, size] : workload.axes) {
      if (name == axis) size = value;
    }
    if (model::find(workload.axes, axis) == nullptr) workload.axes.emplace_back(axis, value);
  }

  [[nodiscard]] std::string why_not(const model::Workload& workload) const try {
    (void)model::axis_values(definition_, workload.axes);
    return check_(definition_, workload);
  } catch (const Error& error) {
    return error.what();
  }

  void skip(const model::Workload& workload, const Combination& combination, const std::string& reason) {
    const std::string id = workload.uuid.substr(0, 8);
    skipped_.push_back({definition_.name + " " + id + text_of(combination), reason});
  }

  const model::Definition& definition_;
  std::vector<model::Workload>& workloads_;
  const WorkloadCheck& check_;
  std::vector<SkippedWorkload>& skipped_;
  std::map<std::string, std::string> uuids_;  // of the dataset's workloads, by identity
  std::set<std::string> seen_;
  std::map<std::string, ordered_json> values_;
};

bool is_selected(const dataset::Dataset& dataset, const model::Definition& definition,
                 const dataset::Filter& filter) {
  return std::any_of(dataset.solutions.begin(), dataset.solutions.end(), [&](const auto& entry) {
    const model::Solution& solution = entry.second;
    return solution.definition == definition.name && filter.holds_solution(dataset, solution);
  });
}

// The first swept axis that the definition lacks; empty: it has all.
std::string missing_axis(const model::Definition& definition, const Sweep& sweep) {
  const auto names = model::var_axes(definition);
  for (const auto& [axis, values] : sweep.axes) {
    if (std::find(names.begin(), names.end(), axis) == names.end()) return axis;
  }
  return {};
}

}  // namespace

SweptWorkloads add_swept_workloads(std::vector<dataset::Dataset>& datasets, const dataset::Filter& filter,
                                   const Sweep& sweep, const WorkloadCheck& check,
                                   std::vector<SkippedWorkload>& skipped) {
  const auto all = combinations(sweep);
  SweptWorkloads result;
  for (std::size_t i = 0; i < datasets.size(); ++i) {
    for (const auto& [name, definition] : datasets[i].definitions) {
      if (!is_selected(datasets[i], definition, filter)) continue;
      if (const std::string axis = missing_axis(definition, sweep); !axis.empty()) {
        skipped.push_back({name, fmt::format("it has no variable axis {}", axis)});
        continue;
      }
      auto& workloads = datasets[i].workloads[name];
      const std::vector<model::Workload> bases = workloads;
      Expansion expansion(definition, workloads, check, skipped);
      for (const auto& base : bases) {
        if (dataset::matches(filter.workloads, base.uuid)) expansion.add(base, all);
      }
      result[{i, name}] = expansion.take();
    }
  }
  return result;
}

}  // namespace fib::bench
