#include "worker/messages.h"

#include <cmath>

namespace fib::worker {
namespace {

void put_slots(WireWriter& out, const std::vector<eval::Slot>& slots) {
  out.number(static_cast<std::uint32_t>(slots.size()));
  for (const auto& slot : slots) {
    out.text(slot.name)
        .number(static_cast<std::uint8_t>(slot.dtype))
        .number(static_cast<std::uint8_t>(slot.scalar));
    out.numbers(slot.shape).number(slot.offset).number(slot.bytes);
  }
}

constexpr std::uint8_t kNoDType = 255;

std::optional<tensor::DType> take_dtype_or_none(WireReader& in) {
  const auto value = in.number<std::uint8_t>();
  if (value == kNoDType) return std::nullopt;
  if (value > static_cast<std::uint8_t>(tensor::DType::kBool))
    throw ProtocolError("{} is not a dtype", value);
  return static_cast<tensor::DType>(value);
}

tensor::DType take_dtype(WireReader& in) {
  const auto dtype = take_dtype_or_none(in);
  if (!dtype) throw ProtocolError("a dtype is missing");
  return *dtype;
}

bool take_bool(WireReader& in) {
  const auto value = in.number<std::uint8_t>();
  if (value > 1) throw ProtocolError("{} is not a boolean", value);
  return value == 1;
}

std::vector<eval::Slot> take_slots(WireReader& in) {
  std::vector<eval::Slot> slots;
  for (auto left = in.count(1); left > 0; --left) {
    eval::Slot slot;
    slot.name = in.text();
    slot.dtype = take_dtype(in);
    slot.scalar = take_bool(in);
    slot.shape = in.numbers<std::int64_t>();
    slot.offset = in.number<std::uint64_t>();
    slot.bytes = in.number<std::uint64_t>();
    slots.push_back(std::move(slot));
  }
  return slots;
}

void put_layout(WireWriter& out, const eval::Layout& layout) {
  put_slots(out, layout.inputs);
  put_slots(out, layout.outputs);
  out.numbers(layout.axes).number(layout.input_bytes).number(layout.output_bytes);
}

eval::Layout take_layout(WireReader& in) {
  eval::Layout layout;
  layout.inputs = take_slots(in);
  layout.outputs = take_slots(in);
  layout.axes = in.numbers<std::int64_t>();
  layout.input_bytes = in.number<std::uint64_t>();
  layout.output_bytes = in.number<std::uint64_t>();
  return layout;
}

void put_texts(WireWriter& out, const std::vector<std::string>& texts) {
  out.number(static_cast<std::uint32_t>(texts.size()));
  for (const auto& text : texts) out.text(text);
}

std::vector<std::string> take_texts(WireReader& in) {
  std::vector<std::string> texts;
  for (auto left = in.count(4); left > 0; --left) texts.push_back(in.text());
  return texts;
}

void put_sizes(WireWriter& out, const std::array<std::uint32_t, 3>& sizes) {
  for (const auto size : sizes) out.number(size);
}

std::array<std::uint32_t, 3> take_sizes(WireReader& in) {
  std::array<std::uint32_t, 3> sizes{};
  for (auto& size : sizes) size = in.number<std::uint32_t>();
  return sizes;
}

void put_plan(WireWriter& out, const compile::ResolvedPlan& plan) {
  out.number(static_cast<std::uint32_t>(plan.launches.size()));
  for (const auto& launch : plan.launches) {
    out.text(launch.kernel).text(launch.symbol);
    put_sizes(out, launch.grid);
    put_sizes(out, launch.block);
    put_sizes(out, launch.cluster);
    out.number(launch.shared_memory).number(static_cast<std::uint8_t>(launch.cooperative));
    out.number(static_cast<std::uint32_t>(launch.arguments.size()));
    for (const auto& argument : launch.arguments) {
      out.number(static_cast<std::uint8_t>(argument.kind)).number(argument.value);
    }
  }
  out.numbers(plan.workspaces);
}

compile::ResolvedArgument take_argument(WireReader& in) {
  using Kind = compile::LaunchArgument::Kind;
  const auto kind = in.number<std::uint8_t>();
  if (kind > static_cast<std::uint8_t>(Kind::kInteger))
    throw ProtocolError("{} is not a kind of argument", kind);
  return {static_cast<Kind>(kind), in.number<std::int64_t>()};
}

compile::ResolvedPlan take_plan(WireReader& in) {
  compile::ResolvedPlan plan;
  for (auto left = in.count(1); left > 0; --left) {
    compile::ResolvedLaunch launch;
    launch.kernel = in.text();
    launch.symbol = in.text();
    launch.grid = take_sizes(in);
    launch.block = take_sizes(in);
    launch.cluster = take_sizes(in);
    launch.shared_memory = in.number<std::uint32_t>();
    launch.cooperative = take_bool(in);
    for (auto arguments = in.count(9); arguments > 0; --arguments)
      launch.arguments.push_back(take_argument(in));
    plan.launches.push_back(std::move(launch));
  }
  plan.workspaces = in.numbers<std::uint64_t>();
  return plan;
}

template <typename Enum>
Enum take_enum(WireReader& in, Enum last, const char* what) {
  const auto value = in.number<std::uint8_t>();
  if (value > static_cast<std::uint8_t>(last)) throw ProtocolError("{} is not {}", value, what);
  return static_cast<Enum>(value);
}

double take_finite(WireReader& in) {
  const auto value = in.number<double>();
  if (!std::isfinite(value)) throw ProtocolError("a time is not a finite number");
  return value;
}

double take_amount(WireReader& in) {
  const double value = take_finite(in);
  if (value < 0) throw ProtocolError("a time is negative");
  return value;
}

void put_device(WireWriter& out, const UseDevice& device) {
  out.text(device.uuid).text(device.kernels_path).number(static_cast<std::uint8_t>(device.flush));
  out.number(device.awake_us);
}

UseDevice take_device(WireReader& in) {
  UseDevice device;
  device.uuid = in.text();
  device.kernels_path = in.text();
  device.flush = take_enum(in, Flush::kNone, "a kind of flush");
  device.awake_us = in.number<std::uint32_t>();
  return device;
}

void put_set(WireWriter& out, const SetRequest& request) {
  out.number(request.door).text(request.set.solution_sha256).number(request.set.call);
}

void take_set(WireReader& in, SetRequest& request) {
  request.door = in.number<std::uint32_t>();
  request.set.solution_sha256 = in.text();
  request.set.call = in.number<std::uint64_t>();
}

void put_judgement(WireWriter& out, const eval::Judgement& judgement) {
  out.number(static_cast<std::uint8_t>(judgement.correct)).number(judgement.max_absolute_error);
  out.number(judgement.max_relative_error).number(judgement.matched_ratio);
  out.text(judgement.explanation);
}

void take_judgement(WireReader& in, eval::Judgement& judgement) {
  judgement.correct = take_bool(in);
  judgement.max_absolute_error = in.number<double>();
  judgement.max_relative_error = in.number<double>();
  judgement.matched_ratio = in.number<double>();
  judgement.explanation = in.text();
}

// Reads all fields of one message and makes sure that nothing follows them.
template <typename T, typename Fields>
T decode_all(const std::string& payload, Fields fields) {
  WireReader in(payload);
  T value;
  fields(in, value);
  in.finish();
  return value;
}

}  // namespace

std::string Hello::encode() const { return WireWriter().text(build_id).payload(); }
Hello Hello::decode(const std::string& payload) {
  return decode_all<Hello>(payload, [](WireReader& in, Hello& m) { m.build_id = in.text(); });
}

std::string WorkerError::encode() const { return WireWriter().text(text).payload(); }
WorkerError WorkerError::decode(const std::string& payload) {
  return decode_all<WorkerError>(payload, [](WireReader& in, WorkerError& m) { m.text = in.text(); });
}

std::string name_of(Flush flush) {
  return flush == Flush::kClean ? "clean" : flush == Flush::kDirty ? "dirty" : "none";
}

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
  }
  return "?";
}

