#include "util/kernel_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "util/unique_fd.h"

namespace fib::util {

std::string read_kernel_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool write_kernel_file(const std::filesystem::path& path, const std::string& text) {
  const UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  return fd.valid() && ::write(fd.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

}  // namespace fib::util
