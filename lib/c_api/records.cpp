#include <nlohmann/json.hpp>

#include "c_api/errors.h"
#include "model/definition.h"
#include "model/solution.h"
#include "model/trace.h"
#include "model/workload.h"

using namespace fib;
using c_api::expect;

namespace {

std::string normalized(fib_record kind, const char* json, model::Mode mode) {
  switch (kind) {
    case FIB_DEFINITION:
      return model::to_json(model::parse_definition(json, mode), model::json::Form::compact, mode);
    case FIB_SOLUTION:
      return model::to_json(model::parse_solution(json, mode), model::json::Form::compact, mode);
    case FIB_WORKLOAD:
      return model::to_json(model::parse_workload(json, mode), mode);
    case FIB_TRACE:
      return model::to_json(model::parse_trace(json, mode), mode);
  }
  throw c_api::Invalid("there is no kind of record {}", static_cast<int>(kind));
}

}  // namespace

extern "C" {

fib_status fib_record_check(fib_record kind, const char* json, int strict, char** result) {
  return c_api::guarded([&] {
    expect(result, "normalized");
    const auto mode = strict != 0 ? model::Mode::upstream : model::Mode::lenient;
    *result = c_api::new_text(normalized(kind, expect(json, "json"), mode));
  });
}

fib_status fib_solution_hashes(const char* solution_json, char** hashes) {
  return c_api::guarded([&] {
    expect(hashes, "hashes");
    const auto solution = model::parse_solution(expect(solution_json, "solution_json"));
    *hashes = c_api::new_text(nlohmann::ordered_json{{"upstream", model::upstream_hash(solution)},
                                                     {"content", model::content_sha256(solution)},
                                                     {"package", model::package_name(solution, "")},
                                                     {"unique_name", model::unique_name(solution)}}
                                  .dump());
  });
}
}
