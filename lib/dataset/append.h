#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "util/error.h"

namespace fib::dataset {

// The disk, or somebody's share of it, is full.
class DiskFull : public Error {
 public:
  using Error::Error;
};

// What append_lines() found and repaired at the file's end.
struct AppendReport {
  bool newline_added = false;                      // the last record was whole and lacked its newline
  std::optional<std::filesystem::path> torn_file;  // where a torn last record was moved to
  std::uint64_t torn_bytes = 0;
};

// Appends `lines` (one record each, without newlines; none empty) to `path`, which lies below the dataset's
// folder `root`, all or nothing: creates missing folders and the file (no link below `root` is followed, and
// a file that has another name elsewhere is refused, since a dataset could lead to any file with them); takes
// the file's lock (util::lock_for_writing: only who may write to the file can take it), waiting for others at
// most `lock_limit`; repairs the end (a last line that is a JSON object gets its newline, any other moves to
// torn_file()); then writes all lines with one write and syncs the data, and the folder when the file is new.
// Nothing is written for an empty list. On a short or failed write the file is cut back to what it was, and
// Error is thrown, DiskFull where that is why. A process that is killed by SIGKILL in the middle may leave
// the beginning of `lines`, up to a page's end: whole records, and a torn last one, which the next append
// moves aside. Any thread, any process.
AppendReport append_lines(const std::filesystem::path& root, const std::filesystem::path& path,
                          const std::vector<std::string>& lines,
                          std::chrono::milliseconds lock_limit = std::chrono::minutes(2));

// Throws Error where append_lines() would refuse the file as it is now: it, or the folder in which it would
// be made, cannot be written to, is a link or has another name, or its last line is longer than any record.
// Takes no lock and changes nothing.
void expect_appendable(const std::filesystem::path& root, const std::filesystem::path& path);

}  // namespace fib::dataset
