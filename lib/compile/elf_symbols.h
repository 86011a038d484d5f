#pragma once

#include <filesystem>
#include <set>
#include <string>

namespace fib::compile {

// Names of the functions that an ELF64 shared library defines and exports, read from its dynamic symbol
// table; nothing of the library is loaded or run. Throws Error when the file is not such a library.
[[nodiscard]] std::set<std::string> exported_functions(const std::filesystem::path& library);

}  // namespace fib::compile
