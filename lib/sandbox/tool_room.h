#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sandbox/files.h"

namespace fib::sandbox {

// Where a profiler or a sanitizer runs that looks into a solution's process from outside: it starts that
// process and speaks with it through files, pipes and local sockets, which the sandbox of solutions refuses.
// So both are in one room, which is shut for both: they reach the files of `files`, have a network of their
// own without anybody else, no capabilities, and the system calls of processes whose children compile,
// besides what tools need (system_calls.h).
struct ToolRoom {
  FileAccess files;
  // An empty folder, as confine_files() needs it, that is not below any of files.writable.
  std::filesystem::path own;
};

// The first word behind the program's name.
inline constexpr const char* kToolCommand = "__tool";

// The words that start the tool, whose words these are, in the room; in mode off they are the tool's own.
// `program`: the path of fib's program.
[[nodiscard]] std::vector<std::string> words_in_room(const std::filesystem::path& program,
                                                     const ToolRoom& room,
                                                     const std::vector<std::string>& tool);

// What the program makes of the words behind that one: enters the room, in the current folder where that can
// be reached there, runs the tool, and returns its exit code (128 and the signal that ended it). 127, with
// the reason on stderr, where the tool could not be started, or the system does not allow all of the room:
// there is no smaller one. What the tool has started ends with it. Needs a process with one thread.
[[nodiscard]] int run_in_room(const std::vector<std::string>& words);

}  // namespace fib::sandbox
