#include <fmt/format.h>

#include <filesystem>

#include "validate/report.h"

namespace fib::validate {
namespace {

// "%", line ends and, in properties, ":" and "," have a meaning in workflow commands.
std::string escaped(std::string_view text, std::string_view special) {
  std::string result;
  for (const char c : text) {
    if (special.find(c) == std::string_view::npos) {
      result += c;
    } else {
      result += fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    }
  }
  return result;
}

std::string escaped_text(std::string_view text) { return escaped(text, "%\r\n"); }
std::string escaped_property(std::string_view text) { return escaped(text, "%\r\n:,"); }

std::string place_properties(const std::string& dataset, const Place& place) {
  if (place.file.empty()) return "";
  const auto path = (std::filesystem::path(dataset) / place.file).lexically_normal();
  std::string text = "file=" + escaped_property(path.string()) + ",";
  if (place.line > 0) text += fmt::format("line={},", place.line);
  return text;
}

std::string annotations(const std::string& dataset, const std::string& subject, const CheckResult& check) {
  std::string text;
  if (!check.messages) return text;
  for (const Message& message : *check.messages) {
    if (message.level == Level::info) continue;
    text +=
        fmt::format("::{} {}title={}::{}\n", name_of(message.level), place_properties(dataset, message.place),
                    escaped_property(subject + " " + check.name), escaped_text(message.text));
  }
  return text;
}

}  // namespace

std::string to_github(const Report& report) {
  const std::string& dataset = report.config.dataset;
  std::string text;
  for (const DefinitionReport& definition : report.definitions) {
    for (const CheckResult& check : definition.checks) text += annotations(dataset, definition.name, check);
  }
  for (const CheckResult& check : report.dataset) text += annotations(dataset, "dataset", check);
  for (const std::string& note : report.notes) text += "::notice::" + escaped_text(note) + "\n";
  return text + count_line(report) + "\n";
}

}  // namespace fib::validate
