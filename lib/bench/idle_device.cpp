#include "bench/idle_device.h"

#include <chrono>
#include <thread>

namespace fib::bench {

bool becomes_idle(worker::Judge& judge, int looks) {
  while (!judge.device_is_idle()) {
    if (--looks <= 0) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

NoVerdict busy_device() {
  return {model::ObstacleCode::busy_device,
          "other work keeps the GPU busy, of another process or left there by the solution: calls cannot be "
          "timed; end "
          "it, or choose another device"};
}

}  // namespace fib::bench
