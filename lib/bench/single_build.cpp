#include "bench/single_build.h"

#include <utility>

namespace fib::bench {

BuildOutcome build_single(const Session& session, const RunConfig& config, const model::Solution& solution,
                          const model::Definition& definition) {
  const Environment& environment = session.environment();
  const BuildJob job{&solution, &definition,
                     build_target(environment, environment.devices.front().architecture, config)};
  auto built = build_all(
      session.spawner(), session.children(), {job}, environment.cache, config.build_timeout_s, 1,
      [](const auto&, const auto&) {}, [&] { return session.interrupted().load(); });
  if (built.empty()) return {{}, "interrupted"};
  return std::move(built.begin()->second);
}

}  // namespace fib::bench
