#include "dataset/add_record.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <random>
#include <system_error>

#include "dataset/paths.h"
#include "util/beneath.h"
#include "util/error.h"
#include "util/files.h"

namespace fib::dataset {
namespace {

// Whether the file holds this text and nothing else. Only one that is as long is read: a sparse file of any
// length costs its maker nothing.
bool holds(int root, const fs::path& relative, const std::string& text) {
  const auto fd = util::file_beneath(root, relative, O_RDONLY | O_NONBLOCK);
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0)
    throw std::system_error(errno, std::generic_category(), relative.string());
  if (!S_ISREG(status.st_mode) || static_cast<std::size_t>(status.st_size) != text.size()) return false;
  return util::read_document(fd.get(), text.size()) == text;
}

void write_new(int root, const fs::path& relative, const fs::path& file, const std::string& text) {
  const auto folder = util::folder_beneath(root, relative.parent_path(), true);
  const auto fd = util::file_beneath(root, relative, O_WRONLY | O_CREAT | O_EXCL);
  try {
    util::write_all(fd.get(), text, file.string());
    if (::fsync(fd.get()) != 0) throw std::system_error(errno, std::generic_category(), file.string());
  } catch (...) {
    (void)::unlinkat(folder.get(), relative.filename().c_str(), 0);
    throw;
  }
}

// The new content lies whole beside the old one before it takes its place.
void replace(int root, const fs::path& relative, const fs::path& file, const std::string& text) {
  const auto folder = util::folder_beneath(root, relative.parent_path(), true);
  // Others may replace it at the same time, on other machines too.
  std::random_device random;
  const std::string beside = fmt::format(".fib-{:08x}{:08x}.new", random(), random());
  write_new(root, relative.parent_path() / beside, file, text);
  if (::renameat(folder.get(), beside.c_str(), folder.get(), relative.filename().c_str()) != 0) {
    const int error = errno;
    (void)::unlinkat(folder.get(), beside.c_str(), 0);
    throw std::system_error(error, std::generic_category(), file.string());
  }
}

AddedRecord add(const fs::path& root, const fs::path& file, const std::string& text,
                Existing existing = Existing::refuse, const std::string& advice = "remove that file first") {
  const fs::path relative = file.lexically_relative(root);
  try {
    const auto folder = util::open_folder(root);
    try {
      write_new(folder.get(), relative, file, text);
    } catch (const std::system_error& error) {
      if (error.code().value() != EEXIST) throw;
      if (holds(folder.get(), relative, text)) return {file, AddedRecord::How::was_there};
      if (existing == Existing::refuse)
        throw Error("{} is there already, with another content; give the new one another name, or {}",
                    file.string(), advice);
      replace(folder.get(), relative, file, text);
      return {file, AddedRecord::How::replaced};
    }
  } catch (const std::system_error& error) {
    throw Error("cannot add {}: {}", file.string(), error.what());
  }
  return {file, AddedRecord::How::added};
}

}  // namespace

AddedRecord add_solution(const fs::path& root, const model::Solution& solution, const std::string& op_type,
                         Existing existing, const std::string& advice) {
  return add(root, solution_file(root, solution.author, op_type, solution.definition, solution.name),
             model::to_json(solution), existing, advice);
}

AddedRecord add_definition(const fs::path& root, const model::Definition& definition) {
  return add(root, definition_file(root, definition.op_type, definition.name), model::to_json(definition));
}

}  // namespace fib::dataset
