#include "dataset/links.h"

#include "util/beneath.h"
#include "util/error.h"

namespace fib::dataset {
namespace fs = std::filesystem;

bool leads_out(const fs::path& file, const fs::path& root) {
  const fs::path target = fs::weakly_canonical(file);
  const fs::path whole = fs::weakly_canonical(root);
  if (util::lies_in(target, whole)) return util::is_hidden(target.lexically_relative(whole));
  const fs::path snapshots = whole.parent_path();
  return snapshots.filename() != "snapshots" || !util::lies_in(target, snapshots.parent_path() / "blobs");
}

void expect_inside(const fs::path& file, const fs::path& root) {
  if (leads_out(file, root))
    throw Error("{} lies outside of the dataset, by a link, or is hidden; put the file itself there",
                file.string());
}

}  // namespace fib::dataset
