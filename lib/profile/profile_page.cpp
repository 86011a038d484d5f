#include "profile/profile_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "present/text.h"
#include "profile/bottleneck.h"
#include "util/utf8.h"

namespace fib::profile {
namespace {

using nlohmann::ordered_json;

std::string percent(const KernelProfile& kernel, const char* metric) {
  const auto value = kernel.metric(metric);
  return value ? fmt::format("{:.0f}%", *value) : "-";
}

std::string number(const KernelProfile& kernel, const char* metric) {
  const auto value = kernel.metric(metric);
  return value ? fmt::format("{:.0f}", *value) : "-";
}

std::string stalls_text(const KernelProfile& kernel) {
  constexpr std::size_t kShown = 3;
  std::string text;
  const auto stalls = stalls_of(kernel);
  for (std::size_t i = 0; i < std::min(stalls.size(), kShown); ++i)
    text += fmt::format("{}{} {:.1f}", i == 0 ? "" : ", ", stalls[i].first, stalls[i].second);
  return text.empty() ? "-" : text + " (instructions issued meanwhile)";
}

// How many sectors of 32 bytes a request of a warp takes, and which share of their bytes is used. "op": ld,
// st.
std::string sectors_text(const KernelProfile& kernel, const std::string& op) {
  const auto requests = kernel.metric("l1tex__t_requests_pipe_lsu_mem_global_op_" + op + ".sum");
  const auto sectors = kernel.metric("l1tex__t_sectors_pipe_lsu_mem_global_op_" + op + ".sum");
  if (!requests || !sectors) return "-";
  if (*requests <= 0) return "none, but for asynchronous copies";
  const auto used = kernel.metric("smsp__sass_average_data_bytes_per_sector_mem_global_op_" + op + ".pct");
  return fmt::format("{:.1f} sectors a request{}", *sectors / *requests,
                     used ? fmt::format(" ({:.0f}% of their bytes used)", *used) : "");
}

std::string conflicts_text(const KernelProfile& kernel, double shared_bytes) {
  const auto conflicts = kernel.metric("l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum");
  const auto wavefronts = kernel.metric("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum");
  if (!conflicts || !wavefronts) return "-";
  if (shared_bytes <= 0 || *wavefronts <= 0) return "not used";
  return fmt::format("{:.0f}% of its wavefronts are bank conflicts", 100 * *conflicts / *wavefronts);
}

// An estimated speedup of ncu's is the share of the time that may be saved: 99.24 % where one of 132
// multiprocessors has work.
std::string rule_text(const NcuRule& rule) {
  const std::string text = present::printable(rule.text);
  if (!rule.speedup_percent) return text;
  return fmt::format("(saves up to {:.3g}% {}) {}", *rule.speedup_percent,
                     rule.scope == "global" ? "of the time" : "in this part", text);
}

void write_kernel(present::Document& document, const KernelProfile& kernel) {
  const auto bottleneck = classify(kernel);
  const auto duration = kernel.metric("gpu__time_duration.sum");
  document.subheading(present::printable(kernel.name),
                      fmt::format("grid {}, block {}", kernel.grid, kernel.block));
  const double shared = kernel.metric("launch__shared_mem_per_block_static").value_or(0) +
                        kernel.metric("launch__shared_mem_per_block_dynamic").value_or(0);
  const std::string limit = occupancy_limit(kernel);
  document.facts(
      {{"Bottleneck", fmt::format("{}: {}", bottleneck.name, bottleneck.figures)},
       {"What to do", bottleneck.advice},
       {"Duration", duration ? fmt::format("{:.2f} us", *duration / 1000) : "-"},
       {"Busy", fmt::format("SM {}, tensor pipes {}, L1 {}, L2 {}, DRAM {}",
                            percent(kernel, "sm__throughput.avg.pct_of_peak_sustained_elapsed"),
                            percent(kernel, "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active"),
                            percent(kernel, "l1tex__throughput.avg.pct_of_peak_sustained_active"),
                            percent(kernel, "lts__throughput.avg.pct_of_peak_sustained_elapsed"),
                            percent(kernel, "dram__throughput.avg.pct_of_peak_sustained_elapsed"))},
       {"Hit rates", fmt::format("L1 {}, L2 {}", percent(kernel, "l1tex__t_sector_hit_rate.pct"),
                                 percent(kernel, "lts__t_sector_hit_rate.pct"))},
       {"Global loads", sectors_text(kernel, "ld")},
       {"Global stores", sectors_text(kernel, "st")},
       {"Shared memory", conflicts_text(kernel, shared)},
       {"Occupancy", fmt::format("{} of {} possible{}",
                                 percent(kernel, "sm__warps_active.avg.pct_of_peak_sustained_active"),
                                 percent(kernel, "sm__maximum_warps_per_active_cycle_pct"),
                                 limit.empty() ? "" : ", limited by " + limit)},
       {"Resources", fmt::format("{} registers a thread, {:.0f} bytes of shared memory a block",
                                 number(kernel, "launch__registers_per_thread"), shared)},
       {"Stalls", stalls_text(kernel)}});
  std::vector<std::pair<std::string, std::string>> rules;
  for (const NcuRule& rule : advice_of(kernel))
    rules.emplace_back(present::printable(rule.name), rule_text(rule));
  if (rules.empty()) return;
  document.paragraph("What ncu's own rules would improve:");
  document.facts(rules);
}

ordered_json rule_json(const NcuRule& rule) {
  const auto known = [](const std::string& text) {
    return text.empty() ? ordered_json() : ordered_json(util::valid_utf8(text));
  };
  return {{"name", util::valid_utf8(rule.name)},
          {"section", util::valid_utf8(rule.section)},
          {"type", util::valid_utf8(rule.type)},
          {"text", util::valid_utf8(rule.text)},
          {"scope", known(rule.scope)},
          {"speedup_percent", rule.speedup_percent ? ordered_json(*rule.speedup_percent) : ordered_json()}};
}

ordered_json kernel_json(const KernelProfile& kernel) {
  ordered_json rules = ordered_json::array();
  for (const NcuRule& rule : kernel.rules) rules.push_back(rule_json(rule));
  const auto bottleneck = classify(kernel);
  const std::string limit = occupancy_limit(kernel);
  return {{"name", util::valid_utf8(kernel.name)},
          {"grid", kernel.grid},
          {"block", kernel.block},
          {"bottleneck",
           {{"class", bottleneck.name}, {"figures", bottleneck.figures}, {"advice", bottleneck.advice}}},
          {"occupancy_limit", limit.empty() ? ordered_json() : ordered_json(limit)},
          {"metrics", kernel.metrics},
          {"rules", rules}};
}

}  // namespace

std::string to_text(const std::vector<Profiled>& all, present::Format format,
                    const present::TextStyle& style) {
  present::Document document(format, style);
  for (const Profiled& one : all) {
    document.heading(
        present::printable(fmt::format("{} on {}, workload {}", one.solution, one.definition, one.workload)));
    if (!one.not_done.empty()) document.paragraph("not done: " + one.not_done);
    for (const KernelProfile& kernel : one.kernels) write_kernel(document, kernel);
  }
  return document.text();
}

ordered_json to_json(const std::vector<Profiled>& all) {
  ordered_json profiled = ordered_json::array();
  for (const Profiled& one : all) {
    ordered_json kernels = ordered_json::array();
    for (const KernelProfile& kernel : one.kernels) kernels.push_back(kernel_json(kernel));
    profiled.push_back(
        {{"solution", one.solution},
         {"definition", one.definition},
         {"workload", one.workload},
         {"reason", one.not_done.empty() ? ordered_json() : ordered_json(util::valid_utf8(one.not_done))},
         {"kernels", kernels}});
  }
  return profiled;
}

std::string first_lines(const std::string& text, std::size_t lines) {
  std::size_t end = 0;
  for (std::size_t i = 0; lines > 0 && i < lines && end != std::string::npos; ++i) {
    end = text.find('\n', i == 0 ? 0 : end + 1);
  }
  return lines == 0 || end == std::string::npos ? text : text.substr(0, end + 1);
}

}  // namespace fib::profile
