#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "chart/chart.h"

// The parts that charts are put together from: document, header, axes, legend, labels. All functions are
// pure; lengths are pixels.
namespace fib::chart {

inline constexpr double kFontSize = 12;
inline constexpr double kNoteSize = 11;
inline constexpr double kLineHeight = 18;
inline constexpr double kMargin = 8;  // around the chart

// A part of a drawing and the height that it takes.
struct Block {
  std::string markup;
  double height = 0;
};

// The plot's edges.
struct Plot {
  double left = 0;
  double top = 0;
  double right = 0;
  double bottom = 0;
};

// What the document says of itself.
struct Caption {
  std::string_view title;
  std::string_view subtitle;
};

// The whole SVG, ending with a newline. `description` says what is in it, for those who cannot see it.
[[nodiscard]] std::string svg_document(const Caption& caption, const std::string& description, double height,
                                       const std::string& body, const SvgOptions& options);

// A small document that says "no data", with the title and the note.
[[nodiscard]] std::string empty_document(const Caption& caption, const std::string& note,
                                         const SvgOptions& options);

// Title and subtitle at the top.
[[nodiscard]] Block header(const Caption& caption, const SvgOptions& options);

// One line of text, cut to `width` and then with the whole text as tooltip. `css` are the text's classes.
[[nodiscard]] std::string label(std::string_view text, double x, double y, double width,
                                const std::string& css, double font_size = kFontSize);

// The interval of an axis for the values: as the axis says, with round ends.
[[nodiscard]] Range axis_range(const std::vector<double>& values, const Axis& axis, std::size_t most);

// As many ticks as fit between the pixels of a horizontal scale, at most `most`.
[[nodiscard]] std::vector<Tick> fitting_ticks(const Scale& scale, Unit unit, std::size_t most);

// Width of the widest label at `kFontSize`.
[[nodiscard]] double widest_label(const std::vector<Tick>& ticks);

// Grid lines and labels: left of the plot, below the plot.
[[nodiscard]] std::string y_axis(const Scale& scale, const std::vector<Tick>& ticks, const Plot& plot);
[[nodiscard]] std::string x_axis(const Scale& scale, const std::vector<Tick>& ticks, const Plot& plot);

// The line at the plot's lower edge.
[[nodiscard]] std::string bottom_line(const Plot& plot);

// Where data is drawn, for labels that keep clear of it.
struct Spot {
  double x = 0;
  double y = 0;
};

// Dashed lines at the references that the scale can show: across the plot at a value of the vertical
// (horizontal) axis.
[[nodiscard]] std::string y_reference_lines(const std::vector<Reference>& lines, const Scale& scale,
                                            const Plot& plot);
[[nodiscard]] std::string x_reference_lines(const std::vector<Reference>& lines, const Scale& scale,
                                            const Plot& plot);

// Their labels, to be drawn above the data: at the end and on the side of the line where they cover the
// fewest spots; at the top, below each other where they would overlap.
[[nodiscard]] std::string y_reference_labels(const std::vector<Reference>& lines, const Scale& scale,
                                             const Plot& plot, const std::vector<Spot>& spots);
[[nodiscard]] std::string x_reference_labels(const std::vector<Reference>& lines, const Scale& scale,
                                             const Plot& plot);

// "2 values are not drawn: ..." ; empty for 0.
[[nodiscard]] std::string left_out_note(std::size_t count, bool any_log);

}  // namespace fib::chart
