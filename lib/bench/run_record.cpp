#include "bench/run_record.h"

#include <filesystem>
#include <set>
#include <utility>

#include "dataset/append.h"
#include "dataset/paths.h"
#include "util/clock.h"
#include "util/utf8.h"

namespace fib::bench {
namespace {

using nlohmann::ordered_json;

// 1, in which the number was not written: without git, machine, cuda, compilers, command, sweep and what
// failed.
constexpr int kRunSchemaVersion = 3;

ordered_json git_json(const std::optional<util::GitHead>& head) {
  if (!head) return nullptr;
  const auto text = [](const std::optional<std::string>& value) {
    return value ? ordered_json(util::valid_utf8(*value)) : ordered_json();
  };
  return {{"commit", text(head->commit)}, {"branch", text(head->branch)}};
}

std::vector<std::string> names_of(const std::vector<LaneDevice>& devices) {
  std::vector<std::string> names;
  for (const auto& device : devices) names.push_back(device.uuid.empty() ? device.name : device.uuid);
  return names;
}

std::filesystem::path current_folder() {
  std::error_code ignored;  // a folder that was removed has no repository either
  return std::filesystem::current_path(ignored);
}

// Over all datasets, without what --resume left out.
template <typename What>
std::size_t count_distinct(const Plan& plan, What what) {
  std::set<std::string> names;
  for (const auto& planned : plan.evaluations) names.insert(what(planned));
  return names.size();
}

ordered_json counts_json(const std::map<std::string, std::size_t>& counts) {
  ordered_json object = ordered_json::object();
  for (const auto& [status, count] : counts) object[status] = count;
  return object;
}

ordered_json skipped_json(const std::vector<SkippedSolution>& solutions) {
  ordered_json list = ordered_json::array();
  for (const auto& one : solutions) {
    list.push_back({{"solution", util::valid_utf8(one.solution)}});
    list.back().update(model::json_of(one.obstacle));
  }
  return list;
}

// What was tried in vain: once for each solution and reason, with the number of evaluations. A reason may
// hold all that a reference has printed; what it begins with is kept.
ordered_json not_done_json(const std::vector<NotDone>& all) {
  ordered_json list = ordered_json::array();
  std::map<std::pair<std::string, std::string>, std::size_t> places;
  for (const NotDone& one : all) {
    const std::string& solution = one.planned.solution->name;
    constexpr std::size_t kMostBytes = 2000;
    model::Obstacle obstacle = one.obstacle;
    if (obstacle.why.size() > kMostBytes) obstacle.why.resize(kMostBytes);
    const auto [place, is_new] = places.emplace(std::pair(solution, obstacle.why), list.size());
    if (is_new) {
      list.push_back({{"solution", util::valid_utf8(solution)}, {"evaluations", 0}});
      list.back().update(model::json_of(obstacle));
    }
    auto& count = list[place->second]["evaluations"];
    count = count.get<std::size_t>() + 1;
  }
  return list;
}

}  // namespace

RunRecorder::RunRecorder(const std::vector<dataset::Dataset>& datasets, const Plan& plan, const Sweep& sweep,
                         const RunRequest& request, const Environment& environment,
                         const RunIdentity& identity, std::string secret)
    : datasets_(datasets),
      plan_(plan),
      sweep_(sweep),
      request_(request),
      environment_(environment),
      identity_(identity),
      secret_(std::move(secret)),
      started_utc_(util::utc_timestamp()),
      head_(util::git_head(current_folder())) {
  for (const auto& dataset : datasets) heads_.push_back(util::git_head(dataset.root));
}

ordered_json RunRecorder::record(const RunReport& report, std::size_t dataset) const {
  ordered_json record = {{"run_id", identity_.run_id},
                         {"schema_version", kRunSchemaVersion},
                         {"version", identity_.version},
                         {"build_id", identity_.build_id},
                         {"hardware", environment_.devices.front().name},
                         {"device", model::name_of(environment_.kind())},
                         {"devices", names_of(environment_.devices)}};
  record.update(request_.surroundings);
  record["dataset_git"] = git_json(heads_[dataset]);
  record["current_git"] = git_json(head_);
  record["config"] = common_config(sweep_);
  record["sweep"] = sweep_.record;
  record["tags"] = identity_.tags;
  record["load"] = nullptr;
  if (const auto& load = identity_.load)
    record["load"] = {{"average", load->average}, {"cores", load->cores}};
  record["seed"] = secret_;
  record["seeded"] = identity_.seeded;
  record["started_utc"] = started_utc_;
  record["ended_utc"] = util::utc_timestamp();
  record["definitions"] = count_distinct(plan_, [](const auto& p) { return p.definition->name; });
  record["solutions"] = count_distinct(plan_, [](const auto& p) { return p.solution->name; });
  record["skipped"] = skipped_json(plan_.skipped);
  record["planned"] = plan_.evaluations.size();
  record["resumed"] = plan_.resumed;
  record["finished"] = report.finished;
  record["passed"] = report.passed;
  record["failed"] = counts_json(report.failed);
  record["not_done"] = report.not_done.size();
  record["not_done_reasons"] = not_done_json(report.not_done);
  record["not_begun"] = report.not_begun;
  record["interrupted"] = report.interrupted;
  record["ended_early"] =
      report.ended_early.empty() ? ordered_json() : ordered_json(util::valid_utf8(report.ended_early));
  return record;
}

void RunRecorder::write(const RunReport& report) const {
  for (std::size_t i = 0; i < datasets_.size(); ++i) {
    const auto& root = datasets_[i].root;
    dataset::append_lines(root, dataset::runs_file(root), {record(report, i).dump()});
  }
}

}  // namespace fib::bench
