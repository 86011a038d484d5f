#include "time_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "util/clock.h"
#include "worker/spawner.h"

namespace fib::cmd {
namespace {

using Total = util::Timeline::Total;

// What a run is there for: evaluations, and counts of their calls after several of them.
bool is_work(std::string_view what) { return what == "evaluation" || what == "counted calls"; }

present::Cell milli_cell(double value) { return present::number_cell(value, fmt::format("{:.3f}", value)); }

std::vector<present::Cell> row_of(const Total& total, present::Cell share) {
  const double ms = util::in_ms(total.ns);
  return {present::text_cell(total.owner),
          present::text_cell(total.what),
          present::count_cell(total.times),
          milli_cell(ms / 1e3),
          milli_cell(ms / static_cast<double>(total.times)),
          std::move(share)};
}

present::Cell share_cell(const Total& total, double all_ns) {
  const double share = static_cast<double>(total.ns) / all_ns;
  return present::number_cell(share, fmt::format("{:.1f} %", 100 * share));
}

// It does not matter in which thread something was done, or in which part of the work.
void add(std::vector<Total>& totals, const Total& total) {
  const auto same = std::find_if(totals.begin(), totals.end(), [&](const Total& one) {
    return one.owner == total.owner && one.what == total.what;
  });
  if (same == totals.end()) return totals.push_back(total);
  same->times += total.times;
  same->ns += total.ns;
}

}  // namespace

present::Table time_table(const std::vector<Total>& totals) {
  present::Table table;
  table.columns = {
      present::text_column("Process", "process"),     present::text_column("What", "what"),
      present::number_column("Times", "times"),       present::number_column("Seconds", "seconds"),
      present::number_column("Each [ms]", "each_ms"), present::number_column("Share", "share")};
  std::vector<Total> outside;
  std::vector<Total> inside;
  double all_ns = 0;
  for (const auto& total : totals) {
    if (!is_work(total.what) && !is_work(total.within)) {
      add(outside, total);
      continue;
    }
    add(inside, total);
    if (!is_work(total.what)) continue;
    all_ns += static_cast<double>(total.ns);
    Total own = total;
    own.what = "everything else";
    own.ns = total.own_ns;
    add(inside, own);
  }
  // What a device did meanwhile comes last.
  const auto is_device = [](const Total& total) { return total.owner == worker::kDevice; };
  std::stable_sort(inside.begin(), inside.end(), [&](const auto& a, const auto& b) {
    return is_device(a) != is_device(b) ? is_device(b) : a.ns > b.ns;
  });
  for (const auto& total : outside) table.rows.push_back(row_of(total, present::no_cell()));
  for (const auto& total : inside) table.rows.push_back(row_of(total, share_cell(total, all_ns)));
  return table;
}

}  // namespace fib::cmd
