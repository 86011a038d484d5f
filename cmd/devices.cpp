#include "devices.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <future>
#include <nlohmann/json.hpp>

#include "device/cpu/hardware.h"

#if FIB_CUDA
#include "cuda/devices.h"
#include "cuda/nvml.h"
#include "cuda/nvrtc.h"
#endif

namespace fib::cmd {
namespace {

using bench::LaneDevice;

bench::MultiprocessorLimits limits_of(const nlohmann::json& limits) {
  return {limits.at("threads"), limits.at("blocks"), limits.at("registers"), limits.at("shared_bytes"),
          limits.at("reserved_shared_bytes")};
}

LaneDevice cpu_device() { return {model::DeviceKind::cpu, device::cpu::model_name(), {}, {}, {}, 0}; }

#if FIB_CUDA
nlohmann::ordered_json driver_version() {
  const auto nvml = cuda::Nvml::open();
  char text[96] = {};
  const bool known =
      nvml.problem.empty() && nvml.driver_version != nullptr && nvml.driver_version(text, sizeof text) == 0;
  return known ? nlohmann::ordered_json(text) : nullptr;
}

nlohmann::ordered_json nvrtc_version() try {
  const auto nvrtc = cuda::Nvrtc::open();
  return fmt::format("{}.{}", nvrtc.major, nvrtc.minor);
} catch (const Error&) {
  return nullptr;
}

// But for the CUDA version.
nlohmann::ordered_json software() {
  return {{"driver", driver_version()}, {"cuda", nullptr}, {"nvrtc", nvrtc_version()}};
}
#endif

void await_end_of_stdin() {
  char byte = 0;
  ssize_t count = 0;
  do {
    count = ::read(STDIN_FILENO, &byte, 1);
  } while (count > 0 || (count < 0 && errno == EINTR));
}

// The N of "cuda:N".
std::size_t ordinal_of(const std::string& word) {
  const std::string_view digits = std::string_view(word).substr(std::string_view("cuda:").size());
  std::size_t ordinal = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), ordinal);
  if (result.ec != std::errc{} || result.ptr != digits.data() + digits.size()) {
    throw CLI::ValidationError("--device", word + ": expected cuda:N with the device's number");
  }
  return ordinal;
}

void check_word(const std::string& word) {
  if (word == "auto" || word == "cpu" || word == "cuda") return;
  if (!word.starts_with("cuda:")) {
    throw CLI::ValidationError("--device", word + ": expected auto, cpu, cuda, cuda:N, or a list of them");
  }
  (void)ordinal_of(word);
}

std::vector<LaneDevice> named(const std::string& word, const CudaDevices& gpus) {
  if (word == "cpu" || (word == "auto" && gpus.devices.empty())) return {cpu_device()};
  if (gpus.devices.empty()) throw Error("no CUDA device: {}", gpus.problem);
  if (!word.starts_with("cuda:")) return gpus.devices;
  const std::size_t ordinal = ordinal_of(word);
  if (ordinal >= gpus.devices.size()) {
    throw Error("there is no device {}: this machine shows {} CUDA device{}", word, gpus.devices.size(),
                gpus.devices.size() == 1 ? "" : "s");
  }
  return {gpus.devices[ordinal]};
}

}  // namespace

int print_devices() {
  bool has_devices = false;
#if FIB_CUDA
  auto versions = std::async(std::launch::async, software);  // 20 ms beside the driver's 100
  const auto list = cuda::list_devices();
  has_devices = !list.devices.empty();
  nlohmann::ordered_json devices = nlohmann::ordered_json::array();
  for (const auto& device : list.devices) {
    devices.push_back({{"name", device.name},
                       {"uuid", device.uuid},
                       {"architecture", cuda::architecture_of(device.major, device.minor)},
                       {"multiprocessor",
                        {{"threads", device.threads},
                         {"blocks", device.blocks},
                         {"registers", device.registers},
                         {"shared_bytes", device.shared_bytes},
                         {"reserved_shared_bytes", device.reserved_shared_bytes}}},
                       {"memory", device.memory},
                       {"node", device.node}});
  }
  auto software = versions.get();
  software["cuda"] = fmt::format("{}.{}", list.driver_version / 1000, list.driver_version % 1000 / 10);
  const nlohmann::ordered_json document = {
      {"devices", devices}, {"problem", list.problem}, {"software", has_devices ? software : nullptr}};
#else
  const nlohmann::ordered_json document = {{"devices", nlohmann::ordered_json::array()},
                                           {"problem", "this fib was built without CUDA support"},
                                           {"software", nullptr}};
#endif
  fmt::print("{}\n", document.dump());
  std::fflush(stdout);
  ::close(STDOUT_FILENO);
  ::close(STDERR_FILENO);
  if (has_devices) await_end_of_stdin();
  ::_exit(0);  // the driver has things of its own to take down, for which somebody waits
}

CudaDevices cuda_devices() try {
  CudaDevices result;
  const auto child =
      std::make_shared<util::HeldCommand>(std::vector<std::string>{"/proc/self/exe", "__devices"});
  const auto document = nlohmann::json::parse(child->answer(), nullptr, false);
  if (document.is_discarded()) {
    const int status = child->wait();
    result.problem = fmt::format("the process that lists devices ended with {}", util::status_text(status));
    return result;
  }
  for (const auto& device : document.at("devices")) {
    result.devices.push_back({model::DeviceKind::cuda, device.at("name"), device.at("uuid"),
                              device.at("architecture"), limits_of(device.at("multiprocessor")),
                              device.at("memory"), device.at("node")});
  }
  result.problem = document.at("problem");
  result.software = document.at("software");
  if (!result.devices.empty()) result.driver = child;
  return result;
} catch (const nlohmann::json::exception& error) {
  return {{}, fmt::format("the list of devices cannot be read: {}", error.what()), nullptr};
}

ChosenDevices choose_devices(const std::vector<std::string>& wanted) {
  const std::vector<std::string> words = wanted.empty() ? std::vector<std::string>{"auto"} : wanted;
  for (const auto& word : words) check_word(word);
  if (words.size() > 1 && std::find(words.begin(), words.end(), "auto") != words.end()) {
    throw CLI::ValidationError("--device", "auto stands alone: it chooses the devices itself");
  }
  const auto is_cpu = [](const std::string& word) { return word == "cpu"; };
  const auto is_cuda = [](const std::string& word) { return word.starts_with("cuda"); };
  if (std::any_of(words.begin(), words.end(), is_cpu) && std::any_of(words.begin(), words.end(), is_cuda)) {
    throw CLI::ValidationError("--device",
                               "the CPU and CUDA devices need a run each: their latencies do not compare");
  }
  const bool cpu_only = std::all_of(words.begin(), words.end(), is_cpu);
  const CudaDevices gpus = cpu_only ? CudaDevices{} : cuda_devices();
  std::vector<LaneDevice> devices;
  for (const auto& word : words) {
    for (const auto& device : named(word, gpus)) {
      const bool known =
          std::any_of(devices.begin(), devices.end(), [&](const auto& d) { return d.uuid == device.uuid; });
      if (!known) devices.push_back(device);
    }
  }
  const bool on_cuda = devices.front().is_cuda();
  if (!on_cuda) return {std::move(devices), nullptr};
  return {std::move(devices), gpus.software, gpus.driver};
}

}  // namespace fib::cmd
