#include "dataset/standing.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <unordered_map>
#include <utility>

#include "dataset/conditions.h"
#include "dataset/present_records.h"
#include "util/clock.h"
#include "util/shell_word.h"
#include "util/some_of.h"

namespace fib::dataset {
namespace {

using Rows = std::vector<const TraceRow*>;

// Parts that may hold any character, told apart. Made several times for every trace of a dataset.
std::string key_of(std::initializer_list<const std::string*> parts) {
  std::size_t size = 0;
  for (const std::string* part : parts)
    size += 1 + (part != nullptr ? sizeof(std::size_t) + part->size() : 0);
  std::string key;
  key.reserve(size);
  for (const std::string* part : parts) {
    key += part != nullptr ? '+' : '-';
    if (part == nullptr) continue;
    const std::size_t length = part->size();
    key.append(reinterpret_cast<const char*>(&length), sizeof length);
    key += *part;
  }
  return key;
}

std::string workload_key(const TraceRow& row) {
  return key_of({row.evaluation->hardware, row.definition, row.solution, &row.workload->uuid});
}

std::string solution_key(const std::string& hardware, const std::string& definition,
                         const std::string& solution) {
  return key_of({&hardware, &definition, &solution});
}

// Traces without a readable time are the oldest.
std::int64_t time_of(const TraceRow& row) {
  return util::parse_past_timestamp(row.evaluation->timestamp)
      .value_or(std::numeric_limits<std::int64_t>::min());
}

// Of the same run: results that no run id joins are runs of their own.
std::string run_of(const TraceRow& row) {
  const RowOrigin& origin = row.evaluation->origin;
  return origin.run_id != nullptr ? key_of({origin.run_id}) : "at " + row.evaluation->timestamp;
}

double latency_of(const TraceRow& row) {
  return row.evaluation->performance ? row.evaluation->performance->latency_ms : 0;
}

// All of a trace that the rule looks at: traces that are equal here are the same to it.
std::string identity_of(const TraceRow& row) {
  const RowEvaluation& evaluation = *row.evaluation;
  const RowOrigin& origin = evaluation.origin;
  std::string identity = key_of({origin.run_id, origin.solution_sha256, origin.definition_sha256,
                                 origin.run_conditions, origin.workload_conditions, &evaluation.timestamp});
  identity += origin.is_sweep_point ? '1' : '0';
  identity += static_cast<char>(evaluation.status);
  const double latency = latency_of(row);
  identity.append(reinterpret_cast<const char*>(&latency), sizeof latency);
  return identity;
}

// The latest of some rows, the last of those of one time; null when there are none.
const TraceRow* latest_of(const Rows& rows) {
  const TraceRow* latest = nullptr;
  std::int64_t time = 0;
  for (const TraceRow* row : rows) {
    const std::int64_t own = time_of(*row);
    if (latest != nullptr && own < time) continue;
    latest = row;
    time = own;
  }
  return latest;
}

// Of the repeats in one run: a failure where there is one, else the one in the middle by latency, the slower
// of two.
const TraceRow* representative(Rows rows) {
  const auto failed = std::find_if(rows.begin(), rows.end(), [](const auto* row) { return !row->passed(); });
  if (failed != rows.end()) return *failed;
  std::stable_sort(rows.begin(), rows.end(), [](const auto* left, const auto* right) {
    return latency_of(*left) < latency_of(*right);
  });
  return rows[rows.size() / 2];
}

// The most frequent first, of equally many in the order of the alphabet.
std::vector<std::pair<std::string, std::size_t>> most_frequent(
    const std::map<std::string, std::size_t>& counts) {
  std::vector<std::pair<std::string, std::size_t>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& left, const auto& right) { return left.second > right.second; });
  return sorted;
}

std::string words(const std::string* conditions) {
  return conditions != nullptr ? *conditions : std::string("not recorded");
}

