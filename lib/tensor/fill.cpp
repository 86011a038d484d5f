#include "tensor/fill.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "tensor/convert.h"
#include "tensor/draw_blocks.h"
#include "tensor/parallel.h"
#include "tensor/random.h"
#include "tensor/vector_clones.h"
#include "util/error.h"

namespace fib::tensor {

namespace {

static_assert(std::endian::native == std::endian::little, "blocks are stored as bytes, low byte first");

constexpr std::size_t kBatchBytes = kBatchBlocks * 16;

// One half of a block as two float32 normals.
[[gnu::always_inline]] inline Normals<float> normals_of(u64 half) {
  return normals(static_cast<u32>(half), static_cast<u32>(half >> 32));
}

// Blocks as float32 normals, four a block.
FIB_VECTOR_CLONES void to_normals(const BlockBatch& blocks, float* __restrict target) {
  for (std::size_t i = 0; i < kBatchBlocks; ++i) {
    const Normals<float> lower = normals_of(blocks.lower[i]);
    const Normals<float> upper = normals_of(blocks.upper[i]);
    target[4 * i] = lower.first;
    target[4 * i + 1] = lower.second;
    target[4 * i + 2] = upper.first;
    target[4 * i + 3] = upper.second;
  }
}

// Blocks as float64 normals, two a block.
FIB_VECTOR_CLONES void to_normals(const BlockBatch& blocks, double* __restrict target) {
  for (std::size_t i = 0; i < kBatchBlocks; ++i) {
    const Normals<double> pair = normals(blocks.lower[i], blocks.upper[i]);
    target[2 * i] = pair.first;
    target[2 * i + 1] = pair.second;
  }
}

template <typename Real>
void draw_normals(u64 key, u64 batch, Real* target) {
  BlockBatch blocks;
  draw_blocks(key, batch, blocks);
  to_normals(blocks, target);
}

// The batch as it is, two halves a block.
void draw_halves(u64 key, u64 batch, u64* target) {
  BlockBatch blocks;
  draw_blocks(key, batch, blocks);
  for (std::size_t i = 0; i < kBatchBlocks; ++i) {
    target[2 * i] = blocks.lower[i];
    target[2 * i + 1] = blocks.upper[i];
  }
}

// The normals of a row become weights of probabilities.
FIB_VECTOR_CLONES void weigh_all(float factor, float* values, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) values[i] = probability_weight(factor, values[i]);
}

FIB_VECTOR_CLONES u64 sum_all(const float* weights, std::size_t count) {
  u64 sum = 0;
  // They are below 2^61; signed numbers convert faster.
  for (std::size_t i = 0; i < count; ++i) sum += static_cast<u64>(static_cast<std::int64_t>(weights[i]));
  return sum;
}

// `target` may be `weights`.
FIB_VECTOR_CLONES void divide_all(const float* weights, std::size_t count, u64 sum, float* target) {
  for (std::size_t i = 0; i < count; ++i) target[i] = probability(weights[i], sum);
}

FIB_VECTOR_CLONES void divide_all(const float* weights, std::size_t count, u64 sum, double* target) {
  for (std::size_t i = 0; i < count; ++i) target[i] = probability(static_cast<double>(weights[i]), sum);
}

FIB_VECTOR_CLONES void clamp_all(float* values, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) values[i] = clamp_to_2(values[i]);
}

template <typename Int>
[[gnu::always_inline]] inline void store_integers(const u64* __restrict halves, void* target) {
  auto* __restrict to = static_cast<Int*>(target);
  for (std::size_t i = 0; i < kBatchBytes / 8; ++i) {
    to[4 * i] = static_cast<Int>(integer_of(static_cast<u32>(halves[i])));
    to[4 * i + 1] = static_cast<Int>(integer_of(static_cast<u32>(halves[i] >> 16)));
    to[4 * i + 2] = static_cast<Int>(integer_of(static_cast<u32>(halves[i] >> 32)));
    to[4 * i + 3] = static_cast<Int>(integer_of(static_cast<u32>(halves[i] >> 48)));
  }
}

