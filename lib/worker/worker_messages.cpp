#include "worker/worker_messages.h"

#include "worker/wire_fields.h"

namespace fib::worker {

void fields(auto& wire, Either<Confine> auto& m) {
  wire.text(m.files);
  wire.text(m.runtime);
  wire.flag(m.on_cuda);
  wire.flag(m.runs_kernels_alone);
}

void fields(auto& wire, Either<Start> auto& m) {
  wire.choice(m.kind, TargetKind::kPython, "a target");
  fields(wire, m.device);
  wire.number(m.threads);
  wire.number(m.data_limit_bytes);
}

void fields(auto& wire, Either<Load> auto& m) {
  wire.text(m.symbol);
  wire.text(m.extension);
  wire.flag(m.returns_status);
  wire.flag(m.returns_values);
  wire.flag(m.has_jit_files);
}

void fields(auto& wire, Either<Loaded> auto& m) {
  wire.text(m.engine);
  wire.flag(m.sandbox.mounts);
  wire.number(m.sandbox.landlock);
  wire.text(m.no_tracer);
}

void sizes(auto& wire, auto& three) {
  for (auto& size : three) wire.number(size);
}

void fields(auto& wire, Either<compile::ResolvedPlan> auto& plan) {
  wire.list(plan.launches, 1, [&](auto& launch) {
    wire.text(launch.kernel);
    wire.text(launch.symbol);
    sizes(wire, launch.grid);
    sizes(wire, launch.block);
    sizes(wire, launch.cluster);
    wire.number(launch.shared_memory);
    wire.flag(launch.cooperative);
    wire.list(launch.arguments, 9, [&](auto& argument) {
      wire.choice(argument.kind, compile::LaunchArgument::Kind::kInteger, "a kind of argument");
      wire.number(argument.value);
    });
  });
  wire.numbers(plan.workspaces);
}

void fields(auto& wire, Either<Open> auto& m) {
  fields(wire, m.layout);
  fields(wire, m.plan);
  wire.flag(m.on_device);
  wire.number(m.places);
  wire.flag(m.has_private);
  wire.flag(m.is_solutions);
}

void fields(auto& wire, Either<Packed> auto& m) { wire.number(m.bytes); }

void fields(auto& wire, Either<CallRequest> auto& m) { wire.choice(m.clock, Clock::kNone, "a clock"); }

void fields(auto& wire, Either<CallsRequest> auto& m) {
  wire.choice(m.clock, Clock::kNone, "a clock");
  wire.number(m.first_place);
  wire.number(m.count);
}

void fields(auto& wire, Either<Done> auto& m) {
  wire.time(m.elapsed_ns);
  wire.amount(m.host_ns);
  wire.flag(m.covered);
  wire.amount(m.clock_mhz);
  wire.number(m.segments);
  wire.amount(m.empty_pair_ns);
  wire.amount(m.around_ns);
  wire.amount(m.empty_around_ns);
  wire.number(m.kernels);
  wire.number(m.copies);
  wire.number(m.streams);
  wire.flag(m.dropped);
  wire.amount(m.busy_ns);
  wire.amount(m.span_ns);
  wire.list(m.uses, 1, [&](auto& use) {
    wire.text(use.launch.symbol);
    sizes(wire, use.launch.grid);
    sizes(wire, use.launch.block);
    wire.number(use.launch.registers);
    wire.number(use.launch.local_bytes);
    wire.number(use.launch.static_shared_bytes);
    wire.number(use.launch.dynamic_shared_bytes);
    wire.number(use.times);
    wire.amount(use.busy_ns);
  });
  if (m.uses.size() > kMostKernelUses) throw ProtocolError("{} kernels of a call", m.uses.size());
  wire.text(m.refused_launch);
}

void fields(auto& wire, Either<Collected> auto& m) {
  wire.flag(m.inputs_changed);
  wire.list(m.outputs, 5, [&](auto& claim) {
    wire.dtype_or_none(claim.dtype);
    wire.numbers(claim.shape);
  });
  wire.number(m.tied_rows);
}

void fields(auto& wire, Either<Called> auto& m) {
  wire.list(m.calls, 1, [&](auto& call) {
    fields(wire, call.done);
    fields(wire, call.collected);
  });
}

std::string Confine::encode() const { return encoded(*this); }
Confine Confine::decode(const std::string& payload) { return decoded<Confine>(payload); }

std::string Start::encode() const { return encoded(*this); }
Start Start::decode(const std::string& payload) { return decoded<Start>(payload); }

std::string Load::encode() const { return encoded(*this); }
Load Load::decode(const std::string& payload) { return decoded<Load>(payload); }

std::string Loaded::encode() const { return encoded(*this); }
Loaded Loaded::decode(const std::string& payload) { return decoded<Loaded>(payload); }

std::string Open::encode() const { return encoded(*this); }
Open Open::decode(const std::string& payload) { return decoded<Open>(payload); }

std::string Packed::encode() const { return encoded(*this); }
Packed Packed::decode(const std::string& payload) { return decoded<Packed>(payload); }

std::string CallRequest::encode() const { return encoded(*this); }
CallRequest CallRequest::decode(const std::string& payload) { return decoded<CallRequest>(payload); }

std::string CallsRequest::encode() const { return encoded(*this); }
CallsRequest CallsRequest::decode(const std::string& payload) { return decoded<CallsRequest>(payload); }

std::string Done::encode() const { return encoded(*this); }
Done Done::decode(const std::string& payload) { return decoded<Done>(payload); }

std::string Collected::encode() const { return encoded(*this); }
Collected Collected::decode(const std::string& payload) { return decoded<Collected>(payload); }

std::string Called::encode() const { return encoded(*this); }
Called Called::decode(const std::string& payload) { return decoded<Called>(payload); }

bool is_by_cupti(Clock clock) { return clock == Clock::kCuptiKernel || clock == Clock::kCuptiConcurrent; }

std::string name_of(Clock clock) {
  switch (clock) {
    case Clock::kHost:
      return "monotonic";
    case Clock::kEvents:
      return "events";
    case Clock::kOpenEvents:
      return "open-events";
    case Clock::kCuptiKernel:
      return "cupti-kernel";
    case Clock::kCuptiConcurrent:
      return "cupti-concurrent";
    case Clock::kEventSegments:
      return "event-segments";
    case Clock::kCounters:
      return "counters";
    case Clock::kNone:
      return "none";
  }
  return "?";
}

}  // namespace fib::worker
