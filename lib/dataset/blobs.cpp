#include "dataset/blobs.h"

#include <fstream>
#include <vector>

#include "util/beneath.h"
#include "util/error.h"

namespace fib::dataset {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLfsMark = "version https://git-lfs.github.com/spec/v1";

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

Blob confined(const fs::path& root, const fs::path& file, BlobForm form, Confinement confinement) {
  Blob blob{fs::weakly_canonical(file), form};
  const fs::path whole = fs::weakly_canonical(root);
  if (confinement == Confinement::none) return blob;
  if (util::lies_in(blob.file, whole) && util::is_hidden(blob.file.lexically_relative(whole)))
    throw Error("{} is hidden: no file of a dataset lies where a program keeps what is its own; rename it",
                blob.file.string());
  if (!util::lies_in(blob.file, whole)) {
    throw Error(
        "{} lies outside of the dataset {}; copy the data into the dataset, or allow it with: fib run "
        "--allow-outside",
        blob.file.string(), root.string());
  }
  return blob;
}

// "<op>/<definition>/<file>" for "<op>/<file>", and the other way round.
fs::path other_form(const fs::path& path, std::string_view definition) {
  const fs::path folder = path.parent_path();
  if (folder.filename() == definition) return folder.parent_path() / path.filename();
  return folder / definition / path.filename();
}

constexpr std::size_t kLongestPath = 4096;  // no file has a longer path
constexpr std::size_t kMostPathParts = 64;  // a form is looked for without each of them

}  // namespace

std::optional<Blob> resolve_blob(const fs::path& root, std::string_view definition, std::string_view path,
                                 Confinement confinement) {
  if (path.size() > kLongestPath) return std::nullopt;
  const fs::path written = fs::path(path).lexically_normal();
  if (written.empty() || !written.has_filename()) return std::nullopt;
  // root / "/x" is "/x".
  if (is_file(root / written)) return confined(root, root / written, BlobForm::as_written, confinement);
  const fs::path other = other_form(written, definition);
  if (is_file(root / other)) return confined(root, root / other, BlobForm::other_form, confinement);
  // An absolute path as a whole below the root is a stripped form too: its "/" is left out.
  std::string rest = written.relative_path().string();
  bool is_stripped = written.is_absolute();
  for (std::size_t part = 0; part < kMostPathParts; ++part) {
    if (is_stripped && is_file(root / rest))
      return confined(root, root / rest, BlobForm::stripped, confinement);
    const std::size_t slash = rest.find('/');
    if (slash == std::string::npos) break;
    rest.erase(0, slash + 1);
    is_stripped = true;
  }
  return std::nullopt;
}

bool is_lfs_pointer(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string start(kLfsMark.size(), '\0');
  stream.read(start.data(), static_cast<std::streamsize>(start.size()));
  return stream.gcount() == static_cast<std::streamsize>(start.size()) && start == kLfsMark;
}

}  // namespace fib::dataset
