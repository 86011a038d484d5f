#include "apply/table.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>

#include "dataset/ranking.h"
#include "dataset/standing.h"
#include "util/hash.h"

namespace fib::apply {
namespace {

using dataset::TraceRow;

// What one solution has to show in a case.
struct Candidate {
  std::string solution;
  std::vector<double> speedups;
  std::vector<double> latencies_ms;
  std::set<std::string> workloads = {};  // of these results
  bool failed = false;
};

// A case and its candidates, in the order in which they were met.
struct Contest {
  std::string hardware;
  AxisPairs axes;
  std::vector<Candidate> candidates;
};

AxisPairs axes_of(const model::Workload& workload) {
  AxisPairs axes;
  for (const auto& [name, value] : workload.axes) axes.emplace_back(name, value.value);
  std::sort(axes.begin(), axes.end());
  return axes;
}

// Strings and numbers, told apart, to be digested.
class Digested {
 public:
  void clear() { text_.clear(); }
  Digested& add(std::string_view part) {
    add_bytes(part.size());
    text_ += part;
    return *this;
  }
  template <typename Number>
  Digested& add_bytes(Number number) {
    text_.append(reinterpret_cast<const char*>(&number), sizeof number);
    return *this;
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// Collects what counts.
class Collection {
 public:
  Collection(const dataset::Dataset& dataset, const Registry& registry, Table& table)
      : dataset_(dataset), registry_(registry), table_(table) {
    const bool is_strict =
        std::any_of(dataset.definitions.begin(), dataset.definitions.end(), [&](const auto& entry) {
          const Config* config = registry.find(entry.first);
          return config != nullptr && config->require_hash;
        });
    if (is_strict)
      standing_.emplace(dataset, dataset.traces, dataset::Filter{}, dataset::WorkloadChoice::all);
  }

  void add(const TraceRow& row) {
    if (!row.evaluation || row.solution == nullptr || !dataset_.definitions.contains(*row.definition)) return;
    const Config* config = registry_.find(*row.definition);
    if (config == nullptr) return;
    if (const char* reason = reason_against(row, *config)) {
      ++table_.left_out[reason];
      return;
    }
    Candidate& candidate = candidate_of(row, *config);
    TraceRow settled = row;
    if (config->require_hash) standing_->settle_reference(settled);
    take(candidate, settled, *config);
  }

  // The winners of a definition's cases.
  [[nodiscard]] std::vector<Winner> winners(const std::string& definition, const Config& config) const {
    std::vector<Winner> result;
    const auto contests = contests_.find(definition);
    if (contests == contests_.end()) return result;
    for (const auto& contest : contests->second) {
      if (auto winner = winner_of(contest, config)) result.push_back(std::move(*winner));
    }
    return result;
  }

 private:
  // Why the result does not make its solution a candidate or stop it from being one; null: it does.
  [[nodiscard]] const char* reason_against(const TraceRow& row, const Config& config) {
    const auto solution = dataset_.solutions.find(*row.solution);
    if (solution == dataset_.solutions.end()) return "of solutions that are not here";
    if (solution->second.definition != *row.definition) return "of a definition that is not the solution's";
    const auto& evaluation = *row.evaluation;
    const bool named = config.hardware != "auto" && config.hardware != "any";
    if (named && (evaluation.hardware == nullptr || *evaluation.hardware != config.hardware))
      return "on other hardware";
    if (!config.require_hash) return nullptr;
    if (!standing_->holds(row)) return "not the latest of the present source";
    const auto* hash = evaluation.origin.solution_sha256;
    if (hash == nullptr || *hash != source_of(solution->second))
      return "without the hash of the present source";
    return nullptr;
  }

  // model::content_sha256(), once a solution.
  const std::string& source_of(const model::Solution& solution) {
    auto& hash = sources_[solution.name];
    if (hash.empty()) hash = model::content_sha256(solution);
    return hash;
  }

  Candidate& candidate_of(const TraceRow& row, const Config& config) {
    const auto* name = row.evaluation->hardware;
    auto& contests = contests_[*row.definition];
    // Rows of one workload share it, and mostly the name of their hardware.
    const auto known_place = shortcuts_.try_emplace({row.definition, row.workload, name}, contests.size());
    if (known_place.second) {
      const std::string hardware = config.hardware == "any" || name == nullptr ? "any" : *name;
      const auto axes = axes_of(*row.workload);
      const auto place = places_.try_emplace({*row.definition, hardware, axes}, contests.size());
      if (place.second) contests.push_back({hardware, axes, {}});
      known_place.first->second = place.first->second;
    }
    auto& candidates = contests[known_place.first->second].candidates;
    const auto known = std::find_if(candidates.begin(), candidates.end(),
                                    [&](const Candidate& other) { return other.solution == *row.solution; });
    if (known != candidates.end()) return *known;
    candidates.push_back({*row.solution, {}, {}, {}, false});
    return candidates.back();
  }

  void take(Candidate& candidate, const TraceRow& row, const Config& config) {
    const auto leave = [&](const char* reason, bool fails) {
      ++table_.left_out[reason];
      candidate.failed = candidate.failed || fails;
    };
    if (!row.passed()) return leave("failed", config.require_hash);
    const auto& errors = row.evaluation->correctness;
    const auto beyond = [](const std::optional<double>& limit, double error) {
      return limit.has_value() && !(error <= *limit);
    };
    const bool has_limit = config.max_atol.has_value() || config.max_rtol.has_value();
    if (has_limit && (!errors || beyond(config.max_atol, errors->max_absolute_error) ||
                      beyond(config.max_rtol, errors->max_relative_error)))
      return leave("with errors above the limits", config.require_hash);
    const auto& performance = row.evaluation->performance;
    if (!performance || !dataset::is_latency(performance->speedup_factor) ||
        !dataset::is_latency(performance->latency_ms))
      return leave("without a latency or speedup", false);
    candidate.speedups.push_back(performance->speedup_factor);
    candidate.latencies_ms.push_back(performance->latency_ms);
    candidate.workloads.insert(row.workload->uuid);
  }

  // How good a candidate is: less is better. In the strict way the geometric mean of its latencies, behind
  // those that have results on more workloads of the case; else its highest speedup.
  [[nodiscard]] static std::pair<std::ptrdiff_t, double> order_of(const Candidate& candidate,
                                                                  const Config& config) {
    if (!config.require_hash)
      return {0, -*std::max_element(candidate.speedups.begin(), candidate.speedups.end())};
    return {-std::ssize(candidate.workloads), dataset::geometric_mean(candidate.latencies_ms)};
  }

  static double speedup_of(const Candidate& candidate, const Config& config) {
    return config.require_hash ? dataset::geometric_mean(candidate.speedups)
                               : *std::max_element(candidate.speedups.begin(), candidate.speedups.end());
  }

  static double latency_of(const Candidate& candidate, const Config& config) {
    if (config.require_hash) return dataset::geometric_mean(candidate.latencies_ms);
    const auto best = std::max_element(candidate.speedups.begin(), candidate.speedups.end());
    return candidate.latencies_ms[static_cast<std::size_t>(best - candidate.speedups.begin())];
  }

  [[nodiscard]] static std::optional<Winner> winner_of(const Contest& contest, const Config& config) {
    std::vector<const Candidate*> ranked;
    for (const auto& candidate : contest.candidates) {
      if (!candidate.failed && !candidate.speedups.empty()) ranked.push_back(&candidate);
    }
    if (ranked.empty()) return std::nullopt;
    std::stable_sort(ranked.begin(), ranked.end(), [&](const Candidate* a, const Candidate* b) {
      return order_of(*a, config) < order_of(*b, config);
    });
    const Candidate& first = *ranked.front();
    Winner winner{contest.hardware,          contest.axes, first.solution, speedup_of(first, config),
                  latency_of(first, config), ranked.size()};
    if (ranked.size() > 1) winner.second = {ranked[1]->solution, latency_of(*ranked[1], config)};
    return winner;
  }

  const dataset::Dataset& dataset_;
  const Registry& registry_;
  Table& table_;
  std::optional<dataset::StandingResults> standing_;      // where a configuration asks for it
  std::map<std::string, std::vector<Contest>> contests_;  // by definition
  std::map<std::tuple<std::string, std::string, AxisPairs>, std::size_t> places_;       // of contests there
  std::map<std::tuple<const void*, const void*, const void*>, std::size_t> shortcuts_;  // to the same
  std::map<std::string, std::string> sources_;  // solution -> hash of its source
};

// SHA-256 of the configuration, the definitions and solutions that it is about, and their results.
std::string digest_of(const dataset::Dataset& dataset, const Registry& registry) {
  util::Sha256 digest;
  for (const auto& [name, definition] : dataset.definitions) {
    const Config* config = registry.find(name);
    if (config == nullptr) continue;
    digest.add(name).add(to_json(*config)).add(model::content_sha256(definition));
  }
  for (const auto& [name, solution] : dataset.solutions)
    digest.add(name).add(model::content_sha256(solution));
  Digested text;
  for (const auto& row : dataset.traces) {
    if (!row.evaluation || row.solution == nullptr) continue;
    const auto& evaluation = *row.evaluation;
    text.clear();
    text.add(*row.definition).add(*row.solution);
    for (const auto& [axis, size] : axes_of(*row.workload)) text.add(axis).add_bytes(size);
    text.add_bytes(evaluation.status);
    text.add(evaluation.hardware == nullptr ? std::string_view() : *evaluation.hardware)
        .add(evaluation.timestamp);
    const auto* source = evaluation.origin.solution_sha256;
    text.add(source == nullptr ? std::string_view() : *source);
    if (const auto& errors = evaluation.correctness)
      text.add("errors").add_bytes(errors->max_absolute_error).add_bytes(errors->max_relative_error);
    if (const auto& performance = evaluation.performance)
      text.add("performance").add_bytes(performance->latency_ms).add_bytes(performance->speedup_factor);
    digest.add(text.text());
  }
  return digest.hex();
}

// Nothing for cases of other axes.
std::optional<double> distance(const AxisPairs& a, const AxisPairs& b) {
  if (a.size() != b.size()) return std::nullopt;
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].first != b[i].first) return std::nullopt;
    const auto size = [](const AxisPairs& axes, std::size_t at) {
      return static_cast<double>(axes[at].second) + 1;
    };
    sum += std::abs(std::log2(size(a, i) / size(b, i)));
  }
  return sum;
}

}  // namespace

