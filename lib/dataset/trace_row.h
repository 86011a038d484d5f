#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "dataset/speedup.h"
#include "model/measurement_record.h"
#include "model/solution.h"
#include "model/trace.h"

namespace fib::dataset {

// The fields mean what they mean in model::Evaluation.
struct RowCorrectness {
  double max_relative_error = 0;
  double max_absolute_error = 0;
};

struct RowPerformance {
  double latency_ms = 0;
  double reference_latency_ms = 0;
  double speedup_factor = 0;
  std::optional<SpeedupRange> speedup_range = std::nullopt;  // where the run's time of the reference is known
};

// Where a result comes from, as far as results are told apart by it. Null: not recorded, as by other tools.
struct RowOrigin {
  const std::string* run_id = nullptr;
  const std::string* solution_sha256 = nullptr;
  const std::string* definition_sha256 = nullptr;
  const std::string* run_conditions = nullptr;       // run_conditions_text()
  const std::string* workload_conditions = nullptr;  // workload_conditions_text()
  bool is_sweep_point = false;                       // the run swept options, not axes alone
};

// What the evaluation's own measurement of the reference says.
struct RowReference {
  const std::string* device_uuid = nullptr;  // where it ran; null: not recorded, as on CPUs
  double median_ms = 0;                      // of its calls, as are the quartiles; all positive
  double q25_ms = 0;
  double q75_ms = 0;
  bool is_shared = false;  // the calls were made for all solutions alike
};

// Quartiles of the timed calls, in milliseconds.
struct Spread {
  double q25_ms = 0;
  double median_ms = 0;
  double q75_ms = 0;

  // Interquartile range over median.
  [[nodiscard]] double relative_iqr() const { return (q75_ms - q25_ms) / median_ms; }
};

// How the timed calls went, as far as it tells how far to trust their latency. What is not recorded is
// nothing.
struct RowCalls {
  std::optional<std::uint64_t> count;  // that were timed
  std::optional<double> cv;            // their coefficient of variation
  std::optional<double> tail;          // the 95 % quantile over the median
  std::optional<std::uint64_t> slow;   // made again, for the GPU's clock was far below its maximum
  std::optional<double> sm_clock_mhz;  // CUDA: the median of the multiprocessors' clock
  std::optional<double> max_sm_clock_mhz = std::nullopt;   // the highest that the device has
  std::optional<model::RecordedLoad> load = std::nullopt;  // of the machine when the run began
  const std::string* throttled =
      nullptr;  // CUDA: why the GPU was slowed then: "sw_power_cap, ..."; null: was not
  std::optional<Spread> spread = std::nullopt;  // nothing also where it contradicts itself or the latency
  double trial_range_ms = 0;  // between the lowest and the highest of the trials' medians; 0: not recorded
  // Outputs in whose place zeros would have passed: "dx, dy"; null: none.
  const std::string* zeros_pass = nullptr;
};

struct RowEvaluation {
  model::Status status = model::Status::RUNTIME_ERROR;
  model::DeviceKind device = model::DeviceKind::cpu;
  const std::string* hardware = nullptr;
  std::string timestamp;
  std::optional<RowCorrectness> correctness;
  std::optional<RowPerformance> performance;
  RowOrigin origin = {};
  // Within which share of the latency another run's lies, in 95 of 100 cases; nothing: not recorded.
  std::optional<double> interval = std::nullopt;
  std::optional<RowReference> reference = std::nullopt;  // nothing: its spread is not recorded
  RowCalls calls = {};
};

// What reports ask of a trace, some 200 bytes; the whole record stays in its file. The pointers lead into the
// RowPool that the row was made with, so that equal names and equal workloads have equal pointers.
struct TraceRow {
  const std::string* definition = nullptr;
  const std::string* solution = nullptr;  // null: none
  const model::Workload* workload = nullptr;
  std::optional<RowEvaluation> evaluation;

  [[nodiscard]] bool passed() const { return evaluation && evaluation->status == model::Status::PASSED; }
  // The latency, as leaderboards have it. Nothing when it did not pass or has no finite, positive one.
  [[nodiscard]] std::optional<double> latency_ms() const;
};

// The kind of device that `evaluation` ran on: `fib.device.kind` where it says, else that of the hardware's
// name.
[[nodiscard]] model::DeviceKind device_kind(const model::Evaluation& evaluation);
// CUDA for names beginning with "NVIDIA", else the CPU.
[[nodiscard]] model::DeviceKind device_kind(const std::string& hardware);

// The interval as a share of the latency: (high - latency) / latency, since below the latency it ends at 0.
// Nothing where it is not recorded or is no interval.
[[nodiscard]] std::optional<double> interval_share(const model::MeasurementRecord& record,
                                                   const std::optional<model::Performance>& performance);

// The measurement of the reference, with `device_uuid` as it is; nothing where the record lacks median or
// quartiles, or where there is no speedup, since the reference ran on another device.
[[nodiscard]] std::optional<RowReference> row_reference(const model::RecordedReference& reference,
                                                        const std::optional<RowPerformance>& performance,
                                                        const std::string* device_uuid);

// The 95 % quantile over the median; nothing where the 21 quantiles (0, 5, ..., 100 %) are not all there.
[[nodiscard]] std::optional<double> tail_of(const std::optional<std::vector<double>>& quantiles);

// The quartiles among these quantiles (0, 5, ..., 100 %). Quantiles rise, and the latency, a mean of medians,
// lies among them: nothing where that does not hold, or where there is no latency.
[[nodiscard]] std::optional<Spread> spread_of(const std::optional<std::vector<double>>& quantiles,
                                              const std::optional<RowPerformance>& performance);

// Between the lowest and the highest; 0 where there are none or one is no time.
[[nodiscard]] double trial_range(const std::optional<std::vector<double>>& medians_ms);

// Keeps every name and every workload once. May be used by several threads at a time; what it gives lives as
// long as the pool.
class RowPool {
 public:
  [[nodiscard]] const std::string* name(std::string_view text);
  [[nodiscard]] const model::Workload* workload(const model::Workload& workload);
  [[nodiscard]] TraceRow row(const model::Trace& trace);

 private:
  RowEvaluation evaluation(const model::Evaluation& evaluation, const model::Workload& workload);

  std::mutex mutex_;
  std::unordered_set<std::string> names_;
  std::unordered_map<std::string, std::unique_ptr<const model::Workload>> workloads_;  // by their JSON
};

}  // namespace fib::dataset
