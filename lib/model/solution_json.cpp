#include <algorithm>
#include <map>
#include <set>

#include "model/coerce.h"
#include "model/reader.h"
#include "model/solution.h"
#include "util/text.h"

namespace fib::model {
namespace {

const std::vector<std::string_view> kLanguageNames = {"python", "triton", "cpp", "cuda", "tilelang"};

// Spellings outside of the format: of SOL-ExecBench, whose list `languages` names the toolkit, and of others.
const std::map<std::string, Language, std::less<>> kOtherLanguages = {
    {"c", Language::cpp},
    {"cuda_cpp", Language::cuda},
    {"pytorch", Language::python},
    {"cute_dsl", Language::python},
    {"cutedsl", Language::python},
    {"cutile", Language::python},
    {"cuda_tile", Language::python},
    {"cudnn_frontend", Language::python},
    {"tlx", Language::triton},
};

// Toolkits with two faces: a Python file uses their packages, another one their C++ headers.
const std::set<std::string, std::less<>> kTwoFaced = {"cutlass", "cudnn", "cublas"};

Language language_from(const std::string& text) {
  for (const Language known :
       {Language::python, Language::triton, Language::cpp, Language::cuda, Language::tilelang}) {
    if (text == name_of(known)) return known;
  }
  return Language::unknown;
}

// Old spellings ("Python", "CUDA") and those of sibling formats count in lenient mode.
Language lenient_language(const std::string& text, const std::string& entry_point) {
  const std::string word = util::lowered(text);
  if (kTwoFaced.contains(word))
    return entry_point.find(".py::") != std::string::npos ? Language::python : Language::cuda;
  const auto other = kOtherLanguages.find(word);
  return other != kOtherLanguages.end() ? other->second : language_from(word);
}

void read_language(ObjectReader& object, const json::Value& value, ReadContext& context, Spec& spec) {
  const json::Value* list = value.find("languages");
  if (context.mode == Mode::lenient && value.find("language") == nullptr && list != nullptr) {
    const auto languages = read_texts(*list, object.path_of("languages"), context, MinLength::zero);
    if (languages.empty()) context.fail(object.path_of("languages"), "List should have at least 1 item");
    spec.language_text = languages.empty() ? "" : languages.front();
  } else if (const json::Value* language = object.required("language")) {
    spec.language_text = read_text(*language, object.path_of("language"), context, MinLength::zero);
  }
  const json::Value* entry = value.find("entry_point");
  const std::string entry_point = entry != nullptr && entry->kind == json::Kind::string ? entry->text : "";
  spec.language = context.mode == Mode::lenient ? lenient_language(spec.language_text, entry_point)
                                                : language_from(spec.language_text);
  if (context.mode == Mode::upstream && spec.language == Language::unknown &&
      value.find("language") != nullptr) {
    context.fail(object.path_of("language"), expected_one_of(kLanguageNames));
  }
}

void read_binding(ObjectReader& object, ReadContext& context, Spec& spec) {
  spec.binding_text = object.nullable_text("binding");
  const std::optional<std::string> text = spec.binding_text.value_or(std::nullopt);
  if (!text) return;
  spec.binding = *text == "torch" ? Binding::torch : *text == "tvm-ffi" ? Binding::tvm_ffi : Binding::unknown;
  if (spec.binding == Binding::unknown && context.mode == Mode::upstream) {
    context.fail(object.path_of("binding"), expected_one_of({"tvm-ffi", "torch"}));
  }
}

std::vector<std::string> split_at_spaces(const std::string& text) {
  std::vector<std::string> words;
  std::size_t begin = text.find_first_not_of(' ');
  while (begin != std::string::npos) {
    const std::size_t end = text.find(' ', begin);
    words.push_back(text.substr(begin, end - begin));
    begin = text.find_first_not_of(' ', end);
  }
  return words;
}

// A list of strings, or one string to be split at spaces.
std::optional<std::vector<std::string>> read_flags(ObjectReader& object, std::string_view name,
                                                   ReadContext& context) {
  const json::Value* value = object.optional(name);
  if (value == nullptr || value->kind == json::Kind::null) return std::nullopt;
  if (value->kind == json::Kind::string) return split_at_spaces(value->text);
  return read_texts(*value, object.path_of(name), context, MinLength::zero);
}

CompileOptions read_compile_options(const json::Value& value, const std::string& path, ReadContext& context) {
  CompileOptions options;
  ObjectReader object(value, path, context);
  options.cflags = read_flags(object, "cflags", context);
  options.cuda_cflags = read_flags(object, "cuda_cflags", context);
  options.ld_flags = read_flags(object, "ld_flags", context);
  options.unknown = object.unknown();
  return options;
}

// The keys that the format's first implementation does not know.
void read_extensions(ObjectReader& object, ReadContext& context, Spec& spec) {
  const json::Value* options = object.optional("compile_options");
  const json::Value* launch = object.optional("launch");
  const json::Value* workspace = object.optional("workspace");
  if (context.mode == Mode::upstream) return;
  if (options != nullptr && options->kind != json::Kind::null) {
    spec.compile_options = read_compile_options(*options, object.path_of("compile_options"), context);
  }
  if (launch != nullptr) spec.launch = json::to_tree(*launch);
  if (workspace != nullptr) spec.workspace = json::to_tree(*workspace);
}

std::size_t count_separators(const std::string& text) {
  std::size_t count = 0;
  for (std::size_t at = text.find("::"); at != std::string::npos; at = text.find("::", at + 2)) ++count;
  return count;
}

Spec read_spec(const json::Value& value, const std::string& path, ReadContext& context) {
  Spec spec;
  const std::size_t errors_before = context.errors.size();
  ObjectReader object(value, path, context);
  if (!object.is_object()) return spec;
  read_language(object, value, context, spec);
  if (const json::Value* hardware = object.required("target_hardware")) {
    const std::string where = object.path_of("target_hardware");
    spec.target_hardware = read_texts(*hardware, where, context, MinLength::zero);
    if (hardware->kind == json::Kind::array && hardware->items.empty()) {
      context.fail(where, "List should have at least 1 item after validation, not 0");
    }
  }
  spec.entry_point = object.text("entry_point");
  spec.dependencies = object.texts("dependencies");
  if (const json::Value* style = object.optional("destination_passing_style")) {
    const Coerced<bool> flag = coerce_boolean(*style);
    if (!flag.value) context.fail(object.path_of("destination_passing_style"), flag.error);
    spec.destination_passing = flag.value;
  }
  read_binding(object, context, spec);
  read_extensions(object, context, spec);
  spec.unknown = object.unknown();
  if (context.errors.size() == errors_before && count_separators(spec.entry_point) != 1) {
    context.fail(path,
                 fmt::format("Invalid entry point format: {}. Expected \"<file_path>::<function_name>\".",
                             spec.entry_point));
  }
  return spec;
}

bool has_parent_component(std::string_view path) {
  while (true) {
    const std::size_t slash = path.find('/');
    if (path.substr(0, slash) == "..") return true;
    if (slash == std::string_view::npos) return false;
    path.remove_prefix(slash + 1);
  }
}

// Programs that get such a name take it for an option, or for a file with more arguments.
bool has_component_like_an_option(std::string_view path) {
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    if (begin < end && (path[begin] == '-' || path[begin] == '@')) return true;
    begin = end + 1;
  }
  return false;
}

SourceFile read_source(const json::Value& value, const std::string& path, ReadContext& context) {
  SourceFile source;
  const std::size_t errors_before = context.errors.size();
  ObjectReader object(value, path, context);
  if (!object.is_object()) return source;
  source.path = object.text("path");
  // SOL-ExecBench leaves the content of files beside the document empty.
  source.content = object.text("content", context.mode == Mode::lenient ? MinLength::zero : MinLength::one);
  source.unknown = object.unknown();
  if (context.errors.size() > errors_before) return source;
  if (source.path.starts_with('/')) {
    context.fail(path, "Invalid source path (absolute path not allowed): " + source.path);
  } else if (has_parent_component(source.path)) {
    context.fail(path, "Invalid source path (parent directory traversal not allowed): " + source.path);
  } else if (context.mode == Mode::lenient && has_component_like_an_option(source.path)) {
    context.fail(path, "Invalid source path (no component may begin with '-' or '@'): " + source.path);
  }
  return source;
}

std::vector<SourceFile> read_sources(ObjectReader& parent, ReadContext& context) {
  std::vector<SourceFile> sources;
  const json::Value* value = parent.required("sources");
  if (value == nullptr) return sources;
  if (value->kind != json::Kind::array) {
    context.fail("sources", "Input should be a valid array");
    return sources;
  }
  if (value->items.empty())
    context.fail("sources", "List should have at least 1 item after validation, not 0");
  constexpr std::size_t kMost = 10'000;  // far above what people write; places of all are compared
  if (value->items.size() > kMost) {
    context.fail("sources", fmt::format("{} sources, more than {}", value->items.size(), kMost));
    return sources;
  }
  for (std::size_t i = 0; i < value->items.size(); ++i) {
    sources.push_back(read_source(value->items[i], join_path("sources", std::to_string(i)), context));
  }
  return sources;
}

[[noreturn]] void refuse_solution(const std::string& message) { throw ParseError({{"", message}}); }

void check_sources(const Solution& solution) {
  std::set<std::string_view> paths;
  for (const SourceFile& source : solution.sources) {
    if (!paths.insert(source.path).second) refuse_solution("Duplicate source path '" + source.path + "'");
  }
  if (solution.entry_source() == nullptr) {
    refuse_solution("Entry source file '" + std::string(solution.spec.entry_file()) +
                    "' not found in sources");
  }
}

json::Value options_to_value(const CompileOptions& options) {
  json::Value object = json::make_object();
  if (options.cflags) object.add("cflags", to_value(*options.cflags));
  if (options.cuda_cflags) object.add("cuda_cflags", to_value(*options.cuda_cflags));
  if (options.ld_flags) object.add("ld_flags", to_value(*options.ld_flags));
  add_unknown(object, options.unknown);
  return object;
}

json::Value spec_to_value(const Spec& spec, Mode mode) {
  const bool known = spec.language != Language::unknown;
  json::Value object = json::make_object();
  object.add("language", json::make_string(known ? std::string(name_of(spec.language)) : spec.language_text));
  object.add("target_hardware", to_value(spec.target_hardware));
  object.add("entry_point", json::make_string(spec.entry_point));
  if (spec.dependencies) object.add("dependencies", to_value(*spec.dependencies));
  if (spec.destination_passing) {
    object.add("destination_passing_style", json::make_boolean(*spec.destination_passing));
  }
  add_nullable(object, "binding", spec.binding_text);
  if (mode == Mode::upstream) return object;
  if (spec.compile_options) object.add("compile_options", options_to_value(*spec.compile_options));
  if (spec.launch) object.add("launch", json::from_tree(*spec.launch));
  if (spec.workspace) object.add("workspace", json::from_tree(*spec.workspace));
  add_unknown(object, spec.unknown);
  return object;
}

json::Value sources_to_value(const std::vector<SourceFile>& sources) {
  json::Value array = json::make_array();
  for (const SourceFile& source : sources) {
    json::Value object = json::make_object();
    object.add("path", json::make_string(source.path));
    object.add("content", json::make_string(source.content));
    add_unknown(object, source.unknown);
    array.items.push_back(std::move(object));
  }
  return array;
}

}  // namespace

