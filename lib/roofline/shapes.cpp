#include "roofline/shapes.h"

#include <algorithm>
#include <cmath>

#include "util/error.h"

namespace fib::roofline {

using model::TensorSpec;

int bits_of(std::string_view dtype) {
  if (dtype == "float64" || dtype == "int64" || dtype == "uint64") return 64;
  if (dtype == "float32" || dtype == "int32" || dtype == "uint32") return 32;
  if (dtype == "float16" || dtype == "bfloat16" || dtype == "int16" || dtype == "uint16") return 16;
  if (dtype.starts_with("float8_") || dtype == "int8" || dtype == "uint8" || dtype == "bool") return 8;
  if (dtype == "float4_e2m1") return 4;
  return dtype == "float4_e2m1fn_x2" ? 8 : 0;  // two in one element of a byte
}

bool contains_any(std::string_view text, std::initializer_list<std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](std::string_view part) { return text.find(part) != std::string_view::npos; });
}

std::optional<double> Shapes::axis(std::string_view name) const {
  const auto found = values_.find(std::string(name));
  if (found == values_.end()) return std::nullopt;
  return static_cast<double>(found->second);
}

double Shapes::size(std::string_view entry) const {
  if (const auto literal = model::literal_size(entry)) return static_cast<double>(*literal);
  const auto value = axis(entry);
  if (!value) throw Error("axis \"{}\" has no value", entry);
  return *value;
}

std::vector<double> Shapes::sizes(const TensorSpec& tensor) const {
  std::vector<double> sizes;
  if (tensor.shape) {
    for (const std::string& entry : *tensor.shape) sizes.push_back(size(entry));
  }
  return sizes;
}

double Shapes::bytes(const TensorSpec& tensor) const {
  if (tensor.is_scalar()) return 0;
  double bits = bits_of(tensor.dtype);
  for (const double size : sizes(tensor)) bits *= size;
  return std::ceil(bits / 8);
}

const TensorSpec* Shapes::input(std::string_view name) const {
  for (const TensorSpec& tensor : definition_.inputs) {
    if (tensor.name == name) return &tensor;
  }
  return nullptr;
}

std::optional<double> Shapes::sequences() const {
  for (const char* name : {"kv_indptr", "qo_indptr", "cu_seqlens"}) {
    const TensorSpec* offsets = input(name);
    if (offsets == nullptr || offsets->is_scalar() || offsets->shape->size() != 1) continue;
    return std::max(0.0, sizes(*offsets)[0] - 1);
  }
  return std::nullopt;
}

std::optional<double> Shapes::fewest_tokens() const {
  const auto most = most_tokens();
  const double page = axis("page_size").value_or(1);
  const TensorSpec* pages = input("kv_indices");
  if (!most || pages == nullptr || page <= 1) return most;
  const double named = sizes(*pages)[0];
  const double last_pages = std::min(named, sequences().value_or(named));
  return (named - last_pages) * page + last_pages;
}

std::optional<double> Shapes::most_tokens() const {
  const TensorSpec* pages = input("kv_indices");
  if (pages != nullptr && !pages->is_scalar() && pages->shape->size() == 1)
    return sizes(*pages)[0] * axis("page_size").value_or(1);
  return axis("total_kv");
}

}  // namespace fib::roofline
