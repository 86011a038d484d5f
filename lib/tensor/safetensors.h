#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/dtype.h"
#include "tensor/mapped_file.h"
#include "tensor/safetensors_header.h"
#include "tensor/shape.h"

namespace fib::tensor {

// One tensor of a file: contiguous, little-endian elements. `data` points into the mapped file and is as
// aligned as the file's author made it; copy the bytes before reading them as elements, unless it happens to
// fit.
struct TensorView {
  DType dtype{};
  Shape shape;
  const std::byte* data = nullptr;
  std::size_t bytes = 0;
};

// A safetensors file, mapped and fully checked on opening: the header is a JSON object of at most 100 MB;
// names are unique; every tensor lies inside the buffer and is as large as its shape and dtype say; together
// they cover the buffer without holes or overlaps. Safe to read from several threads.
class SafetensorsFile {
 public:
  // `shown_as` names the file in messages, for example its path inside the dataset; empty means `path`.
  // Throws Error naming file, tensor and reason; for a Git LFS pointer, the command that fetches the data.
  explicit SafetensorsFile(const std::filesystem::path& path, const std::string& shown_as = {});

  // The tensor of that name, or nothing. The view is valid while this object lives, even if it is moved.
  // Throws Error when the tensor has a dtype that DType does not know (U16, U32, U64, F4, ...); such tensors
  // may be in a file, and only their place is checked.
  [[nodiscard]] std::optional<TensorView> find(std::string_view name) const;

  // All tensors' names, sorted.
  [[nodiscard]] std::vector<std::string> names() const;

  // The strings under "__metadata__".
  [[nodiscard]] const std::map<std::string, std::string>& metadata() const { return header_.metadata; }

 private:
  std::string shown_as_;
  MappedFile file_;
  SafetensorsHeader header_;
};

// A tensor to write. `data` must hold bytes_of(dtype, product of shape) bytes.
struct TensorToWrite {
  std::string name;
  DType dtype{};
  Shape shape;
  const void* data = nullptr;
};

// Writes a safetensors file, replacing `path` atomically. Tensors lie sorted by element size, largest first,
// then by name, so that all are aligned and equal input gives equal bytes. Throws Error for a repeated or
// reserved name, a dtype without a safetensors name (float4_e2m1) or a shape that is none.
void write_safetensors(const std::filesystem::path& path, std::vector<TensorToWrite> tensors,
                       const std::map<std::string, std::string>& metadata = {});

// Writes the same bytes to an open file, from where it stands, without a copy of them in memory. `shown_as`
// names it in messages. Throws Error as above, and when the file cannot be written.
void write_safetensors(int fd, const std::string& shown_as, std::vector<TensorToWrite> tensors);

}  // namespace fib::tensor
