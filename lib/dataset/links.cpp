#include "dataset/links.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <system_error>

#include "util/beneath.h"
#include "util/error.h"
#include "util/files.h"

namespace fib::dataset {
namespace fs = std::filesystem;
namespace {

// SHA-1 of git's objects, SHA-256 of Git LFS's.
bool is_hash(const std::string& name) {
  return (name.size() == 40 || name.size() == 64) &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isxdigit(c) != 0; });
}

bool is_blob_beside(const fs::path& target, const fs::path& snapshot) {
  const fs::path snapshots = snapshot.parent_path();
  return snapshots.filename() == "snapshots" && target.parent_path() == snapshots.parent_path() / "blobs" &&
         is_hash(target.filename().string());
}

}  // namespace

bool leads_out(const fs::path& file, const fs::path& root) {
  std::error_code unknown;
  const fs::path target = fs::weakly_canonical(file, unknown);
  if (unknown) return true;
  const fs::path whole = fs::weakly_canonical(root, unknown);
  if (unknown) return true;
  if (util::lies_in(target, whole)) return util::is_hidden(target.lexically_relative(whole));
  return !is_blob_beside(target, whole);
}

void expect_inside(const fs::path& file, const fs::path& root) {
  if (leads_out(file, root))
    throw Error("{} lies outside of the dataset, by a link, or is hidden; put the file itself there",
                file.string());
}

bool is_there(const fs::path& file) {
  std::error_code unknown;
  return fs::symlink_status(file, unknown).type() != fs::file_type::not_found;
}

std::optional<std::string> read_inside(const fs::path& file, const fs::path& root,
                                       std::vector<Problem>& problems) {
  if (!is_there(file)) return std::nullopt;
  std::error_code unknown;
  (void)fs::weakly_canonical(file, unknown);
  if (unknown) {
    problems.push_back(
        {file.lexically_relative(root).string(), 0, "cannot be read: " + unknown.message(), Severity::error});
    return std::nullopt;
  }
  if (!leads_out(file, root)) return util::read_file(file);
  problems.push_back({file.lexically_relative(root).string(), 0,
                      "it lies outside of the dataset, by a link; put the file itself there",
                      Severity::error});
  return std::nullopt;
}

}  // namespace fib::dataset
