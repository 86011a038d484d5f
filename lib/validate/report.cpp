#include "validate/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace fib::validate {

void info(Messages& messages, std::string text) { messages.push_back({Level::info, std::move(text), {}}); }

void warning(Messages& messages, Place place, std::string text) {
  messages.push_back({Level::warning, std::move(text), std::move(place)});
}

void error(Messages& messages, Place place, std::string text) {
  messages.push_back({Level::error, std::move(text), std::move(place)});
}

std::string_view name_of(Level level) {
  static constexpr std::array<std::string_view, 3> names{"info", "warning", "error"};
  return names.at(static_cast<std::size_t>(level));
}

std::string_view name_of(Status status) {
  static constexpr std::array<std::string_view, 3> names{"ok", "warning", "error"};
  return names.at(static_cast<std::size_t>(status));
}

Status status_of(const CheckResult& result) {
  Status worst = Status::ok;
  if (!result.messages) return worst;
  for (const Message& message : *result.messages) worst = std::max(worst, static_cast<Status>(message.level));
  return worst;
}

Status status_of(const std::vector<CheckResult>& checks) {
  Status worst = Status::ok;
  for (const CheckResult& check : checks) worst = std::max(worst, status_of(check));
  return worst;
}

Status status_of(const Report& report) {
  Status worst = status_of(report.dataset);
  for (const DefinitionReport& definition : report.definitions) {
    worst = std::max(worst, status_of(definition.checks));
  }
  return worst;
}

std::array<std::size_t, 3> count_by_status(const Report& report) {
  std::array<std::size_t, 3> counts{};
  for (const DefinitionReport& definition : report.definitions) {
    ++counts.at(static_cast<std::size_t>(status_of(definition.checks)));
  }
  return counts;
}

std::string count_line(const Report& report) {
  const auto [ok, warnings, errors] = count_by_status(report);
  return fmt::format("{} definitions: {} ok, {} warning, {} error", ok + warnings + errors, ok, warnings,
                     errors);
}

}  // namespace fib::validate
