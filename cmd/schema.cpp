#include "schema/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "commands.h"
#include "report/result_json.h"
#include "report_common.h"
#include "util/closest.h"
#include "util/error.h"

namespace fib::cmd {
namespace {

std::string list_of_schemas() {
  std::size_t width = 0;
  for (const auto& one : schema::all_schemas()) width = std::max(width, one.name.size());
  std::string text;
  for (const auto& one : schema::all_schemas())
    text += fmt::format("{:<{}}  {}\n", one.name, width, one.meaning);
  return text;
}

std::string schema_text(const std::string& name) {
  if (const auto* found = schema::find_schema(name)) return report::indented_json(found->make()) + "\n";
  std::vector<std::string> names;
  for (const auto& one : schema::all_schemas()) names.emplace_back(one.name);
  throw Error("there is no schema \"{}\"{}", name, util::did_you_mean(name, names));
}

}  // namespace

void add_schema(CLI::App& app, int& exit_code) {
  auto name = std::make_shared<std::string>();
  CLI::App* schema = app.add_subcommand("schema", "Print the JSON Schema of what fib reads or writes");
  schema->add_option("name", *name, "Which one; default: a list of them")->type_name("NAME");
  schema->footer(
      "Examples:\n"
      "  fib schema\n"
      "  fib schema eval > eval.schema.json\n"
      "Exit codes: 0 done, 1 there is no such schema, 2 wrong usage.");
  schema->callback([name, &exit_code] {
    print_result(name->empty() ? list_of_schemas() : schema_text(*name));
    exit_code = kDone;
  });
}

}  // namespace fib::cmd
