#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cuda/nvml.h"
#include "device/cuda/context.h"
#include "device/cuda/work_counter.h"

namespace fib::device::cuda {

// Watches one device through NVML.
class DeviceWatch {
 public:
  DeviceWatch(const Context& context, const std::string& uuid);

  // The device's state now, for traces: name, uuid, driver, sm_clock_mhz, memory_clock_mhz, power_w,
  // temperature_c, throttle_reasons (names), ecc, mig, processes (how many have a compute context on it,
  // fib's own included). What cannot be read is absent; without NVML there is "nvml" with the reason.
  [[nodiscard]] nlohmann::ordered_json take() const;

  // The device's counters of its own work. The watch must outlive it.
  [[nodiscard]] WorkCounter counter() const;

 private:
  void read_constants();
  void add_readings(nlohmann::ordered_json& state) const;

  fib::cuda::Nvml nvml_;
  fib::cuda::Nvml::Device device_ = nullptr;
  std::string uuid_;
  std::string name_;
  // What does not change while a process uses the device; nothing: it cannot be read.
  std::optional<std::string> driver_ = {};
  std::optional<unsigned> max_sm_clock_mhz_ = {};
  std::optional<bool> ecc_ = {};
  bool mig_ = false;
};

// Names of the bits of NVML's clocks throttle reasons ("sw_power_cap", "hw_slowdown", …), idle and
// application settings left out: they slow nothing that runs.
[[nodiscard]] std::vector<std::string> throttle_names(unsigned long long bits);

}  // namespace fib::device::cuda
