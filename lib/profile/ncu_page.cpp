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

std::optional<std::size_t> column_of(const std::vector<std::string>& head, const std::string& name) {
  const auto found = std::find(head.begin(), head.end(), name);
  return found == head.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - head.begin()));
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
  std::vector<KernelProfile> kernels;
  std::vector<std::string> head;
  bool has_units = false;
  for (std::size_t begin = 0; begin < output.size();) {
    const std::size_t end = std::min(output.find('\n', begin), output.size());
    const std::string_view line = output.substr(begin, end - begin);
    begin = end + 1;
    if (head.empty() && !line.starts_with("\"ID\",")) continue;
    if (!line.starts_with('"')) continue;
    auto fields = fields_of(line);
    if (head.empty()) {
      head = std::move(fields);
      continue;
    }
    if (fields.size() != head.size()) continue;  // printed by somebody else
    if (!std::exchange(has_units, true)) continue;
    const auto name = column_of(head, "Kernel Name");
    const auto grid = column_of(head, "Grid Size");
    const auto block = column_of(head, "Block Size");
    if (!name || !grid || !block) throw Error("ncu's page has no columns of kernels");
    KernelProfile kernel{fields[*name], fields[*grid], fields[*block], {}};
    for (std::size_t i = 0; i < head.size(); ++i) {
      const auto number = head[i].find("__") == std::string::npos ? std::nullopt : number_of(fields[i]);
      if (number) kernel.metrics[head[i]] = *number;
    }
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

std::string why_nothing(std::string_view output) {
  const auto has = [&](std::string_view words) { return output.find(words) != std::string_view::npos; };
  if (has("ERR_NVGPUCTRPERM"))
    return "the driver lets administrators alone read the GPU's counters (ERR_NVGPUCTRPERM): run as root, or "
           "set "
           "NVreg_RestrictProfilingToAdminUsers=0 for the nvidia module";
  if (has("No kernels were profiled")) return "no kernel was launched in the call";
  if (has("Failed to find")) return "this ncu does not know what was asked for: see its output";
  return "";
}

}  // namespace fib::profile
