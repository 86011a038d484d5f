#include "compile/python_builder.h"

#include <algorithm>

#include "compile/artifact_cache.h"
#include "compile/compiler_files.h"
#include "compile/compiler_log.h"
#include "compile/python_scripts.h"
#include "compile/python_source.h"
#include "compile/sources.h"
#include "util/error.h"
#include "util/hash.h"

namespace fib::compile {
namespace {

namespace fs = std::filesystem;
using model::Language;

constexpr std::uint64_t kPythonCacheFormat = 2;  // raise when what is built or how changes

const char* prefix_of(Language language) {
  return language == Language::triton     ? "fib_triton_"
         : language == Language::tilelang ? "fib_tilelang_"
                                          : "fib_python_";
}

bool is_python(const model::SourceFile& source) { return source.path.ends_with(".py"); }

std::string plural(std::size_t count, const std::string& noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

// "pkg.sub.main" for the entry file "sub/main.py".
std::string module_of(const std::string& package, const fs::path& entry) {
  std::string name = package;
  for (const auto& part : fs::path(entry).replace_extension().lexically_normal()) name += "." + part.string();
  return name;
}

// The format's wording (its reference implementation's), with what was seen.
std::string wrong_count(const PythonFunction& function, const std::string& file, CallingStyle style,
                        const model::Definition& definition) {
  const bool returning = style == CallingStyle::kValueReturning;
  std::string text = fmt::format(
      "{} callable: expected {} parameters, but got {}\n{}:{}: {} is called with {}{}",
      returning ? "Value-returning style" : "Destination-passing style", argument_count(style, definition),
      function.parameters.size(), file, function.line, function.name,
      plural(definition.inputs.size(), "input"),
      returning ? std::string(" and returns the outputs")
                : fmt::format(" and {} to write to", plural(definition.outputs.size(), "output")));
  if (!function.needed.empty())
    text += fmt::format(
        "; its parameter {} must be given by keyword, which is done where all arguments have "
        "parameters of their names",
        *function.needed.begin());
  if (!returning && function.takes(definition.inputs.size()))
    text += "; if it returns its outputs, set \"destination_passing_style\": false";
  return text;
}

// What is wrong with the entry point, as far as it can be seen.
std::string check_entry(const model::Solution& solution, const model::Definition& definition,
                        CallingStyle style) {
  const auto* entry = solution.entry_source();
  if (entry == nullptr) return "no source has the entry point's path";
  if (!entry->path.ends_with(".py")) return fmt::format("the entry file {} does not end in .py", entry->path);
  const auto stem = fs::path(entry->path).replace_extension().string();
  if (stem.find('.') != std::string::npos)
    return fmt::format("the entry file {} cannot be imported: a name before its .py holds a dot",
                       entry->path);
  const std::string symbol(solution.spec.entry_symbol());
  if (symbol.empty()) return "the entry point names no function";
  const auto sight = see_entry(entry->content, symbol);
  if (sight.missing) return fmt::format("{} defines no {} at module level", entry->path, symbol);
  const bool plain = sight.function && !sight.function->decorated;
  if (plain && !sight.function->takes(argument_count(style, definition)) &&
      !sight.function->takes_by_name(argument_names(style, definition)))
    return wrong_count(*sight.function, entry->path, style, definition);
  return {};
}

// Why the interpreter does not take the sources, whose package lies in `folder`.
std::string check_syntax(const model::Solution& solution, const PythonInterpreter& python,
                         const fs::path& folder) {
  std::vector<std::string> paths;
  for (const auto& source : solution.sources) {
    if (is_python(source)) paths.push_back(fs::path(source.path).lexically_normal());
  }
  const auto result = run_script(python.path, syntax_script(), paths, folder);
  if (result.succeeded()) return {};
  expect_sound_machine(python.path, result);
  if (!result.output.empty()) return result.output;
  return fmt::format("{} ended with {} while it compiled the sources", python.path.string(),
                     result.status_text());
}

std::string key_of(const model::Solution& solution, const std::string& package,
                   const PythonInterpreter& python) {
  util::Sha256 hash;
  hash.add(kPythonCacheFormat).add(model::content_sha256(solution)).add(package);
  hash.add(python.path.string()).add(python.version);
  return hash.hex();
}

CacheEntry entry_of(const model::Solution& solution, const std::string& package,
                    const PythonInterpreter& python, const fs::path& cache) {
  CacheEntry entry{cache, "python", key_of(solution, package, python), {}};
  for (const auto& source : solution.sources)
    entry.files.push_back((fs::path(package) / source.path).lexically_normal().string());
  return entry;
}

}  // namespace

BuildResult build_python(const model::Solution& solution, const model::Definition& definition,
                         const BuildTarget& target, const fs::path& cache) {
  if (!target.python) throw Error("a Python solution cannot be built without a Python interpreter");
  const ChosenStyle style = calling_style(solution, definition);
  const std::string package = model::package_name(solution, prefix_of(solution.spec.language));
  const auto result =
      through_cache(entry_of(solution, package, *target.python, cache), files_of_compilers(target),
                    [&](const fs::path&, const fs::path& out) {
                      if (auto problem = write_sources(solution, out / package))
                        return BuildAnswer{*problem, {}};
                      return BuildAnswer{check_syntax(solution, *target.python, out / package), {}};
                    });
  // A definition may have changed since the sources were checked: the entry is looked at every time.
  std::string failure = result.answer.failure;
  if (failure.empty()) failure = check_entry(solution, definition, style.style);
  if (!failure.empty() && style.inferred) failure += "\n" + style.reason;
  if (!failure.empty()) return {BuildResult::Outcome::kFailed, {}, std::move(failure), false};
  BuildResult built{BuildResult::Outcome::kBuilt, {}, style.reason, result.from_cache};
  built.artifact.kind = Artifact::Kind::kPythonModule;
  built.artifact.file = result.folder;
  built.artifact.symbol = solution.spec.entry_symbol();
  built.artifact.module = module_of(package, solution.spec.entry_file());
  built.artifact.entry_file = (result.folder / package / solution.spec.entry_file()).lexically_normal();
  built.artifact.style = style;
  return built;
}

}  // namespace fib::compile
