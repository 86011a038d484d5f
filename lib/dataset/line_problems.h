#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "dataset/records.h"

namespace fib::dataset {

// Problems with lines of one file, for a list that others use too. A file of millions of short lines costs
// its maker nothing: from the thousandth on they are counted.
class LineProblems {
 public:
  // `file`: relative to the dataset's folder. `problems` must outlive it.
  LineProblems(std::string file, std::vector<Problem>& problems)
      : file_(std::move(file)), problems_(problems) {}
  ~LineProblems() = default;
  LineProblems(const LineProblems&) = delete;
  LineProblems& operator=(const LineProblems&) = delete;

  void add(const Line& line, const std::string& message, Severity severity) {
    if (++count_ <= kMost) {
      problems_.push_back({file_, line.number, message, severity});
    } else if (severity == Severity::error) {
      of_the_others_ = Severity::error;
    }
  }

  // After the last line.
  void finish() {
    if (count_ > kMost)
      problems_.push_back(
          {file_, 0, fmt::format("{} more of its lines have problems", count_ - kMost), of_the_others_});
  }

 private:
  static constexpr std::size_t kMost = 1000;

  std::string file_;
  std::vector<Problem>& problems_;
  std::size_t count_ = 0;
  Severity of_the_others_ = Severity::warning;  // the worst of those that are counted
};

}  // namespace fib::dataset
