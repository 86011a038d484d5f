#include "tensor/draw_blocks.h"

#include "tensor/random.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace fib::tensor {

namespace {

void draw_portable(u64 key, u64 first, BlockBatch& blocks) {
  for (u64 i = 0; i < kBatchBlocks; ++i) {
    const RandomBlock block = random_block(key, first + i);
    blocks.lower[i] = join_words(block.word0, block.word1);
    blocks.upper[i] = join_words(block.word2, block.word3);
  }
}

#if defined(__x86_64__)

// random_block for four blocks at once. A word sits in the low half of a 64-bit lane, with anything above it,
// since the multiplication looks at low halves only. Compilers do not find this form, which is three times as
// fast as theirs.
__attribute__((target("avx2"))) void draw_avx2(u64 key, u64 first, BlockBatch& blocks) {
  const __m256i multiplier0 = _mm256_set1_epi64x(0xd2511f53);
  const __m256i multiplier2 = _mm256_set1_epi64x(0xcd9e8d57);
  const __m256i high = _mm256_set1_epi64x(static_cast<i64>(first >> 32));
  __m256i low = _mm256_add_epi64(_mm256_set1_epi64x(static_cast<i64>(first)), _mm256_setr_epi64x(0, 1, 2, 3));
  for (std::size_t i = 0; i < kBatchBlocks; i += 4) {
    __m256i word0 = low;
    __m256i word1 = high;
    __m256i word2 = _mm256_setzero_si256();
    __m256i word3 = _mm256_setzero_si256();
    u32 key0 = static_cast<u32>(key);
    u32 key1 = static_cast<u32>(key >> 32);
    FIB_UNROLL
    for (int round = 0; round < 10; ++round) {
      const __m256i product0 = _mm256_mul_epu32(word0, multiplier0);
      const __m256i product2 = _mm256_mul_epu32(word2, multiplier2);
      const __m256i keyed1 = _mm256_xor_si256(word1, _mm256_set1_epi64x(key0));
      const __m256i keyed3 = _mm256_xor_si256(word3, _mm256_set1_epi64x(key1));
      word0 = _mm256_xor_si256(_mm256_srli_epi64(product2, 32), keyed1);
      word1 = product2;
      word2 = _mm256_xor_si256(_mm256_srli_epi64(product0, 32), keyed3);
      word3 = product0;
      key0 += 0x9e3779b9U;
      key1 += 0xbb67ae85U;
    }
    const __m256i lower = _mm256_blend_epi32(word0, _mm256_slli_epi64(word1, 32), 0xaa);
    const __m256i upper = _mm256_blend_epi32(word2, _mm256_slli_epi64(word3, 32), 0xaa);
    _mm256_store_si256(reinterpret_cast<__m256i*>(blocks.lower + i), lower);
    _mm256_store_si256(reinterpret_cast<__m256i*>(blocks.upper + i), upper);
    low = _mm256_add_epi64(low, _mm256_set1_epi64x(4));
  }
}

#endif

}  // namespace

void draw_blocks(u64 key, u64 batch, BlockBatch& blocks) {
  // Batches begin at multiples of their size, so the upper half of the block number is the same in all of
  // one.
  const u64 first = batch * kBatchBlocks;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return draw_avx2(key, first, blocks);
#endif
  draw_portable(key, first, blocks);
}

}  // namespace fib::tensor
