#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/files.h"
#include "worker/spawner.h"

namespace fib::worker {

// What runs Python code: an interpreter with the script guest.py, which opens this libfib_core.
struct GuestSetup {
  std::filesystem::path python;
  std::vector<std::string> packages = {
      "torch"};                      // imported before the guest reports, where they are installed
  std::string device_uuid = {};      // CUDA: the only device that the guest sees
  std::vector<unsigned> cores = {};  // it imports on these only; empty: on all that fib has
  // And from Start on, it runs on these; empty: as before it imported.
  std::vector<unsigned> cores_when_used = {};
  // Where compiled modules of the packages are (sys.pycache_prefix while they are imported), for packages
  // that have none of their own; empty: nowhere.
  std::filesystem::path bytecode = {};
  // It serves nobody, but calls what this folder holds for a tool that looks at it (probe_main.h); empty: it
  // serves.
  std::filesystem::path probe = {};
};

// How a guest's refusal of a Load begins when torch cannot use the device it is asked to.
constexpr std::string_view kNoDeviceForTorch = "torch does not see the device";

// How the line begins with which a guest ends that cannot import torch.
constexpr std::string_view kCannotImportTorch = "cannot import torch: ";

// The text of guest_tensors.py and guest.py.
[[nodiscard]] std::string_view guest_script();

// How a guest is started: isolated (python -I), as compile::find_python() looks at it; its folder for private
// files is `folder`, and `files` what it may reach besides its own packages. Besides the clean environment
// (clients.h) it has TRITON_INTERPRET.
[[nodiscard]] ChildSpec guest_spec(const GuestSetup& setup, const sandbox::FileAccess& files,
                                   const std::filesystem::path& folder, std::uint64_t file_size_limit);

}  // namespace fib::worker
