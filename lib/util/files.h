#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "util/unique_fd.h"

namespace fib::util {

// The whole file as bytes. Throws Error naming the path when it cannot be opened or read, and where it is
// longer than an eighth of the machine's memory: a sparse file of any length costs its maker nothing.
[[nodiscard]] std::string read_file(const std::filesystem::path& path);

// Replaces `path` with `content` so that readers see the old or the new file, never a part: a temporary
// sibling is written, synced and renamed. Creates missing folders. Throws Error, also when something else
// than a regular file has that name (a device must not be replaced); on failure `path` is as it was.
void write_file_atomic(const std::filesystem::path& path, std::string_view content);

// Makes a file with this content where none is. Throws Error, also when something is there; on failure
// nothing is left.
void write_new_file(const std::filesystem::path& path, std::string_view content);

// What lies in the folder, in no order, without the entries of its folders. What cannot be read, and what
// comes and goes meanwhile, is left out: for folders of /proc, and for those that may not be there.
[[nodiscard]] std::vector<std::filesystem::directory_entry> entries_of(const std::filesystem::path& folder);

// Makes the file `to`, where nothing may be, with the content and the permissions of the regular
// file `from`; holes of a MiB and more stay such. Throws Error, also when `interrupted` (may be null) becomes
// true; what was written stays.
void copy_file(const std::filesystem::path& from, const std::filesystem::path& to,
               const std::atomic<bool>* interrupted = nullptr);

// Writes all bytes to `fd`, also across short writes and EINTR. Throws Error naming `what`.
void write_all(int fd, std::string_view content, const std::string& what);

// A new folder under `parent` whose name starts with `prefix`, mode 0700. Throws Error.
[[nodiscard]] std::filesystem::path make_temporary_folder(const std::filesystem::path& parent,
                                                          const std::string& prefix);

// Removes `folder` with everything in it when it goes out of scope; failures are ignored, since a destructor
// has nobody to tell. Does not follow symbolic links.
class TemporaryFolder {
 public:
  TemporaryFolder(const std::filesystem::path& parent, const std::string& prefix)
      : path_(make_temporary_folder(parent, prefix)) {}
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// A file in the making: written by anybody at path(), in a temporary folder beside `target`, whose missing
// folders are made; publish() syncs it and gives it its name, in place of an older file. Without publish()
// nothing remains. Throws Error; also when something stands at `target` that is no regular file.
class NewFile {
 public:
  explicit NewFile(const std::filesystem::path& target);
  [[nodiscard]] std::filesystem::path path() const { return folder_.path() / "new"; }
  void publish() const;

 private:
  std::filesystem::path target_;
  TemporaryFolder folder_;
};

// A folder in the making, the same way: filled by anybody at path(), beside `target`, where nothing may be
// but an empty folder. publish() makes what was written survive a loss of power, then gives it its name;
// without it nothing remains. `doing` stands in the name meanwhile. Throws Error.
class NewFolder {
 public:
  explicit NewFolder(const std::filesystem::path& target, const std::string& doing = "writing");
  [[nodiscard]] const std::filesystem::path& path() const { return folder_.path(); }
  void publish() const;

 private:
  std::filesystem::path target_;
  TemporaryFolder folder_;
};

// An anonymous file in memory that holds `content`, sealed against every change, position at its start: how
// documents too large for a message travel between processes. `name` shows up in /proc only. Throws Error.
[[nodiscard]] UniqueFd make_sealed_document(const std::string& name, std::string_view content);

// An anonymous file in memory of `bytes` zeros, which nobody can make longer or shorter, for somebody else to
// write to. Memory is used for what is written alone. Throws Error.
[[nodiscard]] UniqueFd make_memory_file(const std::string& name, std::size_t bytes);

// The first `bytes` bytes of a regular file behind `fd`, which has as many. Throws Error.
[[nodiscard]] std::string read_beginning(int fd, std::size_t bytes);

// The content of such a document (or of any regular file) behind `fd`, at most `limit` bytes. Throws Error.
[[nodiscard]] std::string read_document(int fd, std::size_t limit);

}  // namespace fib::util
