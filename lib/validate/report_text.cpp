#include <fmt/format.h>

#include "present/text.h"
#include "util/text.h"
#include "validate/report.h"

namespace fib::validate {
namespace {

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string header_line(std::string_view name, const std::string& value) {
  return fmt::format("{:<15}{}\n", fmt::format("{}:", name), value);
}

std::string filter_line(std::string_view name, const std::vector<std::string>& words) {
  return header_line(name, words.empty() ? "(all)" : joined(words));
}

// Upstream prints texts as they are; ours keep a dataset from writing to the terminal's controls.
std::string shown(const std::string& text, model::Mode mode) {
  return mode == model::Mode::lenient ? present::printable(text) : text;
}

std::string check_text(const CheckResult& check, model::Mode mode) {
  const std::string name = check.name + ":";
  if (!check.messages) return fmt::format("  {:<12} None (skipped)\n", name);
  std::string text = fmt::format("  {:<12} {}\n", name, name_of(status_of(check)));
  for (const Message& message : *check.messages) text += fmt::format("    - {}\n", shown(message.text, mode));
  return text;
}

// Upstream lists what nobody asked for, too.
bool is_shown(const CheckResult& check, model::Mode mode) {
  return mode == model::Mode::upstream || check.messages || !check.why_skipped.empty();
}

std::string section(const std::string& name, const std::vector<CheckResult>& checks, model::Mode mode) {
  std::string text;
  for (const CheckResult& check : checks) {
    if (is_shown(check, mode)) text += check_text(check, mode);
  }
  if (text.empty()) return text;
  return fmt::format("\n--- {} [{}] ---\n", shown(name, mode), util::raised(name_of(status_of(checks)))) +
         text;
}

std::string header(const Config& config) {
  return "=== Dataset Validation Report ===\n" + header_line("dataset", config.dataset) +
         header_line("checks", joined(config.checks)) +
         header_line("disable_gpu", config.disable_gpu ? "True" : "False") +
         filter_line("op_types", config.op_types) + filter_line("definitions", config.definitions);
}

}  // namespace

std::string to_text(const Report& report) {
  std::string text = header(report.config);
  if (report.mode == model::Mode::lenient) {
    for (const std::string& note : report.notes) text += header_line("note", note);
  }
  text += "\n" + count_line(report) + "\n";
  for (const DefinitionReport& definition : report.definitions) {
    text += section(definition.name, definition.checks, report.mode);
  }
  if (!report.dataset.empty()) text += section("(dataset)", report.dataset, report.mode);
  return text;
}

}  // namespace fib::validate
