#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/lane_device.h"
#include "util/command.h"

namespace fib::cmd {

// The hidden command "__devices": prints the CUDA devices, or why there are none, as one JSON document, and
// closes its output. Where there are devices it ends when its stdin does, and keeps CUDA's driver open until
// then. Returns the process's exit code.
[[nodiscard]] int print_devices();

struct CudaDevices {
  std::vector<bench::LaneDevice> devices;  // in the driver's order, CUDA_VISIBLE_DEVICES respected
  std::string problem;                     // why there are none
  nlohmann::ordered_json software;         // versions: "driver", "cuda" (that it supports), "nvrtc"
  std::shared_ptr<util::HeldCommand> driver = nullptr;  // as bench::Environment has it
};

// The CUDA devices, asked for in a child process, so that this one never opens a GPU.
[[nodiscard]] CudaDevices cuda_devices();

struct ChosenDevices {
  std::vector<bench::LaneDevice> devices;               // at least one, all of one kind
  nlohmann::ordered_json software;                      // of CudaDevices; null on the CPU
  std::shared_ptr<util::HeldCommand> driver = nullptr;  // likewise
};

// What `--device` names: "auto" (all GPUs, or the CPU where there is none), "cpu", "cuda" (all), "cuda:N", or
// several of them; each device once, all of one kind. Throws CLI::ValidationError for words that mean
// nothing, Error in one sentence for devices that are not there.
[[nodiscard]] ChosenDevices choose_devices(const std::vector<std::string>& words);

}  // namespace fib::cmd
