#include "compile/compile_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "compile/sources.h"

namespace fib::compile {
namespace {

template <std::size_t kCount>
bool begins_with_one_of(std::string_view text, const std::array<std::string_view, kCount>& beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](std::string_view beginning) { return text.starts_with(beginning); });
}

// clang-format off
// What an option may begin with: of GCC, Clang and nvcc. Not among them, and not to be: what names a file to
// write, a program or a plugin.
constexpr auto kKnown = std::to_array<std::string_view>({
    "-O", "-g", "-D", "-U", "-I", "-L", "-l", "-std=", "--std=", "-m", "-W", "-pedantic", "-isystem",
    "-iquote", "-idirafter", "-include", "-static", "--param", "--use_fast_math", "-use_fast_math",
    "--expt-", "-expt-", "--extended-lambda", "-extended-lambda", "--gpu-", "-gencode", "--generate-code",
    "--generate-line-info", "-arch", "-code", "-rdc", "--relocatable-device-code", "--maxrregcount",
    "-maxrregcount", "--restrict", "-restrict", "--ftz", "-ftz", "--prec-", "-prec-", "--fmad", "-diag-",
    "--diag-", "-res-usage", "--resource-usage", "--threads", "--split-compile"});
constexpr auto kKnownWhole = std::to_array<std::string_view>({
    "-s", "-v", "-w", "-x", "-pipe", "-ansi", "-shared", "-rdynamic", "-pthread", "-dc", "-dlto", "-std",
    "-lineinfo", "--shared"});
// Of -f: what concerns code and messages. -fplugin, -fdump, -fopt-info, -fprofile, -fmodule-mapper,
// -fdiagnostics-*-output, -fuse-ld and others write files or run programs.
constexpr auto kKnownF = std::to_array<std::string_view>({
    "no-", "fast-math", "openmp", "PIC", "pic", "PIE", "pie", "visibility", "unroll", "peel", "tree-",
    "split-", "associative-math", "reciprocal-math", "finite-math", "unsafe-math", "signed-zeros",
    "trapping-math", "rounding-math", "math-errno", "excess-precision", "fp-", "float-store", "exceptions",
    "rtti", "strict-", "wrapv", "trapv", "inline", "omit-frame-pointer", "permissive", "sanitize=",
    "concepts", "coroutines", "constexpr", "template-", "function-sections", "data-sections", "lto",
    "common", "max-errors", "merge-", "prefetch-", "vect", "simd-", "loop-", "ipa-", "align-",
    "stack-protector", "char8_t", "ext-", "gnu", "ms-", "new-", "cf-protection", "freestanding", "builtin",
    "mad"});
// After -Wl, one by one; what -z and others take are words that do not begin with a dash.
constexpr auto kKnownLinker = std::to_array<std::string_view>({
    "--as-needed", "--no-as-needed", "-rpath", "--rpath", "--no-undefined", "-z", "--whole-archive",
    "--no-whole-archive", "-Bsymbolic", "-Bstatic", "-Bdynamic", "--exclude-libs", "--gc-sections", "-O",
    "--strip-", "-soname", "--start-group", "--end-group", "--allow-multiple-definition"});
constexpr auto kKnownPtxas = std::to_array<std::string_view>({
    "-v", "--verbose", "-O", "--opt-level", "-dlcm", "--def-load-cache", "-dscm", "--warn-", "-w",
    "--allow-"});
// Options that hand a list to another program, in the same word or in the next.
constexpr auto kToHostCompiler = std::to_array<std::string_view>({
    "-Xcompiler", "--compiler-options"});
constexpr auto kToPtxas = std::to_array<std::string_view>({
    "-Xptxas", "--ptxas-options"});
constexpr auto kToLinker = std::to_array<std::string_view>({
    "-Xlinker"});
// clang-format on

bool is_allowed(std::string_view flag);

