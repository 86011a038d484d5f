#include "apply/function.h"

#include <algorithm>
#include <cstring>

#include "arguments/scalars.h"
#include "arguments/tensors.h"
#include "util/error.h"

namespace fib::apply {
namespace {

constexpr std::size_t kMostCases = 65536;  // of a definition

// What the table calls the hardware of a device.
std::string label_of(const Config& config, Devices& devices, const arguments::Case& found) {
  return config.hardware == "auto" ? devices.hardware(found.device_type, found.device_id) : config.hardware;
}

}  // namespace

Function::Function(const Config* config, const model::Definition* definition, Shared& shared)
    : config_(config), definition_(definition), shared_(shared) {
  if (config == nullptr || definition == nullptr) return;
  const auto table = shared.table.definitions.find(definition->name);
  if (table != shared.table.definitions.end()) table_ = &table->second;
  try {
    signature_.emplace(*definition);
    verifier_ = Verifier::make(*config, *definition, *signature_, shared.devices);
  } catch (const Error& error) {
    problem_ = error.what();
  }
}

fib_outcome Function::counted(fib_outcome outcome) const {
  counts_[static_cast<std::size_t>(outcome)].fetch_add(1, std::memory_order_relaxed);
  return outcome;
}

// Whether arguments can be those of a call, and of which case.
fib_outcome Function::fitting(const fib_value* arguments, std::size_t count, arguments::Case& found,
                              std::string& why) const {
  if (config_ == nullptr) return FIB_NOT_CONFIGURED;
  if (definition_ == nullptr) return FIB_NO_DEFINITION;
  if (!signature_) {
    why = problem_;
    return FIB_CANNOT_RUN;
  }
  if (count != signature_->parameters().size()) {
    why = fmt::format("expected {} arguments, the inputs and the outputs, got {}",
                      signature_->parameters().size(), count);
    return FIB_WRONG_ARGUMENTS;
  }
  const auto fit = signature_->match(arguments, count, found);
  if (fit == arguments::Fit::fits) return FIB_APPLIED;
  why = signature_->explain(arguments, count);
  if (fit == arguments::Fit::wrong) return FIB_WRONG_ARGUMENTS;
  return fit == arguments::Fit::strided ? FIB_STRIDED : FIB_UNALIGNED;
}

const Prepared* Function::find(const arguments::Case& found) const {
  const std::shared_lock lock(mutex_);
  const auto known = cases_.find(found);
  return known == cases_.end() ? nullptr : known->second.get();
}

// The case with all axes that follow from its variable ones.
arguments::Case Function::complete(const arguments::Case& found) const {
  model::Ordered<model::Integer> variables;
  for (std::size_t i = 0; i < signature_->variable_axes(); ++i)
    variables.emplace_back(signature_->axes()[i], found.axes[i]);
  return signature_->case_of(variables, found.device_type, found.device_id);
}

fib_outcome Function::choose(const arguments::Case& found, AppliedSolution*& solution,
                             std::string& why) const {
  if (signature_->axes().size() > signature_->variable_axes() && found.axes != complete(found).axes) {
    why = "an axis that is an expression has another value than that of its expression";
    return FIB_WRONG_ARGUMENTS;
  }
  if (table_ == nullptr) return FIB_NO_RESULT;
  const std::string label = label_of(*config_, shared_.devices, found);
  AxisPairs axes;
  for (std::size_t i = 0; i < signature_->variable_axes(); ++i)
    axes.emplace_back(signature_->axes()[i], found.axes[i]);
  std::sort(axes.begin(), axes.end());
  const Winner* winner = find_winner(*table_, label, axes);
  if (winner == nullptr && config_->on_miss == MissPolicy::kNearest)
    winner = nearest_winner(*table_, label, axes);
  std::string name = winner == nullptr ? "" : winner->solution;
  if (winner == nullptr && config_->on_miss == MissPolicy::kUseDefBest) {
    const auto best = table_->best.find(label);
    if (best != table_->best.end()) name = best->second;
  }
  if (name.empty()) return FIB_NO_RESULT;
  solution = shared_.solutions.at(name).get();
  if (config_->require_trust && !shared_.trusted.contains(solution->trust_key())) {
    why = fmt::format("solution \"{}\" is not on the list of `fib apply trust`", name);
    return FIB_NOT_TRUSTED;
  }
  if (solution->is_dropped()) {
    why = solution->drop_reason();
    return FIB_DROPPED;
  }
  return solution->is_interpreted() ? FIB_OTHER_LANGUAGE : FIB_APPLIED;
}

// Makes a case that was not called before.
fib_outcome Function::make(const arguments::Case& found, void* stream, const Prepared*& prepared,
                           std::string& why) const try {
  AppliedSolution* solution = nullptr;
  const fib_outcome chosen = choose(found, solution, why);
  if (chosen != FIB_APPLIED) return chosen;
  const bool on_cuda = found.device_type == tvm_ffi::kCuda;
  if (on_cuda && shared_.devices.is_captured(stream)) {
    why = "the stream is being captured, and this case was not called before";
    return FIB_NOT_READY;
  }
  {
    const std::shared_lock lock(mutex_);
    if (cases_.size() >= kMostCases)
      throw Error("{} cases of the definition are kept, and no more", kMostCases);
  }
  const auto axes = signature_->axis_values(found);
  auto& loaded = solution->loaded(*signature_, *definition_, shared_.program, shared_.devices,
                                  found.device_type, found.device_id);
  auto made = std::make_unique<Prepared>();
  made->function = this;
  made->solution = solution;
  made->call = loaded.prepare(found, axes);
  made->device_type = found.device_type;
  made->found = found;
  made->is_unverified = verifier_ != nullptr && verifier_->is_first_due();
  const std::unique_lock lock(mutex_);
  prepared =
      cases_.try_emplace(found, std::move(made)).first->second.get();  // another thread may have been faster
  return FIB_APPLIED;
} catch (const OtherLanguage& error) {
  why = error.what();
  return FIB_OTHER_LANGUAGE;
} catch (const std::exception& error) {
  why = error.what();
  return FIB_CANNOT_RUN;
}

fib_outcome Function::ready(const Prepared& prepared, void* stream, std::string& why) const try {
  if (prepared.solution->is_dropped()) {
    why = prepared.solution->drop_reason();
    return FIB_DROPPED;
  }
  if (prepared.is_refused) {
    why = fmt::format("\"{}\" refused this case", prepared.solution->name());
    return FIB_DROPPED;
  }
  if (prepared.call->is_ready(stream)) return FIB_APPLIED;
  if (prepared.device_type == tvm_ffi::kCuda && shared_.devices.is_captured(stream)) {
    why = "the stream is being captured, and was not used for this case before";
    return FIB_NOT_READY;
  }
  prepared.call->make_ready(stream);
  return FIB_APPLIED;
} catch (const std::exception& error) {
  why = error.what();
  return FIB_CANNOT_RUN;
}

fib_outcome Function::perform(const Prepared& prepared, const Argument* arguments, void* stream,
                              std::string& why) const {
  if (verifier_ != nullptr && verifier_->is_comparing()) {
    why = "the solution is being compared with the program's own function, which calls it";
    return FIB_NOT_READY;
  }
  const fib_outcome state = ready(prepared, stream, why);
  if (state != FIB_APPLIED) return state;
  if (verifier_ != nullptr && !verifier_->passes(prepared, arguments, stream, why)) return FIB_DROPPED;
  const CallEnd end = prepared.call->call(arguments, stream, why);
  if (end == CallEnd::done) return FIB_APPLIED;
  if (end == CallEnd::refused) prepared.is_refused = true;
  if (end == CallEnd::failed) prepared.solution->drop(why);
  return FIB_CALL_FAILED;
}

fib_outcome Function::prepare(const fib_value* arguments, std::size_t count, void* stream,
                              const Prepared*& prepared, std::string& why) const {
  arguments::Case found;
  fib_outcome outcome = fitting(arguments, count, found, why);
  if (outcome != FIB_APPLIED) return counted(outcome);
  const Prepared* known = find(found);
  if (known == nullptr) outcome = make(found, stream, known, why);
  if (outcome == FIB_APPLIED) outcome = ready(*known, stream, why);
  if (outcome != FIB_APPLIED) return counted(outcome);
  prepared = known;
  return outcome;
}

fib_outcome Function::call(const fib_value* arguments, std::size_t count, void* stream,
                           std::string& why) const {
  arguments::Case found;
  fib_outcome outcome = fitting(arguments, count, found, why);
  if (outcome != FIB_APPLIED) return counted(outcome);
  const Prepared* prepared = find(found);
  if (prepared == nullptr) outcome = make(found, stream, prepared, why);
  if (outcome != FIB_APPLIED) return counted(outcome);
  Argument values[arguments::kMostArguments];
  for (std::size_t i = 0; i < count; ++i) {
    const auto& parameter = signature_->parameters()[i];
    if (parameter.scalar) {
      values[i].scalar = arguments::scalar_bits(parameter.dtype, arguments[i]);
    } else {
      values[i].address = arguments::address_of(*arguments[i].u.tensor);
    }
  }
  return counted(perform(*prepared, values, stream, why));
}

fib_outcome Function::call(const Prepared& prepared, void* const* data, void* stream,
                           std::string& why) const {
  Argument values[arguments::kMostArguments];
  const auto& parameters = signature_->parameters();
  const auto alignment = arguments::alignment_on(prepared.device_type);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].scalar) {
      std::memcpy(&values[i].scalar, data[i], sizeof values[i].scalar);
      if (parameters[i].dtype == tensor::DType::kBool) values[i].scalar = values[i].scalar != 0 ? 1 : 0;
      continue;
    }
    if (reinterpret_cast<std::uintptr_t>(data[i]) % alignment != 0) {
      why = fmt::format("the address of \"{}\" is not a multiple of {} bytes", parameters[i].name, alignment);
      return counted(FIB_UNALIGNED);
    }
    values[i].address = static_cast<std::byte*>(data[i]);
  }
  return counted(perform(prepared, values, stream, why));
}

