#include "report/not_counted.h"

namespace fib::report {

std::string not_counted_text(const dataset::StandingResults* standing) {
  std::string text = standing != nullptr ? dataset::to_string(standing->left_out()) : "";
  if (text.empty()) return "";
  text += ". --traces all counts every trace.";
  for (const std::string& note : dataset::condition_notes(standing->left_out())) text += " " + note;
  return text;
}

}  // namespace fib::report
