#include "roofline/peaks.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

namespace fib::roofline {
namespace {

// In GB/s and TFLOP/s, as datasheets have them.
struct Entry {
  std::array<std::string_view, 2> words;  // all in the device's name; the first entry that fits counts
  double bandwidth, fp64, fp32, tf32, fp16, int8, fp8, fp4;
};

// Sources, all NVIDIA's: H200 datasheet (SXM and NVL; rates there are with sparsity, twice these); H100
// datasheet and Hopper whitepaper; A100 datasheet of 2022 (40 GB: that of 2020); A800 datasheet; Blackwell
// architecture brief (HGX B200 at 1000 W); L40S, L4 and A10 datasheets; Ada whitepaper, appendix A (RTX 4090:
// rates with 16-bit accumulation); V100 datasheet of 2020. Several memory sizes or forms of one product: the
// faster where the name does not tell. fp64 is that of the tensor cores where they have it.
constexpr std::array<Entry, 19> kEntries{{
    {{"B200", ""}, 8000, 40, 80, 1125, 2250, 4500, 4500, 9000},
    {{"H200", "NVL"}, 4800, 60, 60, 417.5, 835.5, 1670.5, 1670.5, 0},
    {{"H200", ""}, 4800, 67, 67, 494.7, 989.4, 1978.9, 1978.9, 0},
    {{"H100", "NVL"}, 3938, 60, 60, 417.5, 835.5, 1670.5, 1670.5, 0},
    {{"H100", "PCIE"}, 2039, 51.2, 51.2, 378, 756, 1513, 1513, 0},
    {{"H100", ""}, 3352, 66.9, 66.9, 494.7, 989.4, 1978.9, 1978.9, 0},
    {{"A100", "40GB"}, 1555, 19.5, 19.5, 156, 312, 624, 0, 0},
    {{"A100", "PCIE"}, 1935, 19.5, 19.5, 156, 312, 624, 0, 0},
    {{"A100", ""}, 2039, 19.5, 19.5, 156, 312, 624, 0, 0},
    {{"A800", "40GB"}, 1555, 19.5, 19.5, 156, 312, 624, 0, 0},
    {{"A800", "PCIE"}, 1935, 19.5, 19.5, 156, 312, 624, 0, 0},
    {{"A800", ""}, 2039, 19.5, 19.5, 156, 312, 624, 0, 0},
    {{"L40S", ""}, 864, 0, 91.6, 183, 362, 733, 733, 0},
    {{"L4", ""}, 300, 0, 30.3, 60, 121, 242.5, 242.5, 0},
    {{"RTX", "4090"}, 1008, 0, 82.6, 82.6, 330.3, 660.6, 660.6, 0},
    {{"A10", ""}, 600, 0, 31.2, 62.5, 125, 250, 0, 0},
    {{"V100", "PCIE"}, 900, 7, 14, 0, 112, 0, 0, 0},
    {{"V100S", ""}, 1134, 8.2, 16.4, 0, 130, 0, 0, 0},
    {{"V100", ""}, 900, 7.8, 15.7, 0, 125, 0, 0, 0},
}};

// "NVIDIA A100-SXM4-80GB": {"NVIDIA", "A100", "SXM4", "80GB"}.
std::set<std::string> words_of(std::string_view text) {
  std::set<std::string> words;
  std::string word;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0) {
      word += static_cast<char>(std::toupper(byte));
    } else {
      words.insert(word);
      word.clear();
    }
  }
  words.insert(word);
  words.insert("");
  return words;
}

Peak to_peak(const Entry& entry) {
  constexpr double kGiga = 1e9;
  constexpr double kTera = 1e12;
  return {entry.bandwidth * kGiga, entry.fp64 * kTera, entry.fp32 * kTera, entry.tf32 * kTera,
          entry.fp16 * kTera,      entry.int8 * kTera, entry.fp8 * kTera,  entry.fp4 * kTera};
}

}  // namespace

Arithmetic arithmetic_of(std::string_view dtype) {
  if (dtype == "float64") return Arithmetic::fp64;
  if (dtype == "float16" || dtype == "bfloat16") return Arithmetic::fp16;
  if (dtype == "int8" || dtype == "uint8") return Arithmetic::int8;
  if (dtype.starts_with("float8")) return Arithmetic::fp8;
  return dtype.starts_with("float4") ? Arithmetic::fp4 : Arithmetic::fp32;
}

std::string_view name_of(Arithmetic arithmetic) {
  constexpr std::array<std::string_view, 6> kNames{"fp64", "fp32", "fp16", "int8", "fp8", "fp4"};
  return kNames.at(static_cast<std::size_t>(arithmetic));
}

double Peak::flops_per_s(Arithmetic arithmetic) const {
  switch (arithmetic) {
    case Arithmetic::fp64:
      return fp64;
    case Arithmetic::fp32:
      return std::max(fp32, tf32);
    case Arithmetic::fp16:
      return std::max(fp16, fp32);
    case Arithmetic::int8:
      return std::max({int8, fp16, fp32});
    case Arithmetic::fp8:
      return std::max({fp8, fp16, fp32});
    case Arithmetic::fp4:
      return std::max({fp4, fp8, fp16, fp32});
  }
  return 0;
}

std::optional<Peak> peak_of(std::string_view hardware) {
  const std::set<std::string> words = words_of(hardware);
  if (!words.contains("NVIDIA") && !words.contains("TESLA")) return std::nullopt;
  for (const Entry& entry : kEntries) {
    const bool fits = std::all_of(entry.words.begin(), entry.words.end(),
                                  [&](std::string_view word) { return words.contains(std::string(word)); });
    if (fits) return to_peak(entry);
  }
  return std::nullopt;
}

}  // namespace fib::roofline
