#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>

#include "device/cuda/memory.h"
#include "emulation/emulation.h"
#include "util/duplicate.h"
#include "util/files.h"
#include "worker/cuda_doors.h"
#include "worker/cuda_exchange.h"

// The worker's side of a door on a GPU, on the emulated one (tests/emulation).
using namespace fib;

namespace {

struct Scene {
  explicit Scene(bool has_private_buffers) : has_private(has_private_buffers) {
    door->fill(0, sets, "shared", synthesis::Scale::usual);
    door->poison(0, {eval::make_poison(tensor::DType::kFloat32, 1)});
  }

  std::unique_ptr<worker::CudaExchange> exchange() { return exchange(*door, true); }
  std::unique_ptr<worker::CudaExchange> exchange(const worker::Door& its_door, bool on_device) {
    const auto fds = its_door.fds();
    return worker::make_cuda_exchange(
        context, kernels, layout,
        {util::duplicate(fds.at(0)), util::duplicate(fds.at(1)), on_device, 1, has_private});
  }
  // The inputs of a set as the host makes them.
  [[nodiscard]] std::vector<std::byte> inputs_of(const std::string& seed) const {
    std::vector<std::byte> bytes(layout.input_bytes);
    sets.fill(seed, bytes.data(), 1);
    return bytes;
  }
  [[nodiscard]] bool holds(CUdeviceptr address, const std::vector<std::byte>& inputs) const {
    const auto& x = layout.inputs[0];
    return std::memcmp(reinterpret_cast<const std::byte*>(address) + x.offset, inputs.data() + x.offset,
                       x.bytes) == 0;
  }

  bool has_private;
  model::Definition definition = model::parse_definition(
      R"({"name": "d", "op_type": "o", "axes": {"n": {"type": "const", "value": 300}},
        "inputs": {"x": {"shape": ["n"], "dtype": "float32"}, "scale": {"shape": null, "dtype": "float32"}},
        "outputs": {"y": {"shape": ["n"], "dtype": "float32"}}, "reference": "def run(x, scale): pass"})");
  model::Workload workload = model::parse_workload(
      R"({"axes": {}, "inputs": {"scale": {"type": "scalar", "value": 2.5}}, "uuid": "w"})");
  eval::Layout layout = eval::make_layout(definition, workload);
  synthesis::InputSets sets{definition, workload, layout, {}};
  std::filesystem::path kernels_file = emulation::kernels();
  std::unique_ptr<worker::JudgeDevice> device = worker::make_cuda_judge_device(
      {emulation::uuid(), kernels_file.string(), worker::Flush::kClean, 0}, emulation::driver());
  std::unique_ptr<worker::Door> door =
      device->make_door(layout, worker::DoorUse::kComparedCalls, has_private ? 2 : 1);
  device::cuda::Context context{emulation::driver(), emulation::uuid(), device::cuda::StreamKind::kOwn};
  device::cuda::Kernels kernels{context, util::read_file(kernels_file)};
};

double scalar_in(const std::vector<std::byte>& scalars) {
  double value = 0;
  std::memcpy(&value, scalars.data() + 8, sizeof value);  // of the second input
  return value;
}

}  // namespace

TEST_CASE("a worker's private buffers are the place behind the shared ones, where the judge has made it") {
  Scene scene(true);
  const auto exchange = scene.exchange();
  const CUdeviceptr inputs = exchange->private_inputs();
  const CUdeviceptr outputs = exchange->private_outputs();
  REQUIRE(inputs != 0);
  REQUIRE(outputs != 0);
  // All of it is known: no memory of an output's own.
  const auto device_memory = exchange->device_memory();
  const auto is_known = [&](CUdeviceptr address, std::uint64_t bytes) {
    return std::any_of(device_memory.begin(), device_memory.end(), [&](const auto& range) {
      return address >= range.first && address + bytes <= range.first + range.second;
    });
  };
  CHECK(is_known(inputs, scene.layout.input_bytes));
  CHECK(is_known(outputs, scene.layout.output_bytes));
  CHECK(is_known(inputs - scene.layout.input_stride(), scene.layout.input_bytes));
  CHECK(is_known(outputs - scene.layout.output_stride(), scene.layout.output_bytes));
  std::vector<std::byte> scalars(16);
  exchange->load(0, inputs, outputs, scalars.data());
  CHECK(scene.holds(inputs, scene.inputs_of("shared")));
  CHECK(scalar_in(scalars) == 2.5);

  // What the judge fills is there without a copy.
  scene.door->fill(1, scene.sets, "private", synthesis::Scale::usual);
  CHECK(scene.holds(inputs, scene.inputs_of("private")));
  scalars.assign(16, {});
  exchange->load_scalars(inputs, scalars.data());
  CHECK(scalar_in(scalars) == 2.5);

  // What lies there is what the judge reads; the shared outputs stay poison.
  for (std::size_t i = 0; i < 300; ++i) reinterpret_cast<float*>(outputs)[i] = 7;
  const float* shared = reinterpret_cast<const float*>(scene.door->outputs(0).device);
  CHECK_FALSE(shared[0] == 7);
  CHECK(reinterpret_cast<const float*>(scene.door->outputs(1).device)[299] == 7);
  exchange->begin_compare(inputs);
  exchange->begin_store(outputs);
  CHECK(shared[299] == 7);
  CHECK(exchange->end_store());  // these inputs are not those of the shared place
}

TEST_CASE("a worker for which the judge has made no private buffers has none of these") {
  Scene scene(false);
  const auto exchange = scene.exchange();
  CHECK(exchange->private_inputs() == 0);
  CHECK(exchange->private_outputs() == 0);
}

// Of calls that nobody times.
TEST_CASE("inputs are copied without the poison, and outputs from wherever they lie") {
  Scene scene(false);
  const auto on_host = worker::make_cpu_judge_device(1);
  const auto host_door = on_host->make_door(scene.layout, worker::DoorUse::kCalls, 1);
  host_door->fill(0, scene.sets, "shared", synthesis::Scale::usual);
  for (const bool on_device : {true, false}) {
    INFO(on_device);
    const worker::Door& door = on_device ? *scene.door : *host_door;
    const auto exchange = scene.exchange(door, on_device);
    fib::device::cuda::DeviceMemory inputs(scene.context, scene.layout.input_bytes);
    std::vector<std::byte> scalars(16);
    exchange->load_inputs(0, inputs.data(), scalars.data());
    CHECK(scene.holds(inputs.data(), scene.inputs_of("shared")));
    CHECK(scalar_in(scalars) == 2.5);
    fib::device::cuda::DeviceMemory result(scene.context, scene.layout.output_bytes);
    for (std::size_t i = 0; i < 300; ++i) reinterpret_cast<float*>(result.data())[i] = 7;
    exchange->store(scene.layout.outputs[0], result.data());
    const auto outputs = door.outputs(0);
    const auto* const shared = on_device ? reinterpret_cast<const float*>(outputs.device)
                                         : reinterpret_cast<const float*>(outputs.host);
    CHECK(shared[0] == 7);
    CHECK(shared[299] == 7);
  }
}
