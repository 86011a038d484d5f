#include "dataset/axis_condition.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "util/error.h"
#include "util/text.h"

namespace fib::dataset {
namespace {

constexpr std::string_view kSpace = " \t\n";

[[noreturn]] void refuse(std::string_view text) {
  throw Error(
      "\"{}\" is no condition; write an axis, one of ==, !=, <, <=, >, >= and a whole number: "
      "batch_size>=64, and "
      "more of them after \"and\"",
      text);
}

// The next word "and" that stands alone, or npos.
std::size_t find_and(std::string_view text) {
  for (std::size_t at = text.find("and"); at != std::string_view::npos; at = text.find("and", at + 1)) {
    const bool begins = at > 0 && kSpace.find(text[at - 1]) != std::string_view::npos;
    const bool ends = at + 3 < text.size() && kSpace.find(text[at + 3]) != std::string_view::npos;
    if (begins && ends) return at;
  }
  return std::string_view::npos;
}

}  // namespace

AxisCondition::AxisCondition(std::string_view text) {
  for (std::string_view rest = text;;) {
    const std::size_t end = find_and(rest);
    comparisons_.push_back(parse(util::trimmed(rest.substr(0, end))));
    if (end == std::string_view::npos) return;
    rest = rest.substr(end + 3);
  }
}

AxisCondition::Comparison AxisCondition::parse(std::string_view text) {
  // Those of two characters first.
  static constexpr std::pair<std::string_view, Relation> kRelations[] = {
      {"==", Relation::equal},    {"!=", Relation::unequal}, {"<=", Relation::at_most},
      {">=", Relation::at_least}, {"<", Relation::less},     {">", Relation::greater},
      {"=", Relation::equal}};
  const std::size_t at = text.find_first_of("=!<>");
  if (at == std::string_view::npos) refuse(text);
  const auto* found = std::find_if(std::begin(kRelations), std::end(kRelations), [&](const auto& relation) {
    return text.substr(at).starts_with(relation.first);
  });
  if (found == std::end(kRelations)) refuse(text);
  Comparison comparison{std::string(util::trimmed(text.substr(0, at))), found->second, 0};
  const std::string_view number = util::trimmed(text.substr(at + found->first.size()));
  const char* end = number.data() + number.size();
  const auto [stop, error] = std::from_chars(number.data(), end, comparison.size);
  const bool is_name = comparison.axis.find_first_of(kSpace) == std::string::npos && !comparison.axis.empty();
  if (error != std::errc() || stop != end || !is_name) refuse(text);
  return comparison;
}

bool AxisCondition::compare(const Comparison& comparison, std::int64_t size) {
  switch (comparison.relation) {
    case Relation::equal:
      return size == comparison.size;
    case Relation::unequal:
      return size != comparison.size;
    case Relation::less:
      return size < comparison.size;
    case Relation::at_most:
      return size <= comparison.size;
    case Relation::greater:
      return size > comparison.size;
    case Relation::at_least:
      return size >= comparison.size;
  }
  return false;
}

bool AxisCondition::holds(const SizeOf& size_of) const {
  return std::all_of(comparisons_.begin(), comparisons_.end(), [&](const Comparison& comparison) {
    const auto size = size_of(comparison.axis);
    return size && compare(comparison, *size);
  });
}

std::vector<std::string> AxisCondition::axes() const {
  std::vector<std::string> names;
  for (const Comparison& comparison : comparisons_) names.push_back(comparison.axis);
  return names;
}

}  // namespace fib::dataset
