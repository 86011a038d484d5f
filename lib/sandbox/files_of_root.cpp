#include "sandbox/files_of_root.h"

#include <fstream>
#include <string>
#include <system_error>

#include "util/files.h"

namespace fib::sandbox {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFolders[] = {"/sys/kernel/debug", "/sys/kernel/tracing", "/sys/kernel/security",
                                    "/sys/fs/bpf",       "/sys/fs/pstore",      "/sys/firmware"};
constexpr const char* kDisplay = "0x03";  // how the class of a PCI device that is a GPU begins

bool is_for_root_alone(const fs::directory_entry& entry) {
  std::error_code error;
  if (entry.is_symlink(error) || !entry.is_regular_file(error)) return false;
  return (entry.status(error).permissions() & fs::perms::others_read) == fs::perms::none;
}

bool is_gpu(const fs::path& device) {
  std::string kind;
  std::getline(std::ifstream(device / "class"), kind);
  return kind.starts_with(kDisplay);
}

// "resource" itself is a list of addresses, for everybody.
bool is_of_device(const std::string& name) {
  return name == "rom" || (name.starts_with("resource") && name != "resource");
}

}  // namespace

std::vector<fs::path> files_of_root() {
  std::vector<fs::path> files;
  for (const auto& entry : util::entries_of("/proc")) {
    if (is_for_root_alone(entry)) files.push_back(entry.path());
  }
  for (const auto& device : util::entries_of("/sys/bus/pci/devices")) {
    std::error_code error;
    const fs::path folder = fs::canonical(device.path(), error);
    if (error || !is_gpu(folder)) continue;
    for (const auto& file : util::entries_of(folder)) {
      if (is_of_device(file.path().filename().string())) files.push_back(file.path());
    }
  }
  for (const char* folder : kFolders) {
    std::error_code error;
    if (fs::is_directory(folder, error)) files.emplace_back(folder);
  }
  return files;
}

}  // namespace fib::sandbox
