#include "tensor/confined.h"

#include <algorithm>

#include "util/error.h"

namespace fib::tensor {

namespace fs = std::filesystem;

namespace {

// What does not exist is left as it is by weakly_canonical, and so is a link to it, which may exist later.
void refuse_dangling_links(const fs::path& path, const fs::path& asked) {
  fs::path prefix;
  for (const fs::path& part : path) {
    prefix /= part;
    if (fs::is_symlink(fs::symlink_status(prefix)))
      throw Error("{}: the symbolic link {} leads to nothing", asked.string(), prefix.string());
  }
}

}  // namespace

fs::path confined(const fs::path& root, const fs::path& relative) {
  const fs::path asked = root / relative;
  try {
    const fs::path inside = fs::canonical(root);
    const fs::path resolved = fs::weakly_canonical(asked);
    refuse_dangling_links(resolved, asked);
    const auto [end, unused] = std::mismatch(inside.begin(), inside.end(), resolved.begin(), resolved.end());
    if (end != inside.end())
      throw Error("{} leads to {}, which is outside {}", asked.string(), resolved.string(), inside.string());
    return resolved;
  } catch (const fs::filesystem_error& error) {
    throw Error("cannot resolve {}: {}", asked.string(), error.code().message());
  }
}

}  // namespace fib::tensor
