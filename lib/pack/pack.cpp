#include "pack/pack.h"

#include "model/reader.h"
#include "model/solution.h"
#include "pack/config.h"
#include "pack/entry_point.h"
#include "pack/folder_names.h"
#include "pack/sources.h"
#include "util/files.h"

namespace fib::pack {
namespace fs = std::filesystem;
namespace {

namespace json = model::json;

json::Value* member(json::Value& object, std::string_view name) {
  for (auto& [key, value] : object.members) {
    if (key == name) return &value;
  }
  return nullptr;
}

json::Value source_values(const std::vector<model::SourceFile>& sources) {
  json::Value array = json::make_array();
  for (const model::SourceFile& source : sources) {
    json::Value object = json::make_object();
    object.add("path", json::make_string(source.path));
    object.add("content", json::make_string(source.content));
    model::add_unknown(object, source.unknown);
    array.items.push_back(std::move(object));
  }
  return array;
}

void add_default_hardware(Config& config) {
  if (config.spec.find("target_hardware") != nullptr) return;
  json::Value hardware = json::make_array();
  hardware.items.push_back(json::make_string(language_of(config) == "cpp" ? "cpu" : "cuda"));
  config.spec.add("target_hardware", std::move(hardware));
}

void complete_entry(Config& config, const std::vector<model::SourceFile>& sources) {
  json::Value& entry = *member(config.spec, "entry_point");
  if (entry.kind != json::Kind::string) return;  // the model says so
  try {
    entry.text = complete_entry_point(entry.text, sources);
  } catch (const Error& error) {
    throw config.document.error("build.entry_point", error.what());
  }
}

// The place in config.toml of a field of the solution: "spec.binding" is [build]'s binding.
std::string place_of(const model::FieldError& error) {
  if (error.path == "spec" || error.path.starts_with("spec.")) return "build" + error.path.substr(4);
  if (error.path.starts_with("sources")) return "build.files";
  if (error.path.empty()) return "build";  // the model's rules are about sources and entry point
  return "solution." + error.path;
}

// What the model accepts, in its form.
std::string checked(const json::Value& solution, const TomlDocument& document) {
  try {
    return model::to_json(
        model::parse_solution(json::dump(solution, json::Form::compact, json::NonFinite::strings)));
  } catch (const model::ParseError& error) {
    throw document.error(place_of(error.errors().front()), error.what());
  }
}

Config read_config(const fs::path& folder) {
  const fs::path file = folder / kConfigFile;
  if (!fs::is_directory(folder)) throw Error("{} is no folder; name one with a config.toml", folder.string());
  if (!fs::exists(file)) throw Error("{} is missing; `fib pack --help` shows one", file.string());
  expect_beneath(folder, file);
  return parse_config(util::read_file(file), file.string());
}

}  // namespace

std::string pack_folder(const fs::path& folder, const PackOptions& options) {
  Config config = read_config(folder);
  if (options.name) *member(config.solution, "name") = json::make_string(*options.name);
  const auto sources = read_sources(folder, config);
  add_default_hardware(config);
  complete_entry(config, sources);
  json::Value solution = std::move(config.solution);
  solution.add("spec", std::move(config.spec));
  solution.add("sources", source_values(sources));
  return checked(solution, config.document);
}

}  // namespace fib::pack
