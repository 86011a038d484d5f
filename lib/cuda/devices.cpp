#include "cuda/devices.h"

#include <algorithm>

#include "cuda/driver.h"
#include "util/kernel_files.h"
#include "util/text.h"

namespace fib::cuda {
namespace {

DeviceInfo info_of(const Driver& driver, int ordinal) {
  DeviceInfo info;
  info.ordinal = ordinal;
  CUdevice device{};
  driver.check(driver.device_get(&device, ordinal), "cuDeviceGet");
  char name[256] = {};
  driver.check(driver.device_name(name, sizeof name, device), "cuDeviceGetName");
  info.name = name;
  info.uuid = uuid_of(driver, device);
  char address[32] = {};
  if (driver.device_pci != nullptr && driver.device_pci(address, sizeof address, device) == CUDA_SUCCESS)
    info.node = node_of(address);
  std::size_t memory = 0;
  driver.check(driver.device_memory(&memory, device), "cuDeviceTotalMem");
  info.memory = memory;
  const auto attribute = [&](CUdevice_attribute which, int& value) {
    driver.check(driver.device_attribute(&value, which, device), "cuDeviceGetAttribute");
  };
  attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, info.major);
  attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, info.minor);
  attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, info.multiprocessors);
  attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, info.threads);
  attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, info.blocks);
  attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, info.registers);
  attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, info.shared_bytes);
  attribute(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, info.reserved_shared_bytes);
  return info;
}

}  // namespace

DeviceList list_devices() try {
  DeviceList list;
  const Driver driver = Driver::open();
  driver.check(driver.init(0), "cuInit");
  driver.check(driver.version(&list.driver_version), "cuDriverGetVersion");
  int count = 0;
  driver.check(driver.device_count(&count), "cuDeviceGetCount");
  for (int i = 0; i < count; ++i) list.devices.push_back(info_of(driver, i));
  if (count == 0) list.problem = "the CUDA driver shows no device (CUDA_VISIBLE_DEVICES may hide them)";
  return list;
} catch (const DriverError& error) {
  return {{}, 0, fmt::format("the CUDA driver cannot be used: {}", error.what())};
} catch (const Error& error) {
  return {{}, 0, error.what()};
}

std::string uuid_of(const Driver& driver, int device) {
  CUuuid uuid{};
  driver.check(driver.device_uuid(&uuid, device), "cuDeviceGetUuid");
  // Of a part of a divided GPU (MIG) the first is its own, the other that of the GPU.
  CUuuid whole = uuid;
  if (driver.device_whole_uuid != nullptr)
    driver.check(driver.device_whole_uuid(&whole, device), "cuDeviceGetUuid");
  const bool is_whole = std::equal(std::begin(uuid.bytes), std::end(uuid.bytes), whole.bytes);
  std::string text = is_whole ? "GPU-" : "MIG-";
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[i]));
  }
  return text;
}

std::string node_of(const std::string& pci_address, const std::filesystem::path& gpus) {
  constexpr std::string_view kMinor = "Device Minor:";
  const auto file = gpus / util::lowered(pci_address) / "information";
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return "";
  const std::string text = util::read_kernel_file(file);
  const std::size_t at = text.find(kMinor);
  if (at == std::string::npos) return "";
  const std::string_view line = std::string_view(text).substr(at + kMinor.size());
  const std::string_view number = util::trimmed(line.substr(0, line.find('\n')));
  const bool is_number = !number.empty() && number.find_first_not_of("0123456789") == std::string_view::npos;
  return is_number ? "nvidia" + std::string(number) : "";
}

std::string architecture_of(int major, int minor) {
  return fmt::format("sm_{}{}{}", major, minor, major >= 9 ? "a" : "");
}

}  // namespace fib::cuda
