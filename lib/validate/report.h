#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/errors.h"

// What a validation found, as values, and its renderings. All functions are pure.
namespace fib::validate {

enum class Level { info, warning, error };

// Where the fault lies.
struct Place {
  std::string file;      // relative to the dataset's root; empty: no single file
  std::size_t line = 0;  // from 1; 0: the whole file
};

struct Message {
  Level level = Level::info;
  std::string text;
  Place place;
};
using Messages = std::vector<Message>;

// Append one message.
void info(Messages& messages, std::string text);
void warning(Messages& messages, Place place, std::string text);
void error(Messages& messages, Place place, std::string text);

// Ordered: the worst is the greatest.
enum class Status { ok, warning, error };
[[nodiscard]] std::string_view name_of(Level level);    // "info", "warning", "error"
[[nodiscard]] std::string_view name_of(Status status);  // "ok", "warning", "error"

struct CheckResult {
  std::string name;
  std::optional<Messages> messages;  // nothing: the check was skipped
  std::string why_skipped{};         // empty: it was not asked for
};
// That of the worst message; of a skipped check: ok.
[[nodiscard]] Status status_of(const CheckResult& result);

struct DefinitionReport {
  std::string name;
  std::string file;                 // relative to the root
  std::vector<CheckResult> checks;  // the format's seven, then (lenient) fib's own
};
[[nodiscard]] Status status_of(const std::vector<CheckResult>& checks);

struct Config {
  std::string dataset;              // the root as the user named it
  std::vector<std::string> checks;  // those that ran
  bool disable_gpu = true;          // what needs a GPU was not done
  std::vector<std::string> op_types;
  std::vector<std::string> definitions;
};

struct Report {
  Config config;
  model::Mode mode = model::Mode::lenient;
  std::vector<DefinitionReport> definitions;  // sorted by name
  std::vector<CheckResult> dataset;           // checks of the dataset as a whole; none in upstream mode
  std::vector<std::string> notes;             // what was not done, and why; for people and programs
};

// How many definitions are ok, have warnings, have errors; the dataset as a whole is not counted.
[[nodiscard]] std::array<std::size_t, 3> count_by_status(const Report& report);
// "14 definitions: 0 ok, 3 warning, 11 error".
[[nodiscard]] std::string count_line(const Report& report);
// The worst of everything that was checked.
[[nodiscard]] Status status_of(const Report& report);

// The format's report: {config, definitions{name: {status, <check>: null | {status, messages}}}}, indented,
// no final newline. In lenient mode fib's own checks follow the seven, and the keys "dataset" and "notes" the
// definitions.
[[nodiscard]] std::string to_json(const Report& report);
// The format's text for people, with a final newline. Lenient mode adds the same as in JSON.
[[nodiscard]] std::string to_text(const Report& report);
// One GitHub workflow command ("::error file=...::...") for each warning and error, then the count line.
// Files are named as `config.dataset`/file.
[[nodiscard]] std::string to_github(const Report& report);
// A JUnit document: a suite for each definition, a case for each check. Errors are failures, and with
// `warnings_fail` warnings too; other messages are the case's output.
[[nodiscard]] std::string to_junit(const Report& report, bool warnings_fail);

}  // namespace fib::validate
