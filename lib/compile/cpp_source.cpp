#include "compile/cpp_source.h"

#include <algorithm>
#include <vector>

#include "compile/cpp_characters.h"

namespace fib::compile {
namespace {

constexpr auto kNone = std::string_view::npos;

// Each place that looks like what is sought may have a bracket that is closed far behind it, or never: of
// long texts not more of them are looked at than take some tenths of a second. Nobody calls his function so
// often.
std::size_t most_places(std::string_view text) {
  constexpr std::size_t kMostSteps = 100'000'000;
  return 10 + kMostSteps / (1 + text.size());
}

std::size_t skip_spaces(std::string_view text, std::size_t at) {
  while (at < text.size() && is_space(text[at])) ++at;
  return at;
}

std::string_view trimmed(std::string_view text) {
  text = text.substr(0, skip_spaces_back(text, text.size()));
  return text.substr(skip_spaces(text, 0));
}

int line_of(std::string_view text, std::size_t at) {
  return static_cast<int>(1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

// The position behind the bracket that closes the one at `open`; npos when none does.
std::size_t behind_bracket(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '[' || text[i] == '{') ++depth;
    if (text[i] == ')' || text[i] == ']' || text[i] == '}') --depth;
    if (depth == 0) return i + 1;
  }
  return kNone;
}

// The parts between the commas outside of all brackets.
std::vector<std::string_view> split_by_commas(std::string_view text) {
  std::vector<std::string_view> parts;
  int depth = 0;  // of template arguments
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool arrow = c == '>' && i > 0 && text[i - 1] == '-';
    if (c == '(' || c == '[' || c == '{') i = std::min(behind_bracket(text, i), text.size()) - 1;
    if (c == '<') ++depth;
    if (c == '>' && !arrow) depth = std::max(0, depth - 1);
    if (c != ',' || depth != 0) continue;
    parts.push_back(trimmed(text.substr(begin, i - begin)));
    begin = i + 1;
  }
  const auto last = trimmed(text.substr(begin));
  if (!last.empty()) parts.push_back(last);
  return parts;
}

// Whether the word stands at `at`, as a whole.
bool is_word_at(std::string_view text, std::size_t at, std::string_view word) {
  const std::size_t end = at + word.size();
  return (at == 0 || !is_word(text[at - 1])) && (end >= text.size() || !is_word(text[end]));
}

std::size_t find_word(std::string_view text, std::string_view word, std::size_t from) {
  auto at = text.find(word, from);
  while (at != kNone && !is_word_at(text, at, word)) at = text.find(word, at + 1);
  return at;
}

// `return` with something to return, anywhere in a function's body.
bool returns_something(std::string_view body) {
  for (auto at = find_word(body, "return", 0); at != kNone; at = find_word(body, "return", at + 1)) {
    const auto next = skip_spaces(body, at + std::string_view("return").size());
    if (next < body.size() && body[next] != ';') return true;
  }
  return false;
}

// "static inline torch::Tensor" -> "torch::Tensor"
std::string without_specifiers(std::string_view text) {
  std::string type;
  while (!(text = trimmed(text)).empty()) {
    std::size_t end = 0;
    while (end < text.size() && !is_space(text[end])) ++end;
    const auto word = text.substr(0, end);
    text.remove_prefix(end);
    const bool specifier = word == "static" || word == "inline" || word == "extern" || word == "constexpr" ||
                           word == "virtual" || word == "__host__" || word == "template";
    if (specifier) continue;
    if (!type.empty()) type += ' ';
    type += word;
  }
  return type;
}

bool is_void(std::string_view type) {
  return type.ends_with("void") && is_word_at(type, type.size() - std::string_view("void").size(), "void");
}

// Whether what stands before a name and its arguments can be the type of a function, and is not the start of
// a statement that calls it, nor a kernel's.
bool may_be_type(std::string_view text) {
  const auto first = text.substr(0, text.find_first_of(" \n\t"));
  for (const std::string_view word :
       {"", "return", "throw", "else", "case", "new", "co_return", "co_await"}) {
    if (first == word) return false;
  }
  return text.find("__global__") == kNone && text.find("&&") == kNone &&
         text.find_first_of("!+-/%|.?^~") == kNone;
}

// Where the type before a function's name, which ends at `end`, begins.
std::size_t begin_of_type(std::string_view text, std::size_t end) {
  int depth = 0;
  std::size_t at = end;
  for (; at > 0; --at) {
    const char c = text[at - 1];
    if (c == '>') ++depth;
    if (c == '<') --depth;
    const bool label = c == ':' && text[at] != ':' && (at < 2 || text[at - 2] != ':');
    if (c == ';' || c == '{' || c == '}' || label || depth < 0) break;
    if (depth == 0 && (c == '(' || c == ')' || c == ',' || c == '=' || c == '"' || c == ']')) break;
  }
  return at;
}

// "ns::Class::run" at `at`, the position of "run": where the name with its qualifiers begins.
std::size_t begin_of_qualified(std::string_view text, std::size_t at) {
  while (at >= 2 && text[at - 1] == ':' && text[at - 2] == ':') {
    at -= 2;
    while (at > 0 && is_word(text[at - 1])) --at;
  }
  return at;
}

// What follows the parameters: "const noexcept -> T {".
struct Tail {
  std::string type;          // trailing; empty: none
  std::size_t body = kNone;  // position of "{"; npos: a declaration
  bool function = false;
};

Tail read_tail(std::string_view text, std::size_t at) {
  Tail tail;
  std::size_t arrow = kNone;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '{' || c == ';') break;
    if (c == '>' && text[at - 1] == '-') arrow = at + 1;
    const bool plain = is_word(c) || is_space(c) || c == '-' || c == '>' || arrow != kNone;
    if (!plain) return tail;
  }
  if (at >= text.size()) return tail;
  tail.function = true;
  if (arrow != kNone) tail.type = trimmed(text.substr(arrow, at - arrow));
  if (text[at] == '{') tail.body = at;
  return tail;
}

