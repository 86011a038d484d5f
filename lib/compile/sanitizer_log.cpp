#include "compile/sanitizer_log.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <tuple>

#include "util/text.h"

namespace fib::compile {
namespace {

// The lines of a text, one after another.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}
  std::optional<std::string_view> next() {
    if (rest_.empty()) return std::nullopt;
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    const std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    return line;
  }

 private:
  std::string_view rest_;
};

struct Place {
  std::string file;
  std::uint64_t line = 0;
  std::uint64_t column = 0;
};

std::optional<std::uint64_t> number_of(std::string_view text) {
  std::uint64_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && stop == text.data() + text.size() && number > 0 ? std::optional(number)
                                                                                 : std::nullopt;
}

bool is_source(std::string_view file) {
  const std::size_t dot = file.rfind('.');
  if (dot == std::string_view::npos) return false;
  const std::string_view suffix = file.substr(dot);
  for (const std::string_view known :
       {".cu", ".cuh", ".cpp", ".cc", ".cxx", ".c", ".h", ".hpp", ".inl", ".py"}) {
    if (suffix == known) return true;
  }
  return false;
}

// Of "file:line:column" or "file:line".
std::optional<Place> place_of(std::string_view text) {
  std::vector<std::uint64_t> numbers;
  while (numbers.size() < 2) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos) break;
    const auto number = number_of(text.substr(colon + 1));
    if (!number) break;
    numbers.insert(numbers.begin(), *number);
    text = text.substr(0, colon);
  }
  if (numbers.empty() || !is_source(text)) return std::nullopt;
  return Place{std::string(text), numbers[0], numbers.size() > 1 ? numbers[1] : 0};
}

void take_place(Finding& finding, const Place& place) {
  finding.file = place.file;
  finding.line = place.line;
  finding.column = place.column;
}

// What is being read, until the next one begins.
class Open {
 public:
  explicit Open(std::vector<Finding>& findings) : findings_(findings) {}
  Finding& begin() {
    end();
    finding_ = {};
    is_open_ = true;
    return finding_;
  }
  void end() {
    if (is_open_) add();
    is_open_ = false;
  }
  [[nodiscard]] bool is_open() const { return is_open_; }
  Finding* operator->() { return &finding_; }
  Finding& operator*() { return finding_; }

 private:
  // A solution may print as many as it likes: the place of each is looked up.
  void add() {
    const auto [place, is_new] = places_.try_emplace(
        std::tuple(finding_.kind, finding_.file, finding_.line, finding_.function), findings_.size());
    if (is_new) {
      findings_.push_back(finding_);
    } else {
      ++findings_[place->second].times;
    }
  }

  std::vector<Finding>& findings_;
  std::map<std::tuple<std::string, std::string, std::uint64_t, std::string>, std::size_t> places_;
  Finding finding_;
  bool is_open_ = false;
};

std::string_view after(std::string_view line, std::string_view mark) {
  const std::size_t at = line.find(mark);
  return at == std::string_view::npos ? std::string_view() : line.substr(at + mark.size());
}

// "    #0 0x7f in run /tmp/x/src/main.cpp:5:3": function and place.
bool take_frame(Finding& finding, std::string_view line) {
  const std::size_t hash = line.find_first_not_of(' ');
  if (hash == std::string_view::npos || line[hash] != '#') return false;
  const std::string_view named = after(line, " in ");
  const std::size_t space = named.rfind(' ');
  if (space == std::string_view::npos) return true;
  const auto place = place_of(named.substr(space + 1));
  // Sources of solutions are named relative to their folder; those of the tool and of fib are not.
  if (!place || !finding.file.empty() || place->file.starts_with('/') || place->file.starts_with(".."))
    return true;
  take_place(finding, *place);
  finding.function = named.substr(0, space);
  return true;
}

constexpr std::string_view kBar = "=========";

// Whether a line of compute-sanitizer begins what it has found. fib itself asks the driver for a kernel's
// parameters until it says that there are no more, which is an error of that call. A program that ended
// before it came to the device was not looked at.
bool begins_finding(std::string_view text) {
  if (text.find(" cuFuncGetParamInfo") != std::string_view::npos) return false;
  if (text.starts_with("Error: Target application ")) return false;
  for (const std::string_view begin : {"Invalid ", "Uninitialized ", "Barrier error", "Race reported",
                                       "Error: ", "Warning: ", "Program hit ", "Misaligned ", "Address ",
                                       "Leaked ", "Host API uninitialized", "Unused memory", "Fatal "}) {
    if (text.starts_with(begin)) return true;
  }
  return false;
}

