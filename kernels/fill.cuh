#pragma once

#include "tensor/random.h"

// Random inputs: the generator of tensor/random.h, one block of random bits a thread, so the bits are the
// host's. `count` is in elements; the target is aligned to 256 bytes.
namespace fib {

using tensor::i32;
using tensor::i64;
using tensor::u32;
using tensor::u64;

__device__ inline u64 thread_index() { return blockIdx.x * static_cast<u64>(blockDim.x) + threadIdx.x; }
__device__ inline u64 thread_count() { return gridDim.x * static_cast<u64>(blockDim.x); }

struct FourNormals {
  float value[4];
};

__device__ inline FourNormals four_normals(u64 key, u64 block) {
  const tensor::RandomBlock bits = tensor::random_block(key, block);
  const auto lower = tensor::normals(bits.word0, bits.word1);
  const auto upper = tensor::normals(bits.word2, bits.word3);
  return {{lower.first, lower.second, upper.first, upper.second}};
}

// Stores the elements of one block that exist: all at once where they do, else one by one.
template <typename Element, int kElements>
__device__ void store_block(Element* target, u64 block, u64 count, const Element (&elements)[kElements]) {
  struct alignas(sizeof(Element) * kElements <= 16 ? sizeof(Element) * kElements : 16) Whole {
    Element element[kElements];
  };
  const u64 first = block * kElements;
  if (first + kElements <= count) {
    Whole whole;
    for (int i = 0; i < kElements; ++i) whole.element[i] = elements[i];
    reinterpret_cast<Whole*>(target)[block] = whole;
    return;
  }
  for (int i = 0; i < kElements && first + i < count; ++i) target[first + i] = elements[i];
}

// Floats of up to 32 bits: `encode` makes an element from a normal.
template <typename Element, typename Encode>
__device__ void fill_floats(u64 key, Element* target, u64 count, Encode encode) {
  for (u64 block = thread_index(); block * 4 < count; block += thread_count()) {
    const FourNormals normals = four_normals(key, block);
    Element elements[4];
    for (int i = 0; i < 4; ++i) elements[i] = static_cast<Element>(encode(normals.value[i]));
    store_block(target, block, count, elements);
  }
}

// Two neighbours as 16 bit floats, the first one low: what encode() of tensor/small_floats.h gives, which
// rounds to the nearest, ties to even. One instruction where the device has it.
struct BFloat16Pair {
  __device__ static u32 encode(float first, float second) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    u32 codes;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(codes) : "f"(second), "f"(first));
    return codes;
#else
    return tensor::BFloat16Bits::encode(first) | tensor::BFloat16Bits::encode(second) << 16;
#endif
  }
};
struct Float16Pair {
  __device__ static u32 encode(float first, float second) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    u32 codes;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(codes) : "f"(second), "f"(first));
    return codes;
#else
    return tensor::Float16Bits::encode(first) | tensor::Float16Bits::encode(second) << 16;
#endif
  }
};

template <typename Pair>
__device__ void fill_halves(u64 key, unsigned short* target, u64 count) {
  for (u64 block = thread_index(); block * 4 < count; block += thread_count()) {
    const FourNormals normals = four_normals(key, block);
    const u32 lower = Pair::encode(normals.value[0], normals.value[1]);
    const u32 upper = Pair::encode(normals.value[2], normals.value[3]);
    if (block * 4 + 4 <= count) {
      reinterpret_cast<u64*>(target)[block] = tensor::join_words(lower, upper);
      continue;
    }
    for (u32 i = 0; block * 4 + i < count; ++i)
      target[block * 4 + i] = static_cast<unsigned short>((i < 2 ? lower : upper) >> (16 * (i % 2)));
  }
}

template <typename Element>
__device__ void fill_integers(u64 key, Element* target, u64 count) {
  for (u64 block = thread_index(); block * 8 < count; block += thread_count()) {
    const tensor::RandomBlock bits = tensor::random_block(key, block);
    Element elements[8];
    for (u32 i = 0; i < 8; ++i) {
      elements[i] = static_cast<Element>(tensor::integer_of(tensor::word_of(bits, i / 2) >> (16 * (i % 2))));
    }
    store_block(target, block, count, elements);
  }
}

__device__ inline void fill_bytes(u64 key, unsigned char* target, u64 count, u32 mask) {
  for (u64 block = thread_index(); block * 16 < count; block += thread_count()) {
    const tensor::RandomBlock bits = tensor::random_block(key, block);
    unsigned char elements[16];
    for (u32 i = 0; i < 16; ++i) {
      elements[i] = static_cast<unsigned char>((tensor::word_of(bits, i / 4) >> (8 * (i % 4))) & mask);
    }
    store_block(target, block, count, elements);
  }
}

