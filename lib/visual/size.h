#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "model/definition.h"
#include "report/details.h"

// How large a workload is, as one number: the horizontal axis of latency charts. All functions are pure.
namespace fib::visual {

// What stands on that axis for the workloads of one definition.
struct SizeAxis {
  enum class Kind {
    axis,   // the value of the only variable axis that differs between them
    bytes,  // what has to be moved at least (report::work_of): several axes differ
    place,  // their place in the list: nothing better is known
  };
  Kind kind = Kind::place;
  std::string axis;  // of Kind::axis

  [[nodiscard]] std::string title() const;  // "batch_size", "bytes moved at least", "workload"
};

// `definition` may be null: it is not in the dataset.
[[nodiscard]] SizeAxis size_axis(const model::Definition* definition,
                                 const std::vector<const model::Workload*>& workloads);

// Not negative. `place` counts from 0.
[[nodiscard]] double size_of(const SizeAxis& axis, const model::Definition* definition,
                             const model::Workload& workload, std::size_t place);

// At most `most` (at least 2) of the workloads, which are sorted by size: the first, the last, and others
// evenly between them.
[[nodiscard]] std::vector<const model::Workload*> some_of_each_size(
    const std::vector<const model::Workload*>& workloads, std::size_t most);

}  // namespace fib::visual
