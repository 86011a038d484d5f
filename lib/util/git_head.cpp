#include "util/git_head.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "util/error.h"
#include "util/files.h"
#include "util/unique_fd.h"

namespace fib::util {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostBytes = std::size_t{64} << 20U;
constexpr int kMostLinks = 5;  // refs that name refs, as git follows them

std::string without_line_end(std::string text) {
  while (text.ends_with('\n') || text.ends_with('\r') || text.ends_with(' ')) text.pop_back();
  return text;
}

// Nothing when it is no regular file: a repository of unknown origin may hold a pipe, which would be waited
// for, or a device.
std::optional<std::string> read_regular(const fs::path& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat info {};
  if (!fd.valid() || ::fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  try {
    return read_document(fd.get(), kMostBytes);
  } catch (const Error&) {
    return std::nullopt;
  }
}

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

bool is_commit(std::string_view text) {
  const auto is_hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  return (text.size() == 40 || text.size() == 64) && std::all_of(text.begin(), text.end(), is_hex);
}

// A name that leads to a file below refs/ and nowhere else.
bool is_ref(std::string_view name) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  return name.starts_with("refs/") && name.size() < 1000 && name.find("..") == std::string_view::npos &&
         name.find("/.") == std::string_view::npos && !std::any_of(name.begin(), name.end(), is_control);
}

// Where "ref: refs/heads/main" leads.
std::optional<std::string> linked_ref(const std::string& text) {
  constexpr std::string_view kMark = "ref:";
  if (!text.starts_with(kMark)) return std::nullopt;
  const std::size_t begin = text.find_first_not_of(" \t", kMark.size());
  if (begin == std::string::npos || !is_ref(std::string_view(text).substr(begin))) return std::nullopt;
  return text.substr(begin);
}

// A repository's own folder, and that which it shares with its other worktrees; mostly the same.
struct Repository {
  fs::path own;
  fs::path common;
};

std::optional<Repository> repository_at(const fs::path& folder) {
  Repository repository{folder, folder};
  if (const auto common = read_regular(folder / "commondir")) {
    repository.common = folder / without_line_end(*common);
  }
  const bool is_one = is_folder(repository.common / "objects") && is_folder(repository.common / "refs") &&
                      read_regular(folder / "HEAD").has_value();
  return is_one ? std::optional(repository) : std::nullopt;
}

// The repository whose working tree has `folder` as its top.
std::optional<Repository> repository_of(const fs::path& folder) {
  const fs::path place = folder / ".git";
  if (is_folder(place)) return repository_at(place);
  const auto text = read_regular(place);
  constexpr std::string_view kMark = "gitdir: ";
  if (!text || !text->starts_with(kMark)) return std::nullopt;
  return repository_at(folder / without_line_end(text->substr(kMark.size())));
}

std::optional<Repository> repository_above(fs::path folder) {
  for (;; folder = folder.parent_path()) {
    if (auto repository = repository_of(folder)) return repository;
    if (folder == folder.parent_path()) return std::nullopt;
  }
}

// The commit of `ref` by packed-refs, whose lines are "<commit> <ref>".
std::optional<std::string> packed_commit(const Repository& repository, const std::string& ref) {
  const std::string text = "\n" + read_regular(repository.common / "packed-refs").value_or("") + "\n";
  const std::string end_of_line = " " + ref + "\n";
  const std::size_t found = text.find(end_of_line);
  if (found == std::string::npos) return std::nullopt;
  const std::size_t begin = text.rfind('\n', found) + 1;
  const std::string commit = text.substr(begin, found - begin);
  return is_commit(commit) ? std::optional(commit) : std::nullopt;
}

// Branches lie in the common folder, a few refs of the worktree's own (refs/bisect, say) beside its HEAD.
std::optional<std::string> read_ref(const Repository& repository, const std::string& ref) {
  for (const auto& folder : {repository.own, repository.common}) {
    if (const auto text = read_regular(folder / ref)) return without_line_end(*text);
  }
  return packed_commit(repository, ref);
}

std::optional<std::string> commit_of(const Repository& repository, std::string ref) {
  for (int i = 0; i < kMostLinks; ++i) {
    const auto text = read_ref(repository, ref);
    if (!text || is_commit(*text)) return text;
    const auto next = linked_ref(*text);
    if (!next) return std::nullopt;
    ref = *next;
  }
  return std::nullopt;
}

std::string branch_of(const std::string& ref) {
  constexpr std::string_view kBranches = "refs/heads/";
  return ref.starts_with(kBranches) ? ref.substr(kBranches.size()) : ref;
}

}  // namespace

std::optional<GitHead> git_head(const fs::path& folder) {
  std::error_code error;
  const fs::path whole = fs::canonical(folder, error);
  if (error) return std::nullopt;
  const auto repository = repository_above(whole);
  if (!repository) return std::nullopt;
  const std::string head = without_line_end(read_regular(repository->own / "HEAD").value_or(""));
  if (is_commit(head)) return GitHead{head, std::nullopt};
  const auto ref = linked_ref(head);
  if (!ref) return std::nullopt;
  return GitHead{commit_of(*repository, *ref), branch_of(*ref)};
}

}  // namespace fib::util
