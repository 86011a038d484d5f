#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "present/table.h"
#include "present/text.h"

namespace fib::present {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kIdentityWidth = 9;   // eight characters and the ellipsis
constexpr std::size_t kTextWidth = 10;      // no text column gets narrower
constexpr std::size_t kReadableWidth = 24;  // nor narrower than this while a spare column could go instead
constexpr std::size_t kGroupIndent = 2;

using Lines = std::vector<std::string>;

constexpr std::size_t kWidestColumn = 400;  // where there is no terminal

// What is drawn of one column.
struct Drawn {
  std::size_t index = 0;  // in the table
  const Column* column = nullptr;
  Lines header;
  std::size_t content = 0;                        // columns of the widest cell
  std::size_t width = 0;                          // columns it gets
  std::map<std::string, std::string> names = {};  // of names: as they are shown there
};

// A name of several words in two lines, as narrow as can be.
Lines in_two_lines(const std::string& name) {
  Lines best{name};
  for (std::size_t i = name.find(' '); i != std::string::npos; i = name.find(' ', i + 1)) {
    Lines lines{name.substr(0, i), name.substr(i + 1)};
    const auto width = [](const Lines& all) {
      return std::max(display_width(all.front()), display_width(all.back()));
    };
    if (width(lines) < width(best)) best = std::move(lines);
  }
  return best;
}

std::size_t header_width(const Lines& header) {
  std::size_t width = 0;
  for (const std::string& line : header) width = std::max(width, display_width(line));
  return width;
}

class TextTable {
 public:
  TextTable(const Table& table, const TextStyle& style) : table_(table), style_(style) {
    for (std::size_t i = table.grouped ? 1 : 0; i < table.columns.size(); ++i) {
      if (table.columns[i].audience == Audience::programs) continue;
      drawn_.push_back({i, &table.columns[i], {table.columns[i].name}, 0, 0});
    }
    measure();
    const std::vector<Drawn> all = drawn_;
    fit(kReadableWidth);
    while (total() > limit() && leave_out_a_column()) fit(kReadableWidth);
    fit(kTextWidth);
    if (total() > limit()) {
      drawn_ = all;
      left_out_.clear();
    }
    shorten_all_names();
  }

  [[nodiscard]] std::string render() const {
    return total() > limit() ? in_lines() : in_columns() + left_out_text();
  }

 private:
  [[nodiscard]] std::string in_columns() const {
    std::string result = header() + std::string(std::min(total(), limit()), '-') + "\n";
    const std::string* group = nullptr;
    for (const auto& row : table_.rows) {
      if (table_.grouped && (group == nullptr || *group != row.front().text)) {
        group = &row.front().text;
        result += shorten(printable(*group), limit()) + "\n";
      }
      result += line([&](const Drawn& drawn) { return row[drawn.index]; });
    }
    return result;
  }

  // For terminals that are too narrow: every cell in a line of its own, rows with a rule between.
  [[nodiscard]] std::string in_lines() const {
    std::string result;
    for (const auto& row : table_.rows) {
      if (!result.empty()) result += std::string(limit(), '-') + "\n";
      if (table_.grouped) result += shorten(printable(row.front().text), limit()) + "\n";
      for (const Drawn& drawn : drawn_) result += named_cell(drawn, printable(row[drawn.index].text));
    }
    return result;
  }

  // "Name: text", in two lines where that is too wide; only numbers are never cut.
  [[nodiscard]] std::string named_cell(const Drawn& drawn, const std::string& text) const {
    const std::string name = drawn.column->name + ":";
    const bool fits = display_width(name) + 1 + display_width(text) <= limit();
    if (fits) return name + " " + text + "\n";
    return shorten(name, limit()) + "\n" + std::string(kGroupIndent, ' ') +
           (drawn.column->fit == Fit::whole ? text : cut(drawn, text, room())) + "\n";
  }

  // In a table that does not fit each cell has a line of its own.
  void shorten_all_names() {
    if (style_.width == 0) return;
    for (Drawn& drawn : drawn_) {
      const std::size_t width = total() > limit() ? room() : drawn.width;
      if (drawn.column->fit != Fit::name || drawn.content <= width) continue;
      std::set<std::string> names;
      for (const auto& row : table_.rows) names.insert(printable(row[drawn.index].text));
      drawn.names = shorten_names(names, width);
    }
  }

  // For what has a line of its own below its column's name.
  [[nodiscard]] std::size_t room() const { return std::max(limit(), kGroupIndent + 1) - kGroupIndent; }

  // The last of those that are to go first; false where none is left.
  bool leave_out_a_column() {
    const auto last = std::max_element(
        drawn_.rbegin(), drawn_.rend(),
        [](const auto& left, const auto& right) { return left.column->spare < right.column->spare; });
    if (last == drawn_.rend() || last->column->spare == 0) return false;
    const bool says_something = std::any_of(table_.rows.begin(), table_.rows.end(), [&](const auto& row) {
      const std::string& text = row[last->index].text;
      return !text.empty() && text != "-";
    });
    if (says_something) left_out_[last->index] = last->column->name;
    drawn_.erase(std::next(last).base());
    measure();
    return true;
  }

