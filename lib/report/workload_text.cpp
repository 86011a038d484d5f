#include "report/workload_text.h"

#include <utility>

namespace fib::report {
namespace {

namespace json = model::json;

constexpr std::size_t kWholeUuid = 12;
constexpr std::size_t kShortUuid = 8;

}  // namespace

present::Cell axes_cell(const model::Workload& workload) {
  present::Cell cell{"", json::make_object()};
  for (const auto& [name, value] : workload.axes) {
    json::Value number = json::make_integer(value.value);
    if (!value.fits()) number.text = value.digits;
    cell.text += (cell.text.empty() ? "" : ", ") + name + "=" + number.text;
    cell.value.add(name, std::move(number));
  }
  if (cell.text.empty()) return {"-", std::move(cell.value)};
  return cell;
}

std::string workload_text(const model::Workload& workload) {
  const std::string& uuid = workload.uuid;
  const std::string id = uuid.size() <= kWholeUuid ? uuid : uuid.substr(0, kShortUuid);
  return workload.axes.empty() ? id : id + " " + axes_cell(workload).text;
}

}  // namespace fib::report