std::string UseDevice::encode() const {
  WireWriter out;
  put_device(out, *this);
  return out.payload();
}
UseDevice UseDevice::decode(const std::string& payload) {
  return decode_all<UseDevice>(payload, [](WireReader& in, UseDevice& m) { m = take_device(in); });
}

std::string Load::encode() const {
  WireWriter out;
  out.number(static_cast<std::uint8_t>(kind));
  put_device(out, device);
  out.text(files).text(symbol).number(static_cast<std::uint8_t>(returns_status)).number(threads);
  return out.number(data_limit_bytes).payload();
}
Load Load::decode(const std::string& payload) {
  return decode_all<Load>(payload, [](WireReader& in, Load& m) {
    m.kind = take_enum(in, TargetKind::kPython, "a target");
    m.device = take_device(in);
    m.files = in.text();
    m.symbol = in.text();
    m.returns_status = take_bool(in);
    m.threads = in.number<std::uint32_t>();
    m.data_limit_bytes = in.number<std::uint64_t>();
  });
}

std::string Loaded::encode() const {
  WireWriter out;
  out.text(engine).number(static_cast<std::uint8_t>(sandbox.mounts));
  return out.number(static_cast<std::uint32_t>(sandbox.landlock)).text(no_tracer).payload();
}
Loaded Loaded::decode(const std::string& payload) {
  return decode_all<Loaded>(payload, [](WireReader& in, Loaded& m) {
    m.engine = in.text();
    m.sandbox.mounts = take_bool(in);
    m.sandbox.landlock = static_cast<int>(in.number<std::uint32_t>());
    m.no_tracer = in.text();
  });
}

