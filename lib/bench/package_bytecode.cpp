#include "bench/package_bytecode.h"

#include <fcntl.h>
#include <fmt/ranges.h>
#include <sys/wait.h>
#include <unistd.h>

#include <utility>

#include "util/files.h"
#include "util/hash.h"
#include "util/unique_fd.h"

namespace fib::bench {
namespace {

namespace fs = std::filesystem;

constexpr int kLimitS = 120;  // a cold disk; else it takes as long as one import
constexpr std::size_t kDigits = 16;

// Arguments: the folder, the file to write when all is there, cores, packages. A package that cannot be
// imported is one that guests cannot import either, and they say so.
constexpr const char* kScript = R"__python__(
import importlib, os, sys
folder, mark, cores, packages = sys.argv[1:5]
if cores:
    os.sched_setaffinity(0, {int(core) for core in cores.split(",")})
sys.path[:] = [path for path in sys.path if path]
sys.pycache_prefix, sys.dont_write_bytecode = folder, False
for name in packages.split(","):
    importlib.import_module(name)
open(mark, "w").close()
)__python__";

}  // namespace

PackageBytecode::PackageBytecode(const compile::PythonInterpreter& python,
                                 const std::vector<std::string>& packages, const fs::path& cache)
    : python_(python.path) {
  util::Sha256 state;
  for (const auto& name : packages) {
    if (!python.has(name)) continue;
    packages_.push_back(name);
    const auto uncompiled = python.uncompiled.find(name);
    if (uncompiled == python.uncompiled.end()) continue;
    state.add(name).add(python.packages.at(name)).add(uncompiled->second);
    folder_ = cache / "python";
  }
  if (folder_.empty()) return;
  folder_ /= util::Sha256().add(python.path.string()).add(python.version).hex().substr(0, kDigits);
  mark_ = folder_ / ("made-" + state.hex().substr(0, kDigits));
}

PackageBytecode::~PackageBytecode() {
  stopped_ = true;
  wait();
}

bool PackageBytecode::is_missing() const {
  std::error_code error;
  return !folder_.empty() && !fs::exists(mark_, error);
}

fs::path PackageBytecode::folder() const { return folder_.empty() || is_missing() ? fs::path() : folder_; }

void PackageBytecode::wait() {
  const std::lock_guard lock(mutex_);
  if (thread_.joinable()) thread_.join();
}

void PackageBytecode::make(worker::Spawner& spawner, const worker::ChildSetup& children,
                           const std::vector<unsigned>& cores) {
  const std::lock_guard lock(mutex_);
  if (std::exchange(begun_, true) || !is_missing()) return;
  thread_ = std::thread([this, &spawner, children, cores] {
    try {
      run(spawner, children, cores);
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): see make()
    }
  });
}

void PackageBytecode::run(worker::Spawner& spawner, const worker::ChildSetup& children,
                          const std::vector<unsigned>& cores) {
  fs::create_directories(folder_);
  if (::access(folder_.c_str(), W_OK) != 0) return;  // a cache that is only read
  const util::TemporaryFolder temporary(children.temporary, "python-");
  const util::UniqueFd nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
  const std::uint32_t child =
      spawner.spawn({{python_.string(), "-I", "-W", "ignore", "-c", kScript, folder_.string(), mark_.string(),
                      fmt::format("{}", fmt::join(cores, ",")), fmt::format("{}", fmt::join(packages_, ","))},
                     worker::clean_environment(temporary.path()),
                     temporary.path()},
                    nothing.get(), nothing.get());
  constexpr int kStepMs = 50;
  for (int waited = 0; !stopped_ && !spawner.lost() && waited < 1000 * kLimitS; waited += kStepMs) {
    if (spawner.wait(child, kStepMs)) return;
  }
  spawner.kill(child);
}

}  // namespace fib::bench
