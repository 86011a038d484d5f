#include "export/ci_ranking.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "dataset/ranking.h"
#include "present/table.h"
#include "present/text.h"
#include "report/latency_cell.h"
#include "report/rank_cell.h"
#include "report/speedup_text.h"

namespace fib::exports {
namespace {

// The results of one hardware and definition.
struct RankedSolutions {
  dataset::Contest contest;
  // By solution, over what passed and was compared with the reference.
  std::map<std::string, dataset::MeanSpeedup> speedups;

  void add(const CiResult& result) {
    const auto& evaluation = *result.detail.row.evaluation;
    const double latency = evaluation.performance ? evaluation.performance->latency_ms : 0;
    contest.add(result.solution(), result.detail.row.workload->uuid,
                {result.passed(), latency, evaluation.interval});
    auto& own = speedups[result.solution()];
    if (const auto speedup = result.speedup()) own.add(*speedup, evaluation.performance->speedup_range);
  }
};

std::string row_text(const report::RankCells& ranks, const CiStanding& one) {
  const auto or_dash = [](bool known, const std::string& text) { return known ? text : std::string("-"); };
  return fmt::format(
      "| {} | {} | {} | {} | {} | {} of {} |\n", ranks.of(one.rank).text,
      present::escape_markdown(one.solution),
      or_dash(!one.author.empty(), present::escape_markdown(one.author)),
      report::latency_cell(one.latency_ms, one.passed == one.workloads).text,
      or_dash(one.speedup.has_value(),
              report::speedup_text(one.speedup.value_or(0), one.speedup_range, present::format_score)),
      one.passed, one.workloads);
}

}  // namespace

std::vector<CiRanking> rank_results(const std::vector<CiResult>& results, const dataset::Dataset& dataset) {
  std::map<std::pair<std::string, std::string>, RankedSolutions>
      groups;  // by hardware and definition: as results are sorted
  for (const CiResult& result : results) {
    groups[{result.hardware(), result.definition()}].add(result);
  }
  std::vector<CiRanking> rankings;
  for (const auto& [names, group] : groups) {
    CiRanking& ranking = rankings.emplace_back(CiRanking{names.first, names.second, {}});
    for (const auto& one : group.contest.ranking()) {
      const auto known = dataset.solutions.find(one.solution);
      const auto& mean = group.speedups.at(one.solution);
      const bool is_known = one.passed == one.workloads && mean.count() == one.workloads;
      ranking.standings.push_back(
          {one.rank, one.solution, known == dataset.solutions.end() ? "" : known->second.author,
           one.latency_ms, is_known ? mean.geometric_mean() : std::nullopt,
           is_known ? mean.geometric_range() : std::nullopt, one.passed, one.workloads});
    }
  }
  return rankings;
}

std::string ranking_text(const CiRanking& ranking) {
  std::string text = "\n#### " + present::escape_markdown(ranking.definition) +
                     "\n\n| Rank | Solution | Author | Latency [ms] (geo mean) | Speedup vs. reference (geo "
                     "mean) | Passed |\n"
                     "| ---: | --- | --- | ---: | ---: | ---: |\n";
  const report::RankCells ranks(ranking.standings);
  for (const CiStanding& one : ranking.standings) text += row_text(ranks, one);
  return text;
}

}  // namespace fib::exports
