#include "man_footer.h"

#include <algorithm>
#include <regex>
#include <sstream>
#include <string_view>

namespace fib::cmd {
namespace {

constexpr std::string_view kExamples = "Examples:";
constexpr std::string_view kExitCodesTitle = "Exit codes:";

// "0 done, 1 something, for a reason; 2 usage" at each code that follows the text's begin, a comma or a
// semicolon.
std::vector<std::pair<std::string, std::string>> parse_codes(std::string text) {
  static const std::regex code(R"((^|[,;] +)(\d{1,3}) )");
  if (!text.empty() && text.back() == '.') text.pop_back();
  std::vector<std::pair<std::string, std::string>> codes;
  std::size_t begin = 0;
  for (std::sregex_iterator match(text.begin(), text.end(), code), end; match != end; ++match) {
    const auto position = static_cast<std::size_t>(match->position());
    if (!codes.empty()) codes.back().second = text.substr(begin, position - begin);
    begin = position + static_cast<std::size_t>(match->length());
    codes.emplace_back((*match)[2], "");
  }
  if (!codes.empty()) codes.back().second = text.substr(begin);
  return codes;
}

class Parser {
 public:
  void add(const std::string& line) {
    if (line.starts_with(kExamples)) {
      place_ = Place::examples;
    } else if (line.starts_with(kExitCodesTitle)) {
      place_ = Place::exit_codes;
      add_codes(line.substr(kExitCodesTitle.size()));
    } else if (place_ == Place::exit_codes) {
      add_codes(line);
    } else if (place_ == Place::examples && line.starts_with(' ')) {
      footer_.examples += line + "\n";
    } else {
      place_ = Place::notes;
      add_note(line);
    }
  }

  Footer finish() {
    footer_.exit_status = parse_codes(codes_);
    std::sort(footer_.exit_status.begin(), footer_.exit_status.end(),
              [](const auto& a, const auto& b) { return std::stol(a.first) < std::stol(b.first); });
    return std::move(footer_);
  }

 private:
  enum class Place { notes, examples, exit_codes };

  void add_codes(const std::string& line) {
    const std::size_t begin = line.find_first_not_of(' ');
    if (begin != std::string::npos) codes_ += (codes_.empty() ? "" : " ") + line.substr(begin);
    if (line.ends_with('.')) place_ = Place::notes;
  }

  void add_note(const std::string& line) {
    const bool preformatted = line.starts_with(' ');
    auto& notes = footer_.notes;
    if (notes.empty() && line.empty()) return;
    if (notes.empty() || (!line.empty() && notes.back().preformatted != preformatted))
      notes.push_back({preformatted, ""});
    notes.back().text += line + "\n";
  }

  Footer footer_;
  std::string codes_;
  Place place_ = Place::notes;
};

}  // namespace

Footer parse_footer(const std::string& text) {
  Parser parser;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) parser.add(line);
  return parser.finish();
}

}  // namespace fib::cmd
