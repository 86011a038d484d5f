#include "dataset/baselines.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "dataset/append.h"
#include "dataset/line_problems.h"
#include "dataset/links.h"
#include "dataset/paths.h"
#include "util/clock.h"
#include "util/error.h"

namespace fib::dataset {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kLongestName = 64;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool may_stand_in_name(char c) {
  return is_letter(c) || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

// A line of the file: what a name means since then.
struct Naming {
  std::string name;
  std::optional<std::string> run_id;
  std::string set_utc;
};

Naming naming_of(std::string_view line) {
  const ordered_json document = model::json::to_tree(model::json::parse(line));
  const auto text = [&](const char* key) -> std::optional<std::string> {
    if (!document.is_object() || !document.contains(key) || !document[key].is_string()) return std::nullopt;
    return document[key].get<std::string>();
  };
  const auto name = text("name");
  if (!name) throw Error("this is no record of a baseline: it has no \"name\"");
  return {checked_baseline_name(*name), text("run_id"), text("set_utc").value_or("")};
}

// Unreadable times are the oldest, as with traces.
bool is_older(const Naming& left, const Naming& right) {
  return util::parse_past_timestamp(left.set_utc) < util::parse_past_timestamp(right.set_utc);
}

}  // namespace

std::string checked_baseline_name(std::string_view name) {
  const bool is_name = !name.empty() && name.size() <= kLongestName && is_letter(name.front()) &&
                       std::all_of(name.begin(), name.end(), may_stand_in_name) && name != "last";
  if (!is_name)
    throw Error(
        "\"{}\" cannot name a baseline: a name is 1 to {} letters, digits, \".\", \"_\" and \"-\" and begins "
        "with a letter; \"last\" names a run already",
        name, kLongestName);
  return std::string(name);
}

std::vector<BaselineRun> read_baselines(const fs::path& root, std::vector<Problem>& problems) {
  const fs::path file = baselines_file(root);
  const auto text = read_inside(file, root, problems);
  if (!text) return {};
  LineProblems of_lines(file.lexically_relative(root).string(), problems);
  std::map<std::string, Naming> latest;
  for (const Line& line : split_lines(*text)) {
    try {
      Naming naming = naming_of(line.text);
      const auto [known, is_new] = latest.emplace(naming.name, naming);
      if (!is_new && !is_older(naming, known->second)) known->second = std::move(naming);
    } catch (const Error& error) {
      of_lines.add(line, error.what(), Severity::error);
    }
  }
  of_lines.finish();
  std::vector<BaselineRun> baselines;
  for (auto& [name, naming] : latest) {
    if (naming.run_id) baselines.push_back({name, *naming.run_id, naming.set_utc});
  }
  return baselines;
}

void write_baseline(const fs::path& root, const std::string& name, const std::optional<std::string>& run_id) {
  const ordered_json line = {{"name", checked_baseline_name(name)},
                             {"run_id", run_id ? ordered_json(*run_id) : ordered_json()},
                             {"set_utc", util::utc_timestamp()}};
  append_lines(root, baselines_file(root), {line.dump()});
}

std::map<std::string, std::string> runs_by_name(const std::vector<BaselineRun>& baselines) {
  std::map<std::string, std::string> runs;
  for (const BaselineRun& baseline : baselines) runs[baseline.name] = baseline.run_id;
  return runs;
}

std::vector<std::string> names_of_run(const std::vector<BaselineRun>& baselines, const std::string& run_id) {
  std::vector<std::string> names;
  for (const BaselineRun& baseline : baselines) {
    if (baseline.run_id == run_id) names.push_back(baseline.name);
  }
  return names;
}

std::map<std::string, std::vector<std::string>> names_by_run(const std::vector<BaselineRun>& baselines) {
  std::map<std::string, std::vector<std::string>> names;
  for (const BaselineRun& baseline : baselines) names[baseline.run_id].push_back(baseline.name);
  return names;
}

}  // namespace fib::dataset