FIB_VECTOR_CLONES void to_integers(DType dtype, const u64* halves, void* target) {
  if (dtype == DType::kInt16) store_integers<std::int16_t>(halves, target);
  if (dtype == DType::kInt32) store_integers<std::int32_t>(halves, target);
  if (dtype == DType::kInt64) store_integers<std::int64_t>(halves, target);
}

void fill_floats(DType dtype, u64 key, u64 batch, void* target) {
  alignas(64) float values[kBatchBlocks * 4];
  draw_normals(key, batch, values);
  if (bits_of(dtype) <= 8) clamp_all(values, kBatchBlocks * 4);
  from_float(dtype, values, target, kBatchBlocks * 4);
}

void fill_integers(DType dtype, u64 key, u64 batch, void* target) {
  alignas(64) u64 halves[kBatchBytes / 8];
  draw_halves(key, batch, halves);
  if (bits_of(dtype) > 8) return to_integers(dtype, halves, target);
  if (dtype == DType::kBool) {
    for (u64& half : halves) half &= 0x0101010101010101U;
  }
  std::memcpy(target, halves, kBatchBytes);
}

// One whole batch of any dtype.
void fill_batch(DType dtype, u64 key, u64 batch, void* target) {
  if (dtype == DType::kFloat64) return draw_normals(key, batch, static_cast<double*>(target));
  if (dtype == DType::kFloat32) return draw_normals(key, batch, static_cast<float*>(target));
  if (is_floating(dtype)) return fill_floats(dtype, key, batch, target);
  fill_integers(dtype, key, batch, target);
}

std::size_t batch_elements(DType dtype) {
  if (dtype == DType::kFloat64) return kBatchBlocks * 2;
  if (is_floating(dtype)) return kBatchBlocks * 4;
  return bits_of(dtype) > 8 ? kBatchBlocks * 8 : kBatchBlocks * 16;
}

// Normals in order of their index. Keeps the batch it is in, since rows end anywhere.
class NormalStream {
 public:
  explicit NormalStream(u64 key) : key_(key) {}

  // Elements `first` to `first + count - 1` to `target`.
  void read(std::size_t first, std::size_t count, float* target) {
    while (count > 0) {
      const std::size_t offset = first % kLength;
      const std::size_t length = std::min(count, kLength - offset);
      enter(first / kLength);
      std::memcpy(target, values_ + offset, length * sizeof(float));
      first += length;
      target += length;
      count -= length;
    }
  }

 private:
  static constexpr std::size_t kLength = kBatchBlocks * 4;

  void enter(u64 batch) {
    if (drawn_ && batch == batch_) return;
    draw_normals(key_, batch, values_);
    batch_ = batch;
    drawn_ = true;
  }

  u64 key_;
  u64 batch_ = 0;
  bool drawn_ = false;
  alignas(64) float values_[kLength];
};

// One token: its codes to `codes`, its scale to `scale`, which is aligned to a byte. `values` is changed.
void fill_token(float* values, std::size_t count, std::uint8_t* codes, std::uint8_t* scale) {
  float largest = kLeastMagnitude;
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = page_value(values[i]);
    largest = larger_magnitude(largest, values[i]);
  }
  const float divisor = page_scale(largest);
  for (std::size_t i = 0; i < count; ++i) codes[i] = static_cast<std::uint8_t>(page_code(values[i], divisor));
  std::memcpy(scale, &divisor, sizeof divisor);
}

void fill_row(DType dtype, float* weights, std::size_t columns, void* target) {
  const u64 sum = sum_all(weights, columns);
  if (dtype == DType::kFloat64) return divide_all(weights, columns, sum, static_cast<double*>(target));
  if (dtype == DType::kFloat32) return divide_all(weights, columns, sum, static_cast<float*>(target));
  divide_all(weights, columns, sum, weights);
  from_float(dtype, weights, target, columns);
}

}  // namespace

