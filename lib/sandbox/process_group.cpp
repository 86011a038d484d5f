#include "sandbox/process_group.h"

#include <unistd.h>

#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "util/files.h"

namespace fib::sandbox {
namespace {

// Of /proc/<pid>/stat, behind the name in parentheses: state, parent, group, ..., and as the 22nd the
// resident pages.
struct Stat {
  pid_t group = 0;
  std::uint64_t resident_pages = 0;
};

Stat stat_of(const std::filesystem::path& process) {
  std::ifstream file(process / "stat");
  std::string text;
  std::getline(file, text, '\0');
  const auto name_end = text.rfind(')');
  if (name_end == std::string::npos) return {};
  std::istringstream rest(text.substr(name_end + 1));
  std::array<std::string, 22> fields;
  for (auto& field : fields) rest >> field;
  if (!rest) return {};
  return {static_cast<pid_t>(std::stol(fields[2])), std::stoull(fields[21])};
}

}  // namespace

GroupUse use_of_group(pid_t group) {
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  GroupUse use;
  for (const auto& entry : util::entries_of("/proc")) {
    if (std::isdigit(static_cast<unsigned char>(entry.path().filename().native().front())) == 0) continue;
    const Stat stat = stat_of(entry.path());
    if (stat.group != group) continue;
    ++use.processes;
    use.resident_bytes += stat.resident_pages * page;
  }
  return use;
}

}  // namespace fib::sandbox
