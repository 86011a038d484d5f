#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// Workflow commands of GitHub Actions: lines on stdout that become annotations.
namespace fib::present {

enum class Annotation { notice, warning, error };

struct AnnotationPlace {
  std::string file = {};  // relative to the repository; empty: none
  std::size_t line = 0;   // from 1; 0: none
};

// "::error file=a.json,line=3,title=...::..." with a newline; everything is escaped as the commands want it.
[[nodiscard]] std::string annotation(Annotation level, std::string_view title, std::string_view text,
                                     const AnnotationPlace& place = {});

}  // namespace fib::present
