#include "dataset/path_names.h"

#include <optional>
#include <utility>
#include <vector>

#include "dataset/records.h"
#include "dataset/trace_head.h"
#include "model/errors.h"
#include "model/json_value.h"

namespace fib::dataset {
namespace {

namespace json = model::json;

std::optional<json::Value> object_of(std::string_view text) {
  try {
    json::Value value = json::parse(text);
    return value.kind == json::Kind::object ? std::optional(std::move(value)) : std::nullopt;
  } catch (const model::ParseError&) {
    return std::nullopt;
  }
}

// Names of the folders and of the file, from the innermost: definitions/gemm/g1.json gives g1, gemm.
std::vector<std::string> names_from_the_end(const std::filesystem::path& relative) {
  std::vector<std::string> names(relative.begin(), relative.end());
  names.back() = relative.stem().string();
  names.erase(names.begin());
  return {names.rbegin(), names.rend()};
}

}  // namespace

std::string with_names_of_path(const std::string& text, const std::filesystem::path& relative) {
  const bool is_definition = *relative.begin() == "definitions";
  if (!is_definition && *relative.begin() != "solutions") return text;
  const std::vector<std::string> keys = is_definition
                                            ? std::vector<std::string>{"name", "op_type"}
                                            : std::vector<std::string>{"name", "definition", "", "author"};
  const std::vector<std::string> names = names_from_the_end(relative);
  auto document = object_of(text);
  if (!document) return text;
  bool changed = false;
  for (std::size_t i = 0; i < std::min(keys.size(), names.size()); ++i) {
    const bool old = keys[i] == "op_type" && document->find("type") != nullptr;
    if (keys[i].empty() || old || document->find(keys[i]) != nullptr) continue;
    document->add(keys[i], json::make_string(names[i]));
    changed = true;
  }
  return changed ? json::dump(*document, json::Form::indented, json::NonFinite::strings) : text;
}

std::string with_definition(const std::string& text, const std::string& definition, std::size_t& filled) {
  filled = 0;
  std::string result;
  std::size_t number = 1;
  for (const Line& line : split_lines(text)) {
    for (; number < line.number; ++number) result += '\n';  // blank lines, so that numbers stay
    ++number;
    auto record = read_trace_head(line.text) ? std::nullopt : object_of(line.text);
    const bool lacks = record && record->find("workload") != nullptr && record->find("definition") == nullptr;
    if (lacks) {
      record->add("definition", json::make_string(definition));
      result += json::dump(*record, json::Form::compact, json::NonFinite::strings) + "\n";
      ++filled;
    } else {
      result += line.text;
      if (line.ended) result += '\n';
    }
  }
  return filled > 0 ? result : text;
}

}  // namespace fib::dataset
