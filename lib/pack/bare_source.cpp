#include "pack/bare_source.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

#include "pack/entry_point.h"
#include "pack/folder_names.h"
#include "pack/pack.h"
#include "pack/source_reader.h"
#include "util/beneath.h"
#include "util/error.h"
#include "util/files.h"
#include "util/utf8.h"

namespace fib::pack {
namespace {

namespace fs = std::filesystem;
namespace json = model::json;

constexpr const char* kAuthor = "local";
constexpr const char* kUsualEntry = "run";

bool imports(std::string_view source, std::string_view package) {
  return source.find(fmt::format("import {}", package)) != std::string_view::npos ||
         source.find(fmt::format("from {}", package)) != std::string_view::npos;
}

// "" where the suffix says nothing.
std::string language_of(const std::string& suffix, std::string_view content) {
  if (suffix == ".cu") return "cuda";
  if (suffix == ".c" || suffix == ".cpp" || suffix == ".cc" || suffix == ".cxx") return "cpp";
  if (suffix != ".py") return "";
  if (imports(content, "triton")) return "triton";
  return imports(content, "tilelang") ? "tilelang" : "python";
}

// The name of a source that came without one.
std::string file_of(const std::string& language) {
  if (language == "cuda") return "solution.cu";
  if (language == "c") return "solution.c";
  return language == "cpp" ? "solution.cpp" : "solution.py";
}

// What stands behind `keyword` at the beginning of the lines that have it.
std::vector<std::string> behind(std::string_view text, std::string_view keyword) {
  std::vector<std::string> found;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (line.starts_with(keyword)) found.emplace_back(line.substr(keyword.size()));
  }
  return found;
}

// "name" of `  "name" ...`; else "".
std::string in_quotes(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos || text[begin] != '"') return "";
  const std::size_t end = text.find('"', begin + 1);
  return end == std::string_view::npos ? "" : std::string(text.substr(begin + 1, end - begin - 1));
}

// The file of a module: "a/b.py" of ".a.b as c" and "a.b import x".
std::string file_of_module(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" ."), text.size()));
  std::string path(text.substr(0, text.find_first_of(" ,;#\r")));
  std::replace(path.begin(), path.end(), '.', '/');
  return path + ".py";
}

// Paths, relative to the source's own folder, of files that it may need.
std::vector<std::string> needed_by(const model::SourceFile& source) {
  const std::string folder = source.path.substr(0, source.path.rfind('/') + 1);
  std::vector<std::string> paths;
  if (source.path.ends_with(".py")) {
    for (const char* keyword : {"import ", "from "}) {
      for (const std::string& rest : behind(source.content, keyword)) paths.push_back(file_of_module(rest));
    }
    return paths;
  }
  for (const std::string& rest : behind(source.content, "#include")) {
    const std::string name = in_quotes(rest);
    if (!name.empty()) paths.push_back(folder + name);
  }
  return paths;
}

bool is_torch_extension(const std::string& language, std::string_view content) {
  const bool is_compiled = language == "cuda" || language == "cpp";
  return is_compiled && (content.find("<torch/") != std::string_view::npos ||
                         content.find("\"torch/") != std::string_view::npos);
}

json::Value texts(std::initializer_list<std::string> values) {
  json::Value array = json::make_array();
  for (const std::string& value : values) array.items.push_back(json::make_string(value));
  return array;
}

const char* target_of(const std::string& language, const SourceFacts& facts) {
  const bool is_for_cpu =
      language == "cpp" || (language == "python" && facts.python_device == model::DeviceKind::cpu);
  return is_for_cpu ? "cpu" : "cuda";
}

json::Value spec_of(const model::SourceFile& source, const std::string& language, const SourceFacts& facts) {
  json::Value spec = json::make_object();
  spec.add("language", json::make_string(language));
  spec.add("target_hardware", texts({target_of(language, facts)}));
  spec.add("entry_point",
           json::make_string(complete_entry_point(facts.entry_point.value_or(kUsualEntry), {source})));
  spec.add("dependencies", texts({}));
  if (is_torch_extension(language, source.content)) spec.add("binding", json::make_string("torch"));
  if (!facts.flags.empty()) {
    json::Value list = json::make_array();
    for (const std::string& flag : facts.flags) list.items.push_back(json::make_string(flag));
    json::Value options = json::make_object();
    options.add(language == "cuda" ? "cuda_cflags" : "cflags", std::move(list));
    spec.add("compile_options", std::move(options));
  }
  return spec;
}

model::Solution checked(model::Solution solution, const SourceFacts& facts) {
  if (facts.name) solution.name = *facts.name;
  if (facts.definition && solution.definition != *facts.definition) {
    throw Error("solution {} is of definition {}, not of {}", solution.name, solution.definition,
                *facts.definition);
  }
  return solution;
}

// Not a link that leads out of the folder, or to what a program keeps for itself.
bool is_file_below(const fs::path& folder, const std::string& path) {
  std::error_code gone;
  if (!fs::is_regular_file(folder / path, gone)) return false;
  const fs::path target = fs::canonical(folder / path, gone);
  if (gone) return false;
  const fs::path whole = fs::canonical(folder, gone);
  return util::lies_in(target, whole) && !util::is_hidden(target.lexically_relative(whole));
}

}  // namespace

