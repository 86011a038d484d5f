#include "pack/config_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/reader.h"
#include "pack/toml_write.h"

namespace fib::pack {
namespace {

namespace json = model::json;

// One table of config.toml while it is written.
class Section {
 public:
  Section(std::string name, const std::vector<std::string_view>& keys)
      : name_(std::move(name)), keys_(keys) {}

  void line(std::string_view key, const std::string& value) {
    lines_ += fmt::format("{} = {}\n", key, value);
  }

  void add(const json::Value& members) {
    for (const auto& [name, value] : members.members) add(name, value);
  }

  [[nodiscard]] std::string text() const {
    std::string text = "[" + name_ + "]\n" + lines_;
    if (!rest_.members.empty()) {
      text +=
          "json = " + toml_string(json::dump(rest_, json::Form::indented, json::NonFinite::strings)) + "\n";
    }
    return text + tables_;
  }

 private:
  void add(const std::string& name, const json::Value& value) {
    const bool known = std::find(keys_.begin(), keys_.end(), name) != keys_.end();
    const std::optional<std::string> text = known ? to_toml(value) : std::nullopt;
    if (!text) {
      rest_.add(name, value);
    } else if (value.kind == json::Kind::object) {
      add_table(name, value);
    } else {
      line(name, *text);
    }
  }

  void add_table(const std::string& name, const json::Value& value) {
    tables_ += fmt::format("\n[{}.{}]\n", name_, name);
    for (const auto& [key, member] : value.members) {
      tables_ += fmt::format("{} = {}\n", toml_key(key), to_toml(member).value());
    }
  }

  std::string name_;
  const std::vector<std::string_view>& keys_;
  std::string lines_;
  std::string tables_;                      // below the lines, where TOML wants them
  json::Value rest_ = json::make_object();  // as JSON
};

json::Value listed_value(const ListedFile& listed) {
  if (listed.file == listed.path && listed.more.empty()) return json::make_string(listed.path);
  json::Value table = json::make_object();
  table.add("path", json::make_string(listed.path));
  if (listed.file != listed.path) table.add("file", json::make_string(listed.file));
  if (!listed.more.empty()) {
    json::Value more = json::make_object();
    model::add_unknown(more, listed.more);
    table.add("json", json::make_string(json::dump(more, json::Form::compact, json::NonFinite::strings)));
  }
  return table;
}

std::string list_text(const std::vector<ListedFile>& files) {
  json::Value list = json::make_array();
  for (const ListedFile& listed : files) list.items.push_back(listed_value(listed));
  return to_toml(list).value();
}

}  // namespace

std::string config_text(const json::Value& solution, const json::Value& spec,
                        const std::optional<std::string>& source_dir,
                        const std::optional<std::vector<ListedFile>>& files) {
  Section about("solution", solution_keys());
  about.add(solution);
  Section build("build", build_keys());
  build.add(spec);
  if (source_dir) build.line("source_dir", toml_string(*source_dir));
  if (files) build.line("files", list_text(*files));
  return about.text() + "\n" + build.text();
}

}  // namespace fib::pack
