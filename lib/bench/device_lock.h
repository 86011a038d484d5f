#pragma once

#include <functional>
#include <optional>
#include <string>

#include "bench/lane_device.h"
#include "util/file_lock.h"
#include "worker/spawner.h"

namespace fib::bench {

// Takes the machine-wide lock of a device, waiting for it; nothing when `stop` says so. `waiting` is told the
// device's name, every 100 ms, while another run holds it. The spawner's keeper holds the lock too, until the
// last child is gone: a killed run must not overlap the next. Throws Error as util::FileLock does.
[[nodiscard]] std::optional<util::FileLock> take_device(
    const LaneDevice& device, worker::Spawner& spawner,
    const std::function<void(const std::string&)>& waiting, const std::function<bool()>& stop);

}  // namespace fib::bench
