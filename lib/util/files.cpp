#include "util/files.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <system_error>

#include "util/beneath.h"
#include "util/errno_error.h"
#include "util/machine.h"

namespace fib::util {
namespace fs = std::filesystem;
namespace {

// At most `size` bytes, from `begin` on; fewer where the file ends.
std::string read_some(int fd, std::size_t size, const std::string& what, off_t begin = 0) {
  std::string content(size, '\0');
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got = ::pread(fd, content.data() + done, size - done, begin + static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw errno_error(what);
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  content.resize(done);
  return content;
}

struct stat regular_file(int fd, const std::string& what) {
  struct stat info {};
  if (::fstat(fd, &info) != 0) throw errno_error(what);
  if (!S_ISREG(info.st_mode)) throw Error("{}: is not a regular file", what);
  return info;
}

std::size_t size_of(int fd, const std::string& what) {
  return static_cast<std::size_t>(regular_file(fd, what).st_size);
}

}  // namespace

std::string read_file(const fs::path& path) {
  const std::string what = "cannot read " + path.string();
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));  // a FIFO must not block
  if (!fd.valid()) throw errno_error(what);
  const std::size_t size = size_of(fd.get(), what);
  if (size > physical_memory() / 8)
    throw Error("{}: it has {} bytes, more than an eighth of this machine's memory", what, size);
  return read_some(fd.get(), size, what);
}

std::vector<fs::directory_entry> entries_of(const fs::path& folder) {
  std::vector<fs::directory_entry> entries;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    entries.push_back(*entry);
  return entries;
}

void write_all(int fd, std::string_view content, const std::string& what) {
  while (!content.empty()) {
    const ssize_t put = ::write(fd, content.data(), content.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) throw errno_error(what);
    content.remove_prefix(static_cast<std::size_t>(put));
  }
}

void copy_file(const fs::path& from, const fs::path& to, const std::atomic<bool>* interrupted) {
  constexpr std::size_t kPiece = std::size_t{1} << 20U;
  const std::string reading = "cannot read " + from.string();
  const std::string writing = "cannot write " + to.string();
  const UniqueFd source(::open(from.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!source.valid()) throw errno_error(reading);
  const auto info = regular_file(source.get(), reading);
  const UniqueFd target(
      ::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, info.st_mode & static_cast<mode_t>(0777)));
  if (!target.valid()) throw errno_error(writing);
  for (off_t at = 0; at < info.st_size;) {
    if (interrupted != nullptr && *interrupted) throw Error("interrupted");
    const off_t data = ::lseek(source.get(), at, SEEK_DATA);
    if (data < 0 && errno == ENXIO) break;  // a hole to the end
    if (data > at) at = data;
    const std::string piece = read_some(source.get(), kPiece, reading, at);
    if (piece.empty()) break;  // it has become shorter
    if (::lseek(target.get(), at, SEEK_SET) < 0) throw errno_error(writing);
    write_all(target.get(), piece, writing);
    at += static_cast<off_t>(piece.size());
  }
  if (::ftruncate(target.get(), info.st_size) != 0) throw errno_error(writing);
}

namespace {

// Makes the folders of a file to come, and returns its path. A device or a folder must not be replaced.
fs::path prepare_place(const fs::path& path, const fs::path& shown) {
  std::error_code ignored;
  const fs::file_status there = fs::status(path, ignored);
  if (fs::exists(there) && !fs::is_regular_file(there))
    throw Error("cannot write {}: it is not a regular file", shown.string());
  fs::create_directories(path.parent_path(), ignored);
  return path;
}

}  // namespace

