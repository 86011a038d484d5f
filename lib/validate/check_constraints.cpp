#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "dataset/python_text.h"
#include "model/axis_expression.h"
#include "model/constraint.h"
#include "python/parser.h"
#include "util/error.h"
#include "validate/broken_constraint.h"
#include "validate/checks.h"

namespace fib::validate {
namespace {

using Number = std::optional<std::int64_t>;

template <typename Element>
std::int64_t read_element(const tensor::TensorView& tensor, std::int64_t index) {
  Element element{};
  std::memcpy(&element, tensor.data + static_cast<std::size_t>(index) * sizeof(Element), sizeof(Element));
  return static_cast<std::int64_t>(element);
}

// Element `index` (from the end when negative) of integers in one dimension.
Number integer_at(const tensor::TensorView& tensor, std::int64_t index) {
  if (tensor.shape.size() != 1) return std::nullopt;
  if (index < 0) index += tensor.shape[0];
  if (index < 0 || index >= tensor.shape[0]) return std::nullopt;
  switch (tensor.dtype) {
    case tensor::DType::kInt64:
      return read_element<std::int64_t>(tensor, index);
    case tensor::DType::kInt32:
      return read_element<std::int32_t>(tensor, index);
    case tensor::DType::kInt16:
      return read_element<std::int16_t>(tensor, index);
    case tensor::DType::kInt8:
      return read_element<std::int8_t>(tensor, index);
    case tensor::DType::kUInt8:
      return read_element<std::uint8_t>(tensor, index);
    default:
      return std::nullopt;
  }
}

const model::TensorSpec* find_tensor(const model::Definition& definition, const std::string& name) {
  for (const auto* specs : {&definition.inputs, &definition.outputs}) {
    for (const model::TensorSpec& spec : *specs) {
      if (spec.name == name) return &spec;
    }
  }
  return nullptr;
}

// The constants of a definition and, with a workload, its axes, scalars and blobs.
class Scope : public model::ConstraintValues {
 public:
  Scope(const model::Definition& definition, const model::Workload* workload, Blobs& blobs)
      : definition_(definition), workload_(workload), blobs_(blobs) {}

  [[nodiscard]] Number value(const std::string& name) const override {
    if (const model::Axis* axis = model::find(definition_.axes, name)) {
      if (axis->is_const()) return fitting(*axis->value);
      if (axis->expression) return following(*axis->expression);
      const model::Integer* given = workload_ != nullptr ? model::find(workload_->axes, name) : nullptr;
      return given != nullptr ? fitting(*given) : std::nullopt;
    }
    const model::InputSpec* given = input(name, model::InputKind::scalar);
    if (given == nullptr) return std::nullopt;
    const auto* integer = std::get_if<std::int64_t>(&given->scalar.value);
    return integer != nullptr ? Number(*integer) : std::nullopt;
  }

  [[nodiscard]] Number size(const std::string& name, std::int64_t index) const override {
    const model::TensorSpec* tensor = find_tensor(definition_, name);
    if (tensor == nullptr || tensor->is_scalar()) return std::nullopt;
    const auto rank = static_cast<std::int64_t>(tensor->shape->size());
    if (index < 0) index += rank;
    if (index < 0 || index >= rank) return std::nullopt;
    const std::string& entry = (*tensor->shape)[static_cast<std::size_t>(index)];
    const auto literal = model::literal_size(entry);
    return literal ? literal : value(entry);
  }

  [[nodiscard]] Number element(const std::string& name, std::int64_t index) const override {
    const model::InputSpec* given = input(name, model::InputKind::safetensors);
    if (given == nullptr) return std::nullopt;
    const auto tensor = blobs_.tensor(given->path, given->tensor_key);
    return tensor ? integer_at(*tensor, index) : std::nullopt;
  }

 private:
  // An axis that follows from others, as far as these are known.
  [[nodiscard]] Number following(const std::string& expression) const {
    model::AxisValues known;
    for (const auto& [name, axis] : definition_.axes) {
      const Number number = axis.expression ? std::nullopt : value(name);
      if (number) known.emplace(name, *number);
    }
    try {
      return model::axis_expression_value(expression, known);
    } catch (const Error&) {
      return std::nullopt;
    }
  }
  [[nodiscard]] static Number fitting(const model::Integer& integer) {
    return integer.fits() ? Number(integer.value) : std::nullopt;
  }
  [[nodiscard]] const model::InputSpec* input(const std::string& name, model::InputKind kind) const {
    const model::InputSpec* given = workload_ != nullptr ? model::find(workload_->inputs, name) : nullptr;
    return given != nullptr && given->kind == kind ? given : nullptr;
  }

