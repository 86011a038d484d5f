#include "apply/verify.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <vector>

#include "apply/call_memory.h"
#include "apply/function.h"
#include "eval/evaluator.h"
#include "eval/host_evaluator.h"
#include "eval/rule.h"
#include "tvm_ffi/abi.h"
#include "util/error.h"

namespace fib::apply {
namespace {

constexpr unsigned kThreads = 1;                                // that compare; the others are the program's
constexpr std::uint64_t kPieceBytes = std::uint64_t{4} << 20U;  // of an input, looked at at once

void tell(const std::string& line) { std::fprintf(stderr, "fib: %s\n", line.c_str()); }

// A number that looks random (splitmix64 of Steele, Lea, Flood 2014).
std::uint64_t mixed(std::uint64_t number) {
  number = (number + 1) * 0x9e3779b97f4a7c15U;
  number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9U;
  number = (number ^ number >> 27) * 0x94d049bb133111ebU;
  return number ^ number >> 31;
}

eval::Layout layout_of(const model::Definition& definition, const arguments::Signature& signature,
                       const arguments::Case& found) {
  model::Workload workload;
  for (std::size_t i = 0; i < signature.variable_axes(); ++i)
    workload.axes.emplace_back(signature.axes()[i], found.axes[i]);
  return eval::make_layout(definition, workload);
}

// The slot of the argument at a place: inputs, then outputs.
const eval::Slot& slot_of(const eval::Layout& layout, std::size_t place) {
  return place < layout.inputs.size() ? layout.inputs[place] : layout.outputs[place - layout.inputs.size()];
}

// Which verifier compares in this thread; null: none.
const Verifier*& comparing_in_thread() {
  thread_local const Verifier* one = nullptr;
  return one;
}

// Makes it so while this object lives.
class InComparison {
 public:
  explicit InComparison(const Verifier* verifier) { comparing_in_thread() = verifier; }
  ~InComparison() { comparing_in_thread() = nullptr; }
  InComparison(const InComparison&) = delete;
  InComparison& operator=(const InComparison&) = delete;
};

// Whether an output lies in the memory of another argument: an operation in place.
bool shares_memory(const eval::Layout& layout, const Argument* arguments) {
  const std::size_t count = layout.inputs.size() + layout.outputs.size();
  for (std::size_t output = layout.inputs.size(); output < count; ++output) {
    const std::byte* begin = arguments[output].address;
    const std::byte* end = begin + slot_of(layout, output).bytes;
    for (std::size_t other = 0; other < output; ++other) {
      const eval::Slot& slot = slot_of(layout, other);
      if (slot.scalar) continue;
      const std::byte* address = arguments[other].address;
      if (begin < address + slot.bytes && address < end) return true;
    }
  }
  return false;
}

}  // namespace

// Copies of a call's arguments in one piece of memory, inputs before outputs, and what both functions made of
// them.
struct Verifier::Comparing {
  Comparing(eval::Layout of, const Argument* originals, const arguments::Case& where, void* queue,
            Devices& devices)
      : layout(std::move(of)),
        arguments(originals),
        found(where),
        memory(make_call_memory(devices, where, queue, layout.input_stride() + layout.output_stride())),
        expected(layout.output_bytes),
        got(layout.output_bytes) {
    for (const auto& output : layout.outputs)
      poison.push_back(eval::make_poison(output.dtype, mixed(poison.size())));
  }

  // Makes the copies what the arguments are, and the outputs what nobody has written. `outputs` is for this
  // use.
  void refill(std::vector<std::byte>& outputs) {
    for (std::size_t i = 0; i < layout.inputs.size(); ++i) {
      const eval::Slot& slot = layout.inputs[i];
      if (!slot.scalar) memory->copy(slot.offset, arguments[i].address, slot.bytes);
    }
    eval::fill_poison(layout, poison, outputs.data());
    memory->upload(layout.input_stride(), outputs.data(), layout.output_bytes);
  }

  void read(std::vector<std::byte>& outputs) {
    memory->download(outputs.data(), layout.input_stride(), layout.output_bytes);
  }

  [[nodiscard]] std::byte* address_of(std::size_t place) const {
    const std::uint64_t begin = place < layout.inputs.size() ? 0 : layout.input_stride();
    return memory->address() + begin + slot_of(layout, place).offset;
  }

