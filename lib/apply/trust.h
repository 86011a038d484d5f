#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "model/definition.h"
#include "model/solution.h"

// Solutions that somebody has accepted: whoever applies them gives them everything that the program may do.
namespace fib::apply {

// A list of accepted solutions: the key of each, and the name that it had then.
// What is accepted: SHA-256 of what decides how a solution is built and called, and of what its definition
// computes, on which inputs.
[[nodiscard]] std::string trust_key(const model::Solution& solution, const model::Definition& definition);

using TrustList = std::map<std::string, std::string>;

// What FIB_TRUST_FILE names, else ~/.config/fib/trusted.txt ($XDG_CONFIG_HOME where that is set). Throws
// Error when HOME is not set either.
[[nodiscard]] std::filesystem::path trust_file();

// Lines "<64 hex digits> <name>"; no file is an empty list. Throws Error naming the line that is none.
[[nodiscard]] TrustList read_trust(const std::filesystem::path& file);

// Writes the list, whole or not at all, for this user alone. Throws Error.
void write_trust(const std::filesystem::path& file, const TrustList& list);

}  // namespace fib::apply
