#include "bench/work_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "bench/claims.h"
#include "eval/statistics.h"

namespace fib::bench {
namespace {

// What may be at work beyond claims and fib's own work (docs/measuring.md says what was seen).
constexpr double kSlackMs = 0.001;
constexpr double kShareOfOwn = 0.04;
constexpr double kShareOfClaim = 0.1;
// The same for the engine: it comes to the solution's process once in a count, and is at work for a while
// longer for each kernel, copy or set that the host queues when those before have ended. Claims have no such
// gaps; a part of them is no shorter than this.
constexpr double kComingMs = 0.3;
constexpr double kGapMs = 0.0015;
constexpr double kShortestPartMs = 0.0006;
// Copies of outputs leave lines in the L2 cache that have to be written back under what comes next: on an
// H200 calls that return 16 or 32 MB read up to 4.5 us more by the engine's counter than those that return 8
// MB.
constexpr double kEngineShareOfOwn = 0.25;
// What goes over the bus to the host, or comes from it, beyond what takes as long as is claimed on the
// fastest bus (PCI Express 6.0, 16 lanes): messages of fib's, arguments of kernels, results that the host
// waits for.
constexpr double kMostBusBytes = 65'536;
constexpr double kBusBytesPerMs = 128e6;
// A count tells of other workloads where it saw that many times what it leaves open.
constexpr double kTelling = 1.5;
// Limits of claimed_ms().
constexpr double kMostOfUsual = 2;
constexpr double kMostMeanOfUsual = 1.05;
// How much longer a counted call may take than a timed one by the coordinator's clock. Nothing is copied, and
// nothing waits for a queue, but the workload is opened: 0.2 ms in C, and up to 1.2 ms in Python.
constexpr double kMostOfWall = 3;
constexpr double kUsualBesideMs = 0.3;
constexpr double kMostBeyondWallMs = 0.7;
constexpr double kMostBeyondWallInPythonMs = 2.2;
// How much more of the CPUs the worker's other threads may use in a counted call than in a timed one. Most
// have nothing to do but what the driver lets its own do; those of Python's packages sleep.
constexpr double kMostOfOthers = 1.5;
// In nine of ten calls: where threads are started in each call, a tenth of them use 2 to 2.5 times as much as
// the median.
constexpr double kMostOfLongOthers = 3;
constexpr double kMostOthersMs = 0.1;
constexpr double kMostOthersInPythonMs = 0.5;

double slack_ms(const CountedWork& counted) {
  return kSlackMs + kShareOfOwn * counted.own_ms + kShareOfClaim * counted.claimed_ms;
}

double most_others_ms(const UsualCall& usual, double times) {
  return times * usual.others_ms + (usual.in_python ? kMostOthersInPythonMs : kMostOthersMs);
}

// What the engine may be at work for besides.
double engine_slack_ms(const CountedWork& counted) {
  const double most_parts = counted.claimed_ms / kShortestPartMs;
  const double parts =
      counted.parts == 0 ? most_parts : std::min(static_cast<double>(counted.parts), most_parts);
  return slack_ms(counted) + kEngineShareOfOwn * counted.own_ms +
         kComingMs / static_cast<double>(counted.calls) + kGapMs * parts;
}

}  // namespace

double claimed_ms(const std::vector<std::vector<double>>& trials_ms) {
  auto claims = joined(trials_ms);
  const double usual = std::min(eval::median(claims), eval::mean(medians(trials_ms)));
  for (double& claim : claims) claim = std::min(claim, kMostOfUsual * usual);
  return std::min(eval::mean(claims), kMostMeanOfUsual * usual);
}

double usual_beside_ms(const Measurement& m) {
  const auto claims = joined(m.trials_ms);
  double beside_ms = m.walls_ms.at(0);
  for (std::size_t i = 0; i < claims.size(); ++i)
    beside_ms = std::min(beside_ms, std::max(0.0, m.walls_ms.at(i) - claims[i]));
  return beside_ms;
}

double usual_wall_ms(const Measurement& m) { return usual_beside_ms(m) + claimed_ms(m.trials_ms); }

double usual_others_ms(const Measurement& m) { return m.others_ms.empty() ? 0 : eval::median(m.others_ms); }

double most_wall_ms(const UsualCall& usual) {
  // What a timed call waits around its work is the solution's to make longer.
  const double more_ms = std::max(0.0, usual.beside_ms - kUsualBesideMs);
  return kMostOfWall * (usual.wall_ms - more_ms) + more_ms +
         (usual.in_python ? kMostBeyondWallInPythonMs : kMostBeyondWallMs);
}

std::optional<std::string> unclaimed_work(const CountedWork& counted) {
  if (counted.calls == 0) return std::nullopt;
  const auto is_beyond = [&](double seen_ms, double slack_ms) {
    return seen_ms - counted.own_ms - counted.claimed_ms > slack_ms;
  };
  const auto sentence = [&](std::string_view what, double seen_ms) {
    return fmt::format(
        "the device's own counters saw its {} at work for {:.4f} ms a call, and the calls claim {:.4f} ms",
        what, seen_ms - counted.own_ms, counted.claimed_ms);
  };
  if (is_beyond(counted.busy_ms, slack_ms(counted))) return sentence("multiprocessors", counted.busy_ms);
  if (is_beyond(counted.engine_ms, engine_slack_ms(counted)))
    return sentence("engine for kernels", counted.engine_ms);
  if (counted.bus_bytes > kMostBusBytes + kBusBytesPerMs * counted.claimed_ms)
    return fmt::format(
        "the device exchanged {:.0f} bytes a call with the host, and the {:.4f} ms that the calls claim are "
        "too short for that",
        counted.bus_bytes, counted.claimed_ms);
  return std::nullopt;
}

bool is_slow(const CountedWork& counted, const UsualCall& usual) {
  return counted.long_wall_ms > most_wall_ms(usual);
}

bool computes_beside(const CountedWork& counted, const UsualCall& usual) {
  const double of_a_core_ms = std::max(usual.wall_ms, kMostOthersInPythonMs);
  return counted.others_ms > most_others_ms(usual, kMostOfOthers) ||
         counted.long_others_ms > std::min(most_others_ms(usual, kMostOfLongOthers), of_a_core_ms);
}

bool tells_of_others(const CountedWork& counted) {
  return counted.engine_ms - counted.own_ms > kTelling * engine_slack_ms(counted);
}

}  // namespace fib::bench
