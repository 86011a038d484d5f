#pragma once

#include <optional>
#include <utility>

#include "tensor/dtype.h"
#include "tvm_ffi/abi.h"

namespace fib::tvm_ffi {

// The dtypes of definitions as DLPack writes them.
inline constexpr std::pair<tensor::DType, DataType> kDataTypes[] = {
    {tensor::DType::kFloat64, {kFloat, 64, 1}},
    {tensor::DType::kFloat32, {kFloat, 32, 1}},
    {tensor::DType::kFloat16, {kFloat, 16, 1}},
    {tensor::DType::kBFloat16, {kBfloat, 16, 1}},
    {tensor::DType::kFloat8E4M3FN, {kFloat8E4M3FN, 8, 1}},
    {tensor::DType::kFloat8E5M2, {kFloat8E5M2, 8, 1}},
    {tensor::DType::kFloat4E2M1, {kFloat4E2M1FN, 4, 1}},
    {tensor::DType::kInt64, {kInt, 64, 1}},
    {tensor::DType::kInt32, {kInt, 32, 1}},
    {tensor::DType::kInt16, {kInt, 16, 1}},
    {tensor::DType::kInt8, {kInt, 8, 1}},
    {tensor::DType::kUInt8, {kUInt, 8, 1}},
    {tensor::DType::kBool, {kBool, 8, 1}},
};

// Nothing for one that the other side does not have. Pure.
[[nodiscard]] inline std::optional<DataType> data_type_of(tensor::DType dtype) {
  for (const auto& [ours, theirs] : kDataTypes) {
    if (ours == dtype) return theirs;
  }
  return std::nullopt;
}

[[nodiscard]] inline std::optional<tensor::DType> dtype_of(const DataType& type) {
  for (const auto& [ours, theirs] : kDataTypes) {
    if (theirs == type) return ours;
  }
  return std::nullopt;
}

}  // namespace fib::tvm_ffi
