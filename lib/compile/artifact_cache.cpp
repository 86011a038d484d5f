#include "compile/artifact_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>

#include "sandbox/confined_step.h"
#include "util/beneath.h"
#include "util/errno_error.h"
#include "util/file_lock.h"
#include "util/files.h"
#include "util/hash.h"

namespace fib::compile {
namespace {

namespace fs = std::filesystem;
using Digests = std::vector<std::string>;

constexpr const char* kDigests = "digests.json";
constexpr const char* kOut = "out";
constexpr off_t kMostBytes = off_t{512} << 20;   // of a file that a build makes
constexpr std::chrono::minutes kMostWaiting{5};  // for another process that builds the same

fs::path folder_of(const CacheEntry& entry) {
  return entry.cache / entry.kind / entry.key.substr(0, 2) / entry.key;
}

// What killed builders of the same entry left behind; called with its lock held.
void remove_leftovers(const fs::path& parent, const std::string& prefix) {
  for (const auto& entry : fs::directory_iterator(parent)) {
    if (entry.path().filename().string().starts_with(prefix)) util::remove_tree(entry.path());
  }
}

// The digests of an entry that is complete and undamaged.
std::optional<Digests> believed(const CacheEntry& entry, const fs::path& folder) try {
  const auto document = nlohmann::json::parse(util::read_file(folder / kDigests));
  if (document.at("key") != entry.key) return std::nullopt;
  Digests digests;
  for (const auto& file : entry.files) {
    digests.push_back(util::sha256_hex(util::read_file(folder / file)));
    if (document.at("files").at(file) != digests.back()) return std::nullopt;
  }
  return digests;
} catch (const std::exception&) {  // missing or unreadable files are as good as damaged ones
  return std::nullopt;
}

void sync(const fs::path& path) {
  const util::UniqueFd opened(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!opened.valid() || ::fsync(opened.get()) != 0)
    throw util::errno_error("cannot write " + path.string() + " to the disk");
}

// A file that the build left.
std::string content_of(int folder, const std::string& name) try {
  const auto file = util::file_beneath(folder, name, O_RDONLY | O_NONBLOCK);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) throw util::errno_error("cannot examine " + name);
  if (!S_ISREG(status.st_mode)) throw Error("the build has made no file {}", name);
  if (status.st_size > kMostBytes)
    throw sandbox::LimitReached("the build made {} with more than {} MiB", name, kMostBytes >> 20);
  return util::read_document(file.get(), kMostBytes);
} catch (const std::system_error&) {  // it is not there, or a link is in the way
  throw Error("the build has made no file {}", name);
}

// Copies what the build was to make from its folder `out` into `entry_folder`, which is new and nobody
// else's: modes, links and whatever else the build has made stay behind. All of it is on the disk afterwards.
Digests take_over(const CacheEntry& entry, const fs::path& work, const fs::path& entry_folder) {
  const auto work_folder = util::open_folder(work);
  util::UniqueFd out;
  try {
    out = util::folder_beneath(work_folder.get(), kOut, false);
  } catch (const std::system_error&) {
    throw Error("the build has left no folder");
  }
  Digests digests;
  nlohmann::ordered_json document = {{"key", entry.key}, {"files", nlohmann::ordered_json::object()}};
  for (const auto& file : entry.files) {
    const std::string content = content_of(out.get(), file);
    util::write_file_atomic(entry_folder / file, content);
    digests.push_back(util::sha256_hex(content));
    document["files"][file] = digests.back();
  }
  util::write_file_atomic(entry_folder / kDigests, document.dump());
  sync(entry_folder);
  return digests;
}

BuildAnswer run_build(const sandbox::FileAccess& access, const fs::path& work, const fs::path& out,
                      const BuildStep& build) try {
  const std::string text = sandbox::run_confined(access, work, {}, [&] {
    const auto answer = build(work, out);
    return nlohmann::json{{"failure", answer.failure}, {"log", answer.log}}.dump(
        -1, ' ', false, nlohmann::json::error_handler_t::replace);
  });
  const auto json = nlohmann::json::parse(text);
  return {json.at("failure"), json.at("log")};
} catch (const sandbox::LimitReached& limit) {
  return {limit.what(), {}};
} catch (const nlohmann::json::exception&) {
  throw Error("the answer of a build is broken");
}

}  // namespace

bool is_cached(const CacheEntry& entry) { return believed(entry, folder_of(entry)).has_value(); }

CacheResult through_cache(const CacheEntry& entry, const sandbox::FileAccess& access,
                          const BuildStep& build) try {
  const fs::path folder = folder_of(entry);
  const fs::path parent = folder.parent_path();
  fs::create_directories(parent);
  const auto lock = util::FileLock::take_within(entry.cache / "locks" / (entry.key + ".lock"), kMostWaiting);
  if (auto digests = believed(entry, folder)) return {folder, true, {}, std::move(*digests)};
  fs::remove_all(folder);
  remove_leftovers(parent, entry.key + ".tmp-");
  const util::TemporaryFolder work(parent, entry.key + ".tmp-");
  const util::TemporaryFolder made(parent, entry.key + ".tmp-");
  fs::create_directory(work.path() / kOut);
  CacheResult result{folder, false, run_build(access, work.path(), work.path() / kOut, build), {}};
  if (!result.answer.failure.empty()) return result;
  try {
    result.digests = take_over(entry, work.path(), made.path() / kOut);
  } catch (const sandbox::LimitReached& limit) {
    result.answer.failure = limit.what();
    return result;
  }
  fs::rename(made.path() / kOut, folder);
  sync(parent);
  return result;
} catch (const fs::filesystem_error& error) {
  throw Error("cannot use the cache {}: {}", entry.cache.string(), error.what());
}

}  // namespace fib::compile
