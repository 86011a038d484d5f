#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "eval/layout.h"
#include "gpu/gpu.h"
#include "model/definition.h"
#include "model/workload.h"
#include "util/clock.h"
#include "worker/channel.h"
#include "worker/doors.h"
#include "worker/judge_main.h"
#include "worker/messages.h"

using namespace fib;

namespace {

worker::UseDevice use_of(const testing::Gpu& gpu) {
  return {gpu.info.uuid, gpu.kernels_path, worker::Flush::kClean, 0};
}

// A judge that writes to an illegal address as soon as it has a device.
int judge_of_a_failing_device(int socket) {
  return worker::run_judge(util::UniqueFd(socket), [](const worker::UseDevice& use) {
    auto device = worker::make_cuda_judge_device(use);
    const device::cuda::Context context(use.uuid);
    device::cuda::Kernels kernels(context, util::read_file(use.kernels_path));
    kernels.write(CUdeviceptr{0}, 16);
    return device;
  });
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

TEST_CASE("a judge that meets an illegal address ends", "[gpu]") {
  auto* gpu = testing::gpu();
  if (gpu == nullptr) return;
  // A child of this program's own: CUDA does not survive fork().
  auto [ours, theirs] = worker::Channel::make_pair();
  const pid_t child = ::fork();
  if (child == 0) {
    ::setenv("FIB_TEST_JUDGE_SOCKET", std::to_string(theirs.fd()).c_str(), 1);
    ::fcntl(theirs.fd(), F_SETFD, 0);
    ::execl("/proc/self/exe", "test_gpu", "the judge that meets an illegal address", nullptr);
    ::_exit(99);
  }
  theirs.close();
  worker::Message message;
  const auto receive = [&] { return ours.receive(message, util::monotonic_ns() + 60'000'000'000); };
  REQUIRE(receive() == worker::Channel::Result::kMessage);
  REQUIRE(ours.send(worker::MessageType::kUseDevice, 1, use_of(*gpu).encode()));
  REQUIRE(receive() == worker::Channel::Result::kMessage);
  CHECK(message.type == worker::MessageType::kDeviceReady);
  REQUIRE(ours.send(worker::MessageType::kLookAround, 2, {}));
  CHECK(receive() == worker::Channel::Result::kClosed);
  ours.close();
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 1);
}

TEST_CASE("the judge that meets an illegal address", "[.]") {
  const char* socket = std::getenv("FIB_TEST_JUDGE_SOCKET");
  REQUIRE(socket != nullptr);
  ::_exit(judge_of_a_failing_device(std::stoi(socket)));
}
