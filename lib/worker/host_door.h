#pragma once

#include <cstddef>
#include <vector>

#include "eval/layout.h"
#include "worker/judge.h"

// The buffers of a door that lies in host memory, for a process that is neither judge nor worker. All
// functions throw Error; any thread.
namespace fib::worker {

using Bytes = std::vector<std::byte>;

[[nodiscard]] Bytes copy_inputs(const DoorFds& door, const eval::Layout& layout);   // at the first place
[[nodiscard]] Bytes copy_outputs(const DoorFds& door, const eval::Layout& layout);  // there, too

// Writes all outputs at the first place, as a worker would; `outputs` has layout.output_bytes.
void write_outputs(const DoorFds& door, const eval::Layout& layout, const Bytes& outputs);

// Buffers of one's own that a worker can be given in place of the judge's: these inputs, and outputs of 0.
[[nodiscard]] DoorFds make_host_door(const eval::Layout& layout, const Bytes& inputs);

}  // namespace fib::worker
