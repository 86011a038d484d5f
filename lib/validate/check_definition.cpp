#include "validate/checks.h"

namespace fib::validate {
namespace {

bool is_missing(const model::NullableText& description) {
  return !description || !*description || (*description)->empty();
}

void tensors(const std::vector<model::TensorSpec>& specs, const std::string& kind, const Place& place,
             Messages& messages) {
  for (const model::TensorSpec& spec : specs) {
    if (is_missing(spec.description)) {
      warning(messages, place, "missing description: " + kind + "." + spec.name);
    }
  }
}

}  // namespace

Messages check_definition(const Subject& subject) {
  Messages messages;
  const Place place{subject.scanned.file};
  if (!subject.scanned.error.empty()) {
    error(messages, place, "parse error: " + subject.scanned.error);
    return messages;
  }
  const model::Definition& definition = *subject.definition;
  if (!definition.op_type_given) warning(messages, place, "missing op_type");
  if (is_missing(definition.description)) warning(messages, place, "missing description");
  for (const auto& [name, axis] : definition.axes) {
    if (is_missing(axis.description)) warning(messages, place, "missing description: axes." + name);
  }
  tensors(definition.inputs, "inputs", place, messages);
  tensors(definition.outputs, "outputs", place, messages);
  return messages;
}

}  // namespace fib::validate