  // Keeps the inputs as a judge has them, on the host. Before the solution is called, which may change its
  // own.
  void keep_inputs() {
    inputs.resize(layout.input_bytes);
    memory->download(inputs.data(), 0, layout.input_bytes);
    for (std::size_t i = 0; i < layout.inputs.size(); ++i) {
      const eval::Slot& slot = layout.inputs[i];
      if (slot.scalar) std::memcpy(inputs.data() + slot.offset, &arguments[i].scalar, slot.bytes);
    }
  }

  // The first input that is not what was kept; null: none was changed.
  [[nodiscard]] const eval::Slot* changed_input() const {
    std::vector<std::byte> piece;
    for (const eval::Slot& slot : layout.inputs) {
      for (std::uint64_t done = 0; !slot.scalar && done < slot.bytes; done += piece.size()) {
        piece.resize(std::min(kPieceBytes, slot.bytes - done));
        memory->download(piece.data(), slot.offset + done, piece.size());
        if (std::memcmp(piece.data(), inputs.data() + slot.offset + done, piece.size()) != 0) return &slot;
      }
    }
    return nullptr;
  }

  eval::Layout layout;
  const Argument* arguments;  // of the program's call
  const arguments::Case& found;
  std::unique_ptr<CallMemory> memory;
  std::vector<eval::PoisonElement> poison;
  std::vector<std::byte> inputs;    // on the host
  std::vector<std::byte> expected;  // outputs of the program's own function
  std::vector<std::byte> got;       // of the solution
};

// The copies, as the program's own function and as the solution take them.
struct Verifier::Copies {
  Copies(const arguments::Signature& signature, const Comparing& comparing)
      : shapes(signature.parameters().size()),
        tensors(shapes.size()),
        values(shapes.size()),
        arguments(comparing.arguments, comparing.arguments + shapes.size()) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto& parameter = signature.parameters()[i];
      if (parameter.scalar) {
        set(values[i], parameter.dtype, arguments[i].scalar);
        continue;
      }
      arguments[i].address = comparing.address_of(i);
      shapes[i] = signature.shape_of(parameter, comparing.found);
      fib_tensor& tensor = tensors[i];
      tensor.data = arguments[i].address;
      tensor.device_type = comparing.found.device_type;
      tensor.device_id = comparing.found.device_id;
      tensor.ndim = static_cast<std::int32_t>(shapes[i].size());
      tensor.dtype_code = parameter.data_type.code;
      tensor.dtype_bits = parameter.data_type.bits;
      tensor.dtype_lanes = parameter.data_type.lanes;
      tensor.shape = shapes[i].data();
      values[i].kind = FIB_TENSOR;
      values[i].u.tensor = &tensor;
    }
  }
  Copies(const Copies&) = delete;
  Copies& operator=(const Copies&) = delete;

  static void set(fib_value& value, tensor::DType dtype, std::int64_t bits) {
    if (tensor::is_floating(dtype)) {
      value.kind = FIB_FLOAT;
      value.u.number = std::bit_cast<double>(bits);
    } else {
      value.kind = dtype == tensor::DType::kBool ? FIB_BOOL : FIB_INTEGER;
      value.u.integer = bits;
    }
  }

  std::vector<std::vector<std::int64_t>> shapes;
  std::vector<fib_tensor> tensors;
  std::vector<fib_value> values;
  std::vector<Argument> arguments;
};

std::unique_ptr<Verifier> Verifier::make(const Config& config, const model::Definition& definition,
                                         const arguments::Signature& signature, Devices& devices) {
  const bool is_asked = config.verify_first || config.verify_rate > 0;
  if (!is_asked || definition.op_type.find("sampling") != std::string::npos) return nullptr;
  return std::unique_ptr<Verifier>(new Verifier(config, definition, signature, devices));
}

Verifier::Verifier(const Config& config, const model::Definition& definition,
                   const arguments::Signature& signature, Devices& devices)
    : first_(config.verify_first),
      rate_(config.verify_rate),
      tolerance_{config.verify_atol, config.verify_rtol},
      definition_(definition),
      signature_(signature),
      devices_(devices) {}

void Verifier::set_fallback(fib_fallback function, void* user) {
  const std::lock_guard lock(mutex_);
  fallback_ = {function, user};
}

