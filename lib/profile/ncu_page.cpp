#include "profile/ncu_page.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "util/error.h"

namespace fib::profile {
namespace {

// The fields of a line of comma-separated values in quotes.
std::vector<std::string> fields_of(std::string_view line) {
  std::vector<std::string> fields;
  std::string field;
  bool is_quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (is_quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      field += c;
      ++i;
    } else if (c == '"') {
      is_quoted = !is_quoted;
    } else if (c == ',' && !is_quoted) {
      fields.push_back(std::move(field));
      field.clear();
    } else if (c != '\r') {
      field += c;
    }
  }
  fields.push_back(std::move(field));
  return fields;
}

// ncu writes thousands with commas.
std::optional<double> number_of(std::string text) {
  std::erase(text, ',');
  double number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_whole = error == std::errc() && stop == text.data() + text.size();
  return is_whole && std::isfinite(number) ? std::optional(number) : std::nullopt;
}

// A table in ncu's output.
struct Page {
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;  // each as long as the head

  [[nodiscard]] std::optional<std::size_t> find(const std::string& name) const {
    const auto found = std::find(head.begin(), head.end(), name);
    return found == head.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - head.begin()));
  }
  [[nodiscard]] std::size_t column(const std::string& name) const {
    const auto found = find(name);
    if (!found) throw Error("ncu's page has no column \"{}\"", name);
    return *found;
  }
};

// What else is printed, by the solution too, is not in it. No table: an empty head.
Page read_page(std::string_view output) {
  Page page;
  for (std::size_t begin = 0; begin < output.size();) {
    const std::size_t end = std::min(output.find('\n', begin), output.size());
    const std::string_view line = output.substr(begin, end - begin);
    begin = end + 1;
    if (page.head.empty() && !line.starts_with("\"ID\",")) continue;
    if (!line.starts_with('"')) continue;
    auto fields = fields_of(line);
    if (page.head.empty()) {
      page.head = std::move(fields);
    } else if (fields.size() == page.head.size()) {
      page.rows.push_back(std::move(fields));
    }
  }
  return page;
}

}  // namespace

std::optional<double> KernelProfile::metric(const std::string& wanted) const {
  const auto found = metrics.find(wanted);
  return found == metrics.end() ? std::nullopt : std::optional(found->second);
}

std::string wanted_metrics() {
  return "gpu__time_duration.sum,dram__throughput.avg.pct_of_peak_sustained_elapsed,dram__bytes.sum,"
         "lts__throughput.avg.pct_of_peak_sustained_elapsed,l1tex__throughput.avg.pct_of_peak_sustained_"
         "active,"
         "sm__throughput.avg.pct_of_peak_sustained_elapsed,sm__warps_active.avg.pct_of_peak_sustained_active,"
         "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active,launch__registers_per_thread,"
         "launch__shared_mem_per_block_static,launch__shared_mem_per_block_dynamic,"
         "launch__waves_per_multiprocessor,launch__occupancy_limit_registers,"
         "launch__occupancy_limit_shared_mem,launch__occupancy_limit_warps,launch__occupancy_limit_blocks,"
         "sm__maximum_warps_per_active_cycle_pct,l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum,"
         "l1tex__t_requests_pipe_lsu_mem_local_op_st.sum,l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum,"
         "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum,l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum,"
         "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum,"
         "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct,"
         "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct,l1tex__t_sector_hit_rate.pct,"
         "lts__t_sector_hit_rate.pct,smsp__issue_active.avg.pct_of_peak_sustained_active,"
         "regex:smsp__average_warps_issue_stalled_[a-z_]*_per_issue_active.ratio";
}

std::vector<KernelProfile> read_raw_page(std::string_view output) {
  const Page page = read_page(output);
  if (page.head.empty()) return {};
  const auto id = page.column("ID");
  const auto name = page.column("Kernel Name");
  const auto grid = page.column("Grid Size");
  const auto block = page.column("Block Size");
  std::vector<KernelProfile> kernels;
  for (std::size_t row = 1; row < page.rows.size(); ++row) {  // the first has the units
    const auto& fields = page.rows[row];
    KernelProfile kernel{fields[name], fields[grid], fields[block], {}, fields[id]};
    for (std::size_t i = 0; i < page.head.size(); ++i) {
      const auto number = page.head[i].find("__") == std::string::npos ? std::nullopt : number_of(fields[i]);
      if (number) kernel.metrics[page.head[i]] = *number;
    }
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

void add_rules(std::vector<KernelProfile>& kernels, std::string_view output) {
  const Page page = read_page(output);
  // Old versions of ncu have no rules there, or no estimates.
  if (!page.find("Rule Name")) return;
  const auto id = page.column("ID");
  const auto section = page.column("Section Name");
  const auto name = page.column("Rule Name");
  const auto type = page.column("Rule Type");
  const auto text = page.column("Rule Description");
  const auto scope = page.find("Estimated Speedup Type");
  const auto speedup = page.find("Estimated Speedup");
  for (const auto& fields : page.rows) {
    const auto kernel = std::find_if(kernels.begin(), kernels.end(),
                                     [&](const KernelProfile& one) { return one.id == fields[id]; });
    if (kernel == kernels.end() || fields[name].empty()) continue;
    kernel->rules.push_back({fields[name], fields[section], fields[type], fields[text],
                             scope ? fields[*scope] : "",
                             speedup ? number_of(fields[*speedup]) : std::nullopt});
  }
}

std::vector<NcuRule> advice_of(const KernelProfile& kernel) {
  std::vector<NcuRule> advice;
  for (const NcuRule& rule : kernel.rules) {
    if (rule.type == "OPT") advice.push_back(rule);
  }
  const auto estimate = [](const NcuRule& rule) {
    return rule.scope == "global" ? rule.speedup_percent.value_or(0) : 0;
  };
  std::stable_sort(advice.begin(), advice.end(),
                   [&](const NcuRule& a, const NcuRule& b) { return estimate(a) > estimate(b); });
  return advice;
}

std::string why_nothing(std::string_view output) {
  const auto has = [&](std::string_view words) { return output.find(words) != std::string_view::npos; };
  if (has("ERR_NVGPUCTRPERM"))
    return "the driver lets administrators alone read the GPU's counters (ERR_NVGPUCTRPERM): run as root "
           "with --sandbox off, or set NVreg_RestrictProfilingToAdminUsers=0 for the nvidia module";
  if (has("No kernels were profiled")) return "no kernel was launched in the call";
  if (has("Failed to find")) return "this ncu does not know what was asked for: see its output";
  return "";
}

}  // namespace fib::profile
