#pragma once

#include <filesystem>
#include <string>

#include "dataset/load.h"

namespace fib::report {

// Where a solution's record lies, relative to `folder` (a repository's): the place to which GitHub ties what
// is said of it. "" where the dataset has no such record, or it lies elsewhere. Pure.
[[nodiscard]] std::string record_file(const dataset::Dataset& dataset, const std::string& solution,
                                      const std::filesystem::path& folder);

}  // namespace fib::report
