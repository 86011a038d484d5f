#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bench/config.h"
#include "bench/session.h"
#include "sandbox/files.h"
#include "util/files.h"

// A report of Nsight Compute's that a process wrote which shares a room with a solution (probe.h): it may be
// anything.
namespace fib::bench {

// Its name in the folder that ncu is told to write it to.
inline constexpr const char* kNcuReport = "profile.ncu-rep";

// What a regular file of that name in the folder holds, 1 GiB at most; nothing where there is none: a link,
// which could lead to any file of the user, or a pipe, which could be waited for without end. Throws Error
// when it is larger.
[[nodiscard]] std::optional<std::string> report_in(const std::filesystem::path& folder);

// Has ncu read it, in a room in which it reaches nothing else (sandbox/tool_room.h), within the time limit of
// `config`. The session must outlive it. One thread.
class ReportReader {
 public:
  // `ncu`: its path. The report becomes a file in a folder of its own, which goes with this.
  ReportReader(const Session& session, const RunConfig& config, std::string ncu, const std::string& report);

  [[nodiscard]] std::filesystem::path file() const;
  // What ncu prints when it is given the report and these words; what it says on stderr, too.
  [[nodiscard]] std::string page(const std::vector<std::string>& words) const;

 private:
  std::string program_;
  double timeout_s_;
  util::TemporaryFolder folder_;
  std::string ncu_;
  sandbox::FileAccess files_;
};

}  // namespace fib::bench
