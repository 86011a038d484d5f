#include "dataset/row_own_record.h"

#include <algorithm>
#include <array>
#include <utility>

namespace fib::dataset {
namespace {

namespace sj = strict_json::sj;
using strict_json::array_text;
using strict_json::check_object;
using strict_json::check_value;
using strict_json::expect;
using strict_json::is_null;
using strict_json::joined_texts;
using strict_json::key_of;
using strict_json::object_text;
using strict_json::only_count;
using strict_json::only_number;
using strict_json::only_numbers;
using strict_json::only_text;

void read_device(sj::value device, OwnRecord& own) {
  constexpr static std::array<std::string_view, 2> kNames = {"kind", "uuid"};
  expect(device.type() == sj::json_type::object);
  check_object(device, kNames, 2, [&](std::size_t place, sj::value value) {
    if (place == 0) {
      own.device = only_text(value) == "cpu" ? model::DeviceKind::cpu : model::DeviceKind::cuda;
    } else if (!is_null(value)) {
      own.device_uuid = only_text(value);
    }
  });
}

void read_reference(sj::value reference, OwnRecord& own) {
  constexpr static std::array<std::string_view, 6> kNames = {"engine", "latency_ms", "q25_ms",
                                                             "q75_ms", "sets",       "timed_by"};
  check_object(reference, kNames, 1, [&](std::size_t place, sj::value value) {
    if (place == 0) own.engine = only_text(value);
    if (place == 1) own.reference.latency_ms = only_number(value);
    if (place == 2) own.reference.q25_ms = only_number(value);
    if (place == 3) own.reference.q75_ms = only_number(value);
    if (place == 4) own.reference.sets = std::string(only_text(value));
    if (place == 5) own.timed_by = only_text(value);
  });
}

void read_load(sj::value load, OwnRecord& own) {
  constexpr static std::array<std::string_view, 2> kNames = {"average", "cores"};
  own.calls.load.emplace();
  check_object(load, kNames, 1, [&](std::size_t place, sj::value value) {
    if (place == 0) own.calls.load->average = only_number(value);
    if (place == 1) own.calls.load->cores = only_count(value);
  });
}

void read_device_state(sj::value state, OwnRecord& own) {
  constexpr static std::array<std::string_view, 2> kNames = {"throttle_reasons", "max_sm_clock_mhz"};
  check_object(state, kNames, 1, [&](std::size_t place, sj::value value) {
    if (place == 0) own.throttled = joined_texts(value);
    if (place == 1) own.calls.max_sm_clock_mhz = only_number(value);
  });
}

}  // namespace

OwnRecord read_own_record(sj::value value) {
  OwnRecord own;
  enum {
    device,
    run_id,
    solution,
    definition,
    config,
    sweep,
    tolerance,
    synthesized,
    reference,
    rule,
    interval,
    count,
    cv,
    quantiles,
    slow,
    sm_clock,
    load,
    trial_medians,
    zeros_pass,
    device_state
  };
  constexpr static std::array<std::string_view, 20> kNames = {"device",
                                                              "run_id",
                                                              "solution_sha256",
                                                              "definition_sha256",
                                                              "config",
                                                              "sweep",
                                                              "tolerance",
                                                              "synthesized",
                                                              "reference",
                                                              "rule",
                                                              "interval",
                                                              "n",
                                                              "cv",
                                                              "quantiles_ms",
                                                              "slow_calls",
                                                              "sm_clock_median_mhz",
                                                              "load",
                                                              "trial_medians_ms",
                                                              "zeros_pass",
                                                              "device_state"};
  std::array<bool, kNames.size()> met{};
  for (auto entry : value.get_object()) {
    sj::field field = std::move(entry);
    const auto place = std::find(kNames.begin(), kNames.end(), key_of(field)) - kNames.begin();
    if (place == static_cast<std::ptrdiff_t>(kNames.size())) {
      check_value(field.value(), 1);
      continue;
    }
    expect(!std::exchange(met.at(static_cast<std::size_t>(place)), true));
    switch (place) {
      case device:
        read_device(field.value(), own);
        break;
      case run_id:
        own.run_id = only_text(field.value());
        break;
      case solution:
        own.solution_sha256 = only_text(field.value());
        break;
      case definition:
        own.definition_sha256 = only_text(field.value());
        break;
      case config:
        own.config = object_text(field.value());
        break;
      case sweep:
        own.sweep = object_text(field.value());
        break;
      case tolerance:
        own.tolerance = object_text(field.value());
        break;
      case synthesized:
        own.synthesized = array_text(field.value());
        break;
      case reference:
        read_reference(field.value(), own);
        break;
      case rule:
        own.rule = only_text(field.value());
        break;
      case interval:
        if (is_null(field.value())) break;
        check_object(field.value(), std::array<std::string_view, 1>{"high_ms"}, 1,
                     [&](std::size_t, sj::value high) { own.interval_high_ms = only_number(high); });
        break;
      case count:
        own.calls.count = only_count(field.value());
        break;
      case cv:
        own.calls.cv = only_number(field.value());
        break;
      case quantiles:
        own.quantiles = only_numbers(field.value());
        own.calls.tail = tail_of(own.quantiles);
        break;
      case slow:
        own.calls.slow = only_count(field.value());
        break;
      case sm_clock:
        own.calls.sm_clock_mhz = only_number(field.value());
        break;
      case load:
        read_load(field.value(), own);
        break;
      case trial_medians:
        own.calls.trial_range_ms = trial_range(only_numbers(field.value()));
        break;
      case zeros_pass:
        own.zeros_pass = joined_texts(field.value());
        break;
      default:
        read_device_state(field.value(), own);
    }
  }
  return own;
}

}  // namespace fib::dataset
