#include "dataset/append.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "dataset/links.h"
#include "dataset/paths.h"
#include "model/json_value.h"
#include "util/beneath.h"
#include "util/clock.h"
#include "util/errno_error.h"
#include "util/file_lock.h"
#include "util/files.h"
#include "util/unique_fd.h"

namespace fib::dataset {
namespace {

std::string described(std::string_view what, const fs::path& path) {
  return fmt::format("{} {}", what, path.string());
}

[[noreturn]] void fail(const std::string& what, int error) {
  const std::string text = what + ": " + std::generic_category().message(error);
  if (error == ENOSPC || error == EDQUOT) throw DiskFull(text);
  throw Error(text);
}

enum class Create { no, yes };

// The folder that holds the file, perhaps made where it is missing. A link in a dataset could lead anywhere.
util::UniqueFd folder_of(const fs::path& root, const fs::path& path, Create create) {
  try {
    const auto root_folder = util::open_folder(root);
    return util::folder_beneath(root_folder.get(), path.lexically_relative(root).parent_path(),
                                create == Create::yes);
  } catch (const std::system_error& error) {
    const int code = error.code().value();
    const fs::path folder = path.parent_path();
    if (code == ELOOP || code == ENOTDIR)
      throw Error("{}: a folder on the way below {} is a link, or none", folder.string(), root.string());
    fail(fmt::format("{}: cannot {} the folder", folder.string(), create == Create::yes ? "create" : "open"),
         code);
  }
}

// The file, opened for appending and locked.
struct LockedFile {
  util::UniqueFd fd;
  bool is_new = false;
};

// Whether the name still stands for the open file; a rewrite may have replaced it while we waited for the
// lock.
bool is_current(int fd, int folder, const fs::path& path) {
  struct stat opened {};
  struct stat named {};
  if (::fstat(fd, &opened) != 0) throw util::errno_error(described("examine", path));
  if (!S_ISREG(opened.st_mode)) throw Error("{} is no regular file", path.string());
  if (opened.st_nlink > 1) throw Error("{} has another name elsewhere (a hard link)", path.string());
  return ::fstatat(folder, path.filename().c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

LockedFile open_locked(int folder, const fs::path& path, std::chrono::milliseconds lock_limit) {
  constexpr int kFlags = O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  const fs::path name = path.filename();
  while (true) {
    LockedFile file;
    file.fd.reset(::openat(folder, name.c_str(), kFlags));
    if (!file.fd.valid() && errno == ENOENT) {
      file.fd.reset(::openat(folder, name.c_str(), kFlags | O_CREAT, 0666));
      file.is_new = true;
    }
    if (!file.fd.valid() && errno == ELOOP) throw Error("{} is a link", path.string());
    if (!file.fd.valid()) fail(described("open for appending", path), errno);
    util::lock_for_writing(file.fd.get(), path, lock_limit);
    if (is_current(file.fd.get(), folder, path)) return file;
  }
}

off_t size_of(int fd, const fs::path& path) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) throw util::errno_error(described("examine", path));
  return status.st_size;
}

std::string read_range(int fd, off_t begin, off_t end, const fs::path& path) {
  std::string bytes(static_cast<std::size_t>(end - begin), '\0');
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count =
        ::pread(fd, bytes.data() + done, bytes.size() - done, begin + static_cast<off_t>(done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) throw util::errno_error(described("read the end of", path));
    done += static_cast<std::size_t>(count);
  }
  return bytes;
}

// What follows the last newline before `size`. Throws Error where that is longer than any record may be.
std::string last_line(int fd, off_t size, const fs::path& path) {
  constexpr off_t kChunk = 1 << 16;
  off_t begin = size;
  while (begin > 0) {
    if (size - begin > static_cast<off_t>(model::json::Limits{}.bytes))
      throw Error("{}: its last line is longer than {} MB and is no record; nothing is appended to it",
                  path.string(), model::json::Limits{}.bytes >> 20U);
    const off_t end = begin;
    begin = std::max<off_t>(0, end - kChunk);
    const std::size_t newline = read_range(fd, begin, end, path).rfind('\n');
    if (newline == std::string::npos) continue;
    begin += static_cast<off_t>(newline) + 1;
    break;
  }
  return read_range(fd, begin, size, path);
}

void cut(int fd, off_t size, const fs::path& path) {
  if (::ftruncate(fd, size) != 0) throw util::errno_error(described("cut back", path));
}

void sync_folder(int folder, const fs::path& path) {
  if (::fsync(folder) != 0) throw util::errno_error(described("sync the folder of", path));
}

// Writes a new file beside `path`; its path.
fs::path keep_torn(int folder, const fs::path& path, const std::string& line) {
  while (true) {
    const fs::path torn = torn_file(path, util::utc_compact());
    const std::string name = torn.filename();
    const util::UniqueFd fd(
        ::openat(folder, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644));
    if (!fd.valid() && errno == EEXIST) continue;
    if (!fd.valid()) fail(described("create", torn), errno);
    try {
      util::write_all(fd.get(), line, described("write", torn));
      if (::fsync(fd.get()) != 0) throw util::errno_error(described("sync", torn));
    } catch (...) {
      ::unlinkat(folder, name.c_str(), 0);
      throw;
    }
    sync_folder(folder, torn);
    return torn;
  }
}

// Makes the file end with a whole record. The missing newline of the last record is only noted: it is written
// together with what follows.
AppendReport repair_end(int fd, int folder, const fs::path& path) {
  AppendReport report;
  const off_t size = size_of(fd, path);
  const std::string line = last_line(fd, size, path);
  if (line.empty()) return report;
  const bool blank = line.find_first_not_of(" \t\r") == std::string::npos;
  if (blank || model::json::is_object_text(line)) {
    report.newline_added = true;
    return report;
  }
  report.torn_file = keep_torn(folder, path, line);  // before the bytes go from here
  report.torn_bytes = line.size();
  cut(fd, size - static_cast<off_t>(line.size()), path);
  return report;
}

// One write. On failure the file is cut back to `size`.
void write_whole(int fd, std::string_view text, off_t size, const fs::path& path) {
  ssize_t count = 0;
  do {
    count = ::write(fd, text.data(), text.size());
  } while (count < 0 && errno == EINTR);
  const bool written = count == static_cast<ssize_t>(text.size());
  if (written && ::fdatasync(fd) == 0) return;
  const int error = errno;
  cut(fd, size, path);
  if (written) fail(described("sync", path), error);
  if (count < 0) fail(described("append to", path), error);
  throw DiskFull("append to {}: only {} of {} bytes could be written; is the disk full?", path.string(),
                 count, text.size());
}

std::string joined(const std::vector<std::string>& lines, const fs::path& path) {
  std::string text;
  for (const std::string& line : lines) {
    if (line.empty() || line.find('\n') != std::string::npos) {
      throw Error("append to {}: a record must be one line that is not empty", path.string());
    }
    text += line + "\n";
  }
  return text;
}

}  // namespace

void expect_appendable(const fs::path& root, const fs::path& path) {
  fs::path there = path;  // as much of it as there is
  while (there != root && !is_there(there)) there = there.parent_path();
  const bool is_file = there == path;
  const util::UniqueFd folder = folder_of(root, is_file ? path : there / "file", Create::no);
  if (!is_file) {
    if (::faccessat(folder.get(), ".", W_OK | X_OK, AT_EACCESS) != 0)
      fail(described("cannot write to", there), errno);
    return;
  }
  const std::string name = path.filename();
  const util::UniqueFd fd(
      ::openat(folder.get(), name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!fd.valid() && errno == ELOOP) throw Error("{} is a link", path.string());
  if (!fd.valid() || ::faccessat(folder.get(), name.c_str(), W_OK, AT_EACCESS) != 0)
    fail(described("cannot write to", path), errno);
  if (!is_current(fd.get(), folder.get(), path)) return;  // somebody replaces it
  (void)last_line(fd.get(), size_of(fd.get(), path), path);
}

AppendReport append_lines(const fs::path& root, const fs::path& path, const std::vector<std::string>& lines,
                          std::chrono::milliseconds lock_limit) {
  if (lines.empty()) return {};
  std::string text = joined(lines, path);
  const util::UniqueFd folder = folder_of(root, path, Create::yes);
  const LockedFile file = open_locked(folder.get(), path, lock_limit);
  const int fd = file.fd.get();
  const AppendReport report = repair_end(fd, folder.get(), path);
  if (report.newline_added) text.insert(0, 1, '\n');
  write_whole(fd, text, size_of(fd, path), path);
  if (file.is_new) sync_folder(folder.get(), path);
  return report;
}

}  // namespace fib::dataset
