#include "schema/schema.h"

#include <algorithm>

#include "schema/files.h"
#include "schema/records.h"
#include "schema/reports.h"
#include "schema/results.h"

namespace fib::schema {

const std::vector<NamedSchema>& all_schemas() {
  static const std::vector<NamedSchema> kAll = {
      {"definition", "a file below definitions/", definition_schema},
      {"solution", "a file below solutions/", solution_schema},
      {"workload", "a line below workloads/", workload_schema},
      {"trace", "a line below traces/, with fib's own record in evaluation.fib", trace_schema},
      {"run", "a line of runs/runs.jsonl, as this version writes it", run_schema},
      {"timeline", "what fib run --timeline writes", timeline_schema},
      {"export", "what fib export --format json prints", export_schema},
      {"bencher", "what fib export --format bencher writes", bencher_schema},
      {"github-action-benchmark", "what fib export --format github-action-benchmark writes",
       action_benchmark_schema},
      {"eval", "what fib eval --format json prints", eval_schema},
      {"sanitize", "what fib sanitize --format json prints", sanitize_schema},
      {"profile", "what fib profile --format json prints", profile_schema},
      {"run-events", "a line that fib run --format jsonl prints", run_event_schema},
      {"summary", "what fib report summary --format json prints", summary_schema},
      {"best", "what fib report best --format json prints", best_schema},
      {"rank", "what fib report rank --format json prints", rank_schema},
      {"fast-p", "what fib report fast-p --format json prints", fast_p_schema},
      {"sol", "what fib report sol --format json prints", sol_schema},
      {"show", "what fib report show --format json prints", show_schema},
      {"compare", "what fib report compare --format json prints", compare_schema},
      {"history", "what fib history --format json prints", history_schema},
      {"baselines", "what fib baseline list --format json prints", baselines_schema},
      {"list", "what fib list --format json prints", list_schema},
      {"merge", "what fib merge --format json prints", merge_schema},
      {"validate", "what fib validate --format json prints", validate_schema},
      {"apply", "what fib apply show and fib apply check --format json print", apply_schema},
  };
  return kAll;
}

const NamedSchema* find_schema(std::string_view name) {
  const auto& all = all_schemas();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const NamedSchema& one) { return one.name == name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace fib::schema
