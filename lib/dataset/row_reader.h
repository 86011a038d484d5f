#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "dataset/trace_row.h"

namespace fib::dataset {

// Reads the rows of traces without making a model::Trace of each, some fifteen times as fast. It takes lines
// of the shape that is written today and whose workload and environment it has learned, as text, from a
// record that the model accepted before; all others are the model's, so that there is one judge of what a
// trace is. One thread at a time; readers of several threads may share a pool.
class RowReader {
 public:
  explicit RowReader(RowPool& pool);  // the pool must outlive the reader
  ~RowReader();
  RowReader(const RowReader&) = delete;
  RowReader& operator=(const RowReader&) = delete;

  // The row of a trace that tells of a result. Nothing: ask model::parse_trace(); the line may be a trace of
  // another shape, a workload, or broken.
  [[nodiscard]] std::optional<TraceRow> read(std::string_view line);

  // The row of `trace`, which the model read from `line`; what can be learned from it is.
  [[nodiscard]] TraceRow learn(std::string_view line, const model::Trace& trace);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fib::dataset