std::string Open::encode() const {
  WireWriter out;
  put_layout(out, layout);
  put_plan(out, plan);
  return out.number(static_cast<std::uint8_t>(on_device)).payload();
}
Open Open::decode(const std::string& payload) {
  return decode_all<Open>(payload, [](WireReader& in, Open& m) {
    m.layout = take_layout(in);
    m.plan = take_plan(in);
    m.on_device = take_bool(in);
  });
}

std::string CallRequest::encode() const {
  return WireWriter().number(static_cast<std::uint8_t>(clock)).payload();
}
CallRequest CallRequest::decode(const std::string& payload) {
  return decode_all<CallRequest>(payload, [](WireReader& in, CallRequest& m) {
    m.clock = take_enum(in, Clock::kEventSegments, "a clock");
  });
}

std::string Done::encode() const {
  WireWriter out;
  out.number(elapsed_ns).number(host_ns).number(static_cast<std::uint8_t>(covered)).number(clock_mhz);
  out.number(segments).number(empty_pair_ns);
  out.number(kernels).number(copies).number(streams).number(static_cast<std::uint8_t>(dropped));
  return out.number(busy_ns).number(span_ns).payload();
}
Done Done::decode(const std::string& payload) {
  return decode_all<Done>(payload, [](WireReader& in, Done& m) {
    m.elapsed_ns = take_finite(in);
    m.host_ns = take_amount(in);
    m.covered = take_bool(in);
    m.clock_mhz = take_amount(in);
    m.segments = in.number<std::uint32_t>();
    m.empty_pair_ns = take_amount(in);
    m.kernels = in.number<std::uint32_t>();
    m.copies = in.number<std::uint32_t>();
    m.streams = in.number<std::uint32_t>();
    m.dropped = take_bool(in);
    m.busy_ns = take_amount(in);
    m.span_ns = take_amount(in);
  });
}

