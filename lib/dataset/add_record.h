#pragma once

#include <filesystem>
#include <string>

#include "model/definition.h"
#include "model/solution.h"

namespace fib::dataset {

// Writes the solution's file below `root`, where the layout wants it (paths.h), on the disk when this
// returns; returns its path. A file with the same content is left as it is. No link of the dataset is
// followed. Throws Error when another content is there, and when it cannot be written; then nothing of it is.
std::filesystem::path add_solution(const std::filesystem::path& root, const model::Solution& solution,
                                   const std::string& op_type);

// The same of a definition.
std::filesystem::path add_definition(const std::filesystem::path& root, const model::Definition& definition);

}  // namespace fib::dataset
