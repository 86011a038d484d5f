#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/errors.h"
#include "model/fields.h"

namespace fib::model {

enum class Language { python, triton, cpp, cuda, tilelang, unknown };
enum class Binding { none, torch, tvm_ffi, unknown };
enum class DeviceKind { cpu, cuda };

[[nodiscard]] std::string_view name_of(Language language);  // "python", ...; "unknown"
[[nodiscard]] std::string_view name_of(DeviceKind kind);    // "cpu", "cuda"

// Extra options of the compilers. A list that is absent is nothing.
struct CompileOptions {
  std::optional<std::vector<std::string>> cflags;
  std::optional<std::vector<std::string>> cuda_cflags;
  std::optional<std::vector<std::string>> ld_flags;
  Unknown unknown;
};

// How a solution is built and called.
struct Spec {
  Language language = Language::unknown;
  std::string language_text;  // as written; the first entry of a `languages` list
  std::vector<std::string> target_hardware;
  std::string entry_point;                               // "<file>::<symbol>"
  std::optional<std::vector<std::string>> dependencies;  // nothing: key absent
  std::optional<bool> destination_passing;               // key `destination_passing_style`; nothing: absent
  Binding binding = Binding::none;
  NullableText binding_text;  // as written
  std::optional<CompileOptions> compile_options;
  std::optional<nlohmann::ordered_json> launch;     // kept as read
  std::optional<nlohmann::ordered_json> workspace;  // kept as read
  Unknown unknown;

  [[nodiscard]] std::string_view entry_file() const;    // before the "::"
  [[nodiscard]] std::string_view entry_symbol() const;  // after it; may be empty
  // Outputs are passed in (the format's default) rather than returned.
  [[nodiscard]] bool destination_passing_style() const { return destination_passing.value_or(true); }
};

struct SourceFile {
  std::string path;  // relative, without ".."; lenient mode: no component begins with '-' or '@'
  std::string content;
  Unknown unknown;
};

// Source code that claims to compute a definition.
struct Solution {
  std::string name;
  std::string definition;
  std::string author;
  Spec spec;
  std::vector<SourceFile> sources;  // at least one; paths are unique
  NullableText description;
  Unknown unknown;

  [[nodiscard]] const SourceFile* entry_source() const;  // null when no source has the entry file's path
};

// Reads one document. Throws ParseError: all field errors, or the first broken rule of the model.
[[nodiscard]] Solution parse_solution(std::string_view text, Mode mode = Mode::lenient);
[[nodiscard]] Solution read_solution(const json::Value& value, Mode mode = Mode::lenient);

// Only the keys that were present are written, in the format's order. No final newline.
[[nodiscard]] json::Value to_value(const Solution& solution, Mode mode = Mode::lenient);
[[nodiscard]] std::string to_json(const Solution& solution, json::Form form = json::Form::indented,
                                  Mode mode = Mode::lenient);

// Whether the solution can run on that kind of device: cuda and tilelang need CUDA; cpp runs on the CPU when
// target_hardware names "cpu" (in any case), and on CUDA when it names anything else; python and triton run
// on both. Unknown languages run nowhere.
[[nodiscard]] bool may_run_on(const Solution& solution, DeviceKind kind);

// The format's SHA-1 over definition, language, entry point, binding, dependencies and sources, as 40 hex
// digits. It names things; it does not tell all builds apart (see content_sha256).
[[nodiscard]] std::string upstream_hash(const Solution& solution);
// The same as it was from 3 February to 23 March 2026: the solution's name first.
[[nodiscard]] std::string legacy_hash(const Solution& solution);
// As it was before that: name first, no binding.
[[nodiscard]] std::string oldest_hash(const Solution& solution);
// "<prefix><name, other characters than [0-9A-Za-z_] as _>_<first 6 digits of the hash>"; prefix "tvm_ffi_",
// "torch_", "fib_python_", "fib_triton_" or "fib_tilelang_".
[[nodiscard]] std::string package_name(const Solution& solution, std::string_view prefix);
// "<name>_<first 8 digits of the hash>".
[[nodiscard]] std::string unique_name(const Solution& solution);

// SHA-256 (64 hex digits) over everything that decides how the solution is built and called, every part with
// its length: definition, language, entry point, binding, destination passing style (absent, false, true),
// target hardware, dependencies, compile options, launch, workspace, sources. Not name, author and
// description.
[[nodiscard]] std::string content_sha256(const Solution& solution);

}  // namespace fib::model
