#include "tracing/site.h"

#include "dataset/paths.h"
#include "tensor/safetensors_header.h"
#include "util/error.h"

namespace fib::tracing {

const char* name_of(Outcome outcome) {
  constexpr std::array<const char*, kOutcomes> names = {
      "kept", "passed_over", "not_traced", "wrong_arguments", "captured", "strided", "no_room", "not_copied"};
  return names[static_cast<std::size_t>(outcome)];
}

Site::Site(const std::filesystem::path& root, const model::Definition& definition, const Config& config)
    : name_(definition.name), op_type_(definition.op_type) {
  const auto rule = rule_for(config, definition);
  if (!rule) return;
  try {
    prepare(root, definition, *rule);
  } catch (const Error& error) {
    problem_ = error.what();
  }
}

void Site::prepare(const std::filesystem::path& root, const model::Definition& definition, const Rule& rule) {
  constexpr const char* kSomeUuid = "00000000-0000-4000-8000-000000000000";
  (void)dataset::workloads_file(root, op_type_, name_);  // throws for names that can be no files
  (void)dataset::blob_file(root, op_type_, name_, kSomeUuid);
  signature_.emplace(definition);
  for (std::size_t place = 0; place < signature_->inputs(); ++place) {
    const auto& parameter = signature_->parameters()[place];
    for (const auto& dimension : parameter.shape) {
      if (dimension.is_axis) axes_of_inputs_ |= 1U << static_cast<std::uint32_t>(dimension.value);
    }
    if (parameter.scalar || !takes(rule.dump, definition.inputs[place])) continue;
    if (!tensor::safetensors_name(parameter.dtype))
      throw Error("the values of \"{}\" cannot be kept: safetensors files have no {}", parameter.name,
                  tensor::name_of(parameter.dtype));
    dumped_ |= std::uint64_t{1} << place;
  }
  filter.emplace(rule.filter, *signature_);
}

bool Site::fits(const fib_value* values, std::size_t count, arguments::Case& found) const noexcept {
  if (signature_->match(values, count, found, arguments::Placement::any) == arguments::Fit::wrong)
    return false;
  for (std::size_t i = 0; i < signature_->axes().size(); ++i) {
    const bool is_shown = count > signature_->inputs() || (axes_of_inputs_ >> i & 1U) != 0;
    if (!is_shown && i < signature_->variable_axes()) return false;
    if (is_shown && found.axes[i] == 0) return false;  // no workload has an axis without elements
  }
  return true;
}

void Site::remember_problem(const std::string& sentence) noexcept {
  const std::lock_guard lock(problem_mutex_);
  if (has_first_problem_.exchange(true)) return;
  try {
    first_problem_ = sentence;
  } catch (const std::bad_alloc&) {
    has_first_problem_ = false;
  }
}

void Site::remember_problem_of(const fib_value* values, std::size_t count) noexcept {
  if (has_first_problem_) return;
  try {
    constexpr auto kAnywhere = arguments::Placement::any;
    std::string sentence = signature_->explain(values, count, kAnywhere);
    arguments::Case found;
    (void)signature_->match(values, count, found, kAnywhere);
    for (std::size_t i = 0; i < signature_->axes().size() && sentence.empty(); ++i) {
      const bool is_shown = count > signature_->inputs() || (axes_of_inputs_ >> i & 1U) != 0;
      if (is_shown && found.axes[i] == 0)
        sentence =
            fmt::format("axis \"{}\" has no elements, and no workload has such", signature_->axes()[i]);
    }
    remember_problem(sentence.empty() ? "an axis is in no input, and the outputs were left out" : sentence);
  } catch (const std::exception&) {  // there is no memory for a sentence
    return;
  }
}

std::string Site::first_problem() const {
  const std::lock_guard lock(problem_mutex_);
  return first_problem_;
}

}  // namespace fib::tracing
