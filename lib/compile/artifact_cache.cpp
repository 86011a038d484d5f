#include "compile/artifact_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>

#include "sandbox/confined_step.h"
#include "util/errno_error.h"
#include "util/file_lock.h"
#include "util/files.h"
#include "util/hash.h"

namespace fib::compile {
namespace {

namespace fs = std::filesystem;
using Digests = std::vector<std::string>;

constexpr const char* kDigests = "digests.json";
constexpr std::chrono::minutes kMostWaiting{5};  // for another process that builds the same

// What killed builders of the same entry left behind; called with its lock held.
void remove_leftovers(const fs::path& parent, const std::string& prefix) {
  for (const auto& entry : fs::directory_iterator(parent)) {
    if (entry.path().filename().string().starts_with(prefix)) fs::remove_all(entry.path());
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

// Files that the build left, before they are the cache's: each a file, and on the disk.
Digests seal(const CacheEntry& entry, const fs::path& out) {
  Digests digests;
  nlohmann::ordered_json document = {{"key", entry.key}, {"files", nlohmann::ordered_json::object()}};
  for (const auto& file : entry.files) {
    if (!fs::is_regular_file(fs::symlink_status(out / file)))
      throw Error("the build has made no file {}", file);
    sync(out / file);
    digests.push_back(util::sha256_hex(util::read_file(out / file)));
    document["files"][file] = digests.back();
  }
  util::write_file_atomic(out / kDigests, document.dump());
  sync(out);
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

CacheResult through_cache(const CacheEntry& entry, const sandbox::FileAccess& access,
                          const BuildStep& build) try {
  const fs::path parent = entry.cache / entry.kind / entry.key.substr(0, 2);
  const fs::path folder = parent / entry.key;
  fs::create_directories(parent);
  const auto lock = util::FileLock::take_within(entry.cache / "locks" / (entry.key + ".lock"), kMostWaiting);
  if (auto digests = believed(entry, folder)) return {folder, true, {}, std::move(*digests)};
  fs::remove_all(folder);
  remove_leftovers(parent, entry.key + ".tmp-");
  const util::TemporaryFolder temporary(parent, entry.key + ".tmp-");
  const fs::path out = temporary.path() / "out";
  fs::create_directory(out);
  CacheResult result{folder, false, run_build(access, temporary.path(), out, build), {}};
  if (!result.answer.failure.empty()) return result;
  result.digests = seal(entry, out);
  fs::rename(out, folder);
  sync(parent);
  return result;
} catch (const fs::filesystem_error& error) {
  throw Error("cannot use the cache {}: {}", entry.cache.string(), error.what());
}

}  // namespace fib::compile
