#include "worker/packed_folder.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>
#include <vector>

#include "util/beneath.h"
#include "util/error.h"
#include "util/files.h"

namespace fib::worker {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::vector<fs::path> files_below(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code gone;
    if (fs::is_regular_file(entry->symlink_status(gone))) files.push_back(entry->path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

std::string pack_folder(const fs::path& folder, std::size_t limit) {
  constexpr std::size_t kBeside = 16;  // what the format adds to a path and a content, at most
  json files = json::array();
  std::size_t bytes = 0;
  for (const auto& file : files_below(folder)) {
    const std::string name = file.lexically_relative(folder).string();
    std::error_code gone;
    const auto size = fs::file_size(file, gone);
    if (gone) continue;
    if (size > limit) return {};  // it is not even read
    const std::string content = util::read_file(file);
    bytes += content.size() + name.size() + kBeside;
    if (bytes > limit) return {};
    files.push_back({name, json::binary(std::vector<std::uint8_t>(content.begin(), content.end()))});
  }
  if (files.empty()) return {};
  std::string packed;
  json::to_cbor(files, packed);
  return packed;
}

void unpack_folder(std::string_view packed, const fs::path& folder) {
  try {
    for (const auto& file : json::from_cbor(packed)) {
      const fs::path path = folder / file.at(0).get<std::string>();
      if (!util::lies_in(path, folder)) throw Error("a packed file has the path {}", path.string());
      const auto& content = file.at(1).get_binary();
      util::write_file_atomic(path, {reinterpret_cast<const char*>(content.data()), content.size()});
    }
  } catch (const json::exception& error) {
    throw Error("packed files are broken: {}", error.what());
  }
}

}  // namespace fib::worker
