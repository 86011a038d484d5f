#include "pack/sources.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <system_error>

#include "pack/folder_names.h"
#include "pack/source_reader.h"
#include "util/beneath.h"

namespace fib::pack {
namespace fs = std::filesystem;
namespace {

fs::path given_folder(const fs::path& folder, const Config& config) {
  const fs::path below = fs::path(*config.source_dir).lexically_normal();
  if (below.is_absolute() || below.empty() || *below.begin() == "..") {
    throw config.document.error(
        "build.source_dir",
        fmt::format("source_dir \"{}\" is not below the folder of config.toml", *config.source_dir));
  }
  if (!fs::is_directory(folder / below)) {
    throw config.document.error("build.source_dir", fmt::format("source_dir \"{}\" is no folder in {}",
                                                                *config.source_dir, folder.string()));
  }
  return (folder / below).lexically_normal();
}

fs::path sources_folder(const fs::path& folder, const Config& config) {
  if (config.source_dir) return given_folder(folder, config);
  const std::string language = language_of(config);
  if (!is_plain_path(language)) return folder;
  fs::path usual = folder / kSolutionFolder / language;
  return fs::is_directory(usual) ? usual : folder;
}

// Paths, relative to `folder`, of what looks like a source.
std::vector<std::string> find_sources(const fs::path& folder) {
  std::vector<std::string> found;
  try {
    for (auto entry = fs::recursive_directory_iterator(folder); entry != fs::recursive_directory_iterator();
         ++entry) {
      const std::string path = entry->path().lexically_relative(folder).generic_string();
      if (util::is_hidden(path)) {
        entry.disable_recursion_pending();
      } else if (has_source_suffix(path) && !entry->is_directory()) {
        found.push_back(path);
      }
    }
  } catch (const fs::filesystem_error& error) {
    throw Error("cannot read the folder {}: {}", error.path1().string(), error.code().message());
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::string read_text(SourceReader& reader, const fs::path& folder, const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) {
    throw Error("cannot read {}: {}", file.string(), error ? error.message() : "it is not a regular file");
  }
  expect_beneath(folder, file);
  std::string text = reader.read(file);
  if (text.empty()) throw Error("{} is empty; fill it, or list the sources in build.files", file.string());
  if (!simdjson::validate_utf8(text.data(), text.size())) {
    throw Error("{} is not UTF-8 text; convert it, or list the sources in build.files", file.string());
  }
  return text;
}

}  // namespace

void expect_beneath(const fs::path& folder, const fs::path& file) {
  const fs::path target = fs::canonical(file);
  const fs::path whole = fs::canonical(folder);
  if (!util::lies_in(target, whole))
    throw Error("{} is a link out of {}; put the file itself there", file.string(), folder.string());
  if (util::is_hidden(target.lexically_relative(whole)))
    throw Error("{} is a link to something hidden; put the file itself there", file.string());
}

std::vector<model::SourceFile> read_sources(const fs::path& folder, const Config& config) {
  const fs::path below = sources_folder(folder, config);
  SourceReader reader;
  std::vector<model::SourceFile> sources;
  if (config.files) {
    for (const ListedFile& listed : *config.files) {
      sources.push_back({listed.path, read_text(reader, folder, below / listed.file), listed.more});
    }
    return sources;
  }
  for (const std::string& path : find_sources(below)) {
    if (!simdjson::validate_utf8(path.data(), path.size())) {
      throw Error("a file in {} has a name that is not UTF-8; rename it", below.string());
    }
    sources.push_back({path, read_text(reader, folder, below / path), {}});
  }
  if (sources.empty()) throw Error("there are no sources ({}) in {}", kSourceSuffixes, below.string());
  return sources;
}

}  // namespace fib::pack