Table make_table(const dataset::Dataset& dataset, const Registry& registry) {
  Table table;
  table.digest = digest_of(dataset, registry);
  Collection collection(dataset, registry, table);
  for (const auto& row : dataset.traces) collection.add(row);
  for (const auto& [name, definition] : dataset.definitions) {
    const Config* config = registry.find(name);
    if (config == nullptr) continue;
    DefinitionTable own;
    own.winners = collection.winners(name, *config);
    if (own.winners.empty()) continue;
    for (std::size_t i = 0; i < own.winners.size(); ++i)
      own.places[{own.winners[i].hardware, own.winners[i].axes}] = i;
    for (const auto& winner : own.winners) {
      if (!own.best.contains(winner.hardware))
        own.best[winner.hardware] = by_wins(own, winner.hardware).front().first;
    }
    table.definitions.emplace(name, std::move(own));
  }
  return table;
}

const Winner* find_winner(const DefinitionTable& table, const std::string& hardware, const AxisPairs& axes) {
  const auto found = table.places.find({hardware, axes});
  return found == table.places.end() ? nullptr : &table.winners[found->second];
}

const Winner* nearest_winner(const DefinitionTable& table, std::string_view hardware, const AxisPairs& axes) {
  const Winner* nearest = nullptr;
  double least = 0;
  for (const auto& winner : table.winners) {
    const auto far = winner.hardware == hardware ? distance(winner.axes, axes) : std::nullopt;
    if (!far || (nearest != nullptr && !(*far < least))) continue;
    nearest = &winner;
    least = *far;
  }
  return nearest;
}

