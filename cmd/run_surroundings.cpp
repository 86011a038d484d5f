#include "run_surroundings.h"

#include <algorithm>
#include <string>

#include "compile/native_builder.h"
#include "device/cpu/hardware.h"
#include "util/kernel_files.h"
#include "util/machine.h"
#include "util/utf8.h"

namespace fib::cmd {
namespace {

using nlohmann::ordered_json;

ordered_json text_or_null(const std::string& text) {
  return text.empty() ? ordered_json() : ordered_json(util::valid_utf8(text));
}

ordered_json machine() {
  return {{"host", text_or_null(util::host_name())},
          {"cpu", text_or_null(device::cpu::model_name())},
          {"cores", util::usable_cores()},
          {"memory_bytes", util::physical_memory()},
          {"os", text_or_null(util::operating_system())},
          {"kernel", text_or_null(util::kernel_release())}};
}

ordered_json cuda(const ChosenDevices& chosen) {
  if (!chosen.devices.front().is_cuda()) return nullptr;
  ordered_json gpus = ordered_json::array();
  for (const auto& device : chosen.devices) {
    gpus.push_back({{"name", device.name}, {"uuid", device.uuid}, {"architecture", device.architecture}});
  }
  ordered_json result = chosen.software.is_object() ? chosen.software : ordered_json::object();
  result["gpus"] = std::move(gpus);
  return result;
}

ordered_json compilers(model::DeviceKind device) {
  const auto versions = compile::compiler_versions(device);
  return {{"cxx", text_or_null(versions.cxx)}, {"nvcc", text_or_null(versions.nvcc)}};
}

// This process's words as the system shows them: main has starred out the seed there.
ordered_json command() {
  const std::string text = util::read_kernel_file("/proc/self/cmdline");
  ordered_json words = ordered_json::array();
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\0', begin), text.size());
    words.push_back(util::valid_utf8(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return words;
}

}  // namespace

Surroundings surroundings(const ChosenDevices& chosen,
                          const std::optional<compile::PythonInterpreter>& python) {
  const ordered_json versions = compilers(chosen.devices.front().kind);
  const ordered_json tools = {
      {"cuda", chosen.software}, {"compilers", versions}, {"python", python ? python->version : ""}};
  return {{{"machine", machine()},
           {"cuda", cuda(chosen)},
           {"compilers", versions},
           {"python", python ? ordered_json::parse(compile::to_json(*python)) : ordered_json()},
           {"command", command()}},
          tools.dump()};
}

}  // namespace fib::cmd