extern "C" __global__ void fib_fill_float64(u64 key, double* target, u64 count) {
  for (u64 block = thread_index(); block * 2 < count; block += thread_count()) {
    const tensor::RandomBlock bits = tensor::random_block(key, block);
    const auto pair = tensor::normals(tensor::join_words(bits.word0, bits.word1),
                                      tensor::join_words(bits.word2, bits.word3));
    const double elements[2] = {pair.first, pair.second};
    store_block(target, block, count, elements);
  }
}
extern "C" __global__ void fib_fill_float32(u64 key, float* target, u64 count) {
  fill_floats(key, target, count, [](float value) { return value; });
}
extern "C" __global__ void fib_fill_float16(u64 key, unsigned short* target, u64 count) {
  fill_halves<Float16Pair>(key, target, count);
}
extern "C" __global__ void fib_fill_bfloat16(u64 key, unsigned short* target, u64 count) {
  fill_halves<BFloat16Pair>(key, target, count);
}
extern "C" __global__ void fib_fill_float8_e4m3fn(u64 key, unsigned char* target, u64 count) {
  fill_floats(key, target, count,
              [](float value) { return tensor::Float8E4M3FNBits::encode(tensor::clamp_to_2(value)); });
}
extern "C" __global__ void fib_fill_float8_e5m2(u64 key, unsigned char* target, u64 count) {
  fill_floats(key, target, count,
              [](float value) { return tensor::Float8E5M2Bits::encode(tensor::clamp_to_2(value)); });
}
// Two elements to a byte, low nibble first; a last unused nibble is 0.
extern "C" __global__ void fib_fill_float4_e2m1(u64 key, unsigned char* target, u64 count) {
  for (u64 block = thread_index(); block * 4 < count; block += thread_count()) {
    const FourNormals normals = four_normals(key, block);
    for (u32 i = 0; i < 4 && block * 4 + i < count; i += 2) {
      const u32 low = tensor::Float4E2M1Bits::encode(tensor::clamp_to_2(normals.value[i]));
      const bool whole = block * 4 + i + 1 < count;
      const u32 high = whole ? tensor::Float4E2M1Bits::encode(tensor::clamp_to_2(normals.value[i + 1])) : 0;
      target[block * 2 + i / 2] = static_cast<unsigned char>(low | high << 4);
    }
  }
}
extern "C" __global__ void fib_fill_int64(u64 key, i64* target, u64 count) {
  fill_integers(key, target, count);
}
extern "C" __global__ void fib_fill_int32(u64 key, i32* target, u64 count) {
  fill_integers(key, target, count);
}
extern "C" __global__ void fib_fill_int16(u64 key, short* target, u64 count) {
  fill_integers(key, target, count);
}
extern "C" __global__ void fib_fill_int8(u64 key, unsigned char* target, u64 count) {
  fill_bytes(key, target, count, 0xff);
}
extern "C" __global__ void fib_fill_uint8(u64 key, unsigned char* target, u64 count) {
  fill_bytes(key, target, count, 0xff);
}
extern "C" __global__ void fib_fill_bool(u64 key, unsigned char* target, u64 count) {
  fill_bytes(key, target, count, 1);
}

// Multiplies each element by `factor`, a power of two, in place; rounds once.
template <typename Element, typename Scale>
__device__ void scale_elements(Element* target, u64 count, Scale scale) {
  for (u64 i = thread_index(); i < count; i += thread_count())
    target[i] = static_cast<Element>(scale(target[i]));
}

// The float of the scaled value is exact, or so small that every format rounds it to the same.
template <typename Bits>
__device__ u32 scaled_bits(u32 code, double factor) {
  return Bits::encode(static_cast<float>(static_cast<double>(Bits::decode(code)) * factor));
}

extern "C" __global__ void fib_scale_float64(double* target, u64 count, double factor) {
  scale_elements(target, count, [=](double value) { return value * factor; });
}
extern "C" __global__ void fib_scale_float32(float* target, u64 count, double factor) {
  scale_elements(target, count,
                 [=](float value) { return static_cast<float>(static_cast<double>(value) * factor); });
}
extern "C" __global__ void fib_scale_float16(unsigned short* target, u64 count, double factor) {
  scale_elements(target, count, [=](u32 code) { return scaled_bits<tensor::Float16Bits>(code, factor); });
}
extern "C" __global__ void fib_scale_bfloat16(unsigned short* target, u64 count, double factor) {
  scale_elements(target, count, [=](u32 code) { return scaled_bits<tensor::BFloat16Bits>(code, factor); });
}
extern "C" __global__ void fib_scale_float8_e4m3fn(unsigned char* target, u64 count, double factor) {
  scale_elements(target, count,
                 [=](u32 code) { return scaled_bits<tensor::Float8E4M3FNBits>(code, factor); });
}
extern "C" __global__ void fib_scale_float8_e5m2(unsigned char* target, u64 count, double factor) {
  scale_elements(target, count, [=](u32 code) { return scaled_bits<tensor::Float8E5M2Bits>(code, factor); });
}

