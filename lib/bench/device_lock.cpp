#include "bench/device_lock.h"

#include <filesystem>

namespace fib::bench {
namespace {

// One machine-wide place for the locks of all devices; a folder that every user can write to.
const char* const kLockFolder = "/tmp/fib-locks";

// The machine-wide name of a device's lock.
std::string lock_name(const LaneDevice& device) {
  return (device.is_cuda() ? "cuda-" + device.uuid : std::string("cpu")) + ".lock";
}

}  // namespace

std::optional<util::FileLock> take_device(const LaneDevice& device, worker::Spawner& spawner,
                                          const std::function<void(const std::string&)>& waiting,
                                          const std::function<bool()>& stop) {
  auto lock = util::FileLock::take(
      std::filesystem::path(kLockFolder) / lock_name(device), util::FileLock::Sharing::kMachine, [&] {
        waiting(device.is_cuda() ? fmt::format("{} ({})", device.name, device.uuid) : "cpu");
        return !stop();
      });
  if (lock) spawner.hold(lock->fd());
  return lock;
}

}  // namespace fib::bench
