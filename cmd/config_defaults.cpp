#include "config_defaults.h"

#include "bench/config.h"

namespace fib::cmd {

report::ConfigDefaults config_defaults() {
  bench::RunConfig config;
  config.call_budget_s = bench::usual_call_budget_s(model::DeviceKind::cpu);
  const auto cpu = bench::to_json(config);
  config.call_budget_s = bench::usual_call_budget_s(model::DeviceKind::cuda);
  return {cpu, bench::to_json(config)};
}

}  // namespace fib::cmd
