#include "validate/report_digest.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "present/message_kind.h"
#include "present/text.h"

namespace fib::validate {
namespace {

constexpr std::string_view kWorkload = "workload ";

// Messages of one check and kind.
struct SimilarMessages {
  std::string check;
  std::string example;
  std::string definition;  // of the example
  std::size_t count = 0;
  std::set<std::string> definitions;
};

// The groups of one level, by how many messages they hold.
class Groups {
 public:
  explicit Groups(Level level) : level_(level) {}

  void add(const std::string& definition, const CheckResult& check) {
    if (!check.messages) return;
    for (const Message& message : *check.messages) {
      if (message.level != level_) continue;
      // What several checks or inputs say of one thing is one fault; some checks write "workload" before its
      // uuid.
      std::string_view said = message.text;
      if (said.starts_with(kWorkload)) said.remove_prefix(kWorkload.size());
      if (!seen_.insert(definition + "\n" + std::string(said)).second) continue;
      SimilarMessages& group = groups_[{check.name, present::message_kind(message.text)}];
      if (group.count++ == 0) {
        group.check = check.name;
        group.example = message.text;
        group.definition = definition;
      }
      group.definitions.insert(definition);
    }
  }

  // A line each: "layout: the first message (its definition; 307 in 9 definitions)".
  [[nodiscard]] std::vector<std::string> lines() const {
    std::vector<const SimilarMessages*> sorted;
    for (const auto& [key, group] : groups_) sorted.push_back(&group);
    std::stable_sort(
        sorted.begin(), sorted.end(),
        [](const SimilarMessages* left, const SimilarMessages* right) { return left->count > right->count; });
    std::vector<std::string> lines;
    for (const SimilarMessages* group : sorted) {
      std::string place = group->definition;
      if (group->count > 1) {
        place += fmt::format("; {} such in {}", group->count,
                             present::plural(group->definitions.size(), "definition"));
      }
      lines.push_back(fmt::format("{}: {} ({})", group->check, group->example, place));
    }
    return lines;
  }

 private:
  Level level_;
  std::map<std::pair<std::string, std::string>, SimilarMessages> groups_;
  std::set<std::string> seen_;
};

std::vector<std::string> lines_of(const Report& report, Level level) {
  Groups groups(level);
  for (const DefinitionReport& definition : report.definitions) {
    for (const CheckResult& check : definition.checks) groups.add(definition.name, check);
  }
  for (const CheckResult& check : report.dataset) groups.add("the dataset", check);
  return groups.lines();
}

}  // namespace

std::string to_digest(const Report& report, const present::TextStyle& style) {
  present::Document document(present::Format::table, style);
  document.paragraph(fmt::format("{}: {}", report.config.dataset, count_line(report)));
  for (const auto& [title, level] :
       {std::pair("Errors:", Level::error), std::pair("Warnings:", Level::warning)}) {
    std::vector<std::string> lines = lines_of(report, level);
    if (lines.empty()) continue;
    lines.insert(lines.begin(), title);
    document.notes(lines);
  }
  std::vector<std::string> notes;
  for (const std::string& note : report.notes) notes.push_back("Note: " + note);
  if (status_of(report) != Status::ok)
    notes.emplace_back("Each line is a kind of message with the first of its kind. All messages: --verbose");
  document.notes(notes);
  return document.text();
}

}  // namespace fib::validate
