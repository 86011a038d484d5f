#include "tensor/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "util/errno_error.h"
#include "util/unique_fd.h"

namespace fib::tensor {

MappedFile::MappedFile(const std::filesystem::path& path) {
  // Not blocking, so that a pipe in the file's place is refused below instead of waiting for a writer.
  const util::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd.valid()) throw util::errno_error("cannot open " + path.string());
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) throw util::errno_error("cannot examine " + path.string());
  if (!S_ISREG(status.st_mode)) throw Error("{} is not a regular file", path.string());
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return;  // an empty mapping is refused by the system
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd.get(), 0);
  if (address == MAP_FAILED) throw util::errno_error("cannot map " + path.string());
  bytes_ = {static_cast<const std::byte*>(address), size};
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace fib::tensor