void write_file_atomic(const fs::path& path, std::string_view content) {
  const std::string what = "cannot write " + path.string();
  prepare_place(path, path);
  std::string temporary = path.string() + ".XXXXXX";
  const UniqueFd fd(::mkostemp(temporary.data(), O_CLOEXEC));
  if (!fd.valid()) throw errno_error(what);
  try {
    write_all(fd.get(), content, what);
    if (::fchmod(fd.get(), 0644) != 0 || ::fsync(fd.get()) != 0) throw errno_error(what);
    if (::rename(temporary.c_str(), path.c_str()) != 0) throw errno_error(what);
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
}

void write_new_file(const fs::path& path, std::string_view content) {
  const UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  if (!fd.valid() && errno == EEXIST) throw Error("{} is there already", path.string());
  if (!fd.valid()) throw errno_error("cannot write " + path.string());
  try {
    write_all(fd.get(), content, "cannot write " + path.string());
  } catch (...) {
    ::unlink(path.c_str());
    throw;
  }
}

fs::path make_temporary_folder(const fs::path& parent, const std::string& prefix) {
  std::string name = (parent / (prefix + "XXXXXX")).string();
  if (::mkdtemp(name.data()) == nullptr) throw errno_error("cannot make a temporary folder " + name);
  return name;
}

TemporaryFolder::~TemporaryFolder() { remove_tree(path_); }

NewFile::NewFile(const fs::path& target)
    : target_(prepare_place(fs::absolute(target), target)),
      folder_(target_.parent_path(), "." + target_.filename().string() + ".writing-") {}

void NewFile::publish() const {
  const std::string what = "cannot write " + target_.string();
  const UniqueFd fd(::open(path().c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid() || ::fsync(fd.get()) != 0) throw errno_error(what);
  // Through a link, as write() would.
  std::error_code error;
  const fs::path final = fs::is_symlink(target_, error) ? fs::canonical(target_) : target_;
  if (::rename(path().c_str(), final.c_str()) != 0) throw errno_error(what);
}

namespace {

// Without a "/" at its end, and with a folder that it can lie in.
fs::path place_of_folder(const fs::path& target) {
  const fs::path place = fs::absolute(target).lexically_normal();
  const fs::path folder = place.has_filename() ? place : place.parent_path();
  if (fs::exists(folder) && !(fs::is_directory(folder) && fs::is_empty(folder)))
    throw Error("{} exists; name a new folder", target.string());
  fs::create_directories(folder.parent_path());
  return folder;
}

}  // namespace

NewFolder::NewFolder(const fs::path& target, const std::string& doing)
    : target_(place_of_folder(target)),
      folder_(target_.parent_path(), "." + target_.filename().string() + "." + doing + "-") {}

void NewFolder::publish() const {
  const fs::path& folder = path();
  const UniqueFd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.valid() || ::syncfs(fd.get()) != 0) throw errno_error("sync " + folder.string());
  if (::chmod(folder.c_str(), 0755) != 0) throw errno_error("chmod " + folder.string());
  if (::rename(folder.c_str(), target_.c_str()) == 0) return;
  if (errno == ENOTEMPTY || errno == EEXIST) throw Error("{} exists; name a new folder", target_.string());
  throw errno_error("rename " + folder.string() + " to " + target_.string());
}

UniqueFd make_sealed_document(const std::string& name, std::string_view content) {
  const std::string what = "cannot make the document " + name;
  UniqueFd fd(::memfd_create(name.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd.valid()) throw errno_error(what);
  write_all(fd.get(), content, what);
  constexpr int kSeals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
  if (::fcntl(fd.get(), F_ADD_SEALS, kSeals) != 0) throw errno_error(what);
  return fd;
}

UniqueFd make_memory_file(const std::string& name, std::size_t bytes) {
  UniqueFd fd(::memfd_create(name.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING));
  constexpr int kSeals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW;
  if (!fd.valid() || ::ftruncate(fd.get(), static_cast<off_t>(bytes)) != 0 ||
      ::fcntl(fd.get(), F_ADD_SEALS, kSeals) != 0)
    throw errno_error("cannot make the memory file " + name);
  return fd;
}

std::string read_beginning(int fd, std::size_t bytes) {
  const std::string what = "cannot read a document";
  if (bytes > size_of(fd, what)) throw Error("{}: it is too short", what);
  return read_some(fd, bytes, what);
}

std::string read_document(int fd, std::size_t limit) {
  const std::size_t size = size_of(fd, "cannot read a document");
  if (size > limit) throw Error("a document of {} bytes is larger than the limit of {}", size, limit);
  return read_some(fd, size, "cannot read a document");
}

}  // namespace fib::util
