#pragma once

#include <cstddef>
#include <cstdint>

#include "tensor/dtype.h"

namespace fib::tensor {

// Writes elements 0 to count-1 of the random stream of `key` (see tensor/random.h for the distribution of
// each dtype and the recipe) to `target`, which holds `count` contiguous elements and is aligned to one. Uses
// up to `threads` threads; the bits do not depend on how many. float4_e2m1: two to a byte, a last unused
// nibble is 0.
void fill_random(DType dtype, std::uint64_t key, void* target, std::size_t count, unsigned threads);

// Multiplies `count` contiguous floats by 2^exponent, which is exact but where a result is too small or too
// large for the dtype. Uses up to `threads` threads. Throws Error for integers and float4_e2m1.
void scale_by_power(DType dtype, void* target, std::size_t count, int exponent, unsigned threads = 1);

// Writes `rows` rows of `columns` probabilities: the softmax of normals, by the recipe in tensor/random.h.
// Each row of float32 or float64 sums to 1 within rounding; smaller dtypes round every element once more.
// Uses up to `threads` threads; the bits do not depend on how many. Throws Error when `dtype` is not a
// floating one, or is float4_e2m1, which has no numbers between 0 and 0.5.
void fill_probabilities(DType dtype, std::uint64_t key, void* target, std::size_t rows, std::size_t columns,
                        unsigned threads);

// Writes `pages` pages of keys in float8 with their scales, by the recipe in tensor/random.h: each holds
// `tokens` times `values` codes, then `tokens` scales, tokens * (values + 4) bytes. Aligned to a byte. Uses
// up to `threads` threads; the bits do not depend on how many.
void fill_fp8_pages(std::uint64_t key, void* target, std::size_t pages, std::size_t tokens,
                    std::size_t values, unsigned threads);

}  // namespace fib::tensor
