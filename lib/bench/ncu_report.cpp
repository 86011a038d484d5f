#include "bench/ncu_report.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <system_error>
#include <utility>

#include "bench/probe.h"
#include "sandbox/tool_room.h"
#include "util/beneath.h"
#include "util/command.h"
#include "worker/clients.h"

namespace fib::bench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOwn = "room";  // beside it

}  // namespace

std::optional<std::string> report_in(const fs::path& folder) {
  constexpr std::size_t kMostBytes = std::size_t{1} << 30U;
  try {
    const auto opened = util::open_folder(folder);
    const auto file = util::file_beneath(opened.get(), kNcuReport, O_RDONLY | O_NONBLOCK);
    struct stat info {};
    if (::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
    return util::read_document(file.get(), kMostBytes);
  } catch (const std::system_error&) {
    return std::nullopt;  // it is not there, or a link
  }
}

ReportReader::ReportReader(const Session& session, const RunConfig& config, std::string ncu,
                           const std::string& report)
    : program_(session.environment().program),
      timeout_s_(config.timeout_s),
      folder_(session.temporary(), "report-"),
      ncu_(std::move(ncu)) {
  util::write_file_atomic(file(), report);
  fs::create_directory(folder_.path() / kOwn);
  files_.mode = config.sandbox;
  files_.readable = files_of_tool(ncu_);
  files_.readable.push_back(file());
}

fs::path ReportReader::file() const { return folder_.path() / kNcuReport; }

std::string ReportReader::page(const std::vector<std::string>& words) const {
  std::vector<std::string> all = {ncu_, "--import", file().string()};
  all.insert(all.end(), words.begin(), words.end());
  const sandbox::ToolRoom room{files_, folder_.path() / kOwn};
  // A solution may have written the report: what reads it has nothing of the user's environment.
  std::vector<std::string> clean = {"env", "-i"};
  const auto environment = worker::clean_environment(room.own);
  clean.insert(clean.end(), environment.begin(), environment.end());
  const auto in_room = sandbox::words_in_room(program_, room, all);
  clean.insert(clean.end(), in_room.begin(), in_room.end());
  return util::run_command(clean, "/", {}, {timeout_s_, nullptr}).output;
}

}  // namespace fib::bench
