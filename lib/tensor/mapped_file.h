#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <utility>

namespace fib::tensor {

// A regular file mapped for reading, for as long as the object lives. If somebody shortens the file
// meanwhile, reading beyond its new end kills the process (SIGBUS), as with every mapping.
class MappedFile {
 public:
  // Throws Error naming the path when it cannot be opened, is no regular file, or cannot be mapped.
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  MappedFile& operator=(MappedFile&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace fib::tensor
