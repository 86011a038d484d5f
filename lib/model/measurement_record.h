#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/trace.h"

// What fib writes of an evaluation beside the format's own fields: the object `evaluation.fib` of a trace.
// docs/trace-record.md says what each field means, and in which unit it is; names ending in _ms are
// milliseconds. Every field may be missing: older versions wrote fewer, and other values of the run decide
// which ones there are.
namespace fib::model {

struct RecordedDevice {
  std::optional<std::string> kind;  // "cpu", "cuda"
  std::optional<std::string> uuid;  // written as null where it is missing
};

struct RecordedInterval {
  std::optional<double> low_ms;
  std::optional<double> high_ms;
  std::optional<double> calls_ms;
  std::optional<double> trials_ms;
  std::optional<double> processes_ms;
};

struct RecordedLaunches {
  std::optional<std::uint64_t> kernels;
  std::optional<std::uint64_t> copies;
  std::optional<std::uint64_t> streams;
};

// Launches of one kernel that are alike.
struct RecordedKernel {
  std::optional<std::string> name;    // of the function, without namespaces and parameters
  std::optional<std::string> symbol;  // as the compiler has it
  std::optional<bool> own;            // it stands in the solution's sources; else a library's
  std::optional<std::uint64_t> launches;
  std::optional<double> share;                     // of the time of the kernels that are named
  std::optional<std::vector<std::uint64_t>> grid;  // 3
  std::optional<std::vector<std::uint64_t>> block;
  std::optional<std::uint64_t> registers;             // a thread
  std::optional<std::uint64_t> local_bytes;           // a thread
  std::optional<std::uint64_t> static_shared_bytes;   // a block
  std::optional<std::uint64_t> dynamic_shared_bytes;  // a block
  std::optional<double> occupancy;                    // warps that fit, over those that the device can hold
  std::optional<std::vector<std::string>>
      occupancy_limits;  // "warps", "registers", "shared_memory", "blocks"
};

// How near the latency comes to the least time that the workload takes on the device (roofline/bound.h).
struct RecordedRoofline {
  std::optional<double> bytes;
  std::optional<double> flops;
  std::optional<double> bytes_per_s;
  std::optional<double> flops_per_s;
  std::optional<double> bound_ms;
  std::optional<std::string> binds;  // "memory", "compute"
  std::optional<double> share;       // bound over latency
};

struct RecordedCalibration {
  std::optional<double> empty_event_pair_ns;
};

struct RecordedOverhead {
  std::optional<double> run_ms;
  std::optional<double> prepare_ms;
  std::optional<double> collect_ms;
  std::optional<double> cpu_ms;
  std::optional<double> slack_ms;
};

// By the device's own counters: for how long its multiprocessors were at work in calls, the mean over them.
struct RecordedCounters {
  std::optional<std::string> missing;
  std::optional<std::uint64_t> calls;
  std::optional<double> busy_ms;
  std::optional<double> engine_ms;
  std::optional<double> bus_bytes;
  std::optional<double> own_ms;
  std::optional<double> claimed_ms;
};

struct RecordedWitness {
  std::optional<std::string> clock;
  std::optional<double> envelope_median_ms;
  std::optional<double> unexplained_median_ms;
  std::optional<double> round_trip_ms;
  std::optional<RecordedOverhead> overhead;
  std::optional<double> unclaimed_median_ms;
  std::optional<std::vector<double>> added_ms;
  std::optional<std::string> missing;
  std::optional<std::string> device_clock;
  std::optional<double> device_median_ms;
  std::optional<std::uint64_t> device_calls;
  std::optional<double> beyond_events_ms;
  std::optional<RecordedCounters> counters;
};

struct RecordedCalls {
  std::optional<std::uint64_t> trials;
  std::optional<std::uint64_t> warmup;
  std::optional<std::uint64_t> timed;
  std::optional<std::string> ended_by;
};

struct RecordedSandbox {
  std::optional<std::string> mode;
  std::optional<bool> mounts;
  std::optional<std::uint64_t> landlock;
  std::optional<bool> system_calls;
  std::optional<bool> memory_group;
};

// Of the machine, by getloadavg(3).
struct RecordedLoad {
  std::optional<double> average;  // runnable processes, over one minute
  std::optional<std::uint64_t> cores;
};

struct RecordedReference {
  std::optional<std::string> engine;
  std::optional<std::string> version;
  std::optional<std::string> device;
  std::optional<double> latency_ms;
  std::optional<std::uint64_t> n;
  std::optional<double> q25_ms;
  std::optional<double> q75_ms;
  std::optional<std::string> sets;  // "own", "shared"
  // Where an evaluation before has timed it: by which engine, and when that began. `engine` made the outputs.
  std::optional<std::string> timed_by;
  std::optional<std::string> timed_utc;
};

struct RecordedTolerance {
  std::optional<double> atol;
  std::optional<double> rtol;
  std::optional<double> required_matched_ratio;
  std::optional<double> max_error;
};

// The closed list of RecordedMismatch::pattern; docs/trace-record.md says what each means.
inline constexpr std::array<std::string_view, 15> kMismatchPatterns = {
    "all_zeros", "all_nan",    "transposed",    "off_by_one_row", "all",
    "one_row",   "one_column", "last_elements", "first_elements", "every_nth",
    "last_rows", "first_rows", "last_columns",  "first_columns",  "block_tails"};

// What is wrong with the values of an output.
struct RecordedMismatch {
  std::optional<std::string> output;
  std::optional<std::vector<std::uint64_t>> index;  // of the first wrong element
  std::optional<std::string> got;                   // as text, so that inf and nan have one
  std::optional<std::string> expected;
  // Of that element, by these texts; where it was written, and both are finite numbers.
  std::optional<double> absolute_error;
  std::optional<double> relative_error;
  std::optional<double> matched_ratio;     // share of the output's elements
  std::optional<std::uint64_t> wrong;      // elements
  std::optional<std::uint64_t> unwritten;  // of these
  std::optional<std::uint64_t> elements;   // of the output
  std::optional<std::string> pattern;      // which ones they are: one of the list above
};

// One message of a compiler or interpreter.
struct RecordedDiagnostic {
  std::optional<std::string> severity;  // "error", "warning"
  std::optional<std::string> file;
  std::optional<std::uint64_t> line;    // from 1
  std::optional<std::uint64_t> column;  // from 1
  std::optional<std::string> message;
  std::optional<std::string> source;  // that line of the source
};

// Why the evaluation did not pass (model/error_code.h).
struct RecordedFailure {
  std::optional<std::string> code;
  std::optional<std::string> stage;
  std::optional<std::string> fault;  // name_of(Fault)
  std::optional<bool> retryable;
  std::optional<bool> violation;
  std::optional<std::string> error;            // the name that the error itself has
  std::optional<std::uint64_t> call;           // from 1, in which it showed
  std::optional<std::uint64_t> skipped_after;  // failures; it was not tried on this workload
  std::optional<RecordedMismatch> mismatch;
  std::optional<std::vector<RecordedDiagnostic>> diagnostics;
  std::optional<bool> diagnostics_cut;  // there were more than are kept
};

// How long its parts took, in milliseconds.
struct RecordedDurations {
  std::optional<double> build_ms;      // the solution's build, which its workloads share; short from a cache
  std::optional<double> load_ms;       // start of its worker and loading; missing where the worker was there
  std::optional<double> evaluate_ms;   // everything else: inputs, reference, calls, comparisons
  std::optional<double> run_ms;        // of that, waiting for the solution: its calls, timed or not
  std::optional<double> judge_ms;      // and for the judge: filling inputs, comparing outputs
  std::optional<double> reference_ms;  // and for the reference's outputs
  std::optional<double> time_ms;       // of evaluate_ms, from the first timed trial to the last, all in all
};

// What the speedup compares with.
struct RecordedBaseline {
  std::optional<std::string> name;    // "reference"
  std::optional<std::string> engine;  // as in RecordedReference
  std::optional<std::string> device;
};

// What a reward may be made of (feedback/reward.h).
struct RecordedReward {
  std::optional<bool> built;
  std::optional<double> correct;         // 1: it passed; else 0
  std::optional<double> speedup;         // over the definition's reference
  std::optional<double> share_of_bound;  // the bound's time over the latency
  std::optional<bool> violation;
};

struct MeasurementRecord {
  std::optional<std::uint64_t> schema_version;  // the first version of the record has it as `schema`
  std::optional<std::string> run_id;
  std::optional<std::string> build_id;
  std::optional<std::string> version;
  std::optional<std::string> solution_sha256;
  std::optional<std::string> definition_sha256;
  std::optional<std::string> request_digest;      // feedback/digests.h
  std::optional<std::string> environment_digest;  // missing: the tools' versions are not known
  nlohmann::ordered_json config;                  // an object, or null: missing
  std::optional<RecordedDevice> device;
  std::optional<std::string> started_utc;
  nlohmann::ordered_json sweep;  // an object, or null: missing
  nlohmann::ordered_json tags;   // an object, or null: missing
  std::optional<RecordedLoad> load;
  std::optional<std::string> latency_is;  // "mean"; missing: the mean of the trials' medians
  std::optional<std::vector<double>> trial_medians_ms;
  std::optional<std::vector<double>> quantiles_ms;
  std::optional<std::uint64_t> n;
  std::optional<RecordedInterval> interval;
  std::optional<double> cv;
  std::optional<std::string> clock;
  std::optional<double> host_median_ms;
  std::optional<double> sm_clock_median_mhz;
  std::optional<std::uint64_t> slow_calls;
  std::optional<std::uint64_t> dropped_calls;
  std::optional<RecordedLaunches> launches;
  std::optional<std::vector<RecordedKernel>> resources;
  std::optional<bool> resources_cut;  // the call launched others, too
  std::optional<RecordedRoofline> roofline;
  std::optional<RecordedBaseline> baseline;  // nothing: there is no speedup
  std::optional<std::uint64_t> segments;
  std::optional<RecordedCalibration> calibration;
  std::optional<RecordedWitness> witness;
  std::optional<std::string> flush;
  std::optional<RecordedCalls> calls;
  std::optional<std::uint64_t> sets;
  std::optional<bool> sets_shared;
  std::optional<bool> inputs_fixed;
  std::optional<std::vector<std::string>> synthesized;
  std::optional<bool> seeded;
  std::optional<std::uint64_t> inputs_changed;
  std::optional<std::vector<std::string>> zeros_pass;
  std::optional<bool> private_files;
  std::optional<std::string> torch;
  std::optional<RecordedSandbox> sandbox;
  std::optional<RecordedReference> reference;
  std::optional<std::string> rule;
  std::optional<RecordedFailure> failure;
  std::optional<std::string> hint;  // what to do next, in a sentence (feedback/hint.h)
  std::optional<RecordedReward> reward_components;
  std::optional<RecordedDurations> durations;
  // Those of "resources", "diagnostics" and "log" that hold less than there was.
  std::optional<std::vector<std::string>> truncated;
  std::optional<RecordedTolerance> tolerance;
  nlohmann::ordered_json device_state;  // an object, or null: missing
};

// The record as it stands in a trace: the fields that are there, in the order above. What programs look at to
// know what to do next is always there, null where it is not known: the digests, `interval`, `resources`,
// `roofline`, `baseline`, `failure`, `hint`, `reward_components`, `durations` and `truncated`.
[[nodiscard]] nlohmann::ordered_json to_json(const MeasurementRecord& record);

// The same for programs: all fields, null where one is missing, also those of objects that are there.
[[nodiscard]] nlohmann::ordered_json to_whole_json(const MeasurementRecord& record);

// What `evaluation.fib` says. A value of another type than its field's is as if it were missing, and so is
// all of it where there is no object; nothing is thrown. Keys that this version does not know stay in
// `evaluation.fib`, from which traces are written again.
[[nodiscard]] MeasurementRecord measurement_record(const Evaluation& evaluation);

// One field of the record; those of objects with the names around them: "witness.overhead.run_ms".
struct RecordField {
  std::string name;
  std::string type;  // "text", "number", "count", "flag", "numbers", "texts", "object"
};

// All fields, in the order in which they are written; objects before their members.
[[nodiscard]] std::vector<RecordField> record_fields();

}  // namespace fib::model
