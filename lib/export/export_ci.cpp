#include <algorithm>

#include "dataset/runs.h"
#include "export/ci_forms.h"
#include "export/ci_ranking.h"
#include "export/export.h"
#include "present/document.h"
#include "present/github.h"
#include "present/text.h"
#include "report/not_counted.h"
#include "report/run_rest.h"

namespace fib::exports {
namespace {

// The commit of every run with a record: of the dataset's repository, else of the folder that the run was
// started in. It is an extra: lines of runs.jsonl that cannot be read cost themselves, and `fib history`
// names them.
std::map<std::string, std::string> commits_of(const dataset::Dataset& dataset) {
  std::vector<dataset::Problem> problems;
  std::map<std::string, std::string> commits;
  for (const auto& run : dataset::read_runs(dataset.root, problems)) {
    if (run.dataset_git && run.dataset_git->commit) {
      commits[run.run_id] = *run.dataset_git->commit;
    } else if (const auto git = run.document.find("current_git");
               git != run.document.end() && git->is_object()) {
      if (git->contains("commit") && git->at("commit").is_string())
        commits[run.run_id] = git->at("commit").get<std::string>();
    }
  }
  return commits;
}

// What the run has no results of: the one that was asked for, or that of all results. Of several runs nobody
// knows what stands in the place of what was not done; and a run without a record may have been made
// elsewhere.
report::RunRest rest_of(const std::vector<CiResult>& results, const dataset::Dataset& dataset,
                        const dataset::Filter& filter) {
  if (filter.run) return report::rest_of_run(dataset.root, *filter.run);
  if (results.empty() || !filter.is_empty()) return {};  // of a part nobody knows which run the rest is of
  const std::string* run_id = results.front().detail.run_id;
  const bool is_one =
      run_id != nullptr && std::all_of(results.begin(), results.end(), [&](const auto& result) {
        return result.detail.run_id != nullptr && *result.detail.run_id == *run_id;
      });
  if (!is_one) return {};
  auto rest = report::rest_of_run(dataset.root, *run_id);
  return rest.has_record ? rest : report::RunRest{};
}

std::string render(const std::vector<CiResult>& results, const dataset::Dataset& dataset, CiForm form,
                   const report::RunRest& rest) {
  switch (form) {
    case CiForm::github:
      return github_commands(results, dataset, std::filesystem::current_path(), rest);
    case CiForm::junit:
      return junit_results(results, rest);
    case CiForm::job_summary:
      return job_summary(results, dataset, kSummaryBytes, rest);
    case CiForm::action_benchmark:
      return action_benchmark(results, commits_of(dataset));
    case CiForm::bencher:
      break;
  }
  return bencher_metrics(results);
}

// What of the traces does not count, in the forms that people read.
std::string about_the_rest(const std::string& not_counted, CiForm form) {
  if (not_counted.empty()) return "";
  if (form == CiForm::github)
    return present::annotation(present::Annotation::notice, "not counted", present::printable(not_counted));
  return form == CiForm::job_summary ? "\n" + present::markdown_block(not_counted) + "\n" : "";
}

// How many of the results the form tells of: trackers want measurements.
std::size_t count_in(const std::vector<CiResult>& results, CiForm form) {
  if (form != CiForm::action_benchmark && form != CiForm::bencher) return results.size();
  return static_cast<std::size_t>(std::count_if(results.begin(), results.end(), [](const CiResult& result) {
    return result.latency_ms().has_value();
  }));
}

}  // namespace

std::size_t export_ci(const dataset::Dataset& dataset, const dataset::Filter& filter, CiForm form,
                      std::vector<std::string>& unreadable,
                      const std::function<void(std::string_view)>& write,
                      const std::atomic<bool>* interrupted) {
  const auto results = read_ci_results(dataset, filter, unreadable, interrupted);
  const auto rest = rest_of(results, dataset, filter);
  write(render(results, dataset, form, rest) +
        about_the_rest(report::not_counted_text(filter.standing.get()), form));
  return count_in(results, form);
}

}  // namespace fib::exports
