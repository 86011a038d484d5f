#include "pack/config.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "model/errors.h"
#include "pack/folder_names.h"

namespace fib::pack {
namespace {

namespace json = model::json;

const std::string& text_of(const TomlDocument& document, const std::string& path, const json::Value& value) {
  if (value.kind != json::Kind::string) throw document.error(path, path + " must be a string");
  return value.text;
}

bool contains(const std::vector<std::string_view>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// The members of a JSON object that is the value of a key `json`.
std::vector<json::Member> members_of_text(const TomlDocument& document, const std::string& path,
                                          const json::Value& value) {
  try {
    json::Value object = json::parse(text_of(document, path, value));
    if (object.kind != json::Kind::object) throw document.error(path, path + " must hold a JSON object");
    return std::move(object.members);
  } catch (const model::ParseError& error) {
    throw document.error(path, fmt::format("{} is not valid JSON: {}", path, error.what()));
  }
}

// The members that a table of config.toml stands for: its own of those names, then those of its JSON text.
json::Value members_of(const TomlDocument& document, const std::string& table,
                       const std::vector<std::string_view>& names) {
  json::Value object = json::make_object();
  const json::Value& given = *document.find(table);
  for (const auto& [name, value] : given.members) {
    if (contains(names, name)) object.add(name, value);
  }
  const json::Value* text = given.find("json");
  if (text == nullptr) return object;
  std::set<std::string> own;
  for (const auto& [name, value] : object.members) own.insert(name);
  for (auto& [name, value] : members_of_text(document, table + ".json", *text)) {
    if (!own.insert(name).second || (table == "solution" && (name == "spec" || name == "sources"))) {
      throw document.error(table + ".json",
                           fmt::format("{}.json has the key \"{}\", which stands elsewhere", table, name));
    }
    object.add(name, std::move(value));
  }
  return object;
}

void require_table(const TomlDocument& document, const std::string& table,
                   const std::vector<std::string_view>& known) {
  const json::Value* value = document.find(table);
  if (value == nullptr) throw Error("{}: there is no table [{}]", document.file, table);
  if (value->kind != json::Kind::object) throw document.error(table, table + " must be a table");
  for (const auto& [name, member] : value->members) {
    if (contains(known, name)) continue;
    throw document.error(
        fmt::format("{}.{}", table, name),
        fmt::format("[{}] has the unknown key \"{}\"; known are {}", table, name, fmt::join(known, ", ")));
  }
}

void require(const TomlDocument& document, const std::string& table, const json::Value& object,
             const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (object.find(name) != nullptr) continue;
    throw document.error(table, fmt::format("[{0}] has no {1}; add {1} = \"...\"", table, name));
  }
}

std::vector<std::string_view> with(std::vector<std::string_view> words,
                                   const std::vector<std::string_view>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

ListedFile listed_file(const TomlDocument& document, const json::Value& item) {
  const std::string where = "build.files";
  if (item.kind == json::Kind::string) return {item.text, item.text, {}};
  const json::Value* path = item.find("path");
  if (path == nullptr) {
    throw document.error(where, "build.files must hold paths, or tables with a path and where its file is");
  }
  const json::Value* file = item.find("file");
  ListedFile listed{
      text_of(document, where, *path), text_of(document, where, file == nullptr ? *path : *file), {}};
  for (const auto& [name, value] : item.members) {
    if (name == "json") {
      listed.more = members_of_text(document, where, value);
    } else if (name != "path" && name != "file") {
      throw document.error(where,
                           fmt::format("build.files has a table with the unknown key \"{}\"; known are "
                                       "path, file, json",
                                       name));
    }
  }
  return listed;
}

std::vector<ListedFile> listed_files(const TomlDocument& document, const json::Value& value) {
  if (value.kind != json::Kind::array || value.items.empty()) {
    throw document.error("build.files", "build.files must be a list of paths");
  }
  std::vector<ListedFile> files;
  for (const json::Value& item : value.items) {
    files.push_back(listed_file(document, item));
    if (is_plain_path(files.back().file)) continue;
    throw document.error("build.files",
                         fmt::format("build.files names \"{}\", which is no plain path below the "
                                     "sources' folder",
                                     files.back().file));
  }
  return files;
}

}  // namespace

const std::vector<std::string_view>& solution_keys() {
  static const std::vector<std::string_view> keys = {"name", "definition", "author", "description"};
  return keys;
}

const std::vector<std::string_view>& build_keys() {
  static const std::vector<std::string_view> keys = {
      "language", "target_hardware", "entry_point", "dependencies", "destination_passing_style",
      "binding",  "compile_options", "launch",      "workspace"};
  return keys;
}

Config parse_config(std::string_view text, const std::string& file) {
  Config config;
  config.document = parse_toml(text, file, {"solution", "build"});
  const TomlDocument& document = config.document;
  require_table(document, "solution", with(solution_keys(), {"json"}));
  require_table(document, "build", with(build_keys(), {"source_dir", "files", "json"}));
  config.solution = members_of(document, "solution", solution_keys());
  config.spec = members_of(document, "build", build_keys());
  require(document, "solution", config.solution, {"name", "definition", "author"});
  require(document, "build", config.spec, {"language", "entry_point"});
  if (const json::Value* files = document.find("build.files")) config.files = listed_files(document, *files);
  if (const json::Value* folder = document.find("build.source_dir")) {
    config.source_dir = text_of(document, "build.source_dir", *folder);
  }
  return config;
}

std::string language_of(const Config& config) {
  const json::Value* language = config.spec.find("language");
  return language != nullptr && language->kind == json::Kind::string ? language->text : "";
}

}  // namespace fib::pack
