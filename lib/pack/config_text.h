#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pack/config.h"

namespace fib::pack {

// The text of a config.toml from which parse_config() reads the same values. Pure. `solution` and `spec` are
// objects whose members are written in their order; what TOML cannot hold goes into the key `json`.
[[nodiscard]] std::string config_text(const model::json::Value& solution, const model::json::Value& spec,
                                      const std::optional<std::string>& source_dir,
                                      const std::optional<std::vector<ListedFile>>& files);

}  // namespace fib::pack
