#include "present/github.h"

#include <fmt/format.h>

#include "present/source_text.h"
#include "util/some_of.h"

namespace fib::present {
namespace {

// "%", line ends and, in properties, ":" and "," have a meaning in workflow commands.
std::string escaped(std::string_view text, std::string_view special) {
  std::string result;
  for (const char c : printable_lines(text)) {
    if (special.find(c) == std::string_view::npos) {
      result += c;
    } else {
      result += fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    }
  }
  return result;
}

std::string_view name_of(Annotation level) {
  switch (level) {
    case Annotation::notice:
      return "notice";
    case Annotation::warning:
      return "warning";
    case Annotation::error:
      break;
  }
  return "error";
}

}  // namespace

std::string annotation(Annotation level, std::string_view title, std::string_view text,
                       const AnnotationPlace& place) {
  const auto property = [](std::string_view name, std::string_view value) {
    return fmt::format("{}={}", name, escaped(value, "%\r\n:,"));
  };
  std::string properties;
  const auto add = [&](const std::string& more) { properties += (properties.empty() ? " " : ",") + more; };
  if (!place.file.empty()) add(property("file", place.file));
  if (!place.file.empty() && place.line > 0) add(property("line", std::to_string(place.line)));
  if (!title.empty()) add(property("title", title));
  return fmt::format("::{}{}::{}\n", name_of(level), properties, escaped(text, "%\r\n"));
}

void FirstAnnotations::add(const std::string& line) {
  if (++count_ <= kMostAnnotations) text_ += line;
}

std::string FirstAnnotations::text(const std::string& noun) const {
  if (count_ <= kMostAnnotations) return text_;
  return text_ + "... " + util::and_more(count_, kMostAnnotations, noun) + "\n";
}

}  // namespace fib::present
