#include "bench/kernel_records.h"

#include <algorithm>
#include <cctype>

#include "util/utf8.h"

namespace fib::bench {
namespace {

constexpr std::size_t kMostSymbol = 512;

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool has_word(std::string_view text, std::string_view word) {
  for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const auto end = at + word.size();
    if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]))) return true;
  }
  return false;
}

bool is_own(std::string_view name, const model::Solution& solution) {
  return !name.empty() && std::any_of(solution.sources.begin(), solution.sources.end(),
                                      [&](const auto& source) { return has_word(source.content, name); });
}

std::vector<std::uint64_t> sizes(const std::array<std::uint32_t, 3>& three) {
  return {three.begin(), three.end()};
}

std::uint64_t product(const std::array<std::uint32_t, 3>& three) {
  return std::uint64_t{three[0]} * three[1] * three[2];
}

// A length and so many letters, taken off `rest`; nothing where there is none.
std::string_view take_identifier(std::string_view& rest) {
  std::size_t length = 0;
  std::size_t digits = 0;
  while (digits < rest.size() && is_digit(rest[digits]) && length < kMostSymbol)
    length = 10 * length + static_cast<std::size_t>(rest[digits++] - '0');
  if (digits == 0 || length == 0 || length > rest.size() - digits) return {};
  const auto identifier = rest.substr(digits, length);
  rest.remove_prefix(digits + length);
  return identifier;
}

}  // namespace

std::string function_name(std::string_view symbol) {
  if (!symbol.starts_with("_Z")) return std::string(symbol);
  std::string_view rest = symbol.substr(2);
  const bool is_nested = rest.starts_with('N');  // else parameters follow the first identifier
  if (is_nested) rest.remove_prefix(1);
  std::string_view name;
  do {
    if (rest.starts_with('L')) rest.remove_prefix(1);  // of one translation unit
    const auto next = take_identifier(rest);
    if (next.empty()) break;
    name = next;
  } while (is_nested);
  return std::string(name.empty() ? symbol : name);
}

std::vector<model::RecordedKernel> kernel_records(const std::vector<worker::KernelUse>& uses,
                                                  const model::Solution& solution,
                                                  const MultiprocessorLimits& limits) {
  double all_ns = 0;
  for (const auto& use : uses) all_ns += use.busy_ns;
  std::vector<model::RecordedKernel> records;
  for (const auto& use : uses) {
    const worker::KernelLaunch& launch = use.launch;
    const std::string symbol = util::valid_utf8(launch.symbol.substr(0, kMostSymbol));
    const std::string name = util::valid_utf8(function_name(symbol));
    const std::uint64_t shared = std::uint64_t{launch.static_shared_bytes} + launch.dynamic_shared_bytes;
    const auto occupancy = occupancy_of(limits, {product(launch.block), launch.registers, shared});
    auto& record = records.emplace_back();
    record.name = name;
    record.symbol = symbol;
    record.own = is_own(name, solution);
    record.launches = use.times;
    if (all_ns > 0) record.share = use.busy_ns / all_ns;
    record.grid = sizes(launch.grid);
    record.block = sizes(launch.block);
    record.registers = launch.registers;
    record.local_bytes = launch.local_bytes;
    record.static_shared_bytes = launch.static_shared_bytes;
    record.dynamic_shared_bytes = launch.dynamic_shared_bytes;
    if (occupancy.share > 0) {
      record.occupancy = occupancy.share;
      record.occupancy_limits = occupancy.limits;
    }
  }
  return records;
}

bool are_cut(const std::vector<worker::KernelUse>& uses, std::uint64_t kernels) {
  if (uses.size() < worker::kMostKernelUses) return false;
  std::uint64_t named = 0;
  for (const auto& use : uses) named += use.times;
  return named < kernels;
}

}  // namespace fib::bench
