#include "dataset/lfs.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "dataset/blobs.h"
#include "util/clock.h"
#include "util/command.h"
#include "util/error.h"

namespace fib::dataset {
namespace {

namespace fs = std::filesystem;

constexpr double kLimitS = 500;
constexpr std::size_t kMostBytes = 100'000;  // of one argument; Linux takes 128 KiB

// What `git clone`, `git config user...` and `git lfs install --local` write, which starts no program.
constexpr std::array kHarmless = {"core.repositoryformatversion=*",
                                  "core.filemode=*",
                                  "core.bare=*",
                                  "core.logallrefupdates=*",
                                  "core.ignorecase=*",
                                  "core.precomposeunicode=*",
                                  "core.symlinks=*",
                                  "core.autocrlf=*",
                                  "remote.*.url=*",
                                  "remote.*.fetch=*",
                                  "branch.*.remote=*",
                                  "branch.*.merge=*",
                                  "user.name=*",
                                  "user.email=*",
                                  "lfs.repositoryformatversion=*",
                                  "lfs.*.access=*",
                                  "lfs.*.locksverify=*",
                                  "filter.lfs.clean=git-lfs clean -- %f",
                                  "filter.lfs.smudge=git-lfs smudge -- %f",
                                  "filter.lfs.smudge=git-lfs smudge --skip -- %f",
                                  "filter.lfs.process=git-lfs filter-process",
                                  "filter.lfs.process=git-lfs filter-process --skip",
                                  "filter.lfs.required=true"};

class Git {
 public:
  Git(const fs::path& root, const std::atomic<bool>* interrupted) : root_(root), interrupted_(interrupted) {}

  std::string operator()(const std::vector<std::string>& arguments) const {
    std::vector<std::string> words = {"git", "-c", "core.hooksPath=/dev/null"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    const double left_s = kLimitS - static_cast<double>(util::monotonic_ns() - begin_) / 1e9;
    auto result =
        util::run_command(words, root_, {"GIT_TERMINAL_PROMPT=0"}, {std::max(left_s, 0.01), interrupted_});
    while (result.output.ends_with('\n')) result.output.pop_back();
    if (result.succeeded()) return result.output;
    if (interrupted_ != nullptr && *interrupted_) throw Error("interrupted");
    throw Error("git {} in {}: {}{}{}", arguments.front(), root_.string(), result.status_text(),
                result.output.empty() ? "" : ": ", result.output);
  }

 private:
  const fs::path& root_;
  const std::atomic<bool>* interrupted_;
  std::int64_t begin_ = util::monotonic_ns();
};

void refuse_programs(const Git& git, const fs::path& root) {
  std::string settings = git({"config", "--local", "--no-includes", "--list", "-z"});
  std::replace(settings.begin(), settings.end(), '\n', '=');  // "key\nvalue" with -z
  for (std::size_t begin = 0; begin < settings.size();) {
    const std::size_t end = std::min(settings.find('\0', begin), settings.size());
    const std::string setting = settings.substr(begin, end - begin);
    const bool runs_helper = setting.find("::") != std::string::npos;  // of a remote: "ext::command"
    const bool harmless =
        !runs_helper && std::any_of(kHarmless.begin(), kHarmless.end(), [&](const char* pattern) {
          return ::fnmatch(pattern, setting.c_str(), 0) == 0;
        });
    if (!harmless) {
      throw Error(
          "blobs of {} are not fetched, since its git configuration says \"{}\"; look at it and fetch "
          "them with: git lfs pull",
          root.string(), setting);
    }
    begin = end + 1;
  }
}

// Characters that patterns give a meaning become "?", which stands for any.
std::string pattern_of(std::string path) {
  for (char& c : path) {
    if (std::string_view("*?[]\\,").find(c) != std::string_view::npos) c = '?';
  }
  return path;
}

}  // namespace

void pull_lfs(const fs::path& root, const std::vector<fs::path>& files,
              const std::atomic<bool>* interrupted) {
  const Git git(root, interrupted);
  const std::string answer = git({"rev-parse", "--show-toplevel"});
  refuse_programs(git, root);
  const fs::path top = fs::weakly_canonical(answer.substr(answer.rfind('\n') + 1));  // behind any warning
  std::string patterns;
  for (std::size_t i = 0; i < files.size(); ++i) {
    patterns +=
        (patterns.empty() ? "" : ",") + pattern_of(fs::weakly_canonical(files[i]).lexically_relative(top));
    if (patterns.size() < kMostBytes && i + 1 < files.size()) continue;
    git({"lfs", "pull", "--include", patterns});
    patterns.clear();
  }
  const auto left = std::count_if(files.begin(), files.end(), is_lfs_pointer);
  if (left > 0)
    throw Error("git lfs pull left {} of {} blobs of {} as they were", left, files.size(), root.string());
}

}  // namespace fib::dataset
