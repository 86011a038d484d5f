#include "compile/compiler_log.h"

#include <sys/wait.h>

#include <array>
#include <csignal>
#include <string_view>

#include "util/error.h"

namespace fib::compile {
namespace {

bool is_error(std::string_view line) {
  for (const std::string_view mark : {": error:", ": fatal error:", "undefined reference", "cannot find -l",
                                      "error: unrecognized", ": error ", "nvcc fatal"}) {
    if (line.find(mark) != std::string_view::npos) return true;
  }
  return false;
}

// What drivers say when a program of theirs was ended by a signal that no crash has, or met a full disk.
constexpr auto kMachineFaults = std::to_array<std::string_view>(
    {"Killed signal terminated program", "Terminated signal terminated program",
     "Hangup signal terminated program", "Interrupt signal terminated program", "terminated with signal 9 [",
     "terminated with signal 15 [", "died due to signal 9 ", "died due to signal 15 ",
     "died due to signal 1 ", "unable to execute command: Killed", "unable to execute command: Terminated",
     "No space left on device", "Disk quota exceeded", "Input/output error",
     "Resource temporarily unavailable", "Too many open files in system"});

bool is_from_outside(int signal) {
  return signal == SIGKILL || signal == SIGTERM || signal == SIGHUP || signal == SIGINT || signal == SIGQUIT;
}

std::string line_with(std::string_view text, std::size_t at) {
  const auto begin = text.rfind('\n', at) + 1;  // 0 where there is none
  return std::string(text.substr(begin, text.find('\n', at) - begin));
}

}  // namespace

void expect_sound_machine(const std::string& program, const util::CommandResult& result) {
  if (WIFSIGNALED(result.wait_status) && is_from_outside(WTERMSIG(result.wait_status)))
    throw Error("{} was ended by {}", program, result.status_text());
  for (const auto mark : kMachineFaults) {
    const auto at = result.output.find(mark);
    if (at != std::string::npos) throw Error("{} could not work: {}", program, line_with(result.output, at));
  }
}

std::string first_error_first(const std::string& output) {
  const std::string_view text = output;
  std::size_t begin = 0;
  while (begin < text.size()) {
    std::size_t end = text.find('\n', begin);
    end = end == std::string_view::npos ? text.size() : end + 1;
    if (is_error(text.substr(begin, end - begin))) {
      if (begin == 0) return output;
      return std::string(text.substr(begin)) + "\nBefore that:\n" + std::string(text.substr(0, begin));
    }
    begin = end;
  }
  return output;
}

std::string without_dot_slash(std::string output) {
  constexpr std::string_view kBeforePaths = " \t\n'\"`(<,=:";
  for (std::size_t at = output.find("./"); at != std::string::npos; at = output.find("./", at)) {
    if (at == 0 || kBeforePaths.find(output[at - 1]) != std::string_view::npos) {
      output.erase(at, 2);
    } else {
      at += 2;
    }
  }
  return output;
}

std::string without_folder(std::string output, const std::filesystem::path& folder) {
  const std::string prefix = folder.string() + "/";
  for (std::size_t at = output.find(prefix); at != std::string::npos; at = output.find(prefix, at))
    output.erase(at, prefix.size());
  return output;
}

}  // namespace fib::compile
