#include "bench/device_processes.h"

namespace fib::bench {

std::unique_ptr<worker::JudgeClient> start_judge(const DeviceProcesses& processes) {
  auto judge = std::make_unique<worker::JudgeClient>(processes.spawner, processes.children);
  if (!processes.device.is_cuda()) return judge;
  try {
    judge->use(processes.device);
  } catch (const worker::JudgeLost&) {
    throw;
  } catch (const Error& error) {
    throw DeviceUnusable("{}", error.what());
  }
  return judge;
}

}  // namespace fib::bench
