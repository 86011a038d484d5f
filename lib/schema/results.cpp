#include "schema/results.h"

#include "schema/build.h"
#include "schema/records.h"

namespace fib::schema {
namespace {

// Of report::baseline_json().
ordered_json baseline() {
  return object({{"name", word()}, {"engine", or_null(word())}, {"device", or_null(word())}});
}

ordered_json reward_components() {
  return object({{"built", flag()},
                 {"correct", number()},
                 {"speedup", or_null(number())},
                 {"share_of_bound", or_null(number())},
                 {"violation", flag()}});
}

// Of report::result_json(), without what names the workload.
Members result_members() {
  return {{"axes", axes_of_workload()},
          {"status", status_words()},
          {"latency_ms", or_null(number())},
          {"interval", or_null(real())},
          {"reference_ms", or_null(number())},
          {"speedup", or_null(number())},
          {"baseline", or_null(baseline())},
          {"max_absolute_error", or_null(real())},
          {"max_relative_error", or_null(real())},
          {"roofline", or_null(object({{"bytes", number()},
                                       {"flops", or_null(number())},
                                       {"bytes_per_s", or_null(number())},
                                       {"flops_per_s", or_null(number())},
                                       {"bound_ms", or_null(number())},
                                       {"binds", or_null(one_of({"memory", "compute"}))},
                                       {"share", or_null(number())}}))},
          {"resources", or_null(resources_list())},
          {"failure", or_null(failure_object())},
          {"hint", or_null(text())},
          {"durations", or_null(durations_object())},
          {"reward_components", reward_components()},
          {"request_digest", word()},
          {"environment_digest", or_null(word())},
          {"log", text()},
          {"log_is_cut", flag()},
          {"truncated", list_of(one_of({"resources", "diagnostics", "log"}))}};
}

// What was left out when it was planned.
ordered_json skipped_solutions() { return list_of(object(with({{"solution", word()}}, obstacle_members()))); }

ordered_json tried_solution() {
  return object(
      {{"solution", word()},
       {"definition", word()},
       {"hardware", word()},
       {"solution_sha256", or_null(word())},
       {"status", or_null(status_words())},
       {"passed", count()},
       {"workloads", count()},
       {"untried", count()},
       {"stages", or_null(list_of(object({{"stage", one_of({"build", "smallest_workload", "all_workloads"})},
                                          {"status", or_null(status_words())}})))},
       {"latency_ms", or_null(number())},
       {"interval", or_null(real())},
       {"speedup", or_null(number())},
       {"speedup_low", or_null(number())},
       {"speedup_high", or_null(number())},
       {"baseline", or_null(baseline())},
       {"reward_components", reward_components()},
       {"request_digest", word()},
       {"environment_digest", or_null(word())},
       {"against", or_null(ordered_json{{"type", "object"}})},
       {"results",
        list_of(object(with(with({{"workload", word()}}, result_members()),
                            {{"speedup_low", or_null(number())}, {"speedup_high", or_null(number())}})))}});
}

ordered_json event(const char* name, const Members& members) {
  return object(with({{"event", constant(name)}, {"time", word()}}, members));
}

Members evaluation_names() {
  return {{"definition", word()},
          {"solution", word()},
          {"workload", word()},
          {"sweep", or_null(ordered_json{{"type", "object"}})}};
}

Members progress() { return {{"done", count()}, {"total", count()}}; }

}  // namespace

ordered_json eval_schema() {
  return titled(
      "fib eval --format json",
      object({{"schema_version", constant(1)},
              {"fib", word()},
              {"error", or_null(text())},
              {"interrupted", flag()},
              {"plan_ms", number()},
              {"solutions", list_of(tried_solution())},
              {"cautions", list_of(text())},
              {"skipped", skipped_solutions()},
              {"not_done",
               list_of(object(with({{"solution", word()}, {"workload", word()}}, obstacle_members())))}}));
}

ordered_json run_event_schema() {
  const Members began = {{"schema_version", constant(1)},  {"fib", word()},
                         {"devices", list_of(word())},     {"plan_ms", number()},
                         {"evaluations", count()},         {"resumed", count()},
                         {"skipped", skipped_solutions()}, {"incomplete", skipped_solutions()}};
  const Members built = {{"solution", word()},
                         {"outcome", one_of({"built", "failed", "not_done"})},
                         {"from_cache", flag()},
                         {"code", or_null(either({error_codes(), obstacle_codes()}))},
                         {"reason", or_null(text())}};
  const Members ended = {{"run_id", or_null(word())},
                         {"finished", count()},
                         {"passed", count()},
                         {"not_done", list_of(object(with(evaluation_names(), obstacle_members())))},
                         {"not_begun", count()},
                         {"interrupted", flag()},
                         {"ended_early", or_null(text())},
                         {"gate", list_of(text())},
                         {"exit_code", count()}};
  const Members result = with({{"hardware", word()}}, result_members());
  return titled("An event of fib run --format jsonl",
                either({event("run_began", began), event("planned", evaluation_names()),
                        event("waiting", {{"device", word()}}), event("built", with(built, progress())),
                        event("evaluation_began", with(evaluation_names(), progress())),
                        event("evaluation_ended", with(with(evaluation_names(), result), progress())),
                        event("warning", {{"text", text()}}), event("run_ended", ended)}));
}

ordered_json profile_schema() {
  const ordered_json bottleneck =
      object({{"class", one_of({"spills", "bank_conflicts", "uncoalesced", "memory_bandwidth", "l2_bandwidth",
                                "tensor", "compute", "latency", "unknown"})},
              {"figures", text()},
              {"advice", text()}});
  const ordered_json rule = object({{"name", word()},
                                    {"section", word()},
                                    {"type", word()},
                                    {"text", text()},
                                    {"scope", or_null(word())},
                                    {"speedup_percent", or_null(number())}});
  const ordered_json kernel = object({{"name", text()},
                                      {"grid", text()},
                                      {"block", text()},
                                      {"bottleneck", bottleneck},
                                      {"occupancy_limit", or_null(word())},
                                      {"metrics", map_of(number())},
                                      {"rules", list_of(rule)}});
  const ordered_json profiled = object({{"solution", word()},
                                        {"definition", word()},
                                        {"workload", word()},
                                        {"reason", or_null(text())},
                                        {"kernels", list_of(kernel)}});
  return titled("fib profile --format json",
                object({{"schema_version", constant(1)}, {"fib", word()}, {"profiled", list_of(profiled)}},
                       {{"error", text()}}));
}

ordered_json sanitize_schema() {
  const ordered_json finding = object({{"tool", word()},
                                       {"severity", one_of({"error"})},
                                       {"kind", word()},
                                       {"message", word()},
                                       {"file", or_null(word())},
                                       {"line", or_null(count())},
                                       {"column", or_null(count())},
                                       {"source", or_null(text())},
                                       {"function", or_null(word())},
                                       {"detail", or_null(word())},
                                       {"times", count()}});
  const ordered_json examined = object({{"solution", word()},
                                        {"definition", word()},
                                        {"workload", word()},
                                        {"tool", word()},
                                        {"status", one_of({"clean", "findings", "not_done"})},
                                        {"reason", or_null(text())},
                                        {"findings", list_of(finding)},
                                        {"output", text()},
                                        {"output_is_cut", flag()}});
  return titled("fib sanitize --format json",
                object({{"schema_version", constant(1)}, {"fib", word()}, {"examined", list_of(examined)}},
                       {{"error", text()}}));
}

}  // namespace fib::schema