std::vector<std::pair<std::string, std::size_t>> by_wins(const DefinitionTable& table,
                                                         std::string_view hardware) {
  std::vector<std::pair<std::string, std::size_t>> wins;
  for (const auto& winner : table.winners) {
    if (winner.hardware != hardware) continue;
    const auto known = std::find_if(wins.begin(), wins.end(),
                                    [&](const auto& entry) { return entry.first == winner.solution; });
    if (known == wins.end()) {
      wins.emplace_back(winner.solution, 1);
    } else {
      ++known->second;
    }
  }
  std::stable_sort(wins.begin(), wins.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return wins;
}

std::string to_json(const Table& table, const dataset::Dataset& dataset) {
  using nlohmann::ordered_json;
  ordered_json index = ordered_json::object();
  ordered_json best = ordered_json::object();
  for (const auto& [name, own] : table.definitions) {
    for (const auto& winner : own.winners) {
      ordered_json axes = ordered_json::object();
      for (const auto& [axis, value] : winner.axes) axes[axis] = value;
      ordered_json entry = {{"axes", axes}, {"hardware", winner.hardware}, {"solution", winner.solution}};
      const auto solution = dataset.solutions.find(winner.solution);
      if (solution != dataset.solutions.end()) entry["language"] = solution->second.spec.language_text;
      entry["speedup"] = winner.speedup;
      entry["latency_ms"] = winner.latency_ms;
      entry["candidates"] = winner.candidates;
      if (winner.second)
        entry["second"] = {{"solution", winner.second->first}, {"latency_ms", winner.second->second}};
      index[name].push_back(std::move(entry));
    }
    for (const auto& [hardware, solution] : own.best) best[name][hardware] = solution;
  }
  ordered_json left_out = ordered_json::object();
  for (const auto& [reason, count] : table.left_out) left_out[reason] = count;
  return ordered_json{{"digest", table.digest}, {"index", index}, {"def_best", best}, {"left_out", left_out}}
      .dump();
}

}  // namespace fib::apply
