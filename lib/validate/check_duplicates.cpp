#include <fmt/format.h>

#include <map>

#include "util/some_of.h"
#include "validate/checks.h"

namespace fib::validate {
namespace {

void uuids(const ScannedRecords& file, Messages& messages) {
  std::map<std::string, std::size_t> first_lines;
  for (const Record& record : file.records) {
    const std::string& uuid = record.trace.workload.uuid;
    const auto [first, is_new] = first_lines.emplace(uuid, record.line);
    if (is_new) continue;
    error(messages, {file.file, record.line},
          fmt::format("workload {}: the uuid of line {} again on line {}; give each workload its own", uuid,
                      first->second, record.line));
  }
}

// `name` is what the content of `file` says.
void names(const std::map<std::string, std::vector<std::string>>& files, const std::string& name,
           const std::string& file, const std::string& what, Messages& messages) {
  const std::vector<std::string>& all = files.at(name);
  std::vector<std::string> others;
  for (const std::string& other : all) {
    if (other != file && others.size() < util::kNamed) others.push_back(other);
  }
  if (others.empty()) return;
  const std::string more = util::and_more(all.size() - 1, others.size());
  error(messages, {file},
        fmt::format("{} '{}' is also the name in {}{}{}; names are unique in a dataset: rename one", what,
                    name, fmt::join(others, ", "), more.empty() ? "" : " ", more));
}

void hidden_files(const Subject& subject, Messages& messages) {
  const auto replaced = subject.tree.replaced.find(subject.name());
  if (replaced == subject.tree.replaced.end()) return;
  for (const Replaced& pair : replaced->second) {
    error(messages, {pair.file},
          fmt::format("{} was not checked, for {} is there too; join them in one file", pair.file, pair.by));
  }
}

}  // namespace

Messages check_duplicates(const Subject& subject) {
  Messages messages;
  const Tree& tree = subject.tree;
  if (subject.definition != nullptr) {
    names(tree.definition_files, subject.definition->name, subject.scanned.file, "definition", messages);
  }
  for (const ScannedSolution* solution : subject.solutions) {
    if (!solution->solution) continue;
    names(tree.solution_files, solution->solution->name, solution->file, "solution", messages);
  }
  if (subject.workloads != nullptr) uuids(*subject.workloads, messages);
  hidden_files(subject, messages);
  return messages;
}

}  // namespace fib::validate
