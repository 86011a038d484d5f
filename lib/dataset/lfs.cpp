#include "dataset/lfs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
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
constexpr std::uint64_t kShellBlock = 512;   // of `ulimit -f`
constexpr std::size_t kMostOfError = 2000;   // of what git says

// A setting of git: "core.bare", "remote.origin.url". What stands between the first dot and the last one is a
// name that anybody may choose, with dots of its own.
struct GitSetting {
  std::string section;
  bool is_named = false;
  std::string key;
  std::string value;
};

// "key\nvalue", or a key without one.
GitSetting git_setting_of(const std::string& text) {
  const std::size_t newline = std::min(text.find('\n'), text.size());
  const std::string name = text.substr(0, newline);
  const std::size_t first = std::min(name.find('.'), name.size());
  const std::size_t last = name.rfind('.');
  GitSetting setting;
  setting.section = name.substr(0, first);
  setting.is_named = last != std::string::npos && last > first;
  if (last != std::string::npos) setting.key = name.substr(last + 1);
  if (newline < text.size()) setting.value = text.substr(newline + 1);
  return setting;
}

struct Harmless {
  const char* section;
  bool is_named;
  const char* key;
  const char* value = nullptr;  // any
};

// What `git clone`, `git config user...` and `git lfs install --local` write, which starts no program.
constexpr std::array kHarmless = {Harmless{"core", false, "repositoryformatversion"},
                                  Harmless{"core", false, "filemode"},
                                  Harmless{"core", false, "bare"},
                                  Harmless{"core", false, "logallrefupdates"},
                                  Harmless{"core", false, "ignorecase"},
                                  Harmless{"core", false, "precomposeunicode"},
                                  Harmless{"core", false, "symlinks"},
                                  Harmless{"core", false, "autocrlf"},
                                  Harmless{"remote", true, "url"},
                                  Harmless{"remote", true, "fetch"},
                                  Harmless{"branch", true, "remote"},
                                  Harmless{"branch", true, "merge"},
                                  Harmless{"user", false, "name"},
                                  Harmless{"user", false, "email"},
                                  Harmless{"lfs", false, "repositoryformatversion"},
                                  Harmless{"lfs", true, "access"},
                                  Harmless{"lfs", true, "locksverify"},
                                  Harmless{"filter", true, "clean", "git-lfs clean -- %f"},
                                  Harmless{"filter", true, "smudge", "git-lfs smudge -- %f"},
                                  Harmless{"filter", true, "smudge", "git-lfs smudge --skip -- %f"},
                                  Harmless{"filter", true, "process", "git-lfs filter-process"},
                                  Harmless{"filter", true, "process", "git-lfs filter-process --skip"},
                                  Harmless{"filter", true, "required", "true"}};

bool is_harmless(const std::string& text) {
  if (text.find("::") != std::string::npos) return false;  // of a remote, "ext::command" is a program
  const GitSetting setting = git_setting_of(text);
  return std::any_of(kHarmless.begin(), kHarmless.end(), [&](const Harmless& known) {
    return setting.section == known.section && setting.is_named == known.is_named &&
           setting.key == known.key && (known.value == nullptr || setting.value == known.value);
  });
}

class Git {
 public:
  Git(const fs::path& root, const std::atomic<bool>* interrupted) : root_(root), interrupted_(interrupted) {}

  // `most_bytes`: of a file that it writes.
  std::string operator()(const std::vector<std::string>& arguments, std::uint64_t most_bytes = 0) const {
    std::vector<std::string> words;
    if (most_bytes > 0)
      words = {"sh", "-c", R"(ulimit -f "$0" 2>/dev/null; exec "$@")",
               std::to_string(most_bytes / kShellBlock + 1)};
    words.insert(words.end(), {"git", "-c", "core.hooksPath=/dev/null"});
    words.insert(words.end(), arguments.begin(), arguments.end());
    const double left_s = kLimitS - static_cast<double>(util::monotonic_ns() - begin_) / 1e9;
    auto result =
        util::run_command(words, root_, {"GIT_TERMINAL_PROMPT=0"}, {std::max(left_s, 0.01), interrupted_});
    while (result.output.ends_with('\n')) result.output.pop_back();
    if (result.succeeded()) return result.output;
    if (interrupted_ != nullptr && *interrupted_) throw Error("interrupted");
    if (result.output.size() > kMostOfError) result.output = result.output.substr(0, kMostOfError) + "...";
    throw Error("git {} in {}: {}{}{}", arguments.front(), root_.string(), result.status_text(),
                result.output.empty() ? "" : ": ", result.output);
  }