// To be pasted into a shell, whatever a trace calls its run. What begins with "-" would be another option.
std::string options_to_exclude(const std::set<std::string>& runs) {
  std::vector<std::string> words;
  std::vector<std::string> dashed;
  for (const std::string& run : runs)
    (run.starts_with('-') ? dashed : words).push_back(util::shell_word(run));
  std::vector<std::string> options;
  if (!words.empty()) options.push_back(fmt::format("--exclude-run {}", fmt::join(words, " ")));
  for (const std::string& word : dashed) options.push_back("--exclude-run=" + word);
  return fmt::format("{}", fmt::join(options, " "));
}

}  // namespace

// Makes the choice, a step after the other.
class StandingResults::Choice {
 public:
  Choice(StandingResults& standing, const Dataset& dataset, const Filter& filter, WorkloadChoice choice)
      : standing_(standing), dataset_(dataset), filter_(filter), choice_(choice), records_(dataset) {
    for (const auto& [definition, workloads] : dataset.workloads) {
      for (const auto& workload : workloads)
        workloads_.emplace(key_of({&definition, &workload.uuid}), &workload);
    }
  }

  void make(const std::vector<TraceRow>& rows) {
    Rows considered = of_this_source(in_scope(rows));
    if (choice_ == WorkloadChoice::of_dataset) considered = of_workloads_here(considered);
    count_runs(considered);
    considered = of_known_source(considered);
    const ReferenceTimes references(rows);
    considered = of_ruling_conditions(considered, &RowOrigin::run_conditions, false);
    considered = of_ruling_conditions(considered, &RowOrigin::workload_conditions, true);
    for (const auto& [key, same] : by(unswept(considered), workload_key)) {
      const TraceRow* latest = latest_of(same);
      Rows of_run;
      for (const TraceRow* row : same) {
        if (run_of(*row) != run_of(*latest)) {
          leave_out(*row, left_out().earlier_runs);
        } else if (latest->evaluation->origin.is_sweep_point && row != latest) {
          leave_out(*row, left_out().sweep_points);  // points differ in their options, so none is a repeat
        } else {
          of_run.push_back(row);
        }
      }
      const TraceRow* chosen = representative(of_run);
      standing_.chosen_[key] = identity_of(*chosen);
      if (const auto* time = references.of(*chosen)) standing_.references_[key] = *time;
    }
  }

 private:
  using Groups = std::map<std::string, Rows>;

  template <typename Key>
  static Groups by(const Rows& rows, Key&& key) {
    Groups groups;
    for (const TraceRow* row : rows) groups[key(*row)].push_back(row);
    return groups;
  }

  [[nodiscard]] Rows in_scope(const std::vector<TraceRow>& rows) const {
    Rows kept;
    for (const TraceRow& row : rows) {
      if (row.solution == nullptr || !row.evaluation) continue;
      if (filter_.excludes_run(row.evaluation->origin.run_id)) continue;
      if (!matches(filter_.hardware, *row.evaluation->hardware)) continue;
      if (filter_.since && time_of(row) < *filter_.since) continue;
      kept.push_back(&row);
    }
    return kept;
  }

  // Workloads that are not in the dataset any more are known by their traces alone.
  bool is_of_present_workload(const TraceRow& row) {
    const auto present = workloads_.find(key_of({row.definition, &row.workload->uuid}));
    if (present == workloads_.end()) return true;
    const auto [same, is_new] = same_work_.emplace(std::pair(present->second, row.workload), true);
    if (is_new) same->second = model::same_work(*present->second, *row.workload);
    return same->second && keeps_tolerance(row, *present->second);
  }

  // Other tools know no tolerance of a workload's own, and leave it out of their traces.
  static bool keeps_tolerance(const TraceRow& row, const model::Workload& present) {
    const bool says_it = row.workload->tolerance || row.evaluation->origin.definition_sha256 != nullptr;
    return !says_it || model::same_tolerance(present, *row.workload);
  }

