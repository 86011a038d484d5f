#include "report/sol_tables.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "present/text.h"
#include "report/workload_text.h"
#include "roofline/reached.h"

namespace fib::report {
namespace {

namespace json = model::json;

present::Cell share_cell(const std::optional<double>& share) {
  if (!share) return present::no_cell();
  return present::number_cell(*share, present::format_share(*share) + (*share > 1 ? " *" : ""));
}

present::Cell against_cell(const SolPoint& point) {
  if (!point.baseline_ms) return present::no_cell();
  return present::text_cell(point.against == Against::baseline ? "baseline" : "reference");
}

std::vector<present::Column> point_columns() {
  return {
      present::name_column("Fastest solution", "solution"),
      present::only_for(present::Audience::programs,
                        present::spare(present::name_column("Author", "author"))),
      present::number_column("Latency (ms)", "latency_ms"),
      present::number_column("Of bound", "share_of_bound"),
      present::number_column("SOL score", "sol_score"),
      present::only_for(present::Audience::programs, present::text_column("Against", "against")),
      present::only_for(present::Audience::programs, present::number_column("Baseline (ms)", "baseline_ms")),
      present::only_for(present::Audience::programs, present::number_column("Byte/s", "bytes_per_s")),
      present::only_for(present::Audience::programs, present::number_column("Flop/s", "flops_per_s"))};
}

std::vector<present::Cell> point_row(const WorkloadSol& workload, const SolPoint* point) {
  if (point == nullptr) return std::vector<present::Cell>(point_columns().size(), present::no_cell());
  const auto& work = workload.work;
  std::optional<double> bytes;
  std::optional<double> flops;
  if (work) bytes = roofline::achieved_bytes_per_s(*work, point->latency_ms);
  if (work) flops = roofline::achieved_flops_per_s(*work, point->latency_ms);
  return {present::text_cell(point->solution),
          present::optional_text(point->author),
          present::number_cell(point->latency_ms, present::format_ms(point->latency_ms)),
          share_cell(point->share),
          present::optional_number(point->score, present::format_score),
          against_cell(*point),
          present::optional_number(point->baseline_ms, present::format_ms),
          present::optional_number(bytes, format_amount),
          present::optional_number(flops, format_amount)};
}

// With three digits, however short it is.
std::string bound_text(double ms) {
  return ms > 0 && ms < 1e-3 ? fmt::format("{:#.3g}", ms) : present::format_ms(ms);
}

std::vector<present::Cell> work_row(const WorkloadSol& workload) {
  const auto& work = workload.work;
  const auto& bound = workload.bound;
  std::optional<double> flop_per_byte;
  if (work) flop_per_byte = roofline::intensity(*work);
  return {
      present::text_cell(workload.definition),
      {workload_text(*workload.workload), json::make_string(workload.workload->uuid)},
      axes_cell(*workload.workload),
      work ? present::number_cell(work->bytes, format_amount(work->bytes) + "B") : present::no_cell(),
      work ? present::optional_number(work->flops, format_amount) : present::no_cell(),
      present::optional_number(flop_per_byte, format_amount),
      work && work->flops ? present::text_cell(std::string(name_of(work->arithmetic))) : present::no_cell(),
      bound ? present::number_cell(bound->ms, bound_text(bound->ms)) : present::no_cell(),
      bound ? present::text_cell(std::string(roofline::name_of(bound->binds))) : present::no_cell(),
      work ? present::text_cell(work->bytes_rule) : present::text_cell(workload.reason),
      work ? present::text_cell(work->flops_rule) : present::no_cell()};
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

present::Table workloads_table(const HardwareSol& hardware) {
  present::Table table;
  table.grouped = true;
  table.columns = {
      present::text_column("Definition", "definition"),
      present::text_column("Workload", "workload"),
      present::only_for(present::Audience::programs, present::text_column("Axes", "axes")),
      present::spare(present::number_column("Bytes", "bytes")),
      present::spare(present::number_column("Flops", "flops")),
      present::only_for(present::Audience::programs, present::number_column("Flop/B", "intensity")),
      present::only_for(present::Audience::programs, present::text_column("Arithmetic", "arithmetic")),
      present::number_column("Bound (ms)", "bound_ms"),
      present::spare(present::text_column("Binds", "binds")),
      present::only_for(present::Audience::programs, present::text_column("Bytes Rule", "bytes_rule")),
      present::only_for(present::Audience::programs, present::text_column("Flops Rule", "flops_rule"))};
  for (const present::Column& column : point_columns()) table.columns.push_back(column);
  for (const WorkloadSol& workload : hardware.workloads) {
    std::vector<present::Cell> row = work_row(workload);
    for (present::Cell& cell :
         point_row(workload, workload.points.empty() ? nullptr : workload.points.data()))
      row.push_back(std::move(cell));
    table.rows.push_back(std::move(row));
  }
  return table;
}

present::Table solutions_table(const HardwareSol& hardware) {
  present::Table table;
  table.grouped = true;
  table.columns = {
      present::text_column("Definition", "definition"),
      present::name_column("Solution", "solution"),
      present::spare(present::name_column("Author", "author")),
      present::number_column("SOL score", "mean_sol_score"),
      present::number_column("Of bound", "mean_share_of_bound"),
      present::only_for(present::Audience::people, present::number_column("Passed", "")),
      present::only_for(present::Audience::programs, present::number_column("Passed", "passed")),
      present::only_for(present::Audience::programs, present::number_column("Workloads", "workloads"))};
  for (const SolutionSol& solution : hardware.solutions) {
    table.rows.push_back({present::text_cell(solution.definition),
                          present::text_cell(solution.solution),
                          present::optional_text(solution.author),
                          present::optional_number(solution.mean_score, present::format_score),
                          present::optional_number(solution.mean_share, present::format_share),
                          {fmt::format("{}/{}", solution.passed, solution.workloads), json::make_null()},
                          present::count_cell(solution.passed),
                          present::count_cell(solution.workloads)});
  }
  return table;
}

present::Table points_table(const WorkloadSol& workload) {
  present::Table table{point_columns(), {}};
  for (const SolPoint& point : workload.points) table.rows.push_back(point_row(workload, &point));
  return table;
}

std::vector<std::string> bound_notes() {
  return {"Bound: the least time that the bytes and flops take at the device's peak",
          "Of bound: bound / latency",
          "SOL score: 0.5 at the baseline (where there is none: the reference), 1 at the bound"};
}

}  // namespace fib::report
