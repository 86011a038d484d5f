#include "chart/terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "chart/frame.h"
#include "chart/number_text.h"
#include "present/text.h"

namespace fib::chart {
namespace {

using present::display_width;

constexpr std::array<std::string_view, 9> kEighths = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
constexpr std::array<std::string_view, 8> kHeights = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::size_t kNarrowestBar = 8;

std::size_t line_width(const present::TextStyle& style) {
  return std::max<std::size_t>(40, style.width == 0 ? 100 : style.width);
}

// `share` of `columns` as blocks, to an eighth of a column. What is not 0 is seen.
std::string blocks(double share, std::size_t columns) {
  auto eighths =
      static_cast<std::size_t>(std::lround(std::clamp(share, 0.0, 1.0) * 8 * static_cast<double>(columns)));
  if (share > 0) eighths = std::max<std::size_t>(eighths, 1);
  std::string text;
  for (std::size_t i = 0; i < eighths / 8; ++i) text += kEighths.back();
  return text + std::string(kEighths[eighths % 8]);
}

std::string_view colour_of(Tone tone) {
  if (tone == Tone::good) return "\x1b[32m";
  if (tone == Tone::bad) return "\x1b[31m";
  if (tone == Tone::warning) return "\x1b[33m";
  return tone == Tone::muted ? "\x1b[2m" : "";
}

std::string coloured(const std::string& text, Tone tone, const present::TextStyle& style) {
  const std::string_view colour = colour_of(tone);
  if (!style.bold || colour.empty() || text.empty()) return text;
  return fmt::format("{}{}\x1b[0m", colour, text);
}

struct TextRow {
  std::string label;
  std::string text;
  double share = 0;  // of the longest bar there can be
  Tone tone = Tone::plain;
};

std::string padded(const std::string& text, std::size_t width) {
  const std::size_t used = display_width(text);
  return text + std::string(used < width ? width - used : 0, ' ');
}

// Labels in one column, bars, and the text right of each bar.
std::string rows_text(const std::vector<TextRow>& rows, const present::TextStyle& style) {
  const std::size_t width = line_width(style);
  std::size_t labels = 0;
  std::size_t texts = 0;
  for (const TextRow& row : rows) {
    labels = std::max(labels, display_width(row.label));
    texts = std::max(texts, display_width(row.text));
  }
  texts = std::min(texts, width * 3 / 10);
  labels = std::min(labels, width - texts - kNarrowestBar - 2);
  labels = std::min(labels, width * 2 / 5);
  const std::size_t bar = width - texts - labels - 2;
  std::string result;
  for (const TextRow& row : rows) {
    std::string line = padded(present::shorten(row.label, std::max<std::size_t>(labels, 1)), labels) + ' ';
    const std::string blocks_text = blocks(row.share, bar);
    if (!blocks_text.empty()) line += coloured(blocks_text, row.tone, style) + ' ';
    // A row without a bar has the bar's room for its text.
    const std::size_t room = blocks_text.empty() ? bar + texts : texts;
    const std::string text = room == 0 ? "" : present::shorten(row.text, room);
    line += blocks_text.empty() ? coloured(text, row.tone, style) : text;
    line.erase(line.find_last_not_of(' ') + 1);
    result += line + "\n";
  }
  return result;
}

std::vector<double> shown_values(const BarChart& chart) {
  std::vector<double> values;
  for (const Bar& bar : chart.bars) {
    if (bar.value && can_show(*bar.value, chart.value.spacing)) values.push_back(*bar.value);
  }
  return values;
}

std::string text_of(const Bar& bar, Unit unit) {
  if (!bar.text.empty() || !bar.value) return bar.text;
  return value_text(*bar.value, unit);
}

// From 0 to the greatest value; on log axes from a round number below the least.
Scale bar_scale(const BarChart& chart) {
  const auto values = shown_values(chart);
  const Spacing spacing = chart.value.spacing;
  if (spacing == Spacing::linear) {
    double longest = 0;
    for (const double value : values) longest = std::max(longest, std::abs(value));
    return {spacing, {0, longest > 0 ? longest : 1}, 0, 1};
  }
  Range range = axis_range(values, chart.value, 7);
  if (!values.empty())
    range.high = std::max(*std::max_element(values.begin(), values.end()), range.low * 1.001);
  return {spacing, range, 0, 1};
}

std::string count_line(std::size_t left_out, Spacing spacing) {
  const std::string note = left_out_note(left_out, spacing != Spacing::linear);
  return note.empty() ? "" : note + "\n";
}

}  // namespace

std::string bars_text(const BarChart& chart, const present::TextStyle& style) {
  if (chart.bars.empty()) return "no data\n";
  const Scale scale = bar_scale(chart);
  std::vector<TextRow> rows;
  std::size_t left_out = 0;
  for (const Bar& bar : chart.bars) {
    TextRow row{present::printable(bar.label), present::printable(text_of(bar, chart.value.unit)), 0,
                bar.tone};
    const bool is_shown = bar.value && can_show(*bar.value, chart.value.spacing);
    // Terminals have no room on the left of 0: the length is the size, the text has the sign.
    if (is_shown)
      row.share = scale.at(chart.value.spacing == Spacing::linear ? std::abs(*bar.value) : *bar.value);
    if (bar.value && !is_shown) ++left_out;
    rows.push_back(row);
  }
  return rows_text(rows, style) + count_line(left_out, chart.value.spacing);
}

std::string histogram_text(const Histogram& chart, const present::TextStyle& style) {
  const auto& counts = chart.bins.counts;
  const std::string note = count_line(chart.bins.left_out, chart.value.spacing);
  if (counts.empty()) return "no data\n" + note;
  const auto highest =
      static_cast<double>(std::max<std::size_t>(1, *std::max_element(counts.begin(), counts.end())));
  std::vector<std::string> edges;
  std::size_t width = 0;
  for (const double edge : chart.bins.edges) {
    edges.push_back(value_text(edge, chart.value.unit));
    width = std::max(width, display_width(edges.back()));
  }
  std::vector<TextRow> rows;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto right = [&](const std::string& text) {
      return std::string(width - display_width(text), ' ') + text;
    };
    rows.push_back({right(edges[i]) + " – " + right(edges[i + 1]), std::to_string(counts[i]),
                    static_cast<double>(counts[i]) / highest, Tone::plain});
  }
  return rows_text(rows, style) + note;
}

std::string sparkline(const std::vector<Spark>& values, Spacing spacing, Range range) {
  std::string line;
  for (const Spark& spark : values) {
    if (spark.failed) {
      line += "✗";
    } else if (!spark.value || !can_show(*spark.value, spacing)) {
      line += "·";
    } else {
      const double share = range.low < range.high ? Scale{spacing, range, 0, 7}.at(*spark.value) : 3;
      line += kHeights[static_cast<std::size_t>(std::lround(std::clamp(share, 0.0, 7.0) - 1e-9))];
    }
  }
  return line;
}

}  // namespace fib::chart
