#include "worker/guest_client.h"

#include <fmt/ranges.h>

#include <cstdlib>

#include "util/own_library.h"
#include "worker/clients.h"

namespace fib::worker {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> guest_environment(const GuestSetup& setup, const fs::path& folder) {
  auto environment = clean_environment(folder, setup.device_uuid);
  if (const char* value = std::getenv("TRITON_INTERPRET"))
    environment.push_back(std::string("TRITON_INTERPRET=") + value);
  return environment;
}

}  // namespace

ChildSpec guest_spec(const GuestSetup& setup, const sandbox::FileAccess& files, const fs::path& folder,
                     std::uint64_t file_size_limit) {
  sandbox::FileAccess reached = files;
  if (!setup.bytecode.empty()) reached.readable.push_back(setup.bytecode);
  return {{setup.python.string(), "-I", "-B", "-u", "-c", std::string(guest_script()),
           util::own_library().string(), fmt::format("{}", fmt::join(setup.packages, ",")),
           fmt::format("{};{}", fmt::join(setup.cores, ","), fmt::join(setup.cores_when_used, ",")),
           reached.to_json(), setup.device_uuid.empty() ? "cpu" : "cuda", setup.bytecode.string(),
           setup.probe.string()},
          guest_environment(setup, folder),
          folder,
          file_size_limit};
}

}  // namespace fib::worker
