#include "worker/judge_messages.h"

#include "worker/wire_fields.h"

namespace fib::worker {

void fields(auto& wire, Either<SetId> auto& m) {
  wire.text(m.owner);
  wire.number(m.call);
  wire.flag(m.is_scaled);
}

void fields(auto& wire, Either<SetRequest> auto& m) {
  wire.number(m.door);
  fields(wire, m.set);
}

void fields(auto& wire, Either<SetsRequest> auto& m) {
  wire.number(m.door);
  wire.list(m.sets, 13, [&](auto& set) { fields(wire, set); });
  wire.flag(m.in_private);
}

void fields(auto& wire, Either<CompareRequest> auto& m) {
  fields(wire, m.set);
  wire.number(m.outputs);
  wire.flag(m.fills_next);
  fields(wire, m.next);
  wire.flag(m.in_private);
}

void fields(auto& wire, Either<KnowsAnswer> auto& m) { wire.flag(m.known); }
void fields(auto& wire, Either<LookedAround> auto& m) { wire.flag(m.is_idle); }

void fields(auto& wire, Either<Counted> auto& m) {
  wire.text(m.problem);
  wire.number(m.busy_ns);
  wire.number(m.engine_ns);
  wire.number(m.bus_bytes);
}

void fields(auto& wire, Either<CopiesTimed> auto& m) { wire.number(m.ns); }

void fields(auto& wire, Either<DeviceState> auto& m) {
  wire.text(m.hardware);
  wire.text(m.flush);
  wire.text(m.state);
}

void fields(auto& wire, Either<JudgeOpened> auto& m) {
  wire.number(m.workload);
  fields(wire, m.layout);
  wire.flag(m.inputs_fixed);
  wire.number(m.calls_wanted);
  wire.number(m.repeats_wanted);
}

void fields(auto& wire, Either<Attach> auto& m) {
  wire.number(m.workload);
  wire.flag(m.on_device);
  wire.flag(m.of_solution);
  wire.number(m.places);
  wire.flag(m.has_private);
}

void fields(auto& wire, Either<Attached> auto& m) {
  wire.number(m.door);
  wire.flag(m.on_device);
  wire.number(m.places);
  wire.flag(m.has_private);
}

void fields(auto& wire, Either<DifferRequest> auto& m) {
  wire.number(m.door);
  wire.number(m.expected);
}

void fields(auto& wire, Either<Differed> auto& m) {
  wire.list(m.outputs, 1, [&](auto& one) {
    wire.choice(one.rule, eval::Agreement::kDraws, "a rule of agreement");
    wire.number(one.count);
    wire.number(one.differing);
    wire.number(one.other_class);
    wire.number(one.ulps);
    wire.number(one.relative);
    wire.number(one.absolute);
    wire.number(one.first);
    wire.text(one.got_text);
    wire.text(one.expected_text);
  });
}

void fields(auto& wire, Either<Number> auto& m) { wire.number(m.value); }

void fields(auto& wire, Either<eval::Mismatch> auto& m) {
  wire.text(m.output);
  wire.numbers(m.index);
  wire.text(m.got);
  wire.text(m.expected);
  wire.number(m.wrong);
  wire.number(m.unwritten);
  wire.number(m.elements);
  wire.text(m.pattern);
}

// Errors may be infinite, or NaN.
void fields(auto& wire, Either<eval::Judgement> auto& judgement) {
  wire.flag(judgement.correct);
  wire.number(judgement.max_absolute_error);
  wire.number(judgement.max_relative_error);
  wire.number(judgement.matched_ratio);
  wire.text(judgement.explanation);
  wire.maybe(judgement.mismatch, [&](auto& mismatch) { fields(wire, mismatch); });
}

void fields(auto& wire, Either<Verdict> auto& m) { fields(wire, m.judgement); }

void fields(auto& wire, Either<Concluded> auto& m) {
  fields(wire, m.judgement);
  wire.text(m.extra);
  wire.texts(m.zeros_pass);
}

std::string SetRequest::encode() const { return encoded(*this); }
SetRequest SetRequest::decode(const std::string& payload) { return decoded<SetRequest>(payload); }

std::string SetsRequest::encode() const { return encoded(*this); }
SetsRequest SetsRequest::decode(const std::string& payload) { return decoded<SetsRequest>(payload); }

std::string CompareRequest::encode() const { return encoded(*this); }
CompareRequest CompareRequest::decode(const std::string& payload) { return decoded<CompareRequest>(payload); }

std::string LookedAround::encode() const { return encoded(*this); }
LookedAround LookedAround::decode(const std::string& payload) { return decoded<LookedAround>(payload); }

std::string CopiesTimed::encode() const { return encoded(*this); }
CopiesTimed CopiesTimed::decode(const std::string& payload) { return decoded<CopiesTimed>(payload); }

std::string Counted::encode() const { return encoded(*this); }
Counted Counted::decode(const std::string& payload) { return decoded<Counted>(payload); }

std::string KnowsAnswer::encode() const { return encoded(*this); }
KnowsAnswer KnowsAnswer::decode(const std::string& payload) { return decoded<KnowsAnswer>(payload); }

std::string DeviceState::encode() const { return encoded(*this); }
DeviceState DeviceState::decode(const std::string& payload) { return decoded<DeviceState>(payload); }

std::string JudgeOpened::encode() const { return encoded(*this); }
JudgeOpened JudgeOpened::decode(const std::string& payload) { return decoded<JudgeOpened>(payload); }

std::string Attach::encode() const { return encoded(*this); }
Attach Attach::decode(const std::string& payload) { return decoded<Attach>(payload); }

std::string Attached::encode() const { return encoded(*this); }
Attached Attached::decode(const std::string& payload) { return decoded<Attached>(payload); }

std::string DifferRequest::encode() const { return encoded(*this); }
DifferRequest DifferRequest::decode(const std::string& payload) { return decoded<DifferRequest>(payload); }

std::string Differed::encode() const { return encoded(*this); }
Differed Differed::decode(const std::string& payload) { return decoded<Differed>(payload); }

std::string Number::encode() const { return encoded(*this); }
Number Number::decode(const std::string& payload) { return decoded<Number>(payload); }

std::string Verdict::encode() const { return encoded(*this); }
Verdict Verdict::decode(const std::string& payload) { return decoded<Verdict>(payload); }

std::string Concluded::encode() const { return encoded(*this); }
Concluded Concluded::decode(const std::string& payload) { return decoded<Concluded>(payload); }

}  // namespace fib::worker
