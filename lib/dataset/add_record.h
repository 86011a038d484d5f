#pragma once

#include <filesystem>
#include <string>

#include "model/definition.h"
#include "model/solution.h"

namespace fib::dataset {

// What becomes of a file that is there with another content.
enum class Existing {
  refuse,   // Error
  replace,  // the new content takes its place, whole or not at all
};

struct AddedRecord {
  enum class How { added, was_there, replaced };

  std::filesystem::path file;
  How how = How::added;
};

// Writes the solution's file below `root`, where the layout wants it (paths.h), on the disk when this
// returns. A file with the same content is left as it is. No link of the dataset is
// followed. Throws Error when another content is there (its text ends with `advice`), and when it cannot be
// written; then nothing of it is.
AddedRecord add_solution(const std::filesystem::path& root, const model::Solution& solution,
                         const std::string& op_type, Existing existing = Existing::refuse,
                         const std::string& advice = "remove that file first");

// The same of a definition.
AddedRecord add_definition(const std::filesystem::path& root, const model::Definition& definition);

}  // namespace fib::dataset
