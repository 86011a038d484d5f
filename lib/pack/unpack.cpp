#include "pack/unpack.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <system_error>

#include "model/solution.h"
#include "pack/config_text.h"
#include "pack/folder_names.h"
#include "util/files.h"

namespace fib::pack {
namespace fs = std::filesystem;
namespace {

namespace json = model::json;
using Sources = std::vector<model::SourceFile>;

// Whether another source lies below `path` as if it were a folder.
bool is_folder_of_another(const std::string& path, const std::set<std::string>& all) {
  const std::string folder = path + "/";
  const auto first = all.lower_bound(folder);
  return first != all.end() && first->starts_with(folder);
}

// Where each source lies: at its path, or under a name of its own where that cannot be.
std::vector<ListedFile> files_of(const Sources& sources) {
  std::set<std::string> all;
  std::set<std::string> taken;
  for (const auto& source : sources) all.insert(source.path);
  for (const auto& source : sources) taken.insert(source.path.substr(0, source.path.find('/')));
  std::vector<ListedFile> files;
  int number = 1;
  for (const auto& source : sources) {
    std::string file = source.path;
    const bool possible = is_plain_path(file) && !is_folder_of_another(file, all);
    for (; !possible; ++number) {
      file = fmt::format("source_{}.txt", number);
      if (taken.insert(file).second) break;
    }
    files.push_back({source.path, file, source.unknown});
  }
  return files;
}

// Whether a folder with those files is packed to these sources without a list of them.
bool are_found(const std::vector<ListedFile>& files) {
  for (std::size_t i = 0; i < files.size(); ++i) {
    const auto& [path, file, more] = files[i];
    const bool in_order = i == 0 || files[i - 1].path < path;
    if (file != path || !has_source_suffix(path) || !more.empty() || !in_order) return false;
  }
  return true;
}

// The folder of the sources that packing finds by itself; nothing when no folder can have that name.
std::optional<std::string> usual_folder(const std::string& language) {
  if (!is_plain_path(language)) return std::nullopt;
  return std::string(kSolutionFolder) + "/" + language;
}

std::string config_of(const json::Value& canonical, const std::optional<std::string>& source_dir,
                      const std::vector<ListedFile>& files) {
  json::Value about = json::make_object();
  for (const auto& [name, value] : canonical.members) {
    if (name != "spec" && name != "sources") about.add(name, value);
  }
  return config_text(about, *canonical.find("spec"), source_dir,
                     are_found(files) ? std::nullopt : std::optional(files));
}

void require_empty(const fs::path& folder) {
  if (!fs::exists(fs::symlink_status(folder))) return;
  if (!fs::is_directory(folder))
    throw Error("{} is no folder; name one that is new or empty", folder.string());
  if (!fs::is_empty(folder))
    throw Error("{} is not empty; name a folder that is new or empty", folder.string());
}

// Writes the files into a folder of their own inside of `folder`, then moves them up.
void write_inside(const std::vector<UnpackedFile>& files, const fs::path& folder) {
  const util::TemporaryFolder staging(folder, ".unpack-");
  for (const UnpackedFile& file : files) util::write_file_atomic(staging.path() / file.path, file.content);
  for (const auto& entry : fs::directory_iterator(staging.path())) {
    const fs::path target = folder / entry.path().filename();
    std::error_code error;
    fs::rename(entry.path(), target, error);
    if (error) throw Error("cannot write {}: {}", target.string(), error.message());
  }
}

}  // namespace

std::vector<UnpackedFile> unpacked(std::string_view text) {
  const model::Solution solution = model::parse_solution(text);
  // The values as they are written, which are not always those that were read: a NaN becomes a string.
  const json::Value canonical = json::parse(model::to_json(solution));
  const auto usual = usual_folder(canonical.find("spec")->find("language")->text);
  const std::string below = usual.value_or(std::string(kSolutionFolder) + "/sources");
  const std::vector<ListedFile> places = files_of(solution.sources);
  std::vector<UnpackedFile> files;
  for (std::size_t i = 0; i < places.size(); ++i) {
    files.push_back({below + "/" + places[i].file, solution.sources[i].content});
  }
  files.push_back(
      {std::string(kConfigFile), config_of(canonical, usual ? std::nullopt : std::optional(below), places)});
  return files;
}

void write_unpacked(const std::vector<UnpackedFile>& files, const fs::path& folder) {
  require_empty(folder);
  std::error_code error;
  const bool is_new = fs::create_directories(folder, error);
  if (error) throw Error("cannot make the folder {}: {}", folder.string(), error.message());
  try {
    write_inside(files, folder);
  } catch (...) {
    if (is_new) fs::remove(folder, error);
    throw;
  }
}

}  // namespace fib::pack
