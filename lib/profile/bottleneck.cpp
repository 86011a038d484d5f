#include "profile/bottleneck.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace fib::profile {
namespace {

// Shares of a whole from which on something is what limits a kernel. A pipe or a memory that is busy for 60 %
// of the time is what Nsight Compute calls its bottleneck, too.
constexpr double kMuchLocal = 0.1;         // local accesses, of all to local and global memory
constexpr double kManyConflicts = 0.3;     // wavefronts of shared memory that conflicts caused
constexpr double kBusyL1Pct = 50;          // beside conflicts
constexpr double kPoorSectorsPct = 50;     // bytes that were used of each sector of global memory
constexpr double kBusyForSectorsPct = 40;  // some memory, beside poor sectors
constexpr double kBusyDramPct = 60;
constexpr double kBusyL2Pct = 70;
constexpr double kBusyTensorPct = 40;
constexpr double kBusySmPct = 60;

constexpr const char* kDram = "dram__throughput.avg.pct_of_peak_sustained_elapsed";
constexpr const char* kL2 = "lts__throughput.avg.pct_of_peak_sustained_elapsed";
constexpr const char* kL1 = "l1tex__throughput.avg.pct_of_peak_sustained_active";
constexpr const char* kSm = "sm__throughput.avg.pct_of_peak_sustained_elapsed";
constexpr const char* kTensor = "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active";

double value(const KernelProfile& kernel, const std::string& name) { return kernel.metric(name).value_or(0); }

std::optional<Bottleneck> spills(const KernelProfile& kernel) {
  const double local = value(kernel, "l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum") +
                       value(kernel, "l1tex__t_requests_pipe_lsu_mem_local_op_st.sum");
  const double global = value(kernel, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum") +
                        value(kernel, "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum");
  if (local <= kMuchLocal * (local + global)) return std::nullopt;
  return Bottleneck{
      "spills",
      "Registers are spilled, or arrays of threads are indexed by what the compiler does not know: use "
      "fewer values at once, unroll, or allow more registers (launch bounds).",
      fmt::format("{:.0f}% of its accesses are to local memory; {:.0f} registers a thread",
                  100 * local / (local + global), value(kernel, "launch__registers_per_thread"))};
}

std::optional<Bottleneck> bank_conflicts(const KernelProfile& kernel) {
  const double conflicts = value(kernel, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum");
  const double wavefronts = value(kernel, "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum");
  if (wavefronts <= 0 || conflicts < kManyConflicts * wavefronts || value(kernel, kL1) < kBusyL1Pct)
    return std::nullopt;
  return Bottleneck{
      "bank_conflicts",
      "Threads of a warp read or write different words of one bank of shared memory: pad or swizzle.",
      fmt::format("{:.0f}% of the wavefronts of shared memory are conflicts; L1 at {:.0f}% of its peak",
                  100 * conflicts / wavefronts, value(kernel, kL1))};
}

std::optional<Bottleneck> uncoalesced(const KernelProfile& kernel) {
  const auto used = [&](const char* name, const char* requests) {
    return value(kernel, requests) > 0 ? kernel.metric(name).value_or(100) : 100;
  };
  const double loads = used("smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct",
                            "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum");
  const double stores = used("smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct",
                             "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum");
  const double busiest = std::max({value(kernel, kDram), value(kernel, kL2), value(kernel, kL1)});
  if (std::min(loads, stores) >= kPoorSectorsPct || busiest < kBusyForSectorsPct) return std::nullopt;
  return Bottleneck{
      "uncoalesced",
      "Neighbouring threads access places that are far apart: let them access neighbouring ones.",
      fmt::format("{:.0f}% of the bytes of each sector of global memory are used ({}); the busiest memory "
                  "at {:.0f}% of its peak",
                  std::min(loads, stores), loads <= stores ? "loads" : "stores", busiest)};
}

Bottleneck latency(const KernelProfile& kernel) {
  std::string figures = fmt::format("no unit is busy: SM {:.0f}%, DRAM {:.0f}%, L2 {:.0f}%",
                                    value(kernel, kSm), value(kernel, kDram), value(kernel, kL2));
  const auto stalls = stalls_of(kernel);
  if (!stalls.empty())
    figures += fmt::format("; warps wait most in {} ({:.1f} instructions)", stalls.front().first,
                           stalls.front().second);
  const double waves = value(kernel, "launch__waves_per_multiprocessor");
  const bool is_small = waves < 1;
  return {
      "latency",
      is_small
          ? "The grid does not fill the GPU: more blocks, or more work at once in each thread."
          : "Warps wait for one another's or for earlier results: more independent work for each thread, or "
            "more warps.",
      figures + fmt::format("; {:.2f} waves of blocks", waves)};
}

}  // namespace

Bottleneck classify(const KernelProfile& kernel) {
  if (!kernel.metric(kSm) && !kernel.metric(kDram))
    return {"unknown",
            "The GPU's counters gave no figures: stop other profilers and monitors that use them (DCGM), or "
            "profile on a GPU that is not virtual.",
            "the counters of this GPU could not be read"};
  for (const auto look : {spills, bank_conflicts, uncoalesced}) {
    if (auto found = look(kernel)) return *std::move(found);
  }
  if (value(kernel, kDram) >= kBusyDramPct)
    return {"memory_bandwidth",
            "It moves bytes as fast as the memory does: move fewer, or use narrower types.",
            fmt::format("DRAM at {:.0f}% of its peak", value(kernel, kDram))};
  if (value(kernel, kL2) >= kBusyL2Pct)
    return {"l2_bandwidth", "The L2 cache is at its limit: keep more in registers and shared memory.",
            fmt::format("L2 at {:.0f}% of its peak", value(kernel, kL2))};
  if (value(kernel, kTensor) >= kBusyTensorPct)
    return {"tensor",
            "The tensor cores are busy: fewer operations, or larger instructions, are what is left.",
            fmt::format("tensor pipes active {:.0f}% of the time", value(kernel, kTensor))};
  if (value(kernel, kSm) >= kBusySmPct)
    return {"compute", "The multiprocessors are busy: fewer or cheaper instructions.",
            fmt::format("SM at {:.0f}% of its peak", value(kernel, kSm))};
  return latency(kernel);
}

std::vector<std::pair<std::string, double>> stalls_of(const KernelProfile& kernel) {
  constexpr std::string_view kBegin = "smsp__average_warps_issue_stalled_";
  constexpr std::string_view kEnd = "_per_issue_active.ratio";
  std::vector<std::pair<std::string, double>> stalls;
  for (const auto& [name, ratio] : kernel.metrics) {
    if (!name.starts_with(kBegin) || !name.ends_with(kEnd)) continue;
    const std::string stall = name.substr(kBegin.size(), name.size() - kBegin.size() - kEnd.size());
    if (stall != "selected" && stall != "not_selected" && ratio > 0) stalls.emplace_back(stall, ratio);
  }
  std::stable_sort(stalls.begin(), stalls.end(),
                   [](const auto& left, const auto& right) { return left.second > right.second; });
  return stalls;
}

std::string occupancy_limit(const KernelProfile& kernel) {
  std::string limit;
  double least = 0;
  const std::pair<const char*, const char*> limits[] = {
      {"warps", "launch__occupancy_limit_warps"},
      {"registers", "launch__occupancy_limit_registers"},
      {"shared memory", "launch__occupancy_limit_shared_mem"},
      {"blocks", "launch__occupancy_limit_blocks"}};
  for (const auto& [name, metric] : limits) {
    const auto blocks = kernel.metric(metric);
    if (!blocks || (!limit.empty() && *blocks >= least)) continue;
    limit = name;
    least = *blocks;
  }
  return limit;
}

}  // namespace fib::profile
