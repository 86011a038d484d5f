#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace fib::pack {

struct PackOptions {
  std::optional<std::string> name;  // in place of config.toml's
};

// The JSON of the solution that `folder` holds as config.toml and sources: in the format's own form, without
// final newline. Reads the folder only. Throws Error in one sentence: what config.toml or a source lacks, and
// what the model refuses.
[[nodiscard]] std::string pack_folder(const std::filesystem::path& folder, const PackOptions& options = {});

}  // namespace fib::pack
