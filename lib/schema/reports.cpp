#include "schema/reports.h"

#include <string>

#include "schema/build.h"
#include "schema/records.h"

namespace fib::schema {
namespace {

// Of one or more datasets, each with its folder.
ordered_json report(const std::string& name, const Members& of_dataset) {
  return object({{"schema_version", constant(1)},
                 {"report", constant(name)},
                 {"datasets", list_of(object(with({{"path", word()}}, of_dataset)))}});
}

Members remarks() { return {{"not_counted", or_null(text())}, {"cautions", list_of(text())}}; }

// By hardware, which is never mixed.
Members hardware(const Members& members, const Members& optional = {}) {
  return {{"hardware", list_of(object(with({{"name", word()}}, members), optional))}};
}

ordered_json against() { return one_of({"baseline", "reference"}); }

Members totals() {
  return {{"total", count()}, {"passed", count()}, {"failed", count()}, {"by_status", map_of(count())}};
}

// The lowest and highest value of `name`, by how much a run's times of the reference differ.
Members range_of(const std::string& name) {
  return {{name + "_low", or_null(number())}, {name + "_high", or_null(number())}};
}

Members author_scores() {
  return with({{"rank", or_null(count())},
               {"author", word()},
               {"avg_speedup", number()},
               {"geomean_speedup", number()},
               {"success_rate", number()},
               {"win_rate", number()}},
              with(range_of("avg_speedup"), {{"coverage", number()}, {"definitions", count()}}));
}

ordered_json sizes() { return map_of(integer()); }

Members sol_point() {
  return {{"solution", or_null(word())},      {"author", or_null(text())},
          {"latency_ms", or_null(number())},  {"share_of_bound", or_null(number())},
          {"sol_score", or_null(number())},   {"against", or_null(against())},
          {"baseline_ms", or_null(number())}, {"bytes_per_s", or_null(number())},
          {"flops_per_s", or_null(number())}};
}

ordered_json shown_result(const Members& more = {}) {
  return object(with({{"hardware", word()},
                      {"solution", word()},
                      {"author", or_null(text())},
                      {"workload", word()},
                      {"axes", sizes()},
                      {"status", status_words()},
                      {"latency_ms", or_null(number())},
                      {"cv", or_null(number())},
                      {"interval", or_null(number())},
                      {"reference_latency_ms", or_null(number())},
                      {"speedup_factor", or_null(number())},
                      {"max_absolute_error", or_null(real())},
                      {"max_relative_error", or_null(real())},
                      {"timestamp", text()},
                      {"run_id", or_null(word())},
                      {"clock", or_null(word())}},
                     with(range_of("speedup"), more)));
}

ordered_json record() { return ordered_json{{"type", "object"}}; }

Members run_of_history() {
  return {{"hardware", or_null(text())},
          {"run_id", word()},
          {"started_utc", or_null(text())},
          {"ended_utc", or_null(text())},
          {"duration_s", or_null(number())},
          {"host", or_null(text())},
          {"dataset_commit", or_null(text())},
          {"dataset_branch", or_null(text())},
          {"definitions", or_null(count())},
          {"solutions", or_null(count())},
          {"evaluations", count()},
          {"passed", count()},
          {"failed", count()},
          {"failed_by_status", map_of(count())},
          {"not_done", or_null(count())},
          {"standing", or_null(count())},
          {"interrupted", flag()},
          {"record", flag()},
          {"sweep", or_null(record())},
          {"config_differences", record()},
          {"tags", or_null(record())},
          {"baselines", list_of(word())}};
}

ordered_json message_list() {
  return list_of(object({{"level", one_of({"info", "warning", "error"})}, {"message", text()}}));
}

ordered_json check_status() { return one_of({"ok", "warning", "error"}); }

// Of a definition, or of the dataset: its checks by name, null where one was skipped.
ordered_json checked() {
  ordered_json schema = object({{"status", check_status()}});
  schema["additionalProperties"] =
      or_null(object({{"status", check_status()}, {"messages", message_list()}}));
  return schema;
}

}  // namespace

ordered_json summary_schema() {
  const ordered_json solution = object(with({{"definition", word()},
                                             {"rank", or_null(count())},
                                             {"solution", word()},
                                             {"author", or_null(text())},
                                             {"speedup", or_null(number())},
                                             {"against", against()},
                                             {"latency_ms", or_null(number())},
                                             {"interval", or_null(number())},
                                             {"passed", count()},
                                             {"workloads", count()},
                                             {"runs", or_null(count())},
                                             {"passed_runs", or_null(count())}},
                                            range_of("speedup")));
  const Members of_hardware = {
      // The option --show leaves out some of these.
      {"traces", object(totals())},
      {"definitions", list_of(object(with({{"definition", word()}}, totals())))},
      {"all_authors", list_of(object(with({{"author", text()}}, totals())))},
      {"against", against()},
      {"reason", or_null(text())},
      {"untimed_traces", count()},
      {"unknown_traces", count()},
      {"authors",
       list_of(object(with(author_scores(), {{"workloads", count()}, {"best_solutions", map_of(word())}})))},
      {"solutions", list_of(solution)}};
  return titled("fib report summary --format json",
                report("summary", with({{"baseline_author", text()}, {"traces", object(totals())}},
                                       with(remarks(), hardware({}, of_hardware)))));
}

ordered_json best_schema() {
  const ordered_json best = object(with({{"definition", word()},
                                         {"solution", or_null(word())},
                                         {"author", or_null(text())},
                                         {"speedup_factor", or_null(number())},
                                         {"latency_ms", or_null(number())},
                                         {"max_absolute_error", or_null(real())},
                                         {"max_relative_error", or_null(real())}},
                                        range_of("speedup")),
                                   {{"interval", or_null(number())},
                                    {"workloads", or_null(count())},
                                    {"lead", or_null(number())},
                                    {"second", or_null(word())},
                                    {"ties", or_null(list_of(word()))},
                                    {"workload", or_null(word())},
                                    {"axes", or_null(sizes())}});
  return titled("fib report best --format json",
                report("best", with(with(remarks(), {{"untried", list_of(word())}}),
                                    hardware({{"best", list_of(best)}}))));
}

ordered_json rank_schema() {
  const Members of_hardware = {{"against", against()},
                               {"reason", or_null(text())},
                               {"authors", list_of(object(with(author_scores(), {{"fast_1", number()}})))}};
  return titled("fib report rank --format json",
                report("rank", with(with(remarks(), {{"by", word()}}), hardware(of_hardware))));
}

ordered_json fast_p_schema() {
  const ordered_json author = object({{"author", text()},
                                      {"solved", count()},
                                      {"fast_0", number()},
                                      {"fast_1", number()},
                                      {"curve", list_of(list_of(number()))}});
  const Members of_hardware = {{"against", against()}, {"problems", count()}, {"authors", list_of(author)}};
  return titled("fib report fast-p --format json", report("fast_p", with(remarks(), hardware(of_hardware))));
}

ordered_json sol_schema() {
  const ordered_json workload = object(with(sol_point(), {{"definition", word()},
                                                          {"workload", word()},
                                                          {"axes", sizes()},
                                                          {"bytes", or_null(number())},
                                                          {"flops", or_null(number())},
                                                          {"intensity", or_null(number())},
                                                          {"arithmetic", or_null(word())},
                                                          {"bound_ms", or_null(number())},
                                                          {"binds", or_null(word())},
                                                          {"bytes_rule", or_null(text())},
                                                          {"flops_rule", or_null(text())},
                                                          {"points", list_of(object(sol_point()))},
                                                          {"failed", list_of(word())}}));
  const ordered_json solution = object({{"definition", word()},
                                        {"solution", word()},
                                        {"author", or_null(text())},
                                        {"mean_sol_score", or_null(number())},
                                        {"mean_share_of_bound", or_null(number())},
                                        {"passed", count()},
                                        {"workloads", count()}});
  const Members parts = {{"workloads", list_of(workload)},
                         {"solutions", list_of(solution)},
                         {"unknown_definitions", list_of(word())}};
  return titled("fib report sol --format json",
                report("sol", with(with(remarks(), {{"baseline_author", text()}}),
                                   hardware({{"peak", or_null(map_of(or_null(number())))}}, parts))));
}

ordered_json show_schema() {
  const ordered_json standing = object({{"hardware", word()},
                                        {"rank", or_null(count())},
                                        {"solution", word()},
                                        {"author", or_null(text())},
                                        {"passed", count()},
                                        {"failed", count()},
                                        {"best_latency_ms", or_null(number())},
                                        {"latency_ms", or_null(number())}});
  const ordered_json definition = report("show_definition", with(remarks(), {{"definition", record()},
                                                                             {"workloads", count()},
                                                                             {"solutions", list_of(standing)},
                                                                             {"untried", list_of(word())}}));
  const ordered_json solution =
      report("show_solution",
             with(remarks(), {{"solution", record()},
                              {"sha256", word()},
                              {"results", list_of(shown_result({{"log", or_null(text())}}))},
                              {"no_result", or_null(object({{"run_id", word()}, {"reason", text()}}))}}));
  const ordered_json workload =
      report("show_workload",
             {{"definition", word()}, {"workload", record()}, {"results", list_of(shown_result())}});
  const ordered_json trace = report("show_trace", {{"solution", word()},
                                                   {"author", or_null(text())},
                                                   {"workload", word()},
                                                   {"traces", list_of(record())}});
  return titled("fib report show --format json", either({definition, solution, workload, trace}));
}

ordered_json compare_schema() {
  const ordered_json pair =
      object({{"definition", word()},
              {"hardware", word()},
              {"solution_a", word()},
              {"solution_b", word()},
              {"workload", word()},
              {"latency_a_ms", or_null(number())},
              {"latency_b_ms", or_null(number())},
              {"status_a", status_words()},
              {"status_b", status_words()},
              {"change", or_null(number())},
              {"change_less_drift", or_null(number())},
              {"noise", or_null(number())},
              {"verdict", one_of({"same", "faster", "slower", "ambiguous", "broken", "fixed", "failed"})},
              {"sources", or_null(word())},
              {"remark", or_null(text())}});
  const ordered_json alone = object({{"hardware", word()},
                                     {"definition", word()},
                                     {"solution", word()},
                                     {"workload", word()},
                                     {"status", status_words()}});
  const ordered_json totals_of_pairs = object({{"results", count()},
                                               {"same", count()},
                                               {"faster", count()},
                                               {"slower", count()},
                                               {"ambiguous", count()},
                                               {"broken", count()},
                                               {"fixed", count()},
                                               {"failed", count()},
                                               {"mean_speedup", or_null(number())}});
  const ordered_json drift =
      object({{"hardware", word()}, {"ratio", number()}, {"scatter", number()}, {"pairs", count()}});
  const ordered_json gate = object({{"limit", number()},
                                    {"regressions", count()},
                                    {"doubtful", count()},
                                    {"missing", count()},
                                    {"nothing_passed", flag()},
                                    {"cannot_hold", list_of(text())}});
  return titled("fib report compare --format json", object({{"schema_version", constant(1)},
                                                            {"report", constant("compare")},
                                                            {"a", text()},
                                                            {"b", text()},
                                                            {"pair_by", one_of({"solution", "workload"})},
                                                            {"totals", totals_of_pairs},
                                                            {"drift", list_of(drift)},
                                                            {"drift_corrected", flag()},
                                                            {"cautions", list_of(text())},
                                                            {"results", list_of(pair)},
                                                            {"other_work", count()},
                                                            {"only_a", list_of(alone)},
                                                            {"only_b", list_of(alone)},
                                                            {"gate", or_null(gate)}}));
}

ordered_json history_schema() {
  const ordered_json evaluation = object({{"definition", word()},
                                          {"solution", or_null(word())},
                                          {"sweep", or_null(record())},
                                          {"evaluations", count()},
                                          {"passed", count()},
                                          {"latency_ms", or_null(number())},
                                          {"failed_by_status", map_of(count())}});
  const ordered_json runs =
      report("history", {{"runs", list_of(object(run_of_history()))}, {"traces_without_run", count()}});
  const ordered_json run = report("history_run", {{"run", object(run_of_history())},
                                                  {"record", or_null(record())},
                                                  {"evaluations", list_of(evaluation)}});
  return titled("fib history --format json", either({runs, run}));
}

ordered_json baselines_schema() {
  const ordered_json one = object({{"name", word()},
                                   {"run_id", word()},
                                   {"hardware", or_null(word())},
                                   {"dataset_commit", or_null(word())},
                                   {"evaluations", or_null(count())},
                                   {"passed", or_null(count())},
                                   {"set_utc", or_null(word())}});
  return titled("fib baseline list --format json", report("baselines", {{"baselines", list_of(one)}}));
}

ordered_json apply_schema() {
  const auto of_cases = [](const std::string& name, const ordered_json& row) {
    return report("apply_" + name, {{"digest", word()}, {name, list_of(row)}, {"left_out", map_of(count())}});
  };
  const ordered_json shown = of_cases("cases", object({{"definition", word()},
                                                       {"axes", sizes()},
                                                       {"hardware", word()},
                                                       {"solution", word()},
                                                       {"language", or_null(word())},
                                                       {"latency_ms", number()},
                                                       {"speedup", or_null(number())},
                                                       {"second", or_null(word())},
                                                       {"second_latency_ms", or_null(number())}}));
  const ordered_json checked = of_cases("checks", object({{"definition", word()},
                                                          {"solution", word()},
                                                          {"hardware", word()},
                                                          {"cases", count()},
                                                          {"called", or_null(text())},
                                                          {"trusted", flag()}}));
  return titled("fib apply show --format json, or fib apply check", either({shown, checked}));
}

ordered_json list_schema() {
  const Members tried = {{"traces", count()}, {"results", count()}, {"passed", count()}};
  const ordered_json overview = report(
      "list",
      {{"op_types", list_of(object(with({{"op_type", or_null(text())},
                                         {"definitions", count()},
                                         {"solutions", count()},
                                         {"workloads", count()}},
                                        tried)))},
       {"authors",
        list_of(object(
            with({{"author", or_null(text())}, {"definitions", count()}, {"solutions", count()}}, tried)))}});
  const ordered_json definitions =
      report("list_definitions", {{"definitions", list_of(object({{"op_type", or_null(text())},
                                                                  {"definition", word()},
                                                                  {"variable_axes", list_of(word())},
                                                                  {"workloads", count()},
                                                                  {"solutions", count()},
                                                                  {"traces", count()}}))}});
  const ordered_json solutions =
      report("list_solutions", {{"solutions", list_of(object(with({{"definition", word()},
                                                                   {"solution", word()},
                                                                   {"author", or_null(text())},
                                                                   {"language", or_null(word())},
                                                                   {"target_hardware", list_of(word())}},
                                                                  tried)))}});
  const ordered_json workloads =
      report("list_workloads", {{"workloads", list_of(object({{"definition", word()},
                                                              {"workload", word()},
                                                              {"axes", sizes()},
                                                              {"inputs", map_of(count())},
                                                              {"traces", count()}}))}});
  const ordered_json traces =
      report("list_traces", {{"traces", list_of(object({{"definition", word()},
                                                        {"solution", or_null(word())},
                                                        {"workload", word()},
                                                        {"status", or_null(status_words())},
                                                        {"latency_ms", or_null(number())},
                                                        {"speedup_factor", or_null(number())},
                                                        {"counts", or_null(flag())},
                                                        {"hardware", or_null(text())},
                                                        {"timestamp", or_null(text())}}))}});
  return titled("fib list --format json", either({overview, definitions, solutions, workloads, traces}));
}

ordered_json merge_schema() {
  const ordered_json kind = object({{"kind", word()},
                                    {"read", count()},
                                    {"duplicates", count()},
                                    {"left_out", count()},
                                    {"written", count()}});
  return titled("fib merge --format json", object({{"schema_version", constant(1)},
                                                   {"report", constant("merge")},
                                                   {"inputs", list_of(word())},
                                                   {"output", word()},
                                                   {"counts", list_of(kind)},
                                                   {"conflicts", list_of(text())},
                                                   {"missing_blobs", list_of(text())},
                                                   {"unreadable", list_of(text())}}));
}

ordered_json validate_schema() {
  return titled("fib validate --format json", object({{"config", object({{"dataset", word()},
                                                                         {"checks", list_of(word())},
                                                                         {"disable_gpu", flag()},
                                                                         {"op_types", list_of(word())},
                                                                         {"definitions", list_of(word())}})},
                                                      {"definitions", map_of(checked())}},
                                                     {{"dataset", checked()}, {"notes", list_of(text())}}));
}

}  // namespace fib::schema
