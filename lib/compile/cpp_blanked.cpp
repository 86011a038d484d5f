#include <cctype>

#include "compile/cpp_characters.h"
#include "compile/cpp_source.h"

namespace fib::compile {
namespace {

// Goes through a source once and blanks what is no code.
class Blanker {
 public:
  explicit Blanker(std::string_view source) : source_(source), text_(source) {}

  std::string run() {
    while (at_ < source_.size()) step();
    return std::move(text_);
  }

 private:
  [[nodiscard]] bool here(std::string_view mark) const { return source_.substr(at_, mark.size()) == mark; }

  void step() {
    const char c = source_[at_];
    if (here("//")) return blank_to(end_of_line(at_));
    if (here("/*")) return blank_to(after("*/", at_ + 2));
    if (c == '#' && line_is_blank_) return preprocessor_line();
    if (c == '"') return string_literal();
    if (c == '\'' && !separates_digits()) return quoted('\'');
    if (c == '\n') {
      line_is_blank_ = true;
    } else if (c != ' ' && c != '\t') {
      line_is_blank_ = false;
    }
    ++at_;
  }

  // The position behind `mark`, looked for from `from`.
  [[nodiscard]] std::size_t after(std::string_view mark, std::size_t from) const {
    const auto found = source_.find(mark, from);
    return found == std::string_view::npos ? source_.size() : found + mark.size();
  }

  // The line's end; a backslash before it continues the line.
  [[nodiscard]] std::size_t end_of_line(std::size_t from) const {
    auto end = source_.find('\n', from);
    while (end != std::string_view::npos && end > 0 && source_[end - 1] == '\\')
      end = source_.find('\n', end + 1);
    return end == std::string_view::npos ? source_.size() : end;
  }

  void blank_to(std::size_t end) {
    for (; at_ < end; ++at_) {
      if (text_[at_] != '\n') text_[at_] = ' ';
    }
  }

  // To its end, or to a comment, which may go on in the next lines. A backslash before the line's end
  // continues it.
  void preprocessor_line() {
    std::size_t end = at_;
    const auto ends_at = [&](std::size_t at) {
      return (source_[at] == '\n' && (at == 0 || source_[at - 1] != '\\')) || source_.substr(at, 2) == "/*";
    };
    while (end < source_.size() && !ends_at(end)) ++end;
    blank_to(end);
  }

  // 1'000'000
  [[nodiscard]] bool separates_digits() const {
    constexpr std::size_t kLongest =
        1000;  // else each of the marks of one endless number looks at all before it
    std::size_t begin = at_;
    while (begin > 0 && at_ - begin < kLongest && (is_word(source_[begin - 1]) || source_[begin - 1] == '\''))
      --begin;
    return begin < at_ && std::isdigit(static_cast<unsigned char>(source_[begin])) != 0;
  }

  void string_literal() {
    line_is_blank_ = false;
    const bool raw = at_ > 0 && source_[at_ - 1] == 'R' && (at_ < 2 || !is_word(source_[at_ - 2]));
    if (!raw) return quoted('"');
    const auto open = source_.find('(', at_);
    if (open == std::string_view::npos) return blank_to(source_.size());
    const std::string close = ")" + std::string(source_.substr(at_ + 1, open - at_ - 1)) + "\"";
    ++at_;
    blank_to(after(close, open) - 1);
    ++at_;
  }

  // The quotes stay.
  void quoted(char quote) {
    line_is_blank_ = false;
    std::size_t end = at_ + 1;
    while (end < source_.size() && source_[end] != quote && source_[end] != '\n')
      end += source_[end] == '\\' ? 2 : 1;
    ++at_;
    blank_to(std::min(end, source_.size()));
    if (at_ < source_.size()) ++at_;
  }

  std::string_view source_;
  std::string text_;
  std::size_t at_ = 0;
  bool line_is_blank_ = true;
};

}  // namespace

std::string blanked(std::string_view source) { return Blanker(source).run(); }

}  // namespace fib::compile
