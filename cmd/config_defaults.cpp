#include "config_defaults.h"

#include "bench/config.h"

namespace fib::cmd {
namespace {

nlohmann::ordered_json usual_config(model::DeviceKind device) {
  bench::RunConfig config;
  config.call_budget_s = bench::usual_call_budget_s(device);
  return bench::to_json(config);
}

}  // namespace

report::ConfigDefaults config_defaults() {
  return {usual_config(model::DeviceKind::cpu),
          usual_config(model::DeviceKind::cuda),
          {{"warmup_runs", 10}, {"iterations", 50}, {"num_trials", 3}}};
}

}  // namespace fib::cmd
