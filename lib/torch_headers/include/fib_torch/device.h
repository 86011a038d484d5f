#pragma once

#include <cstdint>
#include <ostream>
#include <string>

#include "fib_torch/exception.h"

// Devices, layouts and formats of memory.
namespace c10 {

enum class DeviceType : std::int8_t { CPU = 0, CUDA = 1 };
constexpr DeviceType kCPU = DeviceType::CPU;
constexpr DeviceType kCUDA = DeviceType::CUDA;
using DeviceIndex = std::int8_t;

inline std::string DeviceTypeName(DeviceType type, bool lower_case = false) {
  if (type == kCUDA) return lower_case ? "cuda" : "CUDA";
  return lower_case ? "cpu" : "CPU";
}
inline std::ostream& operator<<(std::ostream& out, DeviceType type) {
  return out << DeviceTypeName(type, true);
}

class Device {
 public:
  Device(DeviceType type, DeviceIndex index = -1) : type_(type), index_(index) {}
  Device(const std::string& text) : type_(kCPU) {
    const auto colon = text.find(':');
    const std::string name = text.substr(0, colon);
    if (name != "cpu" && name != "cuda")
      detail::raise<Error>("fib's torch headers know the devices cpu and cuda, not: " + text);
    if (name == "cuda") type_ = kCUDA;
    if (colon == std::string::npos) return;
    const std::string digits = text.substr(colon + 1);
    if (digits.empty() || digits.size() > 2 || digits.find_first_not_of("0123456789") != std::string::npos)
      detail::raise<Error>("Invalid device string: '" + text + "'");
    index_ = static_cast<DeviceIndex>(std::stoi(digits));
  }
  Device(const char* text) : Device(std::string(text)) {}

  [[nodiscard]] DeviceType type() const { return type_; }
  [[nodiscard]] DeviceIndex index() const { return index_; }
  [[nodiscard]] bool has_index() const { return index_ >= 0; }
  [[nodiscard]] bool is_cuda() const { return type_ == kCUDA; }
  [[nodiscard]] bool is_cpu() const { return type_ == kCPU; }
  [[nodiscard]] bool is_meta() const { return false; }
  [[nodiscard]] bool is_xpu() const { return false; }
  [[nodiscard]] bool is_mps() const { return false; }
  [[nodiscard]] bool is_hip() const { return false; }
  void set_index(DeviceIndex index) { index_ = index; }
  [[nodiscard]] std::string str() const {
    return DeviceTypeName(type_, true) + (has_index() ? ":" + std::to_string(index_) : "");
  }
  friend bool operator==(const Device& a, const Device& b) {
    return a.type_ == b.type_ && a.index_ == b.index_;
  }
  friend bool operator!=(const Device& a, const Device& b) { return !(a == b); }

 private:
  DeviceType type_;
  DeviceIndex index_ = -1;
};
inline std::ostream& operator<<(std::ostream& out, const Device& device) { return out << device.str(); }

enum class Layout : std::int8_t { Strided };
constexpr Layout kStrided = Layout::Strided;
inline std::ostream& operator<<(std::ostream& out, Layout /*layout*/) { return out << "Strided"; }

enum class MemoryFormat : std::int8_t { Contiguous, Preserve };
inline std::ostream& operator<<(std::ostream& out, MemoryFormat format) {
  return out << (format == MemoryFormat::Contiguous ? "Contiguous" : "Preserve");
}

}  // namespace c10
