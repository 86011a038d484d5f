#include "report/not_counted.h"

#include <fmt/format.h>

#include "util/some_of.h"

namespace fib::report {

std::string not_counted_text(const dataset::StandingResults* standing) {
  if (standing == nullptr) return "";
  std::string text = dataset::to_string(standing->left_out());
  if (!text.empty()) text += ". --traces all counts every trace.";
  if (const auto& changed = standing->changed_since_run(); !changed.empty())
    text += fmt::format("{}The source of {} has changed since that run.", text.empty() ? "" : " ",
                        util::some_of(changed));
  for (const std::string& note : dataset::condition_notes(standing->left_out())) text += " " + note;
  return text;
}

}  // namespace fib::report
