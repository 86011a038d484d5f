#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <fstream>

#include "bench/ncu_report.h"
#include "support/places.h"
#include "support/temporary.h"

// Reports as a hostile process may leave them; ncu is a shell script.
using namespace fib;
namespace fs = std::filesystem;

TEST_CASE("a report is what a regular file holds: no link is followed, and no pipe waited for") {
  const testing::TemporaryFolder folder;
  const auto report = folder.path() / bench::kNcuReport;
  const auto read = [&] { return bench::report_in(folder.path()); };
  CHECK_FALSE(read());
  std::ofstream(report) << "figures";
  CHECK(read() == "figures");
  fs::rename(report, folder.path() / "other");
  fs::create_symlink(folder.path() / "other", report);
  CHECK_FALSE(read());
  fs::remove(report);
  REQUIRE(::mkfifo(report.c_str(), 0600) == 0);
  CHECK_FALSE(read());
  fs::remove(report);
  fs::create_directory(report);
  CHECK_FALSE(read());
}

TEST_CASE("ncu reads a report where it reaches nothing else, and for so long as it may take") {
  const testing::TemporaryFolder tool;
  const testing::TemporaryFolder user;
  const auto secret = user.path() / "secret";
  std::ofstream(secret) << "the secret";
  const auto ncu = tool.path() / "ncu";
  std::ofstream(ncu) << "#!/bin/sh\n[ \"$3\" = hang ] && exec sleep 1000\necho \"$1 $3\"; cat \"$2\"; cat "
                     << secret.string() << "\n";
  fs::permissions(ncu, fs::perms(0755));
  std::atomic<bool> interrupted = false;
  bench::Session session(
      {{{model::DeviceKind::cpu, "cpu", {}, {}, {}}}, testing::fib_binary(), tool.path() / "cache"},
      interrupted);
  bench::RunConfig config;
  config.timeout_s = 1;
  session.begin(config);
  const bench::ReportReader reader(session, config, ncu.string(), "figures\n");
  CHECK(util::read_file(reader.file()) == "figures\n");
  const std::string page = reader.page({"raw"});
  CHECK_THAT(page, Catch::StartsWith("--import raw\nfigures\n"));
  CHECK_THAT(page, !Catch::Contains("the secret"));
  CHECK_NOTHROW((void)reader.page({"hang"}));
  config.sandbox = sandbox::Mode::kOff;
  CHECK_THAT(bench::ReportReader(session, config, ncu.string(), "").page({"raw"}),
             Catch::Contains("the secret"));
}
