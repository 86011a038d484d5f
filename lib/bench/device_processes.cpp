#include "bench/device_processes.h"

#include <utility>

#include "bench/memory_limits.h"

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

std::unique_ptr<worker::JudgeClient> judge_for(const DeviceProcesses& processes) {
  auto judge = std::exchange(processes.next->judge, nullptr);
  return judge && processes.next->judge_device == processes.device ? std::move(judge)
                                                                   : start_judge(processes);
}

WorkerKind native_reference_kind(const DeviceProcesses& processes) {
  WorkerKind kind;
  kind.confine.files = processes.children.files.to_json();
  kind.confine.runs_kernels_alone = true;
  kind.start.kind = worker::TargetKind::kReference;
  kind.start.threads = processes.threads;
  kind.start.device.uuid = processes.device.uuid;
  kind.start.device.awake_us = processes.children.awake_us;
  kind.start.data_limit_bytes = data_limit();
  return kind;
}

void prepare_next(const DeviceProcesses& processes, ReferenceEngine engine) {
  NextProcesses& next = *processes.next;
  const WorkerKind kind = native_reference_kind(processes);
  next.solution.begin_again();
  if (engine != ReferenceEngine::kPython) {
    const auto make = [&processes, kind] {
      auto worker =
          std::make_unique<worker::WorkerClient>(processes.spawner, processes.children, kReferencesWorker, 0);
      const auto is_ready = [](const auto& answer) {
        return !std::holds_alternative<worker::Failure>(answer);
      };
      if (!is_ready(worker->confine(kind.confine, start_limit())) ||
          !is_ready(worker->start(kind.start, start_limit())))
        worker.reset();
      return worker;
    };
    next.reference.begin(kind, NextWorker::Device::kStarts, make);
  }
  if (!next.judge || next.judge_device != processes.device) {
    try {
      next.judge = start_judge(processes);
      next.judge_device = processes.device;
    } catch (const Error&) {
      next.judge.reset();
    }
  }
  next.solution.wait();
  next.reference.wait();
}

}  // namespace fib::bench