void fill_random(DType dtype, std::uint64_t key, void* target, std::size_t count, unsigned threads) {
  const std::size_t length = batch_elements(dtype);
  auto* bytes = static_cast<std::byte*>(target);
  const std::size_t batches = count / length;
  parallel_for(batches, 16, threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) fill_batch(dtype, key, i, bytes + bytes_of(dtype, i * length));
  });
  const std::size_t rest = count % length;
  if (rest == 0) return;
  alignas(64) std::byte last[kBatchBlocks * 8 * sizeof(std::int64_t)];
  fill_batch(dtype, key, batches, last);
  if (dtype == DType::kFloat4E2M1 && rest % 2 != 0) last[rest / 2] &= std::byte{0x0f};
  std::memcpy(bytes + bytes_of(dtype, batches * length), last, bytes_of(dtype, rest));
}

void scale_by_power(DType dtype, void* target, std::size_t count, int exponent, unsigned threads) {
  if (!is_floating(dtype) || dtype == DType::kFloat4E2M1)
    throw Error("{} cannot be scaled; use floats of at least 8 bits", name_of(dtype));
  constexpr std::size_t kBlock = 1024;
  constexpr int kExactInFloat = 16;  // of any float of 32 bits and less: no bits are lost before the rounding
  const double factor = std::ldexp(1.0, exponent);
  const auto multiply_all = [&](auto* values, std::size_t length) {
    for (std::size_t i = 0; i < length; ++i)
      values[i] *= static_cast<std::decay_t<decltype(*values)>>(factor);
  };
  const auto scale_block = [&](std::size_t begin) {
    const std::size_t length = std::min(kBlock, count - begin);
    auto* block = static_cast<std::byte*>(target) + bytes_of(dtype, begin);
    if (dtype == DType::kFloat64) return multiply_all(reinterpret_cast<double*>(block), length);
    if (std::abs(exponent) > kExactInFloat) {
      double values[kBlock];
      to_double(dtype, block, values, length);
      multiply_all(values, length);
      return from_double(dtype, values, block, length);
    }
    if (dtype == DType::kFloat32) return multiply_all(reinterpret_cast<float*>(block), length);
    float values[kBlock];
    to_float(dtype, block, values, length);
    multiply_all(values, length);
    from_float(dtype, values, block, length);
  };
  parallel_for((count + kBlock - 1) / kBlock, 16, threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) scale_block(i * kBlock);
  });
}

void fill_probabilities(DType dtype, std::uint64_t key, void* target, std::size_t rows, std::size_t columns,
                        unsigned threads) {
  if (!is_floating(dtype) || dtype == DType::kFloat4E2M1)
    throw Error("probabilities cannot be stored as {}; use float32, float16 or bfloat16", name_of(dtype));
  if (columns == 0) return;
  auto* bytes = static_cast<std::byte*>(target);
  const std::size_t grain = std::max<std::size_t>(1, 16384 / columns);
  parallel_for(rows, grain, threads, [&](std::size_t begin, std::size_t end) {
    NormalStream stream(key);
    std::vector<float> weights(columns);
    for (std::size_t row = begin; row < end; ++row) {
      stream.read(row * columns, columns, weights.data());
      weigh_all(probability_factor(key, row), weights.data(), columns);
      fill_row(dtype, weights.data(), columns, bytes + bytes_of(dtype, row * columns));
    }
  });
}

void fill_fp8_pages(std::uint64_t key, void* target, std::size_t pages, std::size_t tokens,
                    std::size_t values, unsigned threads) {
  const std::size_t page_bytes = tokens * (values + sizeof(float));
  parallel_for(pages, 16, threads, [&](std::size_t begin, std::size_t end) {
    NormalStream stream(key);
    std::vector<float> token(values);
    for (std::size_t page = begin; page < end; ++page) {
      auto* bytes = static_cast<std::uint8_t*>(target) + page * page_bytes;
      for (std::size_t i = 0; i < tokens; ++i) {
        stream.read((page * tokens + i) * values, values, token.data());
        fill_token(token.data(), values, bytes + i * values, bytes + tokens * values + i * sizeof(float));
      }
    }
  });
}

}  // namespace fib::tensor
