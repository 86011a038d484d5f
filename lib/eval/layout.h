#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/definition.h"
#include "model/workload.h"
#include "tensor/dtype.h"

namespace fib::eval {

// One input or output in a buffer. A scalar takes 8 bytes: a double for floating dtypes, an int64 for the
// others (a bool is 0 or 1), so that a literal keeps its value on the way to a reference.
struct Slot {
  std::string name;
  tensor::DType dtype{};
  bool scalar = false;
  std::vector<std::int64_t> shape;  // elements; empty for scalars and 0-D tensors
  std::uint64_t offset = 0;         // bytes from the start of the buffer, a multiple of kAlignment
  std::uint64_t bytes = 0;
  [[nodiscard]] std::uint64_t count() const;  // elements
};

// Where everything of one workload lies: all inputs in one buffer, all outputs in another.
struct Layout {
  static constexpr std::uint64_t kAlignment = 256;
  std::vector<Slot> inputs;
  std::vector<Slot> outputs;
  std::vector<std::int64_t> axes;  // values of the variable axes, in the definition's order
  std::uint64_t input_bytes = 0;
  std::uint64_t output_bytes = 0;

  // From the inputs of one call to those of the next, where several lie in one buffer: the bytes above,
  // rounded up to kAlignment. Likewise for outputs.
  [[nodiscard]] std::uint64_t input_stride() const;
  [[nodiscard]] std::uint64_t output_stride() const;
};

// Whether inputs and outputs are so small (64 KiB together) that a host core makes and compares them sooner
// than a device changes from one process's kernels to another's and back (docs/measuring.md, "Small
// tensors").
[[nodiscard]] bool is_small(const Layout& layout);

// Throws Error naming the axis or tensor when an axis has no value, a dtype is unknown, or a size overflows.
[[nodiscard]] Layout make_layout(const model::Definition& definition, const model::Workload& workload);

// Whether every slot lies inside its buffer, aligned and as large as its shape says: what a process checks
// before it uses a layout that came in a message.
[[nodiscard]] bool is_sound(const Layout& layout);

// What a worker says an output is. In the C calling convention it cannot differ from the layout.
struct OutputClaim {
  std::optional<tensor::DType> dtype{};  // nothing: one that the format does not have, as complex64
  std::vector<std::int64_t> shape;
};

// What is wrong with the values of an output.
struct Mismatch {
  std::string output;
  std::vector<std::uint64_t> index;  // of the first wrong element; empty for scalars, and where none is known
  std::string got;                   // that element, as text
  std::string expected;
  std::uint64_t wrong = 0;      // elements that do not match, the unwritten ones included
  std::uint64_t unwritten = 0;  // elements that were never written
  std::uint64_t elements = 0;   // of the output
  std::string pattern = {};     // which ones they are, in a word (mismatch_pattern.h); "": none fits
};

// What the judge says of one call.
struct Judgement {
  bool correct = false;
  double max_absolute_error = 0;
  double max_relative_error = 0;
  double matched_ratio = 1;  // smallest over the outputs
  std::string explanation;   // when not correct: output, index, expected, got, rule
  std::optional<Mismatch> mismatch =
      std::nullopt;  // when not correct, of rules that compare element by element
};

}  // namespace fib::eval
