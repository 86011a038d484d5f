#include "device/cpu/cache.h"

#include <cstdint>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#else
#include <vector>
#endif

namespace fib::device::cpu {
namespace {

#if defined(__x86_64__)

constexpr std::size_t kLine = 64;

bool has_clflushopt() {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & (1U << 23U)) != 0;
}

__attribute__((target("clflushopt"))) void flush_lines_optimised(const char* begin, const char* end) {
  for (const char* line = begin; line < end; line += kLine) _mm_clflushopt(const_cast<char*>(line));
}

void flush_lines(const char* begin, const char* end) {
  for (const char* line = begin; line < end; line += kLine) _mm_clflush(line);
}

#elif defined(__aarch64__)

std::size_t line_bytes() {
  std::uint64_t type = 0;
  asm("mrs %0, ctr_el0" : "=r"(type));
  return std::size_t{4} << ((type >> 16U) & 15U);
}

#else

// Twice the largest last-level cache known to us; read, so that only clean lines stay behind.
void sweep() {
  constexpr std::size_t kBytes = std::size_t{1} << 30U;
  static const std::vector<char> buffer(kBytes, 1);
  volatile char sink = 0;
  for (std::size_t i = 0; i < kBytes; i += 64) sink = static_cast<char>(sink + buffer[i]);
}

#endif

}  // namespace

void flush_from_caches(const void* data, std::size_t bytes) {
#if defined(__x86_64__)
  static const bool optimised = has_clflushopt();
  const char* begin = static_cast<const char*>(data);
  const auto misaligned = reinterpret_cast<std::uintptr_t>(begin) % kLine;
  (optimised ? flush_lines_optimised : flush_lines)(begin - misaligned, begin + bytes);
  _mm_mfence();
#elif defined(__aarch64__)
  static const std::size_t line = line_bytes();
  const char* begin = static_cast<const char*>(data);
  const char* end = begin + bytes;
  begin -= reinterpret_cast<std::uintptr_t>(begin) % line;
  for (; begin < end; begin += line) asm volatile("dc civac, %0" ::"r"(begin) : "memory");
  asm volatile("dsb sy" ::: "memory");
#else
  (void)data;
  (void)bytes;
  sweep();
#endif
}

std::string_view flush_method() {
#if defined(__x86_64__)
  return has_clflushopt() ? "clflushopt" : "clflush";
#elif defined(__aarch64__)
  return "dc civac";
#else
  return "sweep";
#endif
}

}  // namespace fib::device::cpu