struct Parameters {
  std::size_t count = 0;
  bool takes_more = false;
};

Parameters read_parameters(std::string_view text) {
  Parameters result;
  for (const auto part : split_by_commas(text)) {
    if (part == "void") continue;
    if (part.find("py::args") != kNone || part.find("kwargs") != kNone || part.find("::args") != kNone) {
      result.takes_more = true;
    } else {
      ++result.count;
    }
  }
  return result;
}

void set_type(BoundFunction& function, const std::string& type, std::string_view text, const Tail& tail) {
  function.type = type == "auto" ? tail.type : tail.type.empty() ? type : tail.type;
  if (!function.type.empty()) {
    function.returns_value = !is_void(function.type);
  } else if (tail.body != kNone) {
    const auto end = std::min(behind_bracket(text, tail.body), text.size());
    function.returns_value = returns_something(text.substr(tail.body, end - tail.body));
  }
}

// A definition or declaration of the function at `at`, where its name stands followed by "("; nothing when
// it is a call.
std::optional<BoundFunction> function_at(std::string_view text, std::size_t at, const std::string& name,
                                         bool& defined) {
  const auto open = skip_spaces(text, at + name.size());
  if (open >= text.size() || text[open] != '(') return std::nullopt;
  const auto close = behind_bracket(text, open);
  if (close == kNone) return std::nullopt;
  const auto end = begin_of_qualified(text, at);
  const auto begin = begin_of_type(text, skip_spaces_back(text, end));
  const std::string type = without_specifiers(text.substr(begin, end - begin));
  if (!may_be_type(type)) return std::nullopt;
  const Tail tail = read_tail(text, close);
  if (!tail.function || (type == "auto" && tail.type.empty() && tail.body == kNone)) return std::nullopt;
  BoundFunction function;
  function.name = name;
  function.line = line_of(text, at);
  const auto parameters = read_parameters(text.substr(open + 1, close - open - 2));
  function.parameters = function.required = parameters.count;
  function.takes_more = parameters.takes_more;
  set_type(function, type, text, tail);
  defined = tail.body != kNone;
  return function;
}

// A lambda expression at the start of `text`.
std::optional<BoundFunction> lambda_in(std::string_view text) {
  auto at = skip_spaces(text, std::min(behind_bracket(text, 0), text.size()));
  BoundFunction function;
  if (at < text.size() && text[at] == '(') {
    const auto close = behind_bracket(text, at);
    if (close == kNone) return std::nullopt;
    const auto parameters = read_parameters(text.substr(at + 1, close - at - 2));
    function.parameters = function.required = parameters.count;
    function.takes_more = parameters.takes_more;
    at = close;
  }
  const Tail tail = read_tail(text, at);
  if (!tail.function) return std::nullopt;
  set_type(function, "", text, tail);
  return function;
}

// The name in "&ns::run", "run<float>", "torch::wrap_pybind_function(run)", "py::overload_cast<…>(&run)".
std::string name_in(std::string_view expression) {
  while (!expression.empty() && (expression.back() == ')' || is_space(expression.back())))
    expression.remove_suffix(1);
  if (!expression.empty() && expression.back() == '>') {
    int depth = 0;
    while (!expression.empty()) {
      const char c = expression.back();
      depth += c == '>' ? 1 : c == '<' ? -1 : 0;
      expression.remove_suffix(1);
      if (depth == 0) break;
    }
  }
  std::size_t begin = expression.size();
  while (begin > 0 && is_word(expression[begin - 1])) --begin;
  return std::string(expression.substr(begin));
}