  [[nodiscard]] std::string left_out_text() const {
    if (left_out_.empty()) return "";
    std::string names;
    for (const auto& [index, name] : left_out_) names += (names.empty() ? "" : ", ") + name;
    return wrap("Left out, for want of room: " + names, limit()) + "\n";
  }

  void measure() {
    for (Drawn& drawn : drawn_) {
      drawn.header = {drawn.column->name};
      for (const auto& row : table_.rows) {
        drawn.content = std::max(drawn.content, display_width(printable(row[drawn.index].text)));
      }
      drawn.width = std::max(drawn.content, header_width(drawn.header));
      // Nothing is cut where there is no terminal; what is longer stands out of its column, or one long cell
      // would give all rows as many spaces.
      if (style_.width == 0) drawn.width = std::min(drawn.width, kWidestColumn);
    }
  }

  void fit(std::size_t text_width) {
    if (total() <= limit()) return;
    for (Drawn& drawn : drawn_) {
      if (drawn.width == drawn.content) continue;
      drawn.header = in_two_lines(drawn.column->name);
      drawn.width = std::max(drawn.content, header_width(drawn.header));
    }
    narrow({Fit::identity}, kIdentityWidth);
    narrow({Fit::text, Fit::name}, text_width);
  }

  // Takes one column of characters at a time from the widest that may be cut, until the table fits.
  void narrow(std::initializer_list<Fit> fits, std::size_t smallest) {
    while (total() > limit()) {
      Drawn* widest = nullptr;
      for (Drawn& drawn : drawn_) {
        const bool may_be_cut = std::find(fits.begin(), fits.end(), drawn.column->fit) != fits.end();
        if (!may_be_cut || drawn.width <= std::max(smallest, header_width(drawn.header))) continue;
        if (widest == nullptr || drawn.width > widest->width) widest = &drawn;
      }
      if (widest == nullptr) return;
      --widest->width;
    }
  }

  [[nodiscard]] std::size_t indent() const { return table_.grouped ? kGroupIndent : 0; }
  [[nodiscard]] std::size_t limit() const { return style_.width == 0 ? std::string::npos : style_.width; }

  [[nodiscard]] std::size_t total() const {
    return std::accumulate(drawn_.begin(), drawn_.end(), indent() + kGap * (drawn_.size() - 1),
                           [](std::size_t sum, const Drawn& drawn) { return sum + drawn.width; });
  }

  // The last of several header lines is next to the rule.
  [[nodiscard]] std::string header() const {
    std::size_t height = 1;
    for (const Drawn& drawn : drawn_) height = std::max(height, drawn.header.size());
    std::string result;
    for (std::size_t i = 0; i < height; ++i) {
      std::string text = line([&](const Drawn& drawn) {
        const std::size_t skipped = height - drawn.header.size();
        return Cell{i < skipped ? std::string() : drawn.header[i - skipped], {}};
      });
      text.pop_back();
      result += (style_.bold ? "\x1b[1m" + text + "\x1b[0m" : text) + "\n";
    }
    return result;
  }

  // Red, green and yellow are what terminals have by these numbers.
  [[nodiscard]] std::string colored(const std::string& text, Tone tone) const {
    if (!style_.bold || tone == Tone::plain || text.empty()) return text;
    const char* color = tone == Tone::bad ? "31" : tone == Tone::good ? "32" : "33";
    return std::string("\x1b[") + color + "m" + text + "\x1b[0m";
  }

  // A header is no name of its column.
  [[nodiscard]] std::string cut(const Drawn& drawn, const std::string& text, std::size_t width) const {
    if (style_.width == 0) return text;
    const auto name = drawn.names.find(text);
    return name != drawn.names.end() ? name->second : shorten(text, width);
  }

  template <typename CellOf>
  [[nodiscard]] std::string line(CellOf&& cell_of) const {
    std::string result(indent(), ' ');
    for (const Drawn& drawn : drawn_) {
      const Cell& cell = cell_of(drawn);
      const std::string whole = printable(cell.text);
      const std::string text = cut(drawn, whole, drawn.width);
      const std::string padding(drawn.width - std::min(drawn.width, display_width(text)), ' ');
      const std::string shown = colored(text, cell.tone);
      if (&drawn != &drawn_.front()) result += std::string(kGap, ' ');
      result += drawn.column->align == Align::right ? padding + shown : shown + padding;
    }
    result.erase(result.find_last_not_of(' ') + 1);
    return result + "\n";
  }

  const Table& table_;
  TextStyle style_;
  std::vector<Drawn> drawn_;
  std::map<std::size_t, std::string> left_out_;  // names of columns, by their place in the table
};

}  // namespace

std::string to_text(const Table& table, const TextStyle& style) {
  return table.rows.empty() ? "" : TextTable(table, style).render();
}

}  // namespace fib::present
