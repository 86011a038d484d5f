#include "schema/files.h"

#include "schema/build.h"
#include "schema/records.h"

namespace fib::schema {
namespace {

ordered_json any_object() { return ordered_json{{"type", "object"}}; }

ordered_json machine() {
  return object({{"host", or_null(text())},
                 {"cpu", or_null(text())},
                 {"cores", count()},
                 {"memory_bytes", count()},
                 {"os", or_null(text())},
                 {"kernel", or_null(text())}});
}

// What the driver and CUDA say of their versions depends on the machine.
ordered_json cuda() {
  const ordered_json gpu = object({{"name", word()}, {"uuid", word()}, {"architecture", text()}});
  ordered_json schema = any_object();
  schema["properties"] = {{"gpus", list_of(gpu)}};
  schema["required"] = {"gpus"};
  return schema;
}

ordered_json git() { return or_null(object({{"commit", or_null(word())}, {"branch", or_null(word())}})); }

// Members that bench::RunRecorder writes, and those that say where the run was started.
Members run_members() {
  // Older ones have no code, stage and retryable.
  const ordered_json skipped = object({{"solution", word()}, {"fault", word()}, {"reason", text()}},
                                      {{"code", obstacle_codes()}, {"stage", word()}, {"retryable", flag()}});
  const ordered_json in_vain = object({{"solution", word()},
                                       {"evaluations", count()},
                                       {"code", obstacle_codes()},
                                       {"stage", word()},
                                       {"fault", word()},
                                       {"retryable", flag()},
                                       {"reason", text()}});
  return {{"run_id", word()},
          {"schema_version", constant(3)},
          {"version", word()},
          {"build_id", text()},
          {"hardware", word()},
          {"device", one_of({"cpu", "cuda"})},
          {"devices", list_of(word())},
          {"machine", machine()},
          {"cuda", or_null(cuda())},
          {"compilers", object({{"cxx", or_null(text())}, {"nvcc", or_null(text())}})},
          {"python", or_null(any_object())},
          {"command", list_of(text())},
          {"dataset_git", git()},
          {"current_git", git()},
          {"config", any_object()},
          {"sweep", or_null(any_object())},
          {"tags", or_null(map_of(text()))},
          {"load", or_null(object({{"average", number()}, {"cores", count()}}))},
          {"seed", text()},
          {"seeded", flag()},
          {"started_utc", word()},
          {"ended_utc", word()},
          {"definitions", count()},
          {"solutions", count()},
          {"skipped", list_of(skipped)},
          {"planned", count()},
          {"resumed", count()},
          {"finished", count()},
          {"passed", count()},
          {"failed", map_of(count())},
          {"not_done", count()},
          {"not_done_reasons", list_of(in_vain)},
          {"not_begun", count()},
          {"interrupted", flag()},
          {"ended_early", or_null(text())}};
}

}  // namespace

ordered_json run_schema() {
  return titled("A line of runs/runs.jsonl, as this version writes it", object(run_members()));
}

ordered_json timeline_schema() {
  const ordered_json name = object({{"name", constant("process_name")},
                                    {"ph", constant("M")},
                                    {"pid", count()},
                                    {"args", object({{"name", word()}})}});
  const ordered_json event = object({{"name", word()},
                                     {"ph", constant("X")},
                                     {"ts", number()},
                                     {"dur", number()},
                                     {"pid", count()},
                                     {"tid", count()}},
                                    {{"args", object({{"detail", text()}})}});
  const ordered_json end = object({{"name", constant("end")},
                                   {"ph", constant("i")},
                                   {"s", constant("g")},
                                   {"ts", number()},
                                   {"pid", count()},
                                   {"tid", count()}});
  return titled("fib run --timeline", list_of(either({event, name, end})));
}

ordered_json action_benchmark_schema() {
  return titled("fib export --format github-action-benchmark",
                list_of(object({{"name", word()}, {"unit", constant("ms")}, {"value", number()}},
                               {{"range", word()}, {"extra", text()}})));
}

ordered_json bencher_schema() {
  const ordered_json latency =
      object({{"value", number()}}, {{"lower_value", number()}, {"upper_value", number()}});
  return titled("fib export --format bencher",
                map_of(object({{"latency", latency}}, {{"speedup", object({{"value", number()}})}})));
}

}  // namespace fib::schema
