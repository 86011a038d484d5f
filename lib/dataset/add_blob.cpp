#include "dataset/add_blob.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "dataset/paths.h"
#include "util/beneath.h"
#include "util/error.h"

namespace fib::dataset {
namespace {

[[noreturn]] void fail(const fs::path& file) {
  throw std::system_error(errno, std::generic_category(), file.string());
}

void write_whole(int root, const fs::path& relative, const std::string& part,
                 const std::function<void(int fd)>& write) {
  const auto folder = util::folder_beneath(root, relative.parent_path(), true);
  const auto fd = util::file_beneath(folder.get(), part, O_WRONLY | O_CREAT | O_EXCL);
  const std::string name = relative.filename();
  std::string present = part;
  try {
    write(fd.get());
    if (::fsync(fd.get()) != 0) fail(relative);
    if (::renameat(folder.get(), part.c_str(), folder.get(), name.c_str()) != 0) fail(relative);
    present = name;
    if (::fsync(folder.get()) != 0) fail(relative);
  } catch (...) {
    (void)::unlinkat(folder.get(), present.c_str(), 0);
    throw;
  }
}

}  // namespace

std::string add_blob(const fs::path& root, std::string_view op_type, std::string_view definition,
                     std::string_view uuid, const std::function<void(int fd)>& write) {
  const fs::path file = blob_file(root, op_type, definition, uuid);
  const fs::path relative = file.lexically_relative(root);
  const std::string part = "." + checked_component(uuid, "workload") + ".part";
  try {
    write_whole(util::open_folder(root).get(), relative, part, write);
  } catch (const std::system_error& error) {
    throw Error("cannot add {}: {}", file.string(), error.what());
  }
  return relative.generic_string();
}

void remove_blob(const fs::path& root, const std::string& relative) noexcept {
  try {
    const auto folder =
        util::folder_beneath(util::open_folder(root).get(), fs::path(relative).parent_path(), false);
    (void)::unlinkat(folder.get(), fs::path(relative).filename().c_str(), 0);
  } catch (const std::exception&) {  // it stays, as the header says
    return;
  }
}

}  // namespace fib::dataset
