#include <fmt/format.h>

#include <algorithm>

#include "dataset/python_text.h"
#include "util/error.h"
#include "validate/checks.h"

namespace fib::validate {
namespace {

using NameSet = std::set<std::string>;

// "(2, 4)", "(4,)", "()".
std::string python_tuple(const std::vector<std::int64_t>& sizes) {
  return fmt::format("({}{})", fmt::join(sizes, ", "), sizes.size() == 1 ? "," : "");
}

template <typename Map>
NameSet keys_of(const Map& map) {
  NameSet names;
  for (const auto& [name, value] : map) names.insert(name);
  return names;
}

std::vector<std::string> without(const NameSet& names, const NameSet& others) {
  std::vector<std::string> rest;
  std::set_difference(names.begin(), names.end(), others.begin(), others.end(), std::back_inserter(rest));
  return rest;
}

// What is wrong with one record.
class RecordCheck {
 public:
  RecordCheck(const Subject& subject, const Record& record, Blobs& blobs, Messages& messages)
      : definition_(*subject.definition),
        record_(record),
        workload_(record.trace.workload),
        place_{subject.workloads->file, record.line},
        blobs_(blobs),
        messages_(messages) {}

  // True when nothing is.
  bool run() {
    if (!record_.trace.is_workload()) fail("workload entry should not have solution or evaluation");
    names();
    if (valid_) inputs();
    return valid_;
  }

 private:
  void fail(const std::string& text) {
    error(messages_, place_, workload_.uuid + ": " + text);
    valid_ = false;
  }

  void compare_names(const NameSet& expected, const NameSet& given, const std::string& what) {
    const auto missing = without(expected, given);
    const auto extra = without(given, expected);
    if (!missing.empty()) fail("missing " + what + " " + dataset::python_repr(missing));
    if (!extra.empty()) fail("extra " + what + " " + dataset::python_repr(extra));
  }

  void names() {
    const auto axes = model::var_axes(definition_);
    compare_names(NameSet(axes.begin(), axes.end()), keys_of(workload_.axes), "axes");
    for (const auto& [name, value] : workload_.axes) {
      if (value.value <= 0) fail(fmt::format("axis {} has non-positive value {}", name, value.value));
    }
    NameSet inputs;
    for (const model::TensorSpec& input : definition_.inputs) inputs.insert(input.name);
    compare_names(inputs, keys_of(workload_.inputs), "inputs");
  }

  void inputs() {
    model::AxisValues values;
    try {
      values = model::axis_values(definition_, workload_.axes);
    } catch (const Error& error) {
      fail(fmt::format("shape inference failed: {}", error.what()));
      return;
    }
    for (const model::TensorSpec& tensor : definition_.inputs) {
      input(tensor, *model::find(workload_.inputs, tensor.name), values);
    }
  }

  void input(const model::TensorSpec& tensor, const model::InputSpec& given,
             const model::AxisValues& values) {
    if (given.kind == model::InputKind::scalar && !tensor.is_scalar()) {
      fail(tensor.name + " is scalar but definition expects tensor");
    } else if (given.kind == model::InputKind::random && tensor.is_scalar()) {
      fail(tensor.name + " is random but definition expects scalar");
    } else if (given.kind == model::InputKind::safetensors && tensor.is_scalar()) {
      fail(tensor.name + " is safetensors but definition expects scalar");
    } else if (given.kind == model::InputKind::safetensors) {
      blob(tensor.name, given, *model::shape_of(tensor, values));
    }
  }

  void blob(const std::string& name, const model::InputSpec& given, const tensor::Shape& expected) {
    const FoundBlob found = blobs_.find(given.path);
    if (!found.error.empty()) return fail("blob load failed: " + found.error);
    if (!found.file) return fail("blob missing at " + given.path);
    const OpenedBlob& opened = blobs_.open(*found.file);
    if (!opened.file) return fail("blob load failed: " + opened.error);
    try {
      const auto tensor = opened.file->find(given.tensor_key);
      if (!tensor) return fail(fmt::format("tensor key '{}' not found in {}", given.tensor_key, given.path));
      if (tensor->shape != expected) {
        fail(fmt::format("{} shape mismatch: expected {}, got {}", name, python_tuple(expected),
                         python_tuple(tensor->shape)));
      }
    } catch (const Error& error) {
      fail(fmt::format("blob load failed: {}", error.what()));
    }
  }

  const model::Definition& definition_;
  const Record& record_;
  const model::Workload& workload_;
  Place place_;
  Blobs& blobs_;
  Messages& messages_;
  bool valid_ = true;
};

}  // namespace

Messages check_workload(const Subject& subject, Blobs& blobs) {
  Messages messages;
  if (subject.workloads == nullptr) {
    warning(messages, {subject.scanned.file}, "no workload file found");
    return messages;
  }
  const ScannedRecords& file = *subject.workloads;
  for (const BadLine& bad : file.errors)
    error(messages, {file.file, bad.line}, "parse error: " + bad.message);
  if (subject.definition == nullptr) {
    if (!file.broken()) {
      error(messages, {subject.scanned.file}, "cannot validate workloads: definition failed to load");
    }
    return messages;
  }
  std::size_t valid = 0;
  for (const Record& record : file.records) {
    if (RecordCheck(subject, record, blobs, messages).run()) ++valid;
  }
  if (file.broken()) return messages;
  const std::size_t total = file.records.size();
  const std::string count =
      valid == total ? fmt::format("{} valid", total) : fmt::format("{}/{} valid", valid, total);
  messages.insert(messages.begin(), Message{Level::info, count, {}});
  return messages;
}

}  // namespace fib::validate
