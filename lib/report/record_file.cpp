#include "report/record_file.h"

namespace fib::report {

std::string record_file(const dataset::Dataset& dataset, const std::string& solution,
                        const std::filesystem::path& folder) {
  const auto file = dataset.solution_files.find(solution);
  if (file == dataset.solution_files.end()) return {};
  std::filesystem::path path = (dataset.root / file->second).lexically_normal();
  if (path.is_absolute()) path = path.lexically_relative(folder);
  if (path.empty() || *path.begin() == "..") return {};
  return path.string();
}

}  // namespace fib::report
