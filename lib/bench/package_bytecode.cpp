#include "bench/package_bytecode.h"

#include <fcntl.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "util/beneath.h"
#include "util/files.h"
#include "util/hash.h"
#include "util/unique_fd.h"

namespace fib::bench {
namespace {

namespace fs = std::filesystem;

constexpr int kBytecodeLimitS = 120;  // a cold disk; else it takes as long as one import

constexpr std::size_t kMostKept = 8;

// Arguments: the folder, cores, packages. A package that cannot be imported is one that guests cannot import
// either, and they say so; without torch they end.
constexpr const char* kScript = R"__python__(
import importlib, os, sys
folder, cores, packages = sys.argv[1:4]
if cores:
    os.sched_setaffinity(0, {int(core) for core in cores.split(",")})
sys.path[:] = [path for path in sys.path if path]
sys.pycache_prefix, sys.dont_write_bytecode = folder, False
for name in packages.split(","):
    try:
        importlib.import_module(name)
    except Exception:
        if name == "torch":
            raise
)__python__";

// Whether nobody but this user can have put something there.
bool is_own(const fs::path& folder) {
  struct stat info {};
  return ::lstat(folder.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == ::geteuid() &&
         (info.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

// Those of other interpreters, and of packages that have been replaced since. Who reads them goes on without.
void remove_oldest(const fs::path& parent) {
  std::vector<std::pair<fs::file_time_type, fs::path>> kept;
  for (const auto& entry : util::entries_of(parent)) {
    if (entry.path().filename().string().starts_with('.')) continue;  // being made
    std::error_code error;
    kept.emplace_back(fs::last_write_time(entry, error), entry.path());
  }
  std::sort(kept.begin(), kept.end());
  for (std::size_t i = 0; i + kMostKept < kept.size(); ++i) util::remove_tree(kept[i].second);
}

}  // namespace

PackageBytecode::PackageBytecode(const compile::PythonInterpreter& python,
                                 const std::vector<std::string>& packages, const fs::path& cache)
    : python_(python.path) {
  util::Sha256 key;
  key.add(python.path.string()).add(python.version);
  for (const auto& name : packages) {
    if (!python.has(name)) continue;
    packages_.push_back(name);
    const auto uncompiled = python.uncompiled.find(name);
    if (uncompiled == python.uncompiled.end()) continue;
    key.add(name).add(python.packages.at(name)).add(uncompiled->second);
    folder_ = cache / "bytecode";
  }
  if (!folder_.empty()) folder_ /= key.hex();
}

PackageBytecode::~PackageBytecode() {
  stopped_ = true;
  wait();
}

fs::path PackageBytecode::folder() const {
  return !folder_.empty() && is_own(folder_.parent_path()) && is_own(folder_) ? folder_ : fs::path();
}

void PackageBytecode::wait() {
  const std::lock_guard lock(mutex_);
  if (thread_.joinable()) thread_.join();
}

void PackageBytecode::make(worker::Spawner& spawner, const worker::ChildSetup& children,
                           const std::vector<unsigned>& cores) {
  const std::lock_guard lock(mutex_);
  if (std::exchange(begun_, true) || folder_.empty() || fs::exists(fs::symlink_status(folder_))) return;
  thread_ = std::thread([this, &spawner, children, cores] {
    try {
      run(spawner, children, cores);
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): see make()
    }
  });
}

// In a new folder, which gets its name when all is there: nothing that lies in the cache is imported here,
// outside of a sandbox.
void PackageBytecode::run(worker::Spawner& spawner, const worker::ChildSetup& children,
                          const std::vector<unsigned>& cores) {
  const fs::path parent = folder_.parent_path();
  fs::create_directories(parent.parent_path());
  (void)::mkdir(parent.c_str(), 0700);
  if (!is_own(parent)) return;
  const util::TemporaryFolder made(parent, ".tmp-");
  spawner.remove_at_end(made.path());  // where this process is killed
  const util::TemporaryFolder temporary(children.temporary, "python-");
  const util::UniqueFd nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
  const std::uint32_t child =
      spawner.spawn({{python_.string(), "-I", "-W", "ignore", "-c", kScript, made.path().string(),
                      fmt::format("{}", fmt::join(cores, ",")), fmt::format("{}", fmt::join(packages_, ","))},
                     worker::clean_environment(temporary.path()),
                     temporary.path()},
                    nothing.get(), nothing.get());
  constexpr int kStepMs = 50;
  for (int waited = 0; !stopped_ && !spawner.lost() && waited < 1000 * kBytecodeLimitS; waited += kStepMs) {
    const auto status = spawner.wait(child, kStepMs);
    if (!status) continue;
    // Another run may have been faster: then this fails, and there is what is wanted.
    if (*status == 0 && ::rename(made.path().c_str(), folder_.c_str()) == 0) remove_oldest(parent);
    return;
  }
  spawner.kill(child);
}

}  // namespace fib::bench
