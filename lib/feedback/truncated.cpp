#include "feedback/truncated.h"

namespace fib::feedback {

std::vector<std::string> truncated(const model::MeasurementRecord& record, bool log_is_cut) {
  std::vector<std::string> names;
  if (record.resources_cut.value_or(false)) names.emplace_back("resources");
  if (record.failure && record.failure->diagnostics_cut.value_or(false)) names.emplace_back("diagnostics");
  if (log_is_cut) names.emplace_back("log");
  return names;
}

}  // namespace fib::feedback
