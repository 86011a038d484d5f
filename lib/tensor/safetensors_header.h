#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "tensor/dtype.h"
#include "tensor/shape.h"

namespace fib::tensor {

// What the header of a safetensors file says of one tensor.
struct SafetensorsEntry {
  std::string dtype_name;      // as in the file: "F32", "BF16", ...
  std::optional<DType> dtype;  // nothing for one that DType does not know
  Shape shape;
  std::size_t begin = 0;  // bytes, counted from the end of the header
  std::size_t end = 0;
};

struct SafetensorsHeader {
  std::map<std::string, SafetensorsEntry, std::less<>> entries;
  std::map<std::string, std::string> metadata;
  std::size_t size = 0;  // bytes of length field and header together: where the buffer begins
};

// Reads and checks the header of the file with the content `file`: its length (at most 100 MB), its JSON,
// unique names, and that the tensors cover the buffer behind it exactly once, each as large as its shape and
// dtype say (for a dtype that DType does not know, any size). Throws Error with the reason, naming the tensor
// but not the file.
[[nodiscard]] SafetensorsHeader parse_safetensors_header(std::span<const std::byte> file);

// The format's name of a dtype; nothing for float4_e2m1.
[[nodiscard]] std::optional<std::string_view> safetensors_name(DType dtype);

}  // namespace fib::tensor