namespace {

// What is included, besides what is a source by its suffix.
bool is_included(std::string_view path) {
  static constexpr std::array<std::string_view, 9> kSuffixes = {".inl", ".inc", ".ipp", ".tpp", ".tcc",
                                                                ".def", ".hh",  ".hxx", ".ptx"};
  return std::any_of(kSuffixes.begin(), kSuffixes.end(), [&](auto suffix) { return path.ends_with(suffix); });
}

// Looking at a file takes time, and sources may name any.
constexpr std::size_t kMostLookedAt = 10'000;
constexpr std::size_t kMostBeside = 1'000;

// A link beside others' sources may lead to what a program keeps hidden: a token, say.
void expect_not_hidden(const fs::path& file) {
  std::error_code gone;
  const fs::path target = fs::canonical(file, gone);
  const fs::path folder = fs::canonical(fs::absolute(file).parent_path(), gone);
  if (!gone && util::is_hidden(target.lexically_relative(folder)) && !util::is_hidden(file.filename()))
    throw Error("{} is a link to something hidden, {}; name the file itself", file.string(), target.string());
}

}  // namespace

std::vector<model::SourceFile> read_with_neighbours(const fs::path& file) {
  expect_not_hidden(file);
  const fs::path folder = fs::absolute(file).parent_path();
  SourceReader reader;
  std::vector<model::SourceFile> sources{{file.filename().string(), reader.read(file), {}}};
  std::set<std::string> looked_at{sources.front().path};
  for (std::size_t i = 0; i < sources.size(); ++i) {
    for (const std::string& path : needed_by(sources[i])) {
      if (!has_source_suffix(path) && !is_included(path)) continue;
      if (!is_plain_path(path) || !looked_at.insert(path).second) continue;
      if (looked_at.size() > kMostLookedAt)
        throw Error("{} and what it includes name more than {} files", file.string(), kMostLookedAt);
      if (!is_file_below(folder, path)) continue;
      if (sources.size() > kMostBeside)
        throw Error("{} needs more than {} files beside it", file.string(), kMostBeside);
      sources.push_back({path, reader.read(folder / path), {}});
    }
  }
  return sources;
}

// Throws Error: records of solutions are JSON, which has no other text.
void expect_utf8(const model::SourceFile& source) {
  if (!simdjson::validate_utf8(source.path))
    throw Error("{}: the name of this source is not UTF-8, as that of a solution's has to be", source.path);
  if (source.content.find('\0') != std::string::npos)
    throw Error("{} holds NUL bytes, which no source has", source.path);
  if (simdjson::validate_utf8(source.content)) return;
  std::istringstream lines(source.content);
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (util::valid_utf8(line) != line)
      throw Error("{}: line {} is not UTF-8; sources of solutions have to be", source.path, number);
  }
}

model::Solution solution_of_sources(std::vector<model::SourceFile> sources, const SourceFacts& facts) {
  for (const model::SourceFile& source : sources) expect_utf8(source);
  const model::SourceFile first = sources.front();
  const fs::path path(first.path);
  if (!facts.definition) throw Error("{} does not say what it computes: name its definition", first.path);
  std::string language = facts.language.value_or(language_of(path.extension().string(), first.content));
  if (language == "c") language = "cpp";  // what records call both
  if (language.empty()) throw Error("{}: its name does not tell its language; name the language", first.path);
  json::Value solution = json::make_object();
  solution.add("name", json::make_string(facts.name.value_or(path.stem().string())));
  solution.add("definition", json::make_string(*facts.definition));
  solution.add("author", json::make_string(facts.author.value_or(kAuthor)));
  solution.add("spec", spec_of(first, language, facts));
  json::Value list = json::make_array();
  for (const model::SourceFile& source : sources) {
    json::Value one = json::make_object();
    one.add("path", json::make_string(source.path));
    one.add("content", json::make_string(source.content));
    list.items.push_back(std::move(one));
  }
  solution.add("sources", std::move(list));
  try {
    model::Solution made = model::read_solution(solution);
    made.spec.destination_passing = !(facts.returns_outputs && facts.returns_outputs(made));
    return made;
  } catch (const model::ParseError& error) {
    throw Error("{}: {}", first.path, error.what());
  }
}

model::Solution read_given_solution(const fs::path& path, const SourceFacts& facts) {
  if (fs::is_directory(path)) return checked(model::parse_solution(pack_folder(path)), facts);
  const std::string text = util::read_file(path);
  if (path.extension() != ".json" && !text.starts_with('{'))
    return solution_of_sources(read_with_neighbours(path), facts);
  try {
    return checked(model::parse_solution(text), facts);
  } catch (const model::ParseError& error) {
    throw Error("{}: {}", path.string(), error.what());
  }
}

model::Solution given_solution_of_text(const std::string& text, const SourceFacts& facts) {
  if (!text.starts_with('{')) {
    if (!facts.language) throw Error("stdin: a source without a file needs its language");
    return solution_of_sources({{file_of(*facts.language), text, {}}}, facts);
  }
  try {
    return checked(model::parse_solution(text), facts);
  } catch (const model::ParseError& error) {
    throw Error("stdin: {}", error.what());
  }
}

}  // namespace fib::pack
