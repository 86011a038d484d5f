#include <unistd.h>

#include <cstdlib>

#include "eval/layout.h"
#include "gpu/gpu.h"
#include "model/definition.h"
#include "model/workload.h"
#include "support/process.h"
#include "worker/doors.h"

using namespace fib;

namespace {

worker::UseDevice use_of(const testing::Gpu& gpu) {
  return {gpu.info.uuid, gpu.kernels_path, worker::Flush::kClean, 0};
}

// Writes to an illegal address in a process that has a judge's device. Exit code: 1 when that is told to have
// failed then, and not before.
int break_device(const std::string& uuid, const std::string& kernels_path) {
  const auto device = worker::make_cuda_judge_device({uuid, kernels_path, worker::Flush::kClean, 0});
  if (device->has_failed()) return 10;
  const device::cuda::Context context(uuid);
  device::cuda::Kernels kernels(context, util::read_file(kernels_path));
  const device::cuda::DeviceMemory ones(context, std::uint64_t{1} << 20U);
  const auto& driver = context.driver();
  if (driver.set_bytes(ones.data(), 1, ones.size(), context.stream()) != CUDA_SUCCESS) return 11;
  kernels.read(ones.data(), ones.size(), CUdeviceptr{0});
  if (driver.stream_synchronize(context.stream()) != CUDA_ERROR_ILLEGAL_ADDRESS) return 12;
  return device->has_failed() ? 1 : 13;
}

}  // namespace

TEST_CASE("copies are timed where the host judges the outputs, too", "[gpu]") {
  auto* gpu = testing::gpu();
  if (gpu == nullptr) return;
  const auto definition = model::parse_definition(
      R"({"name": "d", "op_type": "o", "axes": {"m": {"type": "var"}},
      "inputs": {"x": {"shape": ["m"], "dtype": "float32"}}, "outputs": {"y": {"shape": ["m"], "dtype": "float32"}},
      "reference": "def run(x): pass"})");
  const auto workload =
      model::parse_workload(R"({"axes": {"m": 1000000}, "inputs": {"x": {"type": "random"}}, "uuid": "w"})");
  const auto layout = eval::make_layout(definition, workload);
  const auto device = worker::make_cuda_judge_device(use_of(*gpu));
  // What is read before each copy holds no zeros.
  const auto kept = device->on_device(std::uint64_t{64} << 20U);
  REQUIRE(kept);
  const std::vector<std::byte> ones(std::size_t{64} << 20U, std::byte{1});
  kept->take({ones.data()});
  for (const auto use : {worker::DoorUse::kSolutionCalls, worker::DoorUse::kComparedCalls}) {
    const auto door = device->make_door(layout, use, 2);
    const double ns = door->time_copies(1);
    CHECK(ns > 500);
    CHECK(ns < 1e6);
    CHECK_FALSE(device->has_failed());
  }
}

TEST_CASE("a judge's device has failed where this process met an illegal address", "[gpu]") {
  auto* gpu = testing::gpu();
  if (gpu == nullptr) return;
  // A child of this program's own, which loses its device.
  const auto result =
      testing::run_process({"/proc/self/exe", "the process that loses its device"},
                           {"FIB_TEST_LOST_DEVICE=" + gpu->info.uuid + " " + gpu->kernels_path});
  INFO(result.out << result.err);
  CHECK(result.exit_code == 1);
}

TEST_CASE("the process that loses its device", "[.]") {
  const char* text = std::getenv("FIB_TEST_LOST_DEVICE");
  if (text == nullptr) return;
  const std::string words = text;
  const std::size_t space = words.find(' ');
  ::_exit(break_device(words.substr(0, space), words.substr(space + 1)));
}
