#pragma once

#include <optional>
#include <string>
#include <string_view>

// What devices can do at most, by their makers' word.
namespace fib::roofline {

// What multiplies and adds. Operands of different types count as the narrowest.
enum class Arithmetic { fp64, fp32, fp16, int8, fp8, fp4 };

[[nodiscard]] Arithmetic arithmetic_of(std::string_view dtype);  // of the format's names; "bfloat16": fp16
[[nodiscard]] std::string_view name_of(Arithmetic arithmetic);   // "fp16", ...

// Theoretical peaks, dense (no sparsity), tensor cores where there are any; 0: not known, or not there.
// The rates hold at the boost clock of the datasheet; a GPU may run above it for a short while (an H200 at
// 1980 instead of 1830 MHz, 8 %).
struct Peak {
  double bytes_per_s = 0;
  double fp64 = 0;  // all in flop/s
  double fp32 = 0;  // without tensor cores
  double tf32 = 0;
  double fp16 = 0;  // also bfloat16
  double int8 = 0;
  double fp8 = 0;
  double fp4 = 0;

  // The best rate for operands of that type without loss: float32 may go through tf32, and what has no unit
  // of its own is widened. 0: not known.
  [[nodiscard]] double flops_per_s(Arithmetic arithmetic) const;
};

// The peak of a device by words of its name ("NVIDIA A100-SXM4-80GB"); nothing for devices that the table
// does not hold, and for all CPUs.
[[nodiscard]] std::optional<Peak> peak_of(std::string_view hardware);

}  // namespace fib::roofline