Verifier::Fallback Verifier::fallback() const {
  const std::lock_guard lock(mutex_);
  return fallback_;
}

Verifier::Counts Verifier::counts() const {
  const std::lock_guard lock(mutex_);
  return {agreed_, differed_, not_compared_, problem_};
}

void Verifier::remember(const std::string& problem) {
  not_compared_.fetch_add(1, std::memory_order_relaxed);
  const std::lock_guard lock(mutex_);
  if (!problem_.empty()) return;
  problem_ = problem;
  tell(fmt::format("a call of {} was not compared with the program's own function: {}", definition_.name,
                   problem));
}

// Calls are drawn by their number, evenly, so that threads share nothing else.
bool Verifier::is_drawn() {
  if (rate_ <= 0) return false;
  constexpr double kUnit = 1.0 / static_cast<double>(std::uint64_t{1} << 53U);
  const std::uint64_t number = drawn_.fetch_add(1, std::memory_order_relaxed);
  return static_cast<double>(mixed(number) >> 11U) * kUnit < rate_;
}

bool Verifier::is_comparing() const { return comparing_in_thread() == this; }

bool Verifier::passes(const Prepared& prepared, const Argument* arguments, void* stream, std::string& why) {
  if (comparing_in_thread() != nullptr) return true;
  if (!prepared.is_unverified.load(std::memory_order_relaxed) && !is_drawn()) return true;
  try {
    const InComparison during(this);
    return compare(prepared, arguments, stream, why);
  } catch (const std::exception& error) {
    prepared.is_unverified =
        false;  // what has failed once, such as memory for the copies, is not tried at each call
    remember(error.what());
    return true;
  }
}

bool Verifier::compare(const Prepared& prepared, const Argument* arguments, void* stream, std::string& why) {
  const arguments::Case& found = prepared.found;
  if (found.device_type == tvm_ffi::kCuda && devices_.is_captured(stream)) return true;
  const Fallback fallback = this->fallback();
  if (fallback.function == nullptr) {
    remember("the program has set none (fib_apply_set_fallback)");
    return true;
  }
  auto layout = layout_of(definition_, signature_, found);
  if (shares_memory(layout, arguments)) return true;
  Comparing comparing(std::move(layout), arguments, found, stream, devices_);
  const Copies copies(signature_, comparing);
  comparing.refill(comparing.expected);
  const fib_status status =
      fallback.function(fallback.user, copies.values.data(), copies.values.size(), stream);
  if (status != FIB_OK) throw Error("it returned the status {}", status);
  comparing.read(comparing.expected);
  comparing.refill(comparing.got);
  comparing.keep_inputs();
  std::string problem;
  if (prepared.call->call(copies.arguments.data(), stream, problem) != CallEnd::done)
    return true;  // the call itself will fail alike, and is dealt with there
  comparing.read(comparing.got);
  const auto judgement = judge(comparing);
  const eval::Slot* changed = judgement.correct ? comparing.changed_input() : nullptr;
  if (judgement.correct && changed == nullptr) {
    agreed_.fetch_add(1, std::memory_order_relaxed);
    prepared.is_unverified = false;
    return true;
  }
  differed_.fetch_add(1, std::memory_order_relaxed);
  why = "it differs from the program's own function: " +
        (changed == nullptr ? judgement.explanation
                            : fmt::format("it changes its input \"{}\"", changed->name));
  prepared.solution->drop(why);
  tell(fmt::format("the solution {} is not used any more: {}", prepared.solution->name(), why));
  return false;
}

eval::Judgement Verifier::judge(const Comparing& comparing) const {
  const auto rule = eval::rule_of(definition_);
  eval::Tolerance tolerance = tolerance_;
  tolerance.required_matched_ratio = eval::usual_matched_ratio(rule, definition_);
  const auto evaluator =
      eval::make_host_evaluator(rule, definition_, comparing.layout, tolerance, "", kThreads);
  if (evaluator == nullptr)
    return eval::judge_outputs(comparing.layout, comparing.got.data(), comparing.expected.data(),
                               comparing.poison, tolerance, comparing.layout.outputs.size(), kThreads);
  return evaluator->judge(
      {comparing.inputs.data(), comparing.got.data(), comparing.expected.data(), comparing.poison});
}

}  // namespace fib::apply
