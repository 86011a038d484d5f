#pragma once

#include <cstdint>
#include <cstring>

#include "bfloat16.h"

// Vectors of float32 by the vector extensions of GCC and Clang, as wide as the registers of the target.
#if defined(__AVX512F__)
constexpr int kLanes = 16;
#elif defined(__AVX__)
constexpr int kLanes = 8;
#else
constexpr int kLanes = 4;
#endif

template <typename Element, int kCount>
struct VectorOf {
  typedef Element Type __attribute__((vector_size(kCount * sizeof(Element))));
};
using Lanes = VectorOf<float, kLanes>::Type;
using WordLanes = VectorOf<std::uint32_t, kLanes>::Type;
using HalfwordLanes = VectorOf<std::uint16_t, kLanes>::Type;

inline Lanes load(const float* source) {
  Lanes lanes;
  std::memcpy(&lanes, source, sizeof lanes);
  return lanes;
}

inline Lanes load_bfloat16(const std::uint16_t* source) {
  HalfwordLanes bits;
  std::memcpy(&bits, source, sizeof bits);
  const WordLanes words = __builtin_convertvector(bits, WordLanes) << 16;
  Lanes lanes;
  std::memcpy(&lanes, &words, sizeof lanes);
  return lanes;
}

inline void store(Lanes lanes, float* target) { std::memcpy(target, &lanes, sizeof lanes); }

// The sum of all lanes, halving the vector until one lane is left.
template <int kCount = kLanes>
inline float sum(typename VectorOf<float, kCount>::Type lanes) {
  if constexpr (kCount == 2) {
    return lanes[0] + lanes[1];
  } else {
    typename VectorOf<float, kCount / 2>::Type low, high;
    std::memcpy(&low, &lanes, sizeof low);
    std::memcpy(&high, reinterpret_cast<const char*>(&lanes) + sizeof low, sizeof high);
    return sum<kCount / 2>(low + high);
  }
}