  // What `git rev-parse` says when it is asked this: its last line, behind any warning.
  [[nodiscard]] fs::path folder(const char* question) const {
    const std::string answer = (*this)({"rev-parse", question});
    return answer.substr(answer.rfind('\n') + 1);
  }

 private:
  const fs::path& root_;
  const std::atomic<bool>* interrupted_;
  std::int64_t begin_ = util::monotonic_ns();
};

void refuse_programs(const Git& git, const fs::path& root) {
  std::string settings = git({"config", "--local", "--no-includes", "--list", "-z"});
  for (std::size_t begin = 0; begin < settings.size();) {
    const std::size_t end = std::min(settings.find('\0', begin), settings.size());
    std::string setting = settings.substr(begin, end - begin);
    if (!is_harmless(setting)) {
      std::replace(setting.begin(), setting.end(), '\n', '=');
      throw Error(
          "blobs of {} are not fetched, since its git configuration says \"{}\"; look at it and fetch "
          "them with: git lfs pull",
          root.string(), setting);
    }
    begin = end + 1;
  }
}

// git-lfs keeps what it fetches in this folder, below names that follow from the content, and would write
// through a link there to anywhere.
void refuse_links(const Git& git, const fs::path& root) {
  const fs::path store = root / git.folder("--git-common-dir") / "lfs";
  const auto refuse = [&](const fs::path& path) {
    throw Error(
        "blobs of {} are not fetched, since {} is a link; look at it and fetch them with: git lfs pull",
        root.string(), path.string());
  };
  try {
    if (fs::is_symlink(fs::symlink_status(store))) refuse(store);
    if (!fs::is_directory(store)) return;
    for (const auto& entry : fs::recursive_directory_iterator(store)) {
      std::error_code gone;  // meanwhile, as git-lfs's temporary files are
      if (entry.is_symlink(gone)) refuse(entry.path());
    }
  } catch (const fs::filesystem_error& error) {
    throw Error("blobs of {} are not fetched, since where git-lfs keeps them cannot be read: {}",
                root.string(), error.code().message());
  }
}

// The size that a pointer names; 0 where it names none.
std::uint64_t size_in(const fs::path& pointer) {
  constexpr std::string_view kSize = "\nsize ";
  constexpr std::size_t kMostOfPointer = 1024;
  std::string text(kMostOfPointer, '\0');
  std::ifstream file(pointer, std::ios::binary);
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  const std::size_t at = text.find(kSize);
  return at == std::string::npos ? 0 : std::strtoull(text.c_str() + at + kSize.size(), nullptr, 10);
}

// Of a file that git and git-lfs write for these: what a server sends beyond the sizes that were asked for
// does not fill the disk.
std::uint64_t most_bytes_for(const std::vector<fs::path>& files) {
  constexpr std::uint64_t kOwnFiles = std::uint64_t{64} << 20U;  // git's index, and what git-lfs notes
  constexpr std::uint64_t kMostOfAll = std::uint64_t{1} << 60U;
  std::uint64_t most = 0;
  for (const auto& file : files) most = std::max(most, size_in(file));
  return std::min(most, kMostOfAll) + kOwnFiles;
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
  const fs::path top = fs::weakly_canonical(git.folder("--show-toplevel"));
  refuse_programs(git, root);
  refuse_links(git, root);
  const std::uint64_t most_bytes = most_bytes_for(files);
  std::string patterns;
  for (std::size_t i = 0; i < files.size(); ++i) {
    patterns +=
        (patterns.empty() ? "" : ",") + pattern_of(fs::weakly_canonical(files[i]).lexically_relative(top));
    if (patterns.size() < kMostBytes && i + 1 < files.size()) continue;
    git({"lfs", "pull", "--include", patterns}, most_bytes);
    patterns.clear();
  }
  const auto left = std::count_if(files.begin(), files.end(), is_lfs_pointer);
  if (left > 0)
    throw Error("git lfs pull left {} of {} blobs of {} as they were", left, files.size(), root.string());
}

}  // namespace fib::dataset
