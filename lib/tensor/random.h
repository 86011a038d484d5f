#pragma once

#include "tensor/random_math.h"
#include "tensor/small_floats.h"

// Random numbers for inputs, the same bits on every host and device. Every element is a pure function of a
// key and the element's index, so it does not matter how many threads draw, nor where, nor in which order.
//
// Recipe. Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011) turns (key,
// block number) into four 32-bit words; the upper two counter words are 0. Elements take their bits in order:
//   float32 and smaller floats   four to a block: words 0 and 1 make normals 0 and 1, words 2 and 3 make 2
//   and 3 float64                      two to a block: normals from the 64-bit halves (word 1 : word 0),
//   (word 3 : word 2) int8, uint8, bool            sixteen to a block, the words' bytes, low byte first
//   int16, int32, int64          eight to a block, the words' 16-bit halves, low half first
// Distributions: floats N(0,1) by Box and Muller's method (random_math.h), rounded to the dtype; the 8 and 4
// bit floats are first clamped to [-2, 2]; int8 and uint8 all values; int16, int32 and int64 in [-1024,
// 1023]; bool 0 or 1; all uniform.
namespace fib::tensor {

struct RandomBlock {
  u32 word0, word1, word2, word3;
};

// Block `number` of the stream of `key`.
FIB_HOST_DEVICE RandomBlock random_block(u64 key, u64 number) {
  RandomBlock x{static_cast<u32>(number), static_cast<u32>(number >> 32), 0, 0};
  u32 key0 = static_cast<u32>(key);
  u32 key1 = static_cast<u32>(key >> 32);
  FIB_UNROLL
  for (int round = 0; round < 10; ++round) {
    const u64 product0 = static_cast<u64>(x.word0) * 0xd2511f53U;
    const u64 product2 = static_cast<u64>(x.word2) * 0xcd9e8d57U;
    x = {static_cast<u32>(product2 >> 32) ^ x.word1 ^ key0, static_cast<u32>(product2),
         static_cast<u32>(product0 >> 32) ^ x.word3 ^ key1, static_cast<u32>(product0)};
    key0 += 0x9e3779b9U;
    key1 += 0xbb67ae85U;
  }
  return x;
}

// Word `i` of a block, 0 to 3.
FIB_HOST_DEVICE u32 word_of(const RandomBlock& block, u32 i) {
  const u32 lower = i == 0 ? block.word0 : block.word1;
  const u32 upper = i == 2 ? block.word2 : block.word3;
  return i < 2 ? lower : upper;
}

// Element `index` of the stream of `key`, for each dtype. Where a kernel wants several neighbours at once, it
// draws one block and makes them as the recipe says, which gives the same bits.

FIB_HOST_DEVICE float random_float32(u64 key, u64 index) {
  const RandomBlock block = random_block(key, index / 4);
  const bool upper = index % 4 >= 2;
  const Normals<float> pair = normals(upper ? block.word2 : block.word0, upper ? block.word3 : block.word1);
  return index % 2 == 0 ? pair.first : pair.second;
}

FIB_HOST_DEVICE u64 join_words(u32 low, u32 high) { return static_cast<u64>(high) << 32 | low; }

FIB_HOST_DEVICE double random_float64(u64 key, u64 index) {
  const RandomBlock block = random_block(key, index / 2);
  const Normals<double> pair =
      normals(join_words(block.word0, block.word1), join_words(block.word2, block.word3));
  return index % 2 == 0 ? pair.first : pair.second;
}

FIB_HOST_DEVICE float clamp_to_2(float value) {
  const float low = value < -2.0F ? -2.0F : value;
  return low > 2.0F ? 2.0F : low;
}

// The codes of the small floats; float4_e2m1 in the low four bits.
FIB_HOST_DEVICE u32 random_float16(u64 key, u64 index) {
  return Float16Bits::encode(random_float32(key, index));
}
FIB_HOST_DEVICE u32 random_bfloat16(u64 key, u64 index) {
  return BFloat16Bits::encode(random_float32(key, index));
}
FIB_HOST_DEVICE u32 random_float8_e4m3fn(u64 key, u64 index) {
  return Float8E4M3FNBits::encode(clamp_to_2(random_float32(key, index)));
}
FIB_HOST_DEVICE u32 random_float8_e5m2(u64 key, u64 index) {
  return Float8E5M2Bits::encode(clamp_to_2(random_float32(key, index)));
}
FIB_HOST_DEVICE u32 random_float4_e2m1(u64 key, u64 index) {
  return Float4E2M1Bits::encode(clamp_to_2(random_float32(key, index)));
}

// uint8, and the bits of int8.
FIB_HOST_DEVICE u32 random_byte(u64 key, u64 index) {
  const u32 word = word_of(random_block(key, index / 16), static_cast<u32>(index / 4 % 4));
  return (word >> (8 * (index % 4))) & 0xffU;
}

FIB_HOST_DEVICE u32 random_bool(u64 key, u64 index) { return random_byte(key, index) & 1U; }

// int16, int32 and int64: in [-1024, 1023], from the lower 11 of 16 bits.
FIB_HOST_DEVICE i32 integer_of(u32 half) { return static_cast<i32>(half & 2047U) - 1024; }
FIB_HOST_DEVICE i32 random_integer(u64 key, u64 index) {
  const u32 word = word_of(random_block(key, index / 8), static_cast<u32>(index / 2 % 4));
  return integer_of(word >> (16 * (index % 2)));
}

// Probabilities: softmax of f N(0,1), made so that the order of summation cannot matter. Element (row,
// column) has the integer weight exp(f * random_float32(key, row * columns + column)) * 2^12, at least 1; a
// row's weights are summed in 64 bits; the probability is the quotient of both as float32 (as double for
// float64), rounded once more to smaller dtypes. The factor f of a row is 1, 3 or 5, of 2, 1 and 5 in 8 rows.
//
// With f = 1, which flashinfer-bench takes for all, any few hundred neighbouring elements look like the whole
// row, so that nobody can tell a sampler that reads no more than those from one that reads all. With 5 a few
// elements hold most of a row, wherever they are, as of what language models say; but then filters leave out
// next to nothing, and samplers that filter wrongly are told apart by the others
// (tests/eval/bench_sampling.cpp).
FIB_HOST_DEVICE float probability_factor(u64 key, u64 row) {
  constexpr u64 kOwnBlocks = u64{1} << 62;  // no element is so far
  const u32 eighth = random_block(key, kOwnBlocks + row).word0 & 7U;
  return eighth < 2 ? 1.0F : eighth == 2 ? 3.0F : 5.0F;
}
FIB_HOST_DEVICE float probability_weight(float factor, float normal) {
  return exponential_weight(multiply(factor, normal));
}

// Keys in pages of float8_e4m3fn, each page the values of all its tokens, then a float32 scale for each
// token. Value d of token t is element t * values + d of the stream as N(0,1) in bfloat16; the scale is the
// largest magnitude of the token, at least 1e-4, over 448; codes are the values times 1 / scale.
FIB_HOST_DEVICE float page_value(float normal) { return BFloat16Bits::decode(BFloat16Bits::encode(normal)); }
FIB_HOST_DEVICE float larger_magnitude(float largest, float value) {
  const float magnitude = float_of_bits(bits_of_float(value) & 0x7fffffffU);
  return magnitude > largest ? magnitude : largest;
}
inline constexpr float kLeastMagnitude = 1e-4F;
FIB_HOST_DEVICE float page_scale(float largest) { return divide(largest, 448.0F); }
FIB_HOST_DEVICE u32 page_code(float value, float scale) {
  return Float8E4M3FNBits::encode(multiply(value, divide(1.0F, scale)));
}

FIB_HOST_DEVICE float probability(float weight, u64 sum) { return divide(weight, static_cast<float>(sum)); }
FIB_HOST_DEVICE double probability(double weight, u64 sum) {
  return divide(weight, static_cast<double>(sum));
}

}  // namespace fib::tensor