bool all_words(std::string_view list, bool (*allowed)(std::string_view)) {
  while (!list.empty()) {
    const auto end = std::min(list.find(','), list.size());
    if (!allowed(list.substr(0, end))) return false;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return true;
}

bool is_plain_word(std::string_view flag) { return !flag.starts_with('-') && !flag.starts_with('@'); }

bool is_linker_word(std::string_view word) {
  return is_plain_word(word) || begins_with_one_of(word, kKnownLinker);
}

bool is_ptxas_word(std::string_view word) {
  return is_plain_word(word) || begins_with_one_of(word, kKnownPtxas);
}

bool is_printable(std::string_view flag) {
  return std::none_of(flag.begin(), flag.end(),
                      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

bool is_allowed(std::string_view flag) {
  if (is_plain_word(flag)) return true;  // the value of the option before, a library
  if (flag.starts_with("-Wl,")) return all_words(flag.substr(4), is_linker_word);
  if (flag.starts_with("-Wa,") || flag.starts_with("-Wp,")) return false;
  if (flag.starts_with("-f")) return begins_with_one_of(flag.substr(2), kKnownF);
  return begins_with_one_of(flag, kKnown) ||
         std::find(kKnownWhole.begin(), kKnownWhole.end(), flag) != kKnownWhole.end();
}

using Test = bool (*)(std::string_view);

// Where `flag` hands words on: what they have to pass, and the words in the same flag.
template <std::size_t kCount>
std::optional<std::string_view> handed_on(std::string_view flag,
                                          const std::array<std::string_view, kCount>& options) {
  for (const auto option : options) {
    if (!flag.starts_with(option)) continue;
    const auto rest = flag.substr(option.size());
    return rest.empty() ? rest : rest.substr(1);
  }
  return std::nullopt;
}

// The first flag of a list that is not allowed.
std::optional<std::string> first_refused(const std::vector<std::string>& flags) {
  Test test = nullptr;  // of words that the flag before hands on
  for (const auto& flag : flags) {
    std::string_view words = flag;
    const Test of_words = std::exchange(test, nullptr);
    Test now = of_words;
    const auto hands_on = [&](const auto& options, Test to) {
      if (const auto found = of_words ? std::nullopt : handed_on(flag, options)) {
        words = *found;
        now = to;
        if (found->empty()) test = to;
      }
    };
    hands_on(kToHostCompiler, is_allowed);
    hands_on(kToPtxas, is_ptxas_word);
    hands_on(kToLinker, is_linker_word);
    if (!is_printable(flag) || !(now ? all_words(words, now) : is_allowed(flag))) return flag;
  }
  return std::nullopt;
}

// The host compiler links with make where it optimises at the link; "$ORIGIN" is an honest word.
bool substitutes_nothing(std::string_view flag) {
  return flag.find('`') == std::string_view::npos && flag.find("$(") == std::string_view::npos &&
         flag.find("${") == std::string_view::npos;
}

std::optional<std::string> refused_of(const std::optional<std::vector<std::string>>& list, bool for_nvcc) {
  const auto flags = list.value_or(std::vector<std::string>{});
  if (const auto refused = first_refused(flags))
    return fmt::format("the compile option {:?} is not allowed", *refused);
  for (const auto& flag : flags) {
    if (for_nvcc && !is_plain_for_nvcc(flag))
      return fmt::format("the compile option {:?} is not allowed: nvcc would hand it to a shell", flag);
    if (!substitutes_nothing(flag)) return fmt::format("the compile option {:?} is not allowed", flag);
  }
  return std::nullopt;
}

}  // namespace

bool is_plain_for_nvcc(std::string_view word) {
  return std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-+=.,:/%@").find(c) != std::string_view::npos;
  });
}

std::optional<std::string> refused_option(const model::Solution& solution) {
  if (!solution.spec.compile_options) return std::nullopt;
  const auto& options = *solution.spec.compile_options;
  const bool nvcc_links = std::any_of(solution.sources.begin(), solution.sources.end(),
                                      [](const auto& source) { return is_cuda(source.path); });
  if (auto refused = refused_of(options.cflags, false)) return refused;
  if (auto refused = refused_of(options.cuda_cflags, true)) return refused;
  return refused_of(options.ld_flags, nvcc_links);
}

}  // namespace fib::compile
