#include "bench/guest_need.h"

#include <algorithm>
#include <set>
#include <utility>

namespace fib::bench {
namespace {

bool wants_guest(const model::Solution& solution) {
  using model::Language;
  return solution.spec.language == Language::python || solution.spec.language == Language::triton ||
         solution.spec.language == Language::tilelang || solution.spec.binding == model::Binding::torch;
}

}  // namespace

GuestNeed guests_of(const Plan& plan, bool references_run_in_python) {
  std::set<std::pair<const void*, std::size_t>> guests;
  GuestNeed need;
  for (const auto& planned : plan.evaluations) {
    if (wants_guest(*planned.solution)) guests.emplace(planned.solution, planned.point);
    if (references_run_in_python) guests.emplace(planned.definition, planned.point);
    const bool is_triton = planned.solution->spec.language == model::Language::triton;
    if (is_triton && need.packages.size() == 1) need.packages.emplace_back("triton");
  }
  need.guests = guests.size();
  return need;
}

}  // namespace fib::bench