struct Text {
  std::string file;
  std::string code;  // blanked
};

std::vector<Text> texts_of(const model::Solution& solution) {
  std::vector<Text> texts;
  for (const auto& source : solution.sources) {
    if (!source.path.ends_with(".py")) texts.push_back({source.path, blanked(source.content)});
  }
  return texts;
}

// The definition of a function, else a declaration of it.
std::optional<BoundFunction> find_function(const std::vector<Text>& texts, const std::string& name) {
  std::optional<BoundFunction> declared;
  for (const auto& [file, code] : texts) {
    std::size_t left = most_places(code);
    for (auto at = find_word(code, name, 0); at != kNone && left > 0; at = find_word(code, name, at + 1)) {
      --left;
      bool defined = false;
      auto function = function_at(code, at, name, defined);
      if (!function) continue;
      function->file = file;
      if (defined) return function;
      if (!declared) declared = std::move(function);
    }
  }
  return declared;
}

// A call of def with the symbol.
struct Definition {
  std::string_view function;                // what it binds
  std::size_t at = 0;                       // where that stands
  std::vector<std::string_view> arguments;  // what follows
};

// The next `.def("<symbol>", …)` from `from` on.
std::optional<Definition> find_definition(std::string_view code, std::string_view source,
                                          const std::string& symbol, std::size_t from) {
  std::size_t left = most_places(code);
  for (auto at = find_word(code, "def", from); at != kNone && left > 0; at = find_word(code, "def", at + 1)) {
    const auto before = skip_spaces_back(code, at);
    const auto open = skip_spaces(code, at + 3);
    if (before == 0 || code[before - 1] != '.' || open >= code.size() || code[open] != '(') continue;
    const auto quote = skip_spaces(code, open + 1);
    if (source.substr(quote, symbol.size() + 2) != '"' + symbol + '"') continue;
    --left;
    const auto close = std::min(behind_bracket(code, open), code.size());
    auto arguments = split_by_commas(code.substr(open + 1, close - open - 2));
    if (arguments.size() < 2) continue;
    Definition definition{arguments[1], 0, {}};
    definition.at = static_cast<std::size_t>(arguments[1].data() - code.data());
    definition.arguments.assign(arguments.begin() + 2, arguments.end());
    return definition;
  }
  return std::nullopt;
}

// TVM_FFI_DLL_EXPORT_TYPED_FUNC(<symbol>, <function>).
std::optional<Definition> find_export(std::string_view code, const std::string& symbol) {
  constexpr std::string_view kMacro = "TVM_FFI_DLL_EXPORT_TYPED_FUNC";
  std::size_t left = most_places(code);
  for (auto at = find_word(code, kMacro, 0); at != kNone && left > 0; at = find_word(code, kMacro, at + 1)) {
    const auto open = skip_spaces(code, at + kMacro.size());
    if (open >= code.size() || code[open] != '(') continue;
    --left;
    const auto close = std::min(behind_bracket(code, open), code.size());
    const auto arguments = split_by_commas(code.substr(open + 1, close - open - 2));
    if (arguments.size() != 2 || arguments[0] != symbol) continue;
    return Definition{arguments[1], static_cast<std::size_t>(arguments[1].data() - code.data()), {}};
  }
  return std::nullopt;
}

std::size_t defaults_in(const std::vector<std::string_view>& arguments) {
  return static_cast<std::size_t>(std::count_if(
      arguments.begin(), arguments.end(),
      [](std::string_view text) { return text.find("arg(") != kNone && text.find('=') != kNone; }));
}

}  // namespace

std::optional<BoundFunction> bound_function(const model::Solution& solution, const std::string& symbol) {
  if (symbol.empty()) return std::nullopt;
  const auto texts = texts_of(solution);
  std::size_t next = 0;
  for (const auto& source : solution.sources) {
    if (source.path.ends_with(".py")) continue;
    const auto& [file, code] = texts[next++];
    auto definition = find_definition(code, source.content, symbol, 0);
    if (!definition) definition = find_export(code, symbol);
    if (!definition) continue;
    const bool lambda = definition->function.starts_with('[');
    auto function =
        lambda ? lambda_in(definition->function) : find_function(texts, name_in(definition->function));
    if (!function) return std::nullopt;
    if (lambda) {
      function->file = file;
      function->line = line_of(code, definition->at);
    }
    function->required -= std::min(function->required, defaults_in(definition->arguments));
    return function;
  }
  return std::nullopt;
}

}  // namespace fib::compile
