#include "compile/diagnostics.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <regex>

#include "util/text.h"
#include "util/utf8.h"

namespace fib::compile {
namespace {

constexpr std::size_t kLongestLine = 400;  // what is behind is no part of a message that matters

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    lines.emplace_back(line.substr(0, kLongestLine));
    if (line.size() > kLongestLine) lines.back() = util::valid_utf8(lines.back());
  }
  return lines;
}

// A solution may print what it likes: of very long logs the first and the last lines are looked at, where
// compilers and tracebacks say most.
std::vector<std::string> looked_at(std::string_view log) {
  constexpr std::ptrdiff_t kMost = 10'000;  // at either end
  auto lines = lines_of(log);
  if (std::ssize(lines) > 2 * kMost) lines.erase(lines.begin() + kMost, lines.end() - kMost);
  return lines;
}

std::uint64_t number(const std::string& digits) {
  std::uint64_t value = 0;
  (void)std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

std::string severity_of(const std::string& word) {
  return word.find("warning") != std::string::npos ? "warning" : "error";
}

std::string trimmed(const std::string& text) { return std::string(util::trimmed(text)); }

// "kernel.cpp:7:10: fatal error: ...", and the same without a column.
std::optional<Diagnostic> of_gcc(const std::string& line) {
  static const std::regex form(R"(^([^\s:][^:]*):(\d+):(?:(\d+):)? (fatal error|error|warning): (.*)$)");
  std::smatch match;
  if (!std::regex_match(line, match, form)) return std::nullopt;
  return Diagnostic{severity_of(match[4]), match[1], number(match[2]), number(match[3]), match[5], ""};
}

// "kernel.cu(12): error: ..." and "kernel.cu(12): error #20: ..."
std::optional<Diagnostic> of_nvcc(const std::string& line) {
  static const std::regex form(
      R"(^([^\s(][^(]*)\((\d+)\): (catastrophic error|error|warning)(?: #[\w-]+)?: (.*)$)");
  std::smatch match;
  if (!std::regex_match(line, match, form)) return std::nullopt;
  return Diagnostic{severity_of(match[3]), match[1], number(match[2]), 0, match[4], ""};
}

// "ptxas error   : ...", "ptxas /tmp/x.ptx, line 27; error   : ...", "nvcc fatal   : ..."
std::optional<Diagnostic> of_ptxas(const std::string& line) {
  static const std::regex form(R"(^(?:ptxas|nvcc|nvlink)\b.*?(error|warning|fatal)\s*: (.*)$)");
  std::smatch match;
  if (!std::regex_match(line, match, form)) return std::nullopt;
  return Diagnostic{severity_of(match[1]), "", 0, 0, match[2], ""};
}

// "kernel.cpp:(.text+0x1f): undefined reference to `f'", "cannot find -lx"
std::optional<Diagnostic> of_linker(const std::string& line) {
  const bool is_one = line.find("undefined reference to") != std::string::npos ||
                      line.find("undefined symbol: ") != std::string::npos ||
                      line.find("cannot find -l") != std::string::npos;
  if (!is_one) return std::nullopt;
  static const std::regex form(R"(^(?:.*/)?([\w.+-]+\.\w+):\(?[^:]*\)?: (undefined reference to .*)$)");
  std::smatch match;
  if (std::regex_match(line, match, form)) return Diagnostic{"error", match[1], 0, 0, match[2], ""};
  const auto at = line.rfind(": ");
  const bool cut = at != std::string::npos && line.find("undefined symbol: ") == std::string::npos;
  return Diagnostic{"error", "", 0, 0, cut ? line.substr(at + 2) : line, ""};
}

// What fib says of a build without the entry point: "the library does not export ...; it exports ...",
// "main.py defines no run at module level".
std::optional<Diagnostic> of_missing_symbol(const std::string& line) {
  static const std::regex form(R"(^([^\s:/][^:]*\.py) defines no \S+ at module level$)");
  std::smatch match;
  if (std::regex_match(line, match, form)) return Diagnostic{"error", match[1], 0, 0, line, ""};
  if (line.starts_with("the library does not export ")) return Diagnostic{"error", "", 0, 0, line, ""};
  return std::nullopt;
}

// The line that a compiler quotes below its message: "   12 |   x = y;", or the line itself.
std::string quoted_source(const std::vector<std::string>& lines, std::size_t next) {
  if (next >= lines.size()) return "";
  static const std::regex form(R"(^\s*\d* \| (.*)$)");
  std::smatch match;
  if (std::regex_match(lines[next], match, form)) return trimmed(match[1]);
  const bool has_caret = next + 1 < lines.size() && trimmed(lines[next + 1]).starts_with('^');
  return has_caret || lines[next].starts_with("    ") ? trimmed(lines[next]) : "";
}

// "main.py:1: SyntaxError: '(' was never closed", as fib's own check of Python sources says it.
std::optional<Diagnostic> of_python_check(const std::string& line) {
  static const std::regex form(R"(^([^\s:/][^:]*\.py):(\d+): (\w+Error: .*)$)");
  std::smatch match;
  if (!std::regex_match(line, match, form)) return std::nullopt;
  return Diagnostic{"error", match[1], number(match[2]), 0, match[3], ""};
}

struct Frame {
  std::string file;
  std::uint64_t line = 0;
  std::string source;
};

// `  File "main.py", line 3, in run`
std::optional<Frame> python_frame(const std::vector<std::string>& lines, std::size_t at) {
  static const std::regex form(R"-(^\s*File "([^"]+)", line (\d+)(?:, in .*)?$)-");
  std::smatch match;
  if (!std::regex_match(lines[at], match, form)) return std::nullopt;
  const std::string source =
      at + 1 < lines.size() && lines[at + 1].starts_with(' ') ? trimmed(lines[at + 1]) : "";
  return Frame{match[1], number(match[2]), source};
}

// The line that ends a traceback: "ValueError: no", "triton.runtime.errors.OutOfResources: ...".
bool is_python_error(const std::string& line) {
  static const std::regex form(R"(^[A-Za-z_][\w.]*(: .*)?$)");
  return std::regex_match(line, form);
}

// The path inside of a solution, whose folder has a name that fib made; else as it is.
std::string path_in_solution(const std::string& file) {
  static const std::regex form(R"(^.*/solution/fib_[^/]+/(.+)$)");
  std::smatch match;
  return std::regex_match(file, match, form) ? match[1].str() : file;
}

bool is_of_solution(const std::string& file) { return !file.starts_with('/') && !file.starts_with('<'); }

// What follows "triton.compiler.errors.CompilationError: at 3:20:": the kernel's lines up to the one that is
// wrong, a caret below it, and the reason.
struct Refusal {
  std::uint64_t column = 0;
  std::string source;
  std::string reason;
};

std::optional<Refusal> triton_refusal(const std::vector<std::string>& lines, std::size_t at) {
  constexpr std::size_t kLongest = 2000;  // lines of a kernel
  static const std::regex form(R"(^[\w.]*CompilationError: at (\d+):(\d+):$)");
  std::smatch match;
  if (!std::regex_match(lines[at], match, form)) return std::nullopt;
  const auto end = std::min(lines.size(), at + kLongest);
  for (std::size_t caret = at + 2; caret + 1 < end; ++caret) {
    if (trimmed(lines[caret]) == "^")
      return Refusal{number(match[2]) + 1, trimmed(lines[caret - 1]), lines[caret + 1]};
  }
  return std::nullopt;
}

class PythonMessages {
 public:
  explicit PythonMessages(const std::vector<model::SourceFile>& sources) : sources_(sources) {}

  // Nothing until the last line of a traceback.
  std::optional<Diagnostic> take(const std::vector<std::string>& lines, std::size_t at) {
    if (auto frame = python_frame(lines, at)) {
      frame->file = path_in_solution(frame->file);
      if (is_of_solution(frame->file) || !frame_) frame_ = std::move(*frame);
      return std::nullopt;
    }
    if (!frame_) return std::nullopt;
    Diagnostic diagnostic{"error", frame_->file, frame_->line, 0, lines[at], frame_->source};
    if (const auto refusal = triton_refusal(lines, at)) {
      refine(diagnostic, *refusal);
    } else if (!is_python_error(lines[at])) {
      return std::nullopt;
    }
    frame_.reset();
    return diagnostic;
  }

 private:
  // The place is where the kernel is launched, unless one line of the sources alone is the quoted one.
  void refine(Diagnostic& diagnostic, const Refusal& refusal) {
    constexpr int kMostSearched = 10;  // of what a log says; sources may be long
    diagnostic.message = "CompilationError: " + refusal.reason;
    if (++searched_ > kMostSearched) return;
    std::optional<Diagnostic> place;
    for (const auto& source : sources_) {
      if (!source.path.ends_with(".py")) continue;
      std::uint64_t line = 0;
      std::string_view rest = source.content;
      while (!rest.empty()) {
        const std::string_view text = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(rest.size(), text.size() + 1));
        ++line;
        if (util::trimmed(text.substr(0, kLongestLine)) != refusal.source) continue;
        if (place) return;
        place = Diagnostic{"error", source.path, line, refusal.column, diagnostic.message, refusal.source};
      }
    }
    if (place) diagnostic = *place;
  }

  const std::vector<model::SourceFile>& sources_;
  std::optional<Frame> frame_;
  int searched_ = 0;
};

// What a library raised on the way to an error that has a place in the solution.
void leave_out_causes(std::vector<Diagnostic>& found) {
  const auto is_foreign = [](const Diagnostic& one) {
    return one.file.starts_with('/') || one.file.starts_with('<');
  };
  if (std::all_of(found.begin(), found.end(), is_foreign)) return;
  std::erase_if(found, [&](const Diagnostic& one) { return is_foreign(one) && one.file.ends_with(".py"); });
}

bool same(const Diagnostic& left, const Diagnostic& right) {
  return left.file == right.file && left.line == right.line && left.message == right.message;
}

}  // namespace

std::vector<Diagnostic> diagnostics_of(std::string_view log, const std::vector<model::SourceFile>& sources,
                                       std::size_t most) {
  constexpr std::size_t kMostFound = 200;
  const auto lines = looked_at(log);
  std::vector<Diagnostic> found;
  PythonMessages python(sources);
  for (std::size_t i = 0; i < lines.size() && found.size() < kMostFound; ++i) {
    auto diagnostic = of_gcc(lines[i]);
    if (!diagnostic) diagnostic = of_nvcc(lines[i]);
    if (!diagnostic) diagnostic = of_python_check(lines[i]);
    if (diagnostic) diagnostic->source = quoted_source(lines, i + 1);
    if (!diagnostic) diagnostic = of_ptxas(lines[i]);
    if (!diagnostic) diagnostic = of_linker(lines[i]);
    if (!diagnostic) diagnostic = of_missing_symbol(lines[i]);
    if (!diagnostic) diagnostic = python.take(lines, i);
    if (!diagnostic) continue;
    const bool is_known = std::any_of(found.begin(), found.end(),
                                      [&](const Diagnostic& other) { return same(other, *diagnostic); });
    if (!is_known) found.push_back(std::move(*diagnostic));
  }
  leave_out_causes(found);
  std::stable_partition(found.begin(), found.end(),
                        [](const Diagnostic& one) { return one.severity == "error"; });
  if (found.size() > most) found.resize(most);
  return found;
}

}  // namespace fib::compile
