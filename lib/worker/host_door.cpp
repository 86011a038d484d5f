#include "worker/host_door.h"

#include <cstring>

#include "device/cpu/memory.h"
#include "util/duplicate.h"

namespace fib::worker {
namespace {

using device::cpu::SharedMemory;
using device::cpu::WorkerAccess;

Bytes copy_of(const util::UniqueFd& fd, std::uint64_t bytes, WorkerAccess access) {
  const auto memory = SharedMemory::open(util::duplicate(fd.get()), bytes, access);
  return {memory.data(), memory.data() + bytes};
}

}  // namespace

Bytes copy_inputs(const DoorFds& door, const eval::Layout& layout) {
  return copy_of(door.inputs, layout.input_bytes, WorkerAccess::kReads);
}

Bytes copy_outputs(const DoorFds& door, const eval::Layout& layout) {
  return copy_of(door.outputs, layout.output_bytes, WorkerAccess::kWrites);
}

void write_outputs(const DoorFds& door, const eval::Layout& layout, const Bytes& outputs) {
  const auto memory =
      SharedMemory::open(util::duplicate(door.outputs.get()), layout.output_bytes, WorkerAccess::kWrites);
  std::memcpy(memory.data(), outputs.data(), outputs.size());
}

DoorFds make_host_door(const eval::Layout& layout, const Bytes& inputs) {
  const auto own_inputs = SharedMemory::create(layout.input_stride(), WorkerAccess::kReads);
  const auto own_outputs = SharedMemory::create(layout.output_stride(), WorkerAccess::kWrites);
  std::memcpy(own_inputs.data(), inputs.data(), inputs.size());
  DoorFds door;
  door.inputs = util::duplicate(own_inputs.fd());
  door.outputs = util::duplicate(own_outputs.fd());
  return door;
}

}  // namespace fib::worker
