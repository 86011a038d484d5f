#include "config_defaults.h"

#include "bench/config.h"

namespace fib::cmd {
namespace {

// A run says either how narrow its intervals are to be, or how many calls are made: what is usual for both.
nlohmann::ordered_json usual_config(model::DeviceKind device) {
  bench::RunConfig config;
  config.call_budget_s = bench::usual_call_budget_s(device);
  auto usual = bench::to_json(config);
  config.num_trials = 3;
  usual.update(bench::to_json(config));
  return usual;
}

}  // namespace

report::ConfigDefaults config_defaults() {
  return {usual_config(model::DeviceKind::cpu), usual_config(model::DeviceKind::cuda)};
}

}  // namespace fib::cmd