const AppliedSolution* Function::match(std::int32_t device_type, std::int32_t device_id,
                                       const std::int64_t* values, std::size_t count, fib_outcome& outcome,
                                       std::string& why) const try {
  AppliedSolution* solution = nullptr;
  if (config_ == nullptr || definition_ == nullptr || !signature_) {
    outcome = config_ == nullptr       ? FIB_NOT_CONFIGURED
              : definition_ == nullptr ? FIB_NO_DEFINITION
                                       : FIB_CANNOT_RUN;
    why = problem_;
    return nullptr;
  }
  if (count != signature_->variable_axes()) {
    outcome = FIB_WRONG_ARGUMENTS;
    why = fmt::format("the definition has {} variable axes, got {}", signature_->variable_axes(), count);
    return nullptr;
  }
  arguments::Case found{{}, device_type, device_id};
  if (std::any_of(values, values + count, [](std::int64_t size) { return size < 0; })) {
    outcome = FIB_WRONG_ARGUMENTS;
    why = "no size is negative";
    return nullptr;
  }
  (void)shared_.devices.hardware(device_type, device_id);  // throws for devices that nothing runs on
  std::copy_n(values, count, found.axes.begin());
  found = complete(found);
  outcome = choose(found, solution, why);
  return outcome == FIB_APPLIED || outcome == FIB_OTHER_LANGUAGE ? solution : nullptr;
} catch (const std::exception& error) {
  outcome = FIB_CANNOT_RUN;
  why = error.what();
  return nullptr;
}

