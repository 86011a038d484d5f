#include "export/ci_ranking.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "report/text.h"

namespace fib::exports {
namespace {

struct Sums {
  std::size_t passed = 0;
  std::size_t workloads = 0;
  double logs = 0;  // of the latencies in ms
  std::size_t timed = 0;
  double speedups = 0;
  std::size_t compared = 0;

  void add(const CiResult& result) {
    ++workloads;
    if (!result.passed()) return;
    ++passed;
    const auto& performance = result.detail.row.evaluation->performance;
    if (performance && std::isfinite(performance->latency_ms) && performance->latency_ms > 0) {
      logs += std::log(performance->latency_ms);
      ++timed;
    }
    if (const auto speedup = result.speedup()) {
      speedups += *speedup;
      ++compared;
    }
  }

  [[nodiscard]] CiStanding standing(const std::string& solution, const std::string& author) const {
    CiStanding standing{std::nullopt, solution, author, std::nullopt, std::nullopt, passed, workloads};
    if (timed > 0) standing.latency_ms = std::exp(logs / static_cast<double>(timed));
    if (compared > 0) standing.speedup = speedups / static_cast<double>(compared);
    return standing;
  }
};

// The results of one hardware and definition.
struct Group {
  std::map<std::string, Sums> solutions;
  std::set<std::string> uuids;
};

void give_ranks(std::vector<CiStanding>& standings, std::size_t workloads) {
  const auto complete = [&](const CiStanding& one) { return one.passed == workloads && one.latency_ms; };
  const auto key = [&](const CiStanding& one) {
    return std::tuple(!complete(one), complete(one) ? *one.latency_ms : -static_cast<double>(one.passed),
                      one.solution);
  };
  std::sort(standings.begin(), standings.end(),
            [&](const CiStanding& a, const CiStanding& b) { return key(a) < key(b); });
  for (std::size_t i = 0; i < standings.size() && complete(standings[i]); ++i) {
    const bool tie = i > 0 && *standings[i].latency_ms <= *standings[i - 1].latency_ms;
    standings[i].rank = tie ? *standings[i - 1].rank : i + 1;
  }
}

std::string row_text(const CiStanding& one) {
  const auto or_dash = [](bool known, const std::string& text) { return known ? text : std::string("-"); };
  return fmt::format("| {} | {} | {} | {} | {} | {} of {} |\n",
                     or_dash(one.rank.has_value(), std::to_string(one.rank.value_or(0))),
                     escape_strictly(one.solution), or_dash(!one.author.empty(), escape_strictly(one.author)),
                     or_dash(one.latency_ms.has_value(), report::format_ms(one.latency_ms.value_or(0))),
                     or_dash(one.speedup.has_value(), report::format_score(one.speedup.value_or(0))),
                     one.passed, one.workloads);
}

}  // namespace

std::vector<CiRanking> rank_results(const std::vector<CiResult>& results, const dataset::Dataset& dataset) {
  std::map<std::pair<std::string, std::string>, Group>
      groups;  // by hardware and definition: as results are sorted
  for (const CiResult& result : results) {
    Group& group = groups[{result.hardware(), result.definition()}];
    group.solutions[result.solution()].add(result);
    group.uuids.insert(result.detail.row.workload->uuid);
  }
  std::vector<CiRanking> rankings;
  for (const auto& [names, group] : groups) {
    CiRanking& ranking = rankings.emplace_back(CiRanking{names.first, names.second, {}});
    for (const auto& [solution, sums] : group.solutions) {
      const auto known = dataset.solutions.find(solution);
      ranking.standings.push_back(
          sums.standing(solution, known == dataset.solutions.end() ? "" : known->second.author));
    }
    give_ranks(ranking.standings, group.uuids.size());
  }
  return rankings;
}

std::string ranking_text(const CiRanking& ranking) {
  std::string text = "\n#### " + escape_strictly(ranking.definition) +
                     "\n\n| Rank | Solution | Author | Latency [ms] | Speedup | Passed |\n"
                     "| ---: | --- | --- | ---: | ---: | ---: |\n";
  for (const CiStanding& one : ranking.standings) text += row_text(one);
  return text;
}

std::string escape_strictly(std::string_view text) {
  constexpr std::string_view kMarkup = R"(\`*{}[]<>#|~!&$)";
  const std::string line = report::printable(text);
  const auto is_word = [&](std::size_t i) {
    return i < line.size() && std::isalnum(static_cast<unsigned char>(line[i])) != 0;
  };
  std::string result;
  for (std::size_t i = 0; i < line.size(); ++i) {
    // An underscore within a word marks up nothing.
    const bool emphasis = line[i] == '_' && !(i > 0 && is_word(i - 1) && is_word(i + 1));
    if (emphasis || kMarkup.find(line[i]) != std::string_view::npos) result += '\\';
    result += line[i];
  }
  return result;
}

}  // namespace fib::exports