std::string Collected::encode() const {
  WireWriter out;
  out.number(static_cast<std::uint8_t>(inputs_changed)).number(static_cast<std::uint32_t>(outputs.size()));
  for (const auto& claim : outputs) {
    out.number(claim.dtype ? static_cast<std::uint8_t>(*claim.dtype) : kNoDType).numbers(claim.shape);
  }
  return out.number(tied_rows).payload();
}
Collected Collected::decode(const std::string& payload) {
  return decode_all<Collected>(payload, [](WireReader& in, Collected& m) {
    m.inputs_changed = take_bool(in);
    for (auto left = in.count(5); left > 0; --left) {
      eval::OutputClaim claim;
      claim.dtype = take_dtype_or_none(in);
      claim.shape = in.numbers<std::int64_t>();
      m.outputs.push_back(std::move(claim));
    }
    m.tied_rows = in.number<std::uint64_t>();
  });
}

std::string SetRequest::encode() const {
  WireWriter out;
  put_set(out, *this);
  return out.payload();
}
SetRequest SetRequest::decode(const std::string& payload) {
  return decode_all<SetRequest>(payload, take_set);
}

std::string CompareRequest::encode() const {
  WireWriter out;
  put_set(out, set);
  return out.number(outputs).payload();
}
CompareRequest CompareRequest::decode(const std::string& payload) {
  return decode_all<CompareRequest>(payload, [](WireReader& in, CompareRequest& m) {
    take_set(in, m.set);
    m.outputs = in.number<std::uint32_t>();
  });
}

std::string DeviceState::encode() const {
  return WireWriter().text(hardware).text(flush).text(state).payload();
}
DeviceState DeviceState::decode(const std::string& payload) {
  return decode_all<DeviceState>(payload, [](WireReader& in, DeviceState& m) {
    m.hardware = in.text();
    m.flush = in.text();
    m.state = in.text();
  });
}

std::string JudgeOpened::encode() const {
  WireWriter out;
  out.number(workload);
  put_layout(out, layout);
  return out.number(static_cast<std::uint8_t>(inputs_fixed))
      .number(calls_wanted)
      .number(repeats_wanted)
      .payload();
}
JudgeOpened JudgeOpened::decode(const std::string& payload) {
  return decode_all<JudgeOpened>(payload, [](WireReader& in, JudgeOpened& m) {
    m.workload = in.number<std::uint32_t>();
    m.layout = take_layout(in);
    m.inputs_fixed = take_bool(in);
    m.calls_wanted = in.number<std::uint64_t>();
    m.repeats_wanted = in.number<std::uint64_t>();
  });
}

std::string Known::encode() const { return WireWriter().number(static_cast<std::uint8_t>(known)).payload(); }
Known Known::decode(const std::string& payload) {
  return decode_all<Known>(payload, [](WireReader& in, Known& m) { m.known = take_bool(in); });
}

std::string Attach::encode() const {
  return WireWriter()
      .number(workload)
      .number(static_cast<std::uint8_t>(on_device))
      .number(static_cast<std::uint8_t>(of_solution))
      .payload();
}
Attach Attach::decode(const std::string& payload) {
  return decode_all<Attach>(payload, [](WireReader& in, Attach& m) {
    m.workload = in.number<std::uint32_t>();
    m.on_device = take_bool(in);
    m.of_solution = take_bool(in);
  });
}

std::string DifferRequest::encode() const { return WireWriter().number(door).number(expected).payload(); }
DifferRequest DifferRequest::decode(const std::string& payload) {
  return decode_all<DifferRequest>(payload, [](WireReader& in, DifferRequest& m) {
    m.door = in.number<std::uint32_t>();
    m.expected = in.number<std::uint32_t>();
  });
}

