#include "report/sol_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "present/text.h"
#include "report/datasets.h"
#include "report/sol_tables.h"
#include "util/shell_word.h"

namespace fib::report {

namespace json = model::json;

std::string peak_text(const std::optional<roofline::Peak>& peak) {
  if (!peak) return "No peak is known for it: give it with --bandwidth GB/s and --peak TFLOP/s";
  std::vector<std::string> parts;
  const auto add = [&](double value, double unit, const std::string& name) {
    if (value > 0) parts.push_back(fmt::format("{:g} {}", value / unit, name));
  };
  constexpr double kTera = 1e12;
  add(peak->bytes_per_s, 1e9, "GB/s");
  if (peak->fp64 > 0 && peak->fp64 == peak->fp4) {
    add(peak->fp64, kTera, "TFLOP/s");  // as given: the same for all
  } else {
    add(peak->flops_per_s(roofline::Arithmetic::fp32), kTera, "TFLOP/s fp32");
    add(peak->fp16, kTera, "TFLOP/s fp16");
    add(peak->fp8, kTera, "TFLOP/s fp8");
    add(peak->fp4, kTera, "TFLOP/s fp4");
  }
  return fmt::format("Peak: {}", fmt::join(parts, ", "));
}

namespace {

std::size_t faster_than_bound(const HardwareSol& hardware) {
  std::size_t count = 0;
  for (const WorkloadSol& workload : hardware.workloads) {
    count += static_cast<std::size_t>(std::count_if(workload.points.begin(), workload.points.end(),
                                                    [](const SolPoint& p) { return p.share > 1.0; }));
  }
  return count;
}

std::vector<std::string> notes_of(const HardwareSol& hardware) {
  std::vector<std::string> notes;
  if (const std::size_t count = faster_than_bound(hardware); count > 0) {
    notes.push_back(fmt::format(
        "* {} faster than the bound: outputs or inputs stayed in a cache, the clock was above the "
        "datasheet's, or index tensors name rows more than once",
        present::plural(count, "time")));
  }
  std::set<std::string> reasons;
  for (const WorkloadSol& workload : hardware.workloads) {
    if (!workload.reason.empty() && reasons.insert(workload.definition).second)
      notes.push_back(fmt::format("No bound for {}: {}", workload.definition, workload.reason));
  }
  for (const std::string& name : hardware.unknown)
    notes.push_back(fmt::format("No bound for {}: the definition is not in the dataset", name));
  return notes;
}

void write_hardware(present::Document& document, const HardwareSol& hardware, SolPart part) {
  document.subheading("Hardware: " + hardware.hardware, peak_text(hardware.peak));
  if (part != SolPart::solutions)
    document.table("Workloads, each with its fastest solution:", workloads_table(hardware));
  const bool is_told = part == SolPart::all ? hardware.peak.has_value() : part == SolPart::solutions;
  if (is_told)  // without a peak nothing would stand there
    document.table("Solutions by definition (means over workloads):", solutions_table(hardware));
  document.notes(notes_of(hardware));
}

// What was counted, where that is not simply everything; a line for each definition.
std::vector<std::string> rules_of(const SolReport& report) {
  std::vector<std::string> lines;
  std::set<std::string> told;
  for (const HardwareSol& hardware : report.hardware) {
    for (const WorkloadSol& workload : hardware.workloads) {
      if (!workload.work || workload.work->bytes_rule.find(';') == std::string::npos) continue;
      if (told.insert(workload.definition).second)
        lines.push_back(fmt::format("Bytes of {}: {}", workload.definition, workload.work->bytes_rule));
    }
  }
  return lines;
}

void write_dataset(present::Document& document, const SolReport& report, SolPart part) {
  if (!report.has_traces) {
    document.paragraph(fmt::format("No traces in {}. To get some: fib run --local {}", report.path,
                                   util::shell_word(report.path)));
    return;
  }
  if (report.hardware.empty())
    document.paragraph(fmt::format("No traces in {} pass the filters.", report.path));
  for (const HardwareSol& hardware : report.hardware) write_hardware(document, hardware, part);
  if (part != SolPart::solutions) document.notes(rules_of(report));
  write(document, report.remarks);
}

std::vector<std::string> footnotes(const std::vector<SolReport>& reports) {
  const bool any = std::any_of(reports.begin(), reports.end(), [](const SolReport& report) {
    return std::any_of(report.hardware.begin(), report.hardware.end(),
                       [](const HardwareSol& one) { return one.peak.has_value(); });
  });
  if (!any) return {};
  return bound_notes();
}

json::Value to_json(const roofline::Peak& peak) {
  json::Value object = json::make_object();
  object.add("bytes_per_s", json::make_number(peak.bytes_per_s));
  for (const roofline::Arithmetic kind :
       {roofline::Arithmetic::fp64, roofline::Arithmetic::fp32, roofline::Arithmetic::fp16,
        roofline::Arithmetic::int8, roofline::Arithmetic::fp8, roofline::Arithmetic::fp4}) {
    const double rate = peak.flops_per_s(kind);
    object.add(std::string(roofline::name_of(kind)), rate > 0 ? json::make_number(rate) : json::make_null());
  }
  return object;
}

json::Value workloads_json(const HardwareSol& hardware) {
  json::Value list = to_json(workloads_table(hardware));
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    list.items[i].add("points", to_json(points_table(hardware.workloads[i])));
    json::Value failed = json::make_array();
    for (const std::string& name : hardware.workloads[i].failed)
      failed.items.push_back(json::make_string(name));
    list.items[i].add("failed", std::move(failed));
  }
  return list;
}

json::Value to_json(const HardwareSol& hardware, SolPart part) {
  json::Value object = json::make_object();
  object.add("name", json::make_string(hardware.hardware));
  object.add("peak", hardware.peak ? to_json(*hardware.peak) : json::make_null());
  if (part != SolPart::solutions) object.add("workloads", workloads_json(hardware));
  if (part != SolPart::workloads) object.add("solutions", to_json(solutions_table(hardware)));
  json::Value unknown = json::make_array();
  for (const std::string& name : hardware.unknown) unknown.items.push_back(json::make_string(name));
  object.add("unknown_definitions", std::move(unknown));
  return object;
}

json::Value to_json(const SolReport& report, SolPart part) {
  json::Value object = json::make_object();
  object.add("path", json::make_string(report.path));
  add_to(object, report.remarks);
  object.add("baseline_author", json::make_string(report.baseline_author));
  object.add("hardware",
             list_of(report.hardware, [&](const HardwareSol& one) { return to_json(one, part); }));
  return object;
}

}  // namespace

std::string render_sol(const std::vector<SolReport>& reports, SolPart part, present::Format format,
                       const present::TextStyle& style) {
  const auto csv_of = [&](const HardwareSol& hardware) {
    return part == SolPart::solutions ? solutions_table(hardware) : workloads_table(hardware);
  };
  const Writing<SolReport> writing{
      "sol", [&] { return by_hardware(reports, csv_of); },
      [&](const SolReport& report) { return to_json(report, part); },
      [&](present::Document& document, const SolReport& report) { write_dataset(document, report, part); },
      [&] { return footnotes(reports); }};
  return render(reports, writing, format, style);
}

}  // namespace fib::report