// The name that the solution has for a source which a tool names by its path: NVRTC's lie below the folder
// "src" that they were built in, Triton's below "solution/<the package>".
std::string name_in_solution(const std::string& file) {
  constexpr std::string_view kBuilt = "/src/";
  constexpr std::string_view kPython = "/solution/fib_";
  if (!file.starts_with('/')) return file;
  if (const std::size_t folder = file.rfind(kBuilt); folder != std::string::npos)
    return file.substr(folder + kBuilt.size());
  const std::size_t folder = file.rfind(kPython);
  const std::size_t package_end =
      folder == std::string::npos ? folder : file.find('/', folder + kPython.size());
  return package_end == std::string::npos ? file : file.substr(package_end + 1);
}

// "at kernel(float *, int)+0x90 in main.cu:7"; older versions have "+0x90 in
// /tmp/x/src/main.cu:7:kernel(...)".
void take_device_place(Finding& finding, std::string_view text) {
  const std::string_view at = after(text, "at ");
  const std::size_t in = at.rfind(" in ");
  if (in == std::string_view::npos) return;
  if (finding.function.empty()) {
    const std::string_view function = util::trimmed(at.substr(0, in));
    finding.function = function.substr(0, function.rfind('+'));
  }
  auto place = place_of(util::trimmed(at.substr(in + 4)));
  if (!place || !finding.file.empty()) return;
  place->file = name_in_solution(place->file);
  take_place(finding, *place);
}

}  // namespace

std::vector<Finding> findings_of_host(std::string_view output) {
  std::vector<Finding> findings;
  Open open(findings);
  Lines lines(output);
  while (const auto line = lines.next()) {
    const std::string_view address = after(*line, "ERROR: AddressSanitizer: ");
    if (!address.empty()) {
      open.begin();
      open->tool = "address";
      open->kind = address.substr(0, address.find(' '));
      open->message = open->kind;
      continue;
    }
    constexpr std::string_view kRuntime = ": runtime error: ";
    const std::size_t runtime = line->find(kRuntime);
    if (runtime != std::string_view::npos) {
      Finding& finding = open.begin();
      finding.tool = "undefined";
      finding.message = line->substr(runtime + kRuntime.size());
      finding.kind = finding.message.substr(0, finding.message.find_first_of(":0123456789"));
      if (const auto place = place_of(line->substr(0, runtime))) take_place(finding, *place);
      open.end();
      continue;
    }
    if (!open.is_open()) continue;
    if (take_frame(*open, *line)) continue;
    const std::string_view text = util::trimmed(*line);
    if (text.starts_with("READ of size") || text.starts_with("WRITE of size"))
      open->message = open->kind + ": " + std::string(text.substr(0, text.find(" at 0x")));
    const std::size_t located = text.find(" is located ");
    if (located != std::string_view::npos && open->detail.empty()) open->detail = text.substr(located + 1);
    if (text.starts_with("SUMMARY:")) open.end();
  }
  open.end();
  return findings;
}

std::vector<Finding> findings_of_device(std::string_view tool, std::string_view output) {
  std::vector<Finding> findings;
  Open open(findings);
  Lines lines(output);
  while (const auto line = lines.next()) {
    if (!line->starts_with(kBar)) continue;
    const std::string_view rest = line->substr(kBar.size());
    const bool is_head = rest.starts_with(" ") && !rest.starts_with("  ");
    const std::string_view text = util::trimmed(rest);
    if (is_head && begins_finding(text)) {
      open.begin();
      open->tool = tool;
      open->message = text;
      open->kind = text.substr(0, text.find(" at "));
      take_device_place(*open, text);
    } else if (!open.is_open() || text.empty() || text.find("SUMMARY:") != std::string_view::npos) {
      open.end();
    } else if (text.starts_with("at ") || text.starts_with("and ")) {
      take_device_place(*open, text);
      if (text.starts_with("and ")) open->detail += (open->detail.empty() ? "" : "; ") + std::string(text);
    } else if (text.starts_with("by thread") || text.starts_with("Access ") || text.starts_with("Address ")) {
      open->detail += (open->detail.empty() ? "" : "; ") + std::string(text);
    }
  }
  open.end();
  return findings;
}

}  // namespace fib::compile
