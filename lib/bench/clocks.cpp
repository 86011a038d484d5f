#include "bench/clocks.h"

#include "util/clock.h"

namespace fib::bench {
namespace {

using worker::Clock;

// A call on a multiprocessor slower than this share of its highest clock is made again (nvbench's threshold).
constexpr double kSlowClock = 0.75;
// How many more calls are made where the records of one are lost.
constexpr int kMoreProbes = 3;

// What a call of host code does can change from call to call, so that its clock is one that follows all calls
// alike; a launch plan queues the same kernels on one stream always.
Clock first_clock(const EvaluationParts& parts) {
  if (!parts.device.is_cuda()) return Clock::kHost;
  switch (parts.config.clock) {
    case ClockChoice::kAuto:
      return parts.has_host_code() && parts.has_tracer() ? Clock::kEventSegments : Clock::kEvents;
    case ClockChoice::kEvents:
      return Clock::kEvents;
    case ClockChoice::kEventSegments:
      return Clock::kEventSegments;
    case ClockChoice::kCuptiKernel:
      return Clock::kCuptiKernel;
    case ClockChoice::kCuptiConcurrent:
      return Clock::kCuptiConcurrent;
  }
  return Clock::kEvents;
}

bool needs_tracer(Clock clock) { return is_by_cupti(clock) || clock == Clock::kEventSegments; }

}  // namespace

Clocks::Clocks(const EvaluationParts& parts, double highest_mhz)
    : parts_(parts), highest_mhz_(highest_mhz), of_calls_(first_clock(parts)) {
  if (needs_tracer(of_calls_) && !parts.has_tracer())
    throw Error("--clock {}: {}", name_of(parts.config.clock), parts.facts.no_tracer);
}

Clock Clocks::of_looks() const {
  if (is_by_cupti(of_calls_)) return Clock::kEventSegments;
  return probe_.streams > 1 ? Clock::kCuptiConcurrent : Clock::kCuptiKernel;
}

bool Clocks::counts(const worker::Done& done, std::uint64_t most) {
  last_ = done;
  if (!done.dropped && !done.uses.empty()) uses_ = done.uses;
  const bool slow = done.clock_mhz > 0 && done.clock_mhz < kSlowClock * highest_mhz_;
  if (!(slow || done.dropped) || slow_calls_ + dropped_calls_ >= most) return true;
  ++(slow ? slow_calls_ : dropped_calls_);
  return false;
}

bool Clocks::is_undecided() const {
  return parts_.device.is_cuda() && parts_.config.clock == ClockChoice::kAuto && !parts_.has_tracer() &&
         !last_.covered;
}

void Clocks::choose(Calls& calls) {
  if (is_undecided()) of_calls_ = Clock::kOpenEvents;
  if (parts_.config.clock != ClockChoice::kAuto || !parts_.has_tracer()) return;
  probe_ = calls.make(Clock::kCuptiConcurrent).done;
  // Lost records would hide streams.
  for (int more = 0; probe_.dropped && more < kMoreProbes; ++more)
    probe_ = calls.make(Clock::kCuptiConcurrent).done;
  if (!probe_.dropped) {
    uses_ = probe_.uses;
  } else {
    probe_.kernels = probe_.copies = 0;  // What it has recorded may be a part of it.
  }
}

void Clocks::look(Calls& calls) {
  const auto done = calls.make(of_looks()).done;
  if (done.dropped) {
    ++lost_looks_;
    return;
  }
  if (!done.uses.empty()) uses_ = done.uses;
  if (is_by_cupti(of_looks())) {
    // What a call does at one place says nothing of the others: the fewest count. Without a probe none is
    // known.
    const bool is_first = probe_.kernels + probe_.copies == 0;
    probe_.kernels = is_first ? done.kernels : std::min(probe_.kernels, done.kernels);
    probe_.copies = is_first ? done.copies : std::min(probe_.copies, done.copies);
  }
  // How long the device was busy: where a call waits inside, a span has gaps of the host in it.
  looks_ms_.push_back(util::in_ms(is_by_cupti(of_looks()) ? done.busy_ns : done.elapsed_ns));
}

void Clocks::report(Measurement& m) const {
  m.clock = of_calls_;
  m.highest_clock_mhz = highest_mhz_;
  m.slow_calls = slow_calls_;
  m.dropped_calls = dropped_calls_;
  m.segments = last_.segments;
  m.empty_pair_ns = last_.empty_pair_ns;
  m.lost_records = probe_.dropped && probe_.kernels + probe_.copies == 0;
  m.kernels = probe_.kernels;
  m.copies = probe_.copies;
  m.streams = probe_.streams;
  m.kernel_uses = uses_;
  m.no_witness = parts_.facts.no_tracer;
  if (looks_ms_.empty() && lost_looks_ > 0)
    m.no_witness = "CUPTI lost records in every call that it looked at";
  m.witness_ms = looks_ms_;
  m.witness_clock = of_looks();
}

}  // namespace fib::bench
