#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/definition.h"

namespace fib::scaffold {

enum class SourceLanguage { c, cpp, cuda, python, triton };

// By which names such a source is known as one; the usual one first: ".cpp".
[[nodiscard]] const std::vector<std::string_view>& suffixes_of(SourceLanguage language);

// A source that compiles, runs, and takes what the calling convention of the language passes for the
// definition (docs/eval.md). Python sources compute the reference and pass; compiled ones write zeros, which
// is wrong until a kernel is in their place. Its head says what comes in and what goes out. Pure; names and
// texts of the definition are harmless in it.
[[nodiscard]] std::string new_source(const model::Definition& definition, SourceLanguage language);

}  // namespace fib::scaffold
