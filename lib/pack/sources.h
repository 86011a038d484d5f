#pragma once

#include <filesystem>
#include <vector>

#include "model/solution.h"
#include "pack/config.h"

namespace fib::pack {

// The sources of the solution in `folder`: those that `config` lists, in that order; else every file with a
// source's suffix, sorted by path. They lie in source_dir, by default solution/<language> where that is a
// folder, else `folder` itself. Hidden files and folders are left out, linked folders are not entered. Throws
// Error, one sentence naming the file: none found, missing, not a regular file, a link to
// one outside of `folder`, unreadable, empty, not UTF-8.
[[nodiscard]] std::vector<model::SourceFile> read_sources(const std::filesystem::path& folder,
                                                          const Config& config);

// Throws Error, one sentence, where `file`, which is there, is a link to what lies outside of `folder` or to
// what a program keeps there for itself (.git/config): it would be given away with the solution.
void expect_beneath(const std::filesystem::path& folder, const std::filesystem::path& file);

}  // namespace fib::pack
