#include "dataset/reference_time.h"

#include <fmt/format.h>

#include <algorithm>

#include "util/median.h"

namespace fib::dataset {
namespace {

// What the evaluations of one device measured.
struct OfDevice {
  std::vector<double> medians;
  const RowReference* shared = nullptr;  // the last of those that share their calls: it has the most of them
};

struct OfRun {
  std::map<std::string, OfDevice> devices;  // by uuid
  std::vector<double> q25_ms;
  std::vector<double> q75_ms;
};

// Names are kept once in the pool that all rows of a dataset share, but datasets have pools of their own.
std::string key_of(const TraceRow& row) {
  std::string key;
  const RowOrigin& origin = row.evaluation->origin;
  for (const std::string* part :
       {origin.run_id, row.definition, &row.workload->uuid, row.evaluation->hardware, origin.run_conditions,
        origin.workload_conditions}) {
    const std::string& text = part != nullptr ? *part : std::string();
    key += fmt::format("{}:{}", text.size(), text);
  }
  return key;
}

bool tells(const TraceRow& row) {
  return row.evaluation && row.evaluation->reference && row.evaluation->origin.run_id != nullptr;
}

void add(OfRun& run, const RowReference& reference) {
  run.q25_ms.push_back(reference.q25_ms);
  run.q75_ms.push_back(reference.q75_ms);
}

ReferenceTime time_of(OfRun run) {
  ReferenceTime time;
  std::vector<double> all;
  std::vector<double> medians;
  for (auto& [uuid, device] : run.devices) {
    if (device.shared != nullptr) {
      device.medians.push_back(device.shared->median_ms);
      add(run, *device.shared);
    }
    all.insert(all.end(), device.medians.begin(), device.medians.end());
    medians.push_back(util::median_of(device.medians));
  }
  time.median_ms = util::median_of(medians);
  time.devices = medians.size();
  time.evaluations = all.size();
  const auto [lowest, highest] = std::minmax_element(medians.begin(), medians.end());
  time.device_range = (*highest - *lowest) / time.median_ms;
  time.low_ms = std::min(*std::min_element(all.begin(), all.end()), util::median_of(run.q25_ms));
  time.high_ms = std::max(*std::max_element(all.begin(), all.end()), util::median_of(run.q75_ms));
  return time;
}

}  // namespace

ReferenceTimes::ReferenceTimes(const std::vector<TraceRow>& rows) {
  std::map<std::string, OfRun> runs;
  for (const TraceRow& row : rows) {
    if (!tells(row)) continue;
    const RowReference& reference = *row.evaluation->reference;
    OfRun& run = runs[key_of(row)];
    OfDevice& device = run.devices[reference.device_uuid != nullptr ? *reference.device_uuid : ""];
    if (reference.is_shared) {
      device.shared = &reference;
    } else {
      device.medians.push_back(reference.median_ms);
      add(run, reference);
    }
  }
  for (auto& [key, run] : runs) times_[key] = time_of(std::move(run));
}

const ReferenceTime* ReferenceTimes::of(const TraceRow& row) const {
  if (!tells(row)) return nullptr;
  const auto found = times_.find(key_of(row));
  return found != times_.end() ? &found->second : nullptr;
}

}  // namespace fib::dataset
