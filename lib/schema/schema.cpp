#include "schema/schema.h"

#include <algorithm>

#include "schema/records.h"
#include "schema/results.h"

namespace fib::schema {

const std::vector<NamedSchema>& all_schemas() {
  static const std::vector<NamedSchema> kAll = {
      {"definition", "a file below definitions/", definition_schema},
      {"solution", "a file below solutions/", solution_schema},
      {"workload", "a line below workloads/", workload_schema},
      {"trace", "a line below traces/, with fib's own record in evaluation.fib", trace_schema},
      {"eval", "what fib eval --format json prints", eval_schema},
      {"sanitize", "what fib sanitize --format json prints", sanitize_schema},
      {"profile", "what fib profile --format json prints", profile_schema},
      {"run-events", "a line that fib run --format jsonl prints", run_event_schema},
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
