#pragma once

#include <filesystem>
#include <string>

#include "util/command.h"

namespace fib::compile {

// The compiler's output from its first error on, and then what came before it: the log of a failed build
// begins with what went wrong, not with warnings or include chains, and says nothing twice. Unchanged when it
// begins with the error or holds none.
[[nodiscard]] std::string first_error_first(const std::string& output);

// Throws Error when a compiler that failed did so for a fault of the machine, which is no verdict on what it
// compiled: it, or a program that it had started, was ended by somebody's signal, or the disk was full. GCC,
// Clang, their linkers and nvcc say so in their output. (A compiler that crashes on a source ends by SIGSEGV
// or SIGABRT: that is the source's.)
void expect_sound_machine(const std::string& program, const util::CommandResult& result);

// The output with "./" taken from the beginnings of paths: compilers get sources by such paths, messages
// shall name them as the solution does.
[[nodiscard]] std::string without_dot_slash(std::string output);

// The output with paths below `folder` relative to it: messages name the sources as the solution does, not by
// the temporary folder they were compiled in.
[[nodiscard]] std::string without_folder(std::string output, const std::filesystem::path& folder);

}  // namespace fib::compile