  // Those made from the solution, the definition and the workload as they are now, or that do not say from
  // which.
  Rows of_this_source(const Rows& rows) {
    Rows kept;
    std::set<std::string> present;
    for (const TraceRow* row : rows) {
      if (!records_.has_solution(*row)) {
        if (leave_out(*row, left_out().unknown_solutions)) left_out().missing.insert(*row->solution);
      } else if (const bool is_other = records_.is_of_other_source(*row); is_other && !filter_.run) {
        if (leave_out(*row, left_out().other_sources)) left_out().outdated.insert(*row->solution);
      } else if (records_.is_of_other_definition(*row)) {
        leave_out(*row, left_out().other_definitions);
      } else if (!is_of_present_workload(*row)) {
        leave_out(*row, left_out().other_workloads);
      } else {
        kept.push_back(row);
        present.insert(*row->solution);
        if (is_other && is_asked_for(*row)) standing_.changed_since_run_.insert(*row->solution);
      }
    }
    for (const std::string& solution : present) left_out().outdated.erase(solution);
    return kept;
  }

  // Sizes that a sweep made, and workloads that were removed, count where a definition has nothing else on a
  // hardware: who was tried there alone would be the only one who has passed everything.
  Rows of_workloads_here(const Rows& rows) {
    const auto place = [](const TraceRow& row) { return key_of({row.evaluation->hardware, row.definition}); };
    const auto is_here = [&](const TraceRow* row) {
      return workloads_.contains(key_of({row->definition, &row->workload->uuid}));
    };
    Rows kept;
    for (const auto& [key, all] : by(rows, place)) {
      const bool any_here = std::any_of(all.begin(), all.end(), is_here);
      for (const TraceRow* row : all) {
        if (any_here && !is_here(row)) {
          leave_out(*row, left_out().unknown_workloads);
        } else {
          kept.push_back(row);
        }
      }
    }
    return kept;
  }

  void count_runs(const Rows& rows) {
    std::map<std::pair<std::string, std::string>, bool> passed;  // by solution and run
    for (const TraceRow* row : rows) {
      if (row->evaluation->origin.solution_sha256 == nullptr) continue;
      const std::string key = solution_key(*row->evaluation->hardware, *row->definition, *row->solution);
      const auto [entry, is_new] = passed.emplace(std::pair(key, run_of(*row)), true);
      entry->second = entry->second && row->passed();
    }
    for (const auto& [key, all_passed] : passed) {
      SourceRuns& runs = standing_.source_runs_[key.first];
      ++runs.runs;
      if (all_passed) ++runs.passed;
    }
  }

  // Those that do not say from which source they were made count where no other trace says it.
  Rows of_known_source(const Rows& rows) {
    std::set<std::string> known;
    for (const TraceRow* row : rows) {
      if (row->evaluation->origin.solution_sha256 != nullptr) known.insert(workload_key(*row));
    }
    Rows kept;
    for (const TraceRow* row : rows) {
      if (row->evaluation->origin.solution_sha256 == nullptr && known.contains(workload_key(*row))) {
        leave_out(*row, left_out().without_source);
      } else {
        kept.push_back(row);
      }
    }
    return kept;
  }

  // The conditions of the latest trace rule, for all solutions of a definition (of a workload of it) on the
  // same hardware; points of a sweep rule only where there is nothing else. Failures in which the reference
  // was never asked stand beside all conditions of a workload, and rule only among themselves.
  Rows of_ruling_conditions(const Rows& rows, const std::string* RowOrigin::*conditions, bool by_workload) {
    const auto place = [&](const TraceRow& row) {
      return key_of({row.evaluation->hardware, row.definition, by_workload ? &row.workload->uuid : nullptr});
    };
    std::map<std::string, std::string> ruling;
    for (const auto& [key, all] : by(rows, place)) {
      Rows ordinary;
      std::copy_if(all.begin(), all.end(), std::back_inserter(ordinary),
                   [](const TraceRow* row) { return !row->evaluation->origin.is_sweep_point; });
      if (ordinary.empty()) ordinary = all;
      Rows telling;
      std::copy_if(ordinary.begin(), ordinary.end(), std::back_inserter(telling),
                   [&](const TraceRow* row) { return !by_workload || !fails_before_reference(*row); });
      ruling[key] = words(latest_of(telling.empty() ? ordinary : telling)->evaluation->origin.*conditions);
    }
    Rows kept;
    std::map<std::string, Rows> ruled_out;  // by place
    for (const TraceRow* row : rows) {
      const std::string own = words(row->evaluation->origin.*conditions);
      if (own == ruling.at(place(*row)) || (by_workload && fails_before_reference(*row))) {
        kept.push_back(row);
      } else if (leave_out(*row, left_out().other_conditions[own])) {
        ruled_out[place(*row)].push_back(row);
      }
    }
    const auto kept_by_place = by(kept, place);
    for (const auto& [key, out] : ruled_out)
      note_ruling(ruling.at(key), kept_by_place.at(key), out, conditions);
    return kept;
  }

