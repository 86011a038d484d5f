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

// GitHub shows so many annotations of a kind of one step.
inline constexpr std::size_t kMostAnnotations = 10;

// The first annotations of a kind, and how many more there are.
class FirstAnnotations {
 public:
  // What annotation() gave.
  void add(const std::string& line);
  // All lines; "... and 3 more errors" is the last one where there are more. `noun`: "error".
  [[nodiscard]] std::string text(const std::string& noun) const;

 private:
  std::size_t count_ = 0;
  std::string text_;
};

}  // namespace fib::present
