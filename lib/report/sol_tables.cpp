#include "report/sol_tables.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "report/text.h"
#include "report/workload_text.h"

namespace fib::report {
namespace {

namespace json = model::json;

Cell share_cell(const std::optional<double>& share) {
  if (!share) return no_cell();
  return number_cell(*share, format_share(*share) + (*share > 1 ? " *" : ""));
}

Cell against_cell(const SolPoint& point) {
  if (!point.baseline_ms) return no_cell();
  return text_cell(point.against == Against::baseline ? "baseline" : "reference");
}

std::vector<Column> point_columns() {
  return {name_column("Best Solution", "solution"),
          only_for(Audience::programs, spare(name_column("Author", "author"))),
          number_column("Latency (ms)", "latency_ms"),
          number_column("Of Bound", "share_of_bound"),
          number_column("SOL Score", "sol_score"),
          only_for(Audience::programs, text_column("Against", "against")),
          only_for(Audience::programs, number_column("Baseline (ms)", "baseline_ms")),
          only_for(Audience::programs, number_column("Byte/s", "bytes_per_s")),
          only_for(Audience::programs, number_column("Flop/s", "flops_per_s"))};
}

std::vector<Cell> point_row(const WorkloadSol& workload, const SolPoint* point) {
  if (point == nullptr) return std::vector<Cell>(point_columns().size(), no_cell());
  const auto& work = workload.work;
  std::optional<double> bytes;
  std::optional<double> flops;
  if (work) bytes = achieved_bytes_per_s(*work, point->latency_ms);
  if (work) flops = achieved_flops_per_s(*work, point->latency_ms);
  return {text_cell(point->solution),
          optional_text(point->author),
          number_cell(point->latency_ms, format_ms(point->latency_ms)),
          share_cell(point->share),
          optional_number(point->score, format_score),
          against_cell(*point),
          optional_number(point->baseline_ms, format_ms),
          optional_number(bytes, format_amount),
          optional_number(flops, format_amount)};
}

std::vector<Cell> work_row(const WorkloadSol& workload) {
  const auto& work = workload.work;
  const auto& bound = workload.bound;
  std::optional<double> flop_per_byte;
  if (work) flop_per_byte = intensity(*work);
  return {text_cell(workload.definition),
          {workload_text(*workload.workload), json::make_string(workload.workload->uuid)},
          axes_cell(*workload.workload),
          work ? number_cell(work->bytes, format_amount(work->bytes) + "B") : no_cell(),
          work ? optional_number(work->flops, format_amount) : no_cell(),
          optional_number(flop_per_byte, format_amount),
          work && work->flops ? text_cell(std::string(name_of(work->arithmetic))) : no_cell(),
          bound ? number_cell(bound->ms, format_ms(bound->ms)) : no_cell(),
          bound ? text_cell(bound->binds == Binds::memory ? "memory" : "compute") : no_cell(),
          work ? text_cell(work->bytes_rule) : text_cell(workload.reason),
          work ? text_cell(work->flops_rule) : no_cell()};
}

}  // namespace

std::string format_amount(double amount) {
  constexpr std::array<const char*, 6> kPrefixes{"", "k", "M", "G", "T", "P"};
  std::size_t prefix = 0;
  while (amount >= 999.5 && prefix + 1 < kPrefixes.size()) {
    amount /= 1000;
    ++prefix;
  }
  const int digits = prefix == 0 || amount >= 99.95 ? 0 : amount >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f} {}", amount, digits, kPrefixes.at(prefix));
}

Table workloads_table(const HardwareSol& hardware) {
  Table table;
  table.grouped = true;
  table.columns = {text_column("Definition", "definition"),
                   text_column("Workload", "workload"),
                   only_for(Audience::programs, text_column("Axes", "axes")),
                   spare(number_column("Bytes", "bytes")),
                   spare(number_column("Flops", "flops")),
                   only_for(Audience::programs, number_column("Flop/B", "intensity")),
                   only_for(Audience::programs, text_column("Arithmetic", "arithmetic")),
                   number_column("Bound (ms)", "bound_ms"),
                   spare(text_column("Binds", "binds")),
                   only_for(Audience::programs, text_column("Bytes Rule", "bytes_rule")),
                   only_for(Audience::programs, text_column("Flops Rule", "flops_rule"))};
  for (const Column& column : point_columns()) table.columns.push_back(column);
  for (const WorkloadSol& workload : hardware.workloads) {
    std::vector<Cell> row = work_row(workload);
    for (Cell& cell : point_row(workload, workload.points.empty() ? nullptr : workload.points.data()))
      row.push_back(std::move(cell));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table solutions_table(const HardwareSol& hardware) {
  Table table;
  table.grouped = true;
  table.columns = {text_column("Definition", "definition"),
                   name_column("Solution", "solution"),
                   spare(name_column("Author", "author")),
                   number_column("SOL Score", "mean_sol_score"),
                   number_column("Of Bound", "mean_share_of_bound"),
                   only_for(Audience::people, number_column("Passed", "")),
                   only_for(Audience::programs, number_column("Passed", "passed")),
                   only_for(Audience::programs, number_column("Workloads", "workloads"))};
  for (const SolutionSol& solution : hardware.solutions) {
    table.rows.push_back({text_cell(solution.definition),
                          text_cell(solution.solution),
                          optional_text(solution.author),
                          optional_number(solution.mean_score, format_score),
                          optional_number(solution.mean_share, format_share),
                          {fmt::format("{}/{}", solution.passed, solution.workloads), json::make_null()},
                          count_cell(solution.passed),
                          count_cell(solution.workloads)});
  }
  return table;
}

Table points_table(const WorkloadSol& workload) {
  Table table{point_columns(), {}};
  for (const SolPoint& point : workload.points) table.rows.push_back(point_row(workload, &point));
  return table;
}

}  // namespace fib::report