std::vector<Function::Warmed> Function::warm(std::int32_t device_type, std::int32_t device_id) const {
  std::vector<Warmed> result;
  if (table_ == nullptr || !signature_) return result;
  const arguments::Case device{{}, device_type, device_id};
  const std::string label = label_of(*config_, shared_.devices, device);
  auto ranked = by_wins(*table_, label);
  const auto share = static_cast<std::size_t>(static_cast<double>(ranked.size()) * config_->aot_ratio);
  if (!ranked.empty()) ranked.resize(config_->aot_ratio > 0 ? std::max<std::size_t>(share, 1) : 0);
  const auto is_chosen = [&](const std::string& name) {
    return std::any_of(ranked.begin(), ranked.end(), [&](const auto& entry) { return entry.first == name; });
  };
  const auto best = table_->best.find(label);
  if (config_->on_miss == MissPolicy::kUseDefBest && best != table_->best.end() && !is_chosen(best->second))
    ranked.emplace_back(best->second, 0);
  for (const auto& [name, wins] : ranked) {
    Warmed warmed{name, {}};
    for (const auto& winner : table_->winners) {
      if (winner.solution != name || winner.hardware != label || !warmed.problem.empty()) continue;
      model::Ordered<model::Integer> axes;
      for (const auto& [axis, value] : winner.axes) axes.emplace_back(axis, value);
      try {
        const auto found = signature_->case_of(axes, device_type, device_id);
        const Prepared* prepared = shared_.solutions.at(name)->is_dropped() ? nullptr : find(found);
        const fib_outcome outcome =
            prepared != nullptr ? FIB_APPLIED : make(found, nullptr, prepared, warmed.problem);
        if (outcome != FIB_APPLIED && warmed.problem.empty()) warmed.problem = fib_outcome_name(outcome);
      } catch (const Error& error) {
        warmed.problem = error.what();
      }
    }
    result.push_back(std::move(warmed));
  }
  return result;
}

}  // namespace fib::apply