std::string Differed::encode() const {
  WireWriter out;
  out.number(static_cast<std::uint32_t>(outputs.size()));
  for (const auto& one : outputs) {
    out.number(static_cast<std::uint8_t>(one.rule)).number(one.count).number(one.differing);
    out.number(one.other_class).number(one.ulps).number(one.relative).number(one.absolute);
    out.number(one.first).text(one.got_text).text(one.expected_text);
  }
  return out.payload();
}
Differed Differed::decode(const std::string& payload) {
  return decode_all<Differed>(payload, [](WireReader& in, Differed& m) {
    for (auto left = in.count(1); left > 0; --left) {
      eval::OutputDifference one;
      one.rule = take_enum(in, eval::Agreement::kDraws, "a rule of agreement");
      one.count = in.number<std::uint64_t>();
      one.differing = in.number<std::uint64_t>();
      one.other_class = in.number<std::uint64_t>();
      one.ulps = in.number<double>();
      one.relative = in.number<double>();
      one.absolute = in.number<double>();
      one.first = in.number<std::uint64_t>();
      one.got_text = in.text();
      one.expected_text = in.text();
      m.outputs.push_back(std::move(one));
    }
  });
}

std::string Number::encode() const { return WireWriter().number(value).payload(); }
Number Number::decode(const std::string& payload) {
  return decode_all<Number>(payload, [](WireReader& in, Number& m) { m.value = in.number<std::uint32_t>(); });
}

std::string Attached::encode() const {
  return WireWriter().number(door).number(static_cast<std::uint8_t>(on_device)).payload();
}
Attached Attached::decode(const std::string& payload) {
  return decode_all<Attached>(payload, [](WireReader& in, Attached& m) {
    m.door = in.number<std::uint32_t>();
    m.on_device = take_bool(in);
  });
}

std::string Verdict::encode() const {
  WireWriter out;
  put_judgement(out, judgement);
  return out.payload();
}
Verdict Verdict::decode(const std::string& payload) {
  return decode_all<Verdict>(payload, [](WireReader& in, Verdict& m) { take_judgement(in, m.judgement); });
}

std::string Concluded::encode() const {
  WireWriter out;
  put_judgement(out, judgement);
  return out.text(extra).payload();
}
Concluded Concluded::decode(const std::string& payload) {
  return decode_all<Concluded>(payload, [](WireReader& in, Concluded& m) {
    take_judgement(in, m.judgement);
    m.extra = in.text();
  });
}

std::string Spawn::encode() const {
  WireWriter out;
  out.number(id);
  put_texts(out, arguments);
  put_texts(out, environment);
  return out.text(folder).number(file_size_limit).number(memory_limit).payload();
}
Spawn Spawn::decode(const std::string& payload) {
  return decode_all<Spawn>(payload, [](WireReader& in, Spawn& m) {
    m.id = in.number<std::uint32_t>();
    m.arguments = take_texts(in);
    m.environment = take_texts(in);
    m.folder = in.text();
    m.file_size_limit = in.number<std::uint64_t>();
    m.memory_limit = in.number<std::uint64_t>();
  });
}

std::string Spawned::encode() const {
  return WireWriter()
      .number(id)
      .number(pid)
      .text(error)
      .number(static_cast<std::uint8_t>(memory_group))
      .payload();
}
Spawned Spawned::decode(const std::string& payload) {
  return decode_all<Spawned>(payload, [](WireReader& in, Spawned& m) {
    m.id = in.number<std::uint32_t>();
    m.pid = in.number<std::int32_t>();
    m.error = in.text();
    m.memory_group = take_bool(in);
  });
}

std::string Exited::encode() const {
  return WireWriter()
      .number(id)
      .number(wait_status)
      .number(static_cast<std::uint8_t>(memory_exhausted))
      .payload();
}
Exited Exited::decode(const std::string& payload) {
  return decode_all<Exited>(payload, [](WireReader& in, Exited& m) {
    m.id = in.number<std::uint32_t>();
    m.wait_status = in.number<std::int32_t>();
    m.memory_exhausted = take_bool(in);
  });
}

}  // namespace fib::worker
