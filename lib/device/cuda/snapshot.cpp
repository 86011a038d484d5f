#include "device/cuda/snapshot.h"

#include <array>

namespace fib::device::cuda {
namespace {

using fib::cuda::Nvml;
using nlohmann::ordered_json;

constexpr int kInsufficientSize = 7;  // NVML_ERROR_INSUFFICIENT_SIZE

}  // namespace

std::vector<std::string> throttle_names(unsigned long long bits) {
  // nvmlClocksThrottleReason* of the NVML API Reference Guide.
  static constexpr std::array<std::pair<unsigned long long, const char*>, 6> kNames = {
      {{0x4, "sw_power_cap"},
       {0x8, "hw_slowdown"},
       {0x10, "sync_boost"},
       {0x20, "sw_thermal_slowdown"},
       {0x40, "hw_thermal_slowdown"},
       {0x80, "hw_power_brake"}}};
  std::vector<std::string> names;
  for (const auto& [bit, name] : kNames) {
    if ((bits & bit) != 0) names.emplace_back(name);
  }
  return names;
}

DeviceWatch::DeviceWatch(const Context& context, const std::string& uuid) : nvml_(Nvml::open()), uuid_(uuid) {
  std::array<char, 256> name{};
  context.check(context.driver().device_name(name.data(), name.size(), context.device()), "cuDeviceGetName");
  name_ = name.data();
  if (!nvml_.problem.empty()) return;
  if (const int result = nvml_.device_by_uuid(uuid.c_str(), &device_); result != 0) {
    nvml_.problem = fmt::format("NVML does not know the device {}: error {}", uuid, result);
    return;
  }
  read_constants();
}

// Half of what a state takes to read, in each evaluation, if it were read there.
void DeviceWatch::read_constants() {
  std::array<char, 96> text{};
  if (nvml_.driver_version && nvml_.driver_version(text.data(), text.size()) == 0) driver_ = text.data();
  unsigned value = 0;
  if (nvml_.max_clock && nvml_.max_clock(device_, Nvml::kSm, &value) == 0) max_sm_clock_mhz_ = value;
  int ecc = 0;
  int pending = 0;
  if (nvml_.ecc_mode && nvml_.ecc_mode(device_, &ecc, &pending) == 0) ecc_ = ecc != 0;
  unsigned mig = 0;
  unsigned mig_pending = 0;
  mig_ = nvml_.mig_mode && nvml_.mig_mode(device_, &mig, &mig_pending) == 0 && mig != 0;
}

WorkCounter DeviceWatch::counter() const { return {nvml_, device_}; }

ordered_json DeviceWatch::take() const {
  ordered_json state = {{"name", name_}, {"uuid", uuid_}};
  if (nvml_.problem.empty()) {
    add_readings(state);
  } else {
    state["nvml"] = nvml_.problem;
  }
  return state;
}

void DeviceWatch::add_readings(ordered_json& state) const {
  if (driver_) state["driver"] = *driver_;
  unsigned value = 0;
  if (nvml_.clock && nvml_.clock(device_, Nvml::kSm, &value) == 0) state["sm_clock_mhz"] = value;
  if (nvml_.clock && nvml_.clock(device_, Nvml::kMemory, &value) == 0) state["memory_clock_mhz"] = value;
  if (max_sm_clock_mhz_) state["max_sm_clock_mhz"] = *max_sm_clock_mhz_;
  if (nvml_.power && nvml_.power(device_, &value) == 0) state["power_w"] = value / 1000.0;
  if (nvml_.temperature && nvml_.temperature(device_, 0, &value) == 0) state["temperature_c"] = value;
  unsigned long long bits = 0;
  if (nvml_.throttle_reasons && nvml_.throttle_reasons(device_, &bits) == 0) {
    state["throttle_reasons"] = throttle_names(bits);
  }
  if (ecc_) state["ecc"] = *ecc_;
  state["mig"] = mig_;
  unsigned count = 0;
  if (nvml_.processes == nullptr) return;
  const int result = nvml_.processes(device_, &count, nullptr);
  if (result == 0 || result == kInsufficientSize) state["processes"] = count;
}

}  // namespace fib::device::cuda
