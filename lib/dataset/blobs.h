#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace fib::dataset {

// How a stored path led to a file.
enum class BlobForm {
  as_written,  // root/path
  other_form,  // "<op>/<definition>/<file>" where "<op>/<file>" was written, or the other way round
  stripped,    // after leaving out leading components of the path
};

struct Blob {
  std::filesystem::path file;  // absolute, without links
  BlobForm form = BlobForm::as_written;
};

enum class Confinement {
  to_root,  // a file that is outside of the root, also through links, is an Error
  none,     // absolute paths and links may lead anywhere
};

// Finds the safetensors file that a workload of `definition` names. Nothing when there is no such file in any
// form. Throws Error when the file that was found lies outside of `root` and that is not allowed.
[[nodiscard]] std::optional<Blob> resolve_blob(const std::filesystem::path& root, std::string_view definition,
                                               std::string_view path,
                                               Confinement confinement = Confinement::to_root);

// True when the file holds a Git LFS pointer instead of data. False when it cannot be read.
[[nodiscard]] bool is_lfs_pointer(const std::filesystem::path& file);

}  // namespace fib::dataset
