#include "ops/copy.h"

#include <algorithm>
#include <optional>

#include "ops/convert_elements.h"
#include "ops/strides.h"

namespace fib::ops {
namespace {

// Rows and columns of a tile that fits the first-level cache on both sides.
constexpr std::int64_t kTile = 32;
// Fewer elements than this are not worth looking at twice.
constexpr std::int64_t kSmall = 4096;

void copy_runs(const Runtime& runtime, const Tensor& source, const Tensor& target) {
  const Strides from(source);
  const Strides to(target);
  const std::size_t size = target.element_size();
  const auto step = static_cast<std::int64_t>(size);
  parallel_for(runtime.threads, target.numel(), 1, kSmall, [&](std::int64_t begin, std::int64_t end) {
    Walk read(from, begin);
    Walk write(to, begin);
    for (std::int64_t left = end - begin; left > 0;) {
      const std::int64_t run = std::min({read.run(), write.run(), left});
      copy_strided(size, source.read() + read.offset() * step, read.stride(),
                   target.data() + write.offset() * step, write.stride(), run);
      read.advance(run);
      write.advance(run);
      left -= run;
    }
  });
}

// The dimension, of more than one element, whose elements lie side by side.
std::optional<int> dense_dim(const Tensor& tensor) {
  for (int dim = tensor.rank() - 1; dim >= 0; --dim) {
    if (tensor.size(dim) > 1 && tensor.stride(dim) == 1) return dim;
  }
  return std::nullopt;
}

template <typename Element>
void copy_tile(const std::byte* source, std::int64_t from_stride, std::byte* target, std::int64_t to_stride,
               std::int64_t rows, std::int64_t columns) {
  const auto* from = reinterpret_cast<const Element*>(source);
  auto* to = reinterpret_cast<Element*>(target);
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) to[i * to_stride + j] = from[j * from_stride + i];
  }
}

void copy_tile(std::size_t size, const std::byte* from, std::int64_t from_stride, std::byte* to,
               std::int64_t to_stride, std::int64_t rows, std::int64_t columns) {
  switch (size) {
    case 1:
      return copy_tile<std::uint8_t>(from, from_stride, to, to_stride, rows, columns);
    case 2:
      return copy_tile<std::uint16_t>(from, from_stride, to, to_stride, rows, columns);
    case 4:
      return copy_tile<std::uint32_t>(from, from_stride, to, to_stride, rows, columns);
    default:
      return copy_tile<std::uint64_t>(from, from_stride, to, to_stride, rows, columns);
  }
}

// Transposes tile by tile: the last two dimensions are dense in source and in target, in this order.
void copy_tiles(const Runtime& runtime, const Tensor& source, const Tensor& target) {
  const int rows_dim = source.rank() - 2;
  const int columns_dim = source.rank() - 1;
  const std::int64_t rows = source.size(rows_dim);
  const std::int64_t columns = source.size(columns_dim);
  const std::int64_t bands = (rows + kTile - 1) / kTile;
  const Strides from_outer(select(select(source, -1, 0), -1, 0));
  const Strides to_outer(select(select(target, -1, 0), -1, 0));
  const std::size_t size = target.element_size();
  const auto step = static_cast<std::int64_t>(size);
  const std::int64_t outer = target.numel() / (rows * columns);
  parallel_for(runtime.threads, outer * bands, kTile * columns, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t band = begin; band < end; ++band) {
      const std::int64_t row = band % bands * kTile;
      const std::int64_t height = std::min(kTile, rows - row);
      const std::int64_t from = Walk(from_outer, band / bands).offset() + row;
      const std::int64_t to = Walk(to_outer, band / bands).offset() + row * target.stride(rows_dim);
      for (std::int64_t column = 0; column < columns; column += kTile) {
        const std::int64_t width = std::min(kTile, columns - column);
        copy_tile(size, source.read() + (from + column * source.stride(columns_dim)) * step,
                  source.stride(columns_dim), target.data() + (to + column) * step, target.stride(rows_dim),
                  height, width);
      }
    }
  });
}

}  // namespace

void copy_elements(const Runtime& runtime, const Tensor& source, const Tensor& target) {
  const std::optional<int> from = dense_dim(source);
  const std::optional<int> to = dense_dim(target);
  const bool transposes = from && to && *from != *to && target.numel() > kSmall;
  if (!transposes || source.size(*from) < kTile || source.size(*to) < kTile)
    return copy_runs(runtime, source, target);
  std::vector<std::int64_t> order;
  for (int dim = 0; dim < source.rank(); ++dim) {
    if (dim != *from && dim != *to) order.push_back(dim);
  }
  order.insert(order.end(), {*from, *to});
  copy_tiles(runtime, permute(source, order), permute(target, order));
}

}  // namespace fib::ops