Solution read_solution(const json::Value& value, Mode mode) {
  ReadContext context{mode, {}};
  ObjectReader object(value, "", context);
  context.finish();
  Solution solution;
  solution.name = object.text("name");
  solution.definition = object.text("definition");
  solution.author = object.text("author");
  if (const json::Value* spec = object.required("spec")) solution.spec = read_spec(*spec, "spec", context);
  solution.sources = read_sources(object, context);
  solution.description = object.nullable_text("description");
  solution.unknown = object.unknown();
  context.finish();
  check_sources(solution);
  return solution;
}

Solution parse_solution(std::string_view text, Mode mode) { return read_solution(json::parse(text), mode); }

json::Value to_value(const Solution& solution, Mode mode) {
  json::Value object = json::make_object();
  object.add("name", json::make_string(solution.name));
  object.add("definition", json::make_string(solution.definition));
  object.add("author", json::make_string(solution.author));
  object.add("spec", spec_to_value(solution.spec, mode));
  object.add("sources", sources_to_value(solution.sources));
  add_nullable(object, "description", solution.description);
  add_unknown(object, solution.unknown);
  return object;
}

std::string to_json(const Solution& solution, json::Form form, Mode mode) {
  return json::dump(to_value(solution, mode), form, json::NonFinite::strings);
}

}  // namespace fib::model