  const model::Definition& definition_;
  const model::Workload* workload_;
  Blobs& blobs_;
};

// Nothing when it is no expression.
std::optional<python::ExprPtr> parsed(const std::string& text) try {
  return python::parse_expression(text);
} catch (const Error&) {
  return std::nullopt;
}

class ConstraintCheck {
 public:
  ConstraintCheck(const Subject& subject, Blobs& blobs)
      : subject_(subject), definition_(*subject.definition), blobs_(blobs) {}

  Messages run() {
    for (const std::string& text : *definition_.constraints) check(text);
    if (broken_ > kMostTold)
      error(messages_, {subject_.scanned.file},
            fmt::format("{} more constraints that do not hold for a workload are not listed",
                        broken_ - kMostTold));
    return std::move(messages_);
  }

 private:
  // One verdict when the constants decide, else one for each workload.
  void check(const std::string& text) {
    const python::ExprPtr constraint = python::parse_expression(text);
    unknown_names(text, *constraint);
    const model::ConstraintJudgement of_constants =
        model::judge_constraint(*constraint, Scope(definition_, nullptr, blobs_));
    if (of_constants.verdict != model::ConstraintVerdict::unknown || subject_.workloads == nullptr) {
      report(of_constants, text, {subject_.scanned.file}, "", "constant axes");
      return;
    }
    for (const Record& record : subject_.workloads->records) {
      const model::Workload& workload = record.trace.workload;
      report(model::judge_constraint(*constraint, Scope(definition_, &workload, blobs_)), text,
             {subject_.workloads->file, record.line}, "workload " + workload.uuid + ": ",
             "workload's axes or tensors");
    }
  }

  void report(const model::ConstraintJudgement& judgement, const std::string& text, const Place& place,
              const std::string& subject, std::string_view cause) {
    if (judgement.verdict != model::ConstraintVerdict::broken || ++broken_ > kMostTold) return;
    error(messages_, place,
          fmt::format("{}constraint {} does not hold, for {} is false; correct the constraint or the {}",
                      subject, dataset::python_repr(text), judgement.comparison, cause));
  }

  void unknown_names(const std::string& text, const python::Expr& constraint) {
    for (const std::string& name : model::names_in_constraint(constraint)) {
      if (model::find(definition_.axes, name) != nullptr || find_tensor(definition_, name) != nullptr)
        continue;
      warning(messages_, {subject_.scanned.file},
              fmt::format("constraint {} names '{}', which is neither axis nor tensor; correct the name",
                          dataset::python_repr(text), name));
    }
  }

  static constexpr std::size_t kMostTold = 1000;  // all others are counted

  const Subject& subject_;
  const model::Definition& definition_;
  Blobs& blobs_;
  Messages messages_;
  std::size_t broken_ = 0;
};

}  // namespace

std::string broken_constraint(const model::Definition& definition, const model::Workload& workload) {
  Blobs no_blobs({}, definition.name, model::Mode::lenient);
  model::Workload without_files = workload;
  std::erase_if(without_files.inputs,
                [](const auto& input) { return input.second.kind == model::InputKind::safetensors; });
  for (const std::string& text : definition.constraints.value_or(std::vector<std::string>{})) {
    const auto constraint = parsed(text);
    if (!constraint) continue;
    const model::ConstraintJudgement judgement =
        model::judge_constraint(**constraint, Scope(definition, &without_files, no_blobs));
    if (judgement.verdict == model::ConstraintVerdict::broken) {
      return fmt::format("constraint {} does not hold, for {} is false", dataset::python_repr(text),
                         judgement.comparison);
    }
  }
  return {};
}

Messages check_constraints(const Subject& subject, Blobs& blobs) {
  if (subject.definition == nullptr || !subject.definition->constraints) return {};
  return ConstraintCheck(subject, blobs).run();
}

}  // namespace fib::validate
