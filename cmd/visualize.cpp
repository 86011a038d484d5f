#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "chart/png.h"
#include "choice.h"
#include "commands.h"
#include "config_defaults.h"
#include "dataset/paths.h"
#include "dataset/queries.h"
#include "filters.h"
#include "logging.h"
#include "report_commands.h"
#include "report_common.h"
#include "util/error.h"
#include "util/files.h"
#include "visual/page.h"
#include "visual/terminal.h"
#include "visualize_chart.h"

namespace fib::cmd {
namespace {

struct VisualizeOptions {
  std::string local;
  std::string html;
  std::string svg;
  std::string png;
  std::string output;
  bool history = false;
  std::optional<chart::Theme> theme;
  std::string baseline_author = dataset::kUsualBaselineAuthor;
  RecordFilter records;
  TraceChoice choice = TraceChoice::standing;
};

// The dataset's folder as people call it: the last part of its path.
std::string name_of(const std::filesystem::path& root) {
  const auto absolute = std::filesystem::absolute(root).lexically_normal();
  return absolute.has_filename() ? absolute.filename().string() : absolute.parent_path().filename().string();
}

void write(const std::string& file, const std::string& bytes) {
  if (file == "-") return print_result(bytes);
  util::write_file_atomic(file, bytes);
  fmt::print(stderr, "{} written\n", file);
}

void write_chart(const VisualizeOptions& options, const visual::Scene& scene) {
  const bool png = !options.png.empty();
  const std::string& name = png ? options.png : options.svg;
  const chart::SvgOptions look{640, true, true, options.theme.value_or(chart::Theme::light)};
  const std::string svg = draw_chart(name, scene, look);
  const std::string file = options.output.empty() ? name + (png ? ".png" : ".svg") : options.output;
  write(file, png ? chart::to_png(svg) : svg + "\n");
}

int run(const VisualizeOptions& options) {
  if (!options.output.empty() && options.svg.empty() && options.png.empty())
    throw CLI::ValidationError("--output", "names the file of --svg or --png; neither is given");
  if (options.theme && options.svg.empty() && options.png.empty())
    throw CLI::ValidationError("--theme", "is that of --svg or --png; the HTML report has both");
  const std::string root = options.local.empty() ? dataset::default_dataset_path().string() : options.local;
  const bool single = !options.svg.empty() || !options.png.empty();
  const bool with_history = options.history || single || !options.html.empty();
  visual::Scene scene;
  visual::read_scene(root,
                     {options.records.parsed(), options.choice == TraceChoice::all, options.baseline_author,
                      with_history ? visual::WithHistory::yes : visual::WithHistory::no},
                     scene);
  print_errors(scene.unreadable, root);
  if (scene.hardware.empty()) note_hardware(options.records.parsed(), root);
  if (!scene.left_out.empty()) fmt::print(stderr, "warning: {}: {}\n", root, scene.left_out);
  if (single) {
    write_chart(options, scene);
  } else if (!options.html.empty()) {
    write(options.html,
          visual::page(scene, {name_of(root), FIB_VERSION, options.history, config_defaults()}));
  } else {
    print_result(options.history ? visual::terminal_history(scene, stdout_style())
                                 : visual::terminal_charts(scene, stdout_style()));
  }
  return kDone;
}

void add_forms(CLI::App& app, VisualizeOptions& options) {
  const char* group = "What to draw";
  auto* html = app.add_option("--html", options.html, "Write a report as one HTML file; - for stdout");
  html->type_name("FILE")->group(group);
  auto* svg = app.add_option("--svg", options.svg, "Write one chart as SVG");
  svg->check(one_of(chart_names()))->type_name("NAME")->group(group);
  auto* png = app.add_option("--png", options.png, "Write one chart as PNG (needs librsvg)");
  png->check(one_of(chart_names()))->type_name("NAME")->group(group);
  svg->excludes(html);
  png->excludes(html)->excludes(svg);
  app.add_option("--output", options.output, "File of --svg or --png; default: the chart's name")
      ->type_name("FILE")
      ->group(group);
  add_choice<std::optional<chart::Theme>>(app, "--theme", options.theme,
                                          "Colours of --svg and --png; default: light",
                                          {{"light", chart::Theme::light}, {"dark", chart::Theme::dark}})
      ->type_name("THEME")
      ->group(group);
  app.add_flag("--history", options.history, "Runs and sweeps instead of results")
      ->excludes(svg)
      ->excludes(png)
      ->group(group);
}

void add_visualize_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<VisualizeOptions>();
  CLI::App* visualize =
      app.add_subcommand("visualize", "Charts: in the terminal, as HTML report, SVG or PNG");
  visualize->add_option("--local", options->local, "Dataset folder")->type_name("DIR");
  add_forms(*visualize, *options);
  add_baseline_author(*visualize, options->baseline_author);
  add_record_filter(*visualize, options->records, ByStatus::no);
  add_trace_choice(*visualize, options->choice);
  add_log_level(*visualize, "info");
  visualize->footer(
      std::string("Examples:\n"
                  "  fib visualize --local DIR\n"
                  "  fib visualize --local DIR --html report.html\n"
                  "  fib visualize --local DIR --png latency --definitions rmsnorm_h4096\n"
                  "  fib visualize --local DIR --history [--html history.html]\n"
                  "The HTML report is one file that works offline and without scripts: leaderboards,\n"
                  "latencies, speedups, rooflines, status, logs of failures, history and environment.\n") +
      kLocalDefault +
      "Exit codes: 0 done, 1 --svg or --png has nothing to draw, or a file cannot be read or written, 2 "
      "wrong "
      "usage.");
  visualize->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace

void add_visualize(CLI::App& app, int& exit_code) { add_visualize_command(app, exit_code); }

void add_report_visualize(CLI::App& app, int& exit_code) { add_visualize_command(app, exit_code); }

}  // namespace fib::cmd