// Probabilities, one thread block a row: the sum of integer weights does not depend on the order of
// summation.
__device__ inline u64 sum_over_block(u64 value) {
  __shared__ u64 total;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffffU, value, offset);
  if (threadIdx.x % 32 == 0) atomicAdd(&total, value);
  __syncthreads();
  const u64 result = total;
  __syncthreads();
  return result;
}

template <typename Element, typename Store>
__device__ void fill_probabilities(u64 key, Element* target, u64 rows, u64 columns, Store store) {
  for (u64 row = blockIdx.x; row < rows; row += gridDim.x) {
    const float factor = tensor::probability_factor(key, row);
    const auto weight_at = [&](u64 index) {
      return tensor::probability_weight(factor, tensor::random_float32(key, index));
    };
    u64 sum = 0;
    for (u64 column = threadIdx.x; column < columns; column += blockDim.x) {
      sum += static_cast<u64>(weight_at(row * columns + column));
    }
    sum = sum_over_block(sum);
    for (u64 column = threadIdx.x; column < columns; column += blockDim.x) {
      const u64 index = row * columns + column;
      target[index] = store(weight_at(index), sum);
    }
  }
}

extern "C" __global__ void fib_probabilities_float64(u64 key, double* target, u64 rows, u64 columns) {
  fill_probabilities(key, target, rows, columns, [](float weight, u64 sum) {
    return tensor::probability(static_cast<double>(weight), sum);
  });
}
extern "C" __global__ void fib_probabilities_float32(u64 key, float* target, u64 rows, u64 columns) {
  fill_probabilities(key, target, rows, columns,
                     [](float weight, u64 sum) { return tensor::probability(weight, sum); });
}
extern "C" __global__ void fib_probabilities_float16(u64 key, unsigned short* target, u64 rows, u64 columns) {
  fill_probabilities(key, target, rows, columns, [](float weight, u64 sum) {
    return static_cast<unsigned short>(tensor::Float16Bits::encode(tensor::probability(weight, sum)));
  });
}
extern "C" __global__ void fib_probabilities_bfloat16(u64 key, unsigned short* target, u64 rows,
                                                      u64 columns) {
  fill_probabilities(key, target, rows, columns, [](float weight, u64 sum) {
    return static_cast<unsigned short>(tensor::BFloat16Bits::encode(tensor::probability(weight, sum)));
  });
}
extern "C" __global__ void fib_probabilities_float8_e4m3fn(u64 key, unsigned char* target, u64 rows,
                                                           u64 columns) {
  fill_probabilities(key, target, rows, columns, [](float weight, u64 sum) {
    return static_cast<unsigned char>(tensor::Float8E4M3FNBits::encode(tensor::probability(weight, sum)));
  });
}
extern "C" __global__ void fib_probabilities_float8_e5m2(u64 key, unsigned char* target, u64 rows,
                                                         u64 columns) {
  fill_probabilities(key, target, rows, columns, [](float weight, u64 sum) {
    return static_cast<unsigned char>(tensor::Float8E5M2Bits::encode(tensor::probability(weight, sum)));
  });
}

// Pages of float8 keys with their scales, one thread a token; values are drawn twice rather than kept.
extern "C" __global__ void fib_fp8_pages(u64 key, unsigned char* target, u64 pages, u64 tokens, u64 values) {
  for (u64 token = thread_index(); token < pages * tokens; token += thread_count()) {
    const u64 first = token * values;
    float largest = tensor::kLeastMagnitude;
    for (u64 i = 0; i < values; ++i) {
      largest = tensor::larger_magnitude(largest, tensor::page_value(tensor::random_float32(key, first + i)));
    }
    const float scale = tensor::page_scale(largest);
    unsigned char* page = target + token / tokens * tokens * (values + 4);
    unsigned char* codes = page + token % tokens * values;
    for (u64 i = 0; i < values; ++i) {
      codes[i] = static_cast<unsigned char>(
          tensor::page_code(tensor::page_value(tensor::random_float32(key, first + i)), scale));
    }
    const u32 bits = tensor::bits_of_float(scale);
    unsigned char* scales = page + tokens * values + token % tokens * 4;
    for (u32 i = 0; i < 4; ++i) scales[i] = static_cast<unsigned char>(bits >> (8 * i));
  }
}

}  // namespace fib