  // `kept` and `out` are the results of one place, under the conditions that rule and under others.
  void note_ruling(const std::string& ruling, const Rows& kept, const Rows& out,
                   const std::string* RowOrigin::*conditions) {
    const bool is_new = !left_out().ruled_out.contains(ruling);
    RuledOut& noted = left_out().ruled_out[ruling];
    const bool is_told = is_new || !noted.runs.empty();
    noted.definitions.insert(*out.front()->definition);
    std::set<std::string> other_runs;
    for (const TraceRow* row : out) {
      noted.conditions.insert(words(row->evaluation->origin.*conditions));
      if (const auto* run = row->evaluation->origin.run_id) other_runs.insert(*run);
    }
    const std::int64_t latest = time_of(*latest_of(out));
    bool has_runs = is_told;
    for (const TraceRow* row : kept) {
      if (time_of(*row) < latest) continue;
      const auto* run = row->evaluation->origin.run_id;
      if (run == nullptr || other_runs.contains(*run)) {
        has_runs = false;
      } else {
        noted.runs.insert(*run);
      }
    }
    if (!has_runs) noted.runs.clear();
  }

  Rows unswept(const Rows& rows) {
    const auto is_point = [](const TraceRow* row) { return row->evaluation->origin.is_sweep_point; };
    Rows kept;
    for (const auto& [key, same] : by(rows, workload_key)) {
      const bool only_points = std::all_of(same.begin(), same.end(), is_point);
      for (const TraceRow* row : same) {
        if (!only_points && is_point(row)) {
          leave_out(*row, left_out().sweep_points);
        } else {
          kept.push_back(row);
        }
      }
    }
    return kept;
  }

  LeftOut& left_out() { return standing_.left_out_; }

  [[nodiscard]] bool is_asked_for(const TraceRow& row) const {
    return filter_.may_hold(dataset_, *row.definition, row.solution);
  }

  // Traces that the reports do not ask for are not counted; whether this one is.
  bool leave_out(const TraceRow& row, std::size_t& count) const {
    if (!is_asked_for(row)) return false;
    ++count;
    return true;
  }

  StandingResults& standing_;
  const Dataset& dataset_;
  const Filter& filter_;
  WorkloadChoice choice_;
  PresentRecords records_;
  std::unordered_map<std::string, const model::Workload*>
      workloads_;  // the dataset's, by definition and uuid
  // Whether these two ask for the same work: the present workload, and one of a trace.
  std::map<std::pair<const model::Workload*, const model::Workload*>, bool> same_work_;
};

std::size_t LeftOut::total() const {
  std::size_t sum = other_sources + unknown_solutions + other_definitions + other_workloads +
                    unknown_workloads + without_source + sweep_points + earlier_runs;
  for (const auto& [conditions, count] : other_conditions) sum += count;
  return sum;
}

StandingResults::StandingResults(const Dataset& dataset, const std::vector<TraceRow>& rows,
                                 const Filter& filter, WorkloadChoice workloads) {
  Choice(*this, dataset, filter, workloads).make(rows);
}

bool StandingResults::holds(const TraceRow& row) const {
  if (row.solution == nullptr || !row.evaluation) return false;
  const auto found = chosen_.find(workload_key(row));
  return found != chosen_.end() && found->second == identity_of(row);
}

