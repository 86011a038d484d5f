#include "present/github.h"

#include <filesystem>

#include "validate/report.h"

namespace fib::validate {
namespace {

using present::Annotation;
using present::annotation;

present::AnnotationPlace place_of(const std::string& dataset, const Place& place) {
  if (place.file.empty()) return {};
  return {(std::filesystem::path(dataset) / place.file).lexically_normal().string(), place.line};
}

std::string annotations(const std::string& dataset, const std::string& subject, const CheckResult& check) {
  std::string text;
  if (!check.messages) return text;
  for (const Message& message : *check.messages) {
    if (message.level == Level::info) continue;
    const auto level = message.level == Level::error ? Annotation::error : Annotation::warning;
    text += annotation(level, subject + " " + check.name, message.text, place_of(dataset, message.place));
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
  for (const std::string& note : report.notes) text += annotation(Annotation::notice, "", note);
  return text + count_line(report) + "\n";
}

}  // namespace fib::validate
