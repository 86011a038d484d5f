#include "report/show_json.h"

#include <utility>

#include "report/remarks.h"
#include "report/show_tables.h"

namespace fib::report {
namespace {

namespace json = model::json;

json::Value start(const std::string& path) {
  json::Value object = json::make_object();
  object.add("path", json::make_string(path));
  return object;
}

json::Value names(const std::vector<std::string>& texts) {
  json::Value list = json::make_array();
  for (const std::string& text : texts) list.items.push_back(json::make_string(text));
  return list;
}

}  // namespace

json::Value to_json(const DefinitionView& view) {
  json::Value object = start(view.path);
  object.add("definition", model::to_value(*view.definition));
  object.add("workloads", json::make_integer(static_cast<std::int64_t>(view.workloads)));
  object.add("solutions", to_json(tallies_table(view.tallies)));
  object.add("untried", names(view.untried));
  add_to(object, view.remarks);
  return object;
}

json::Value to_json(const SolutionView& view) {
  json::Value object = start(view.path);
  object.add("solution", model::to_value(*view.solution));
  object.add("sha256", json::make_string(model::content_sha256(*view.solution)));
  json::Value results = to_json(results_table(view.results, ResultsOf::solution));
  for (std::size_t i = 0; i < results.items.size(); ++i) {
    const model::Trace& trace = view.results[i].trace;
    results.items[i].add("log",
                         trace.passed() ? json::make_null() : json::make_string(trace.evaluation->log));
  }
  object.add("results", std::move(results));
  json::Value no_result = json::make_null();
  if (!view.skipped_by.empty()) {
    no_result = json::make_object();
    no_result.add("run_id", json::make_string(view.skipped_by));
    no_result.add("reason", json::make_string(view.skipped_why));
  }
  object.add("no_result", std::move(no_result));
  add_to(object, view.remarks);
  return object;
}

json::Value to_json(const WorkloadView& view) {
  json::Value object = start(view.path);
  object.add("definition", json::make_string(view.definition));
  object.add("workload", model::to_value(view.workload));
  object.add("results", to_json(results_table(view.results, ResultsOf::workload)));
  return object;
}

json::Value to_json(const TraceView& view) {
  json::Value object = start(view.path);
  object.add("solution", json::make_string(view.solution));
  object.add("author", view.author ? json::make_string(*view.author) : json::make_null());
  object.add("workload", json::make_string(view.workload));
  json::Value traces = json::make_array();
  for (const model::Trace& trace : view.traces) traces.items.push_back(model::to_value(trace));
  object.add("traces", std::move(traces));
  return object;
}

}  // namespace fib::report