const ReferenceTime* StandingResults::reference_of(const TraceRow& row) const {
  if (!row.evaluation || row.solution == nullptr) return nullptr;
  const auto found = references_.find(workload_key(row));
  return found != references_.end() && holds(row) ? &found->second : nullptr;
}

void StandingResults::settle_reference(TraceRow& row) const {
  const ReferenceTime* time = reference_of(row);
  if (time == nullptr || !row.evaluation->performance) return;
  RowPerformance& performance = *row.evaluation->performance;
  performance.reference_latency_ms = time->median_ms;
  performance.speedup_factor = time->median_ms / performance.latency_ms;
  performance.speedup_range =
      SpeedupRange{time->low_ms / performance.latency_ms, time->high_ms / performance.latency_ms};
}

SourceRuns StandingResults::runs_of(const std::string& hardware, const std::string& definition,
                                    const std::string& solution) const {
  const auto found = source_runs_.find(solution_key(hardware, definition, solution));
  return found != source_runs_.end() ? found->second : SourceRuns();
}

void keep_standing(Dataset& dataset, const StandingResults& standing) {
  std::erase_if(dataset.traces, [&](const TraceRow& row) { return !standing.holds(row); });
  for (TraceRow& row : dataset.traces) standing.settle_reference(row);
}

std::string to_string(const LeftOut& left_out) {
  const std::size_t total = left_out.total();
  if (total == 0) return "";
  std::vector<std::string> parts;
  const auto add = [&](std::size_t count, const std::string& what) {
    if (count > 0) parts.push_back(fmt::format("{} {}", count, what));
  };
  add(left_out.other_sources, left_out.outdated.empty() ? "of other sources"
                                                        : fmt::format("of other sources (all of {})",
                                                                      util::some_of(left_out.outdated)));
  add(left_out.unknown_solutions, fmt::format("of solutions not here ({})", util::some_of(left_out.missing)));
  add(left_out.other_definitions, "of other definitions of the same name");
  add(left_out.other_workloads, "of other workloads of the same uuid");
  add(left_out.unknown_workloads, "of workloads not here");
  add(left_out.without_source, "that do not say of which source");
  add(left_out.sweep_points, "of sweeps");
  add(left_out.earlier_runs, "of earlier runs");
  std::size_t untold = 0;
  const auto by_count = most_frequent(left_out.other_conditions);
  for (std::size_t i = 0; i < by_count.size(); ++i) {
    if (i < util::kNamed) add(by_count[i].second, "of other conditions (" + by_count[i].first + ")");
    if (i >= util::kNamed) untold += by_count[i].second;
  }
  add(untold,
      fmt::format("of {} further conditions", by_count.size() - std::min(by_count.size(), util::kNamed)));
  return fmt::format("{} {} not count: {}", total, total == 1 ? "trace does" : "traces do",
                     fmt::join(parts, ", "));
}

std::vector<std::string> condition_notes(const LeftOut& left_out) {
  std::vector<std::string> notes;
  for (const auto& [ruling, out] : left_out.ruled_out) {
    if (notes.size() == util::kNamed) {
      notes.push_back(
          fmt::format("So it is with {} further conditions.", left_out.ruled_out.size() - util::kNamed));
      break;
    }
    std::string note = fmt::format("Of {} only results under {} count",
                                   util::some_of(out.definitions, "definition"), ruling);
    const std::string others = util::some_of(out.conditions, "", util::kNamed, "; or ");
    if (out.runs.empty()) {
      note += fmt::format("; there are others under {}", others);
    } else if (out.runs.size() <= util::kNamed) {
      note += fmt::format("; to count those under {}: {}", others, options_to_exclude(out.runs));
    } else {
      note += fmt::format("; to count those under {}: --exclude-run with each of the {} runs since, from {}",
                          others, out.runs.size(), util::shell_word(*out.runs.begin()));
    }
    notes.push_back(note + ".");
  }
  return notes;
}

}  // namespace fib::dataset
