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

struct Annotations {
  present::FirstAnnotations errors;
  present::FirstAnnotations warnings;

  void add(const std::string& dataset, const std::string& subject, const CheckResult& check) {
    if (!check.messages) return;
    for (const Message& message : *check.messages) {
      if (message.level == Level::info) continue;
      const bool is_error = message.level == Level::error;
      (is_error ? errors : warnings)
          .add(annotation(is_error ? Annotation::error : Annotation::warning, subject + " " + check.name,
                          message.text, place_of(dataset, message.place)));
    }
  }
};

}  // namespace

std::string to_github(const Report& report) {
  const std::string& dataset = report.config.dataset;
  Annotations found;
  for (const DefinitionReport& definition : report.definitions) {
    for (const CheckResult& check : definition.checks) found.add(dataset, definition.name, check);
  }
  for (const CheckResult& check : report.dataset) found.add(dataset, "dataset", check);
  std::string text = found.errors.text("error") + found.warnings.text("warning");
  for (const std::string& note : report.notes) text += annotation(Annotation::notice, "", note);
  return text + count_line(report) + "\n";
}

}  // namespace fib::validate
