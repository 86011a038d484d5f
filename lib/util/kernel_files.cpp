#include "util/kernel_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "util/unique_fd.h"

namespace fib::util {

std::string read_kernel_file(const std::filesystem::path& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  std::array<char, 4096> part;
  while (fd.valid()) {
    const ssize_t count = ::read(fd.get(), part.data(), part.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return {};  // of a process that has ended meanwhile
    if (count == 0) break;
    text.append(part.data(), static_cast<std::size_t>(count));
  }
  return text;
}

bool write_kernel_file(const std::filesystem::path& path, const std::string& text) {
  const UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  return fd.valid() && ::write(fd.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

}  // namespace fib::util
