#include "schema/records.h"

#include <map>

#include "model/measurement_record.h"
#include "model/obstacle.h"
#include "model/trace.h"
#include "schema/build.h"

namespace fib::schema {
namespace {

ordered_json tensor() {
  return object({{"shape", or_null(list_of(word()))}, {"dtype", word()}}, {{"description", or_null(text())}});
}

ordered_json axis() {
  return either(
      {object({{"type", constant("const")}, {"value", count()}}, {{"description", or_null(text())}}),
       object({{"type", constant("var")}}, {{"description", or_null(text())}}),
       object({{"type", constant("expr")}, {"expression", text()}})});
}

ordered_json input() {
  return either({object({{"type", constant("random")}}),
                 object({{"type", constant("scalar")}, {"value", either({number(), flag()})}}),
                 object({{"type", constant("safetensors")}, {"path", word()}, {"tensor_key", word()}})});
}

ordered_json workload() {
  return object({{"axes", axes_of_workload()}, {"inputs", map_of(input())}, {"uuid", word()}});
}

// Whether an object of the record lacks the fields that are not known, as in traces, or has null there.
enum class Unknown { missing, null };

ordered_json object_of(const Members& members, Unknown unknown) {
  return unknown == Unknown::missing ? object({}, members) : object(members);
}

// Of facts by stage.
template <typename Facts>
ordered_json names_of(const std::vector<Facts>& all) {
  std::vector<std::string> names;
  for (const Facts& facts : all) names.emplace_back(facts.name);
  return one_of(names);
}

template <typename Facts>
ordered_json stages_of(const std::vector<Facts>& all) {
  std::vector<std::string> stages;
  for (const Facts& facts : all) {
    if (stages.empty() || stages.back() != facts.stage) stages.emplace_back(facts.stage);
  }
  return one_of(stages);
}

ordered_json faults() { return one_of({"solution", "dataset", "machine", "harness"}); }

// The words of fields that have a closed list of them.
std::map<std::string, ordered_json> closed_lists() {
  return {{"failure.code", error_codes()},
          {"failure.stage", stages_of(model::all_error_facts())},
          {"failure.fault", faults()},
          {"failure.mismatch.pattern",
           one_of({model::kMismatchPatterns.begin(), model::kMismatchPatterns.end()})},
          {"truncated", list_of(one_of({"resources", "diagnostics", "log"}))}};
}

ordered_json field_schema(const model::RecordField& field, const Members& members, Unknown unknown) {
  static const std::map<std::string, ordered_json> kClosed = closed_lists();
  const auto closed = kClosed.find(field.name);
  if (closed != kClosed.end()) return closed->second;
  static const std::map<std::string, ordered_json> kPlain = {
      {"text", text()},           {"number", real()},           {"count", count()},
      {"flag", flag()},           {"numbers", list_of(real())}, {"counts", list_of(count())},
      {"texts", list_of(text())},
  };
  if (field.type == "objects") return list_of(object_of(members, unknown));
  const auto plain = kPlain.find(field.type);
  if (plain != kPlain.end()) return plain->second;
  return members.empty() ? ordered_json{{"type", "object"}} : object_of(members, unknown);
}

// The fields whose names begin with `prefix` and have no further level; deeper ones are members of these.
Members members_below(const std::vector<model::RecordField>& fields, const std::string& prefix,
                      Unknown unknown) {
  Members members;
  for (const model::RecordField& field : fields) {
    if (!field.name.starts_with(prefix)) continue;
    const std::string name = field.name.substr(prefix.size());
    if (name.find('.') != std::string::npos) continue;
    const bool is_list = field.type == "objects";
    const Members own = members_below(fields, field.name + (is_list ? "[]." : "."), unknown);
    const ordered_json schema = field_schema(field, own, unknown);
    members.emplace_back(name, or_null(schema));  // some stand as null where nothing is known
  }
  return members;
}

ordered_json evaluation() {
  const ordered_json correctness = object({{"max_relative_error", real()}, {"max_absolute_error", real()}},
                                          {{"extra", or_null(ordered_json{{"type", "object"}})}});
  const ordered_json performance =
      object({{"latency_ms", real()}, {"reference_latency_ms", real()}, {"speedup_factor", real()}});
  return object({{"status", status_words()},
                 {"environment", object({{"hardware", word()}, {"libs", map_of(text())}})},
                 {"timestamp", word()},
                 {"log", text()}},
                {{"correctness", or_null(correctness)},
                 {"performance", or_null(performance)},
                 {"fib", object({}, members_below(model::record_fields(), "", Unknown::missing))}});
}

}  // namespace

ordered_json error_codes() { return names_of(model::all_error_facts()); }

ordered_json obstacle_codes() { return names_of(model::all_obstacle_facts()); }

Members obstacle_members() {
  return {{"code", obstacle_codes()},
          {"stage", stages_of(model::all_obstacle_facts())},
          {"fault", faults()},
          {"retryable", flag()},
          {"reason", text()}};
}

ordered_json status_words() {
  std::vector<std::string> words;
  for (int status = 0; status <= static_cast<int>(model::Status::TIMEOUT); ++status)
    words.emplace_back(model::name_of(static_cast<model::Status>(status)));
  return one_of(words);
}

ordered_json axes_of_workload() { return map_of(either({count(), text()})); }

ordered_json failure_object() {
  return object(members_below(model::record_fields(), "failure.", Unknown::null));
}

ordered_json resources_list() {
  return list_of(object(members_below(model::record_fields(), "resources[].", Unknown::null)));
}

ordered_json durations_object() {
  return object(members_below(model::record_fields(), "durations.", Unknown::null));
}

ordered_json definition_schema() {
  return titled("Definition", object({{"name", word()},
                                      {"op_type", word()},
                                      {"axes", map_of(axis())},
                                      {"inputs", map_of(tensor())},
                                      {"outputs", map_of(tensor())},
                                      {"reference", word()}},
                                     {{"tags", or_null(list_of(word()))},
                                      {"constraints", or_null(list_of(word()))},
                                      {"description", or_null(text())}}));
}

ordered_json solution_schema() {
  const ordered_json spec =
      object({{"language", word()}, {"target_hardware", list_of(text())}, {"entry_point", word()}},
             {{"dependencies", or_null(list_of(word()))},
              {"destination_passing_style", or_null(flag())},
              {"binding", or_null(word())}});
  return titled("Solution", object({{"name", word()},
                                    {"definition", word()},
                                    {"author", word()},
                                    {"spec", spec},
                                    {"sources", list_of(object({{"path", word()}, {"content", word()}}))}},
                                   {{"description", or_null(text())}}));
}

ordered_json workload_schema() {
  return titled("Workload",
                object({{"definition", word()}, {"workload", workload()}},
                       {{"solution", or_null(text())}, {"evaluation", ordered_json{{"type", "null"}}}}));
}

namespace {

ordered_json trace() {
  return object({{"definition", word()},
                 {"workload", workload()},
                 {"solution", or_null(text())},
                 {"evaluation", or_null(evaluation())}});
}

}  // namespace

ordered_json trace_schema() { return titled("Trace", trace()); }

ordered_json export_schema() { return titled("fib export --format json", list_of(trace())); }

}  // namespace fib::schema
