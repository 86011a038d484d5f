#include "bench/device_processes.h"

#include <utility>

#include "bench/memory_limits.h"

namespace fib::bench {
namespace {

// The engine opens OpenBLAS behind the sandbox: a library that FIB_OPENBLAS names by its path comes with the
// folder where it lies, for those that it needs.
sandbox::FileAccess files_of_engine(sandbox::FileAccess files) {
  for (const auto& library : sandbox::folders_in_variables({"FIB_OPENBLAS"})) {
    if (!library.is_absolute()) continue;
    std::error_code none;
    for (const auto& file : {library, std::filesystem::weakly_canonical(library, none)}) {
      const auto folder = file.parent_path();
      files.readable.push_back(sandbox::holds_more_than_programs(folder) ? file : folder);
    }
  }
  return files;
}

}  // namespace

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
  kind.confine.files = files_of_engine(processes.children.files).to_json();
  kind.confine.runs_kernels_alone = true;
  kind.start.kind = worker::TargetKind::kReference;
  kind.start.threads = processes.threads;
  kind.start.device.uuid = processes.device.uuid;
  kind.start.device.awake_us = processes.children.awake_us;
  kind.start.data_limit_bytes = data_limit();
  return kind;
}

std::unique_ptr<worker::WorkerClient> native_reference_worker(worker::Spawner& spawner,
                                                              const worker::ChildSetup& children,
                                                              const WorkerKind& kind) {
  auto worker = confined_worker(spawner, children, kind.confine, kReferencesWorker, kReferencesWorker);
  const auto started = worker->start(kind.start, start_limit());
  if (const auto* failure = std::get_if<worker::Failure>(&started))
    throw Error("{}\n{}", failure->text, worker->take_output());
  return worker;
}

void prepare_next(const DeviceProcesses& processes, NativeReference reference) {
  NextProcesses& next = *processes.next;
  next.solution.begin_again();
  if (reference == NativeReference::kLikely) {
    const WorkerKind kind = native_reference_kind(processes);
    next.reference.begin(kind, NextWorker::Device::kStarts,
                         [&spawner = processes.spawner, children = processes.children, kind] {
                           return native_reference_worker(spawner, children, kind);
                         });
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
