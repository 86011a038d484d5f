#include "scaffold/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "util/utf8.h"

namespace fib::scaffold {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// Of C, C++, CUDA and Python, and what the scaffolds use themselves.
bool is_reserved(const std::string& word) {
  static const std::set<std::string> kWords = {
      "and",      "as",          "assert",   "async",     "auto",     "await",    "block",     "bool",
      "break",    "case",        "catch",    "char",      "class",    "const",    "constexpr", "continue",
      "copy",     "copy_kernel", "def",      "default",   "del",      "delete",   "do",        "double",
      "elements", "elif",        "else",     "enum",      "except",   "explicit", "extern",    "False",
      "finally",  "float",       "for",      "friend",    "from",     "global",   "goto",      "if",
      "import",   "in",          "inline",   "int",       "is",       "kernel",   "lambda",    "long",
      "mutable",  "namespace",   "new",      "None",      "nonlocal", "not",      "operator",  "or",
      "pass",     "print",       "private",  "protected", "public",   "raise",    "reference", "register",
      "results",  "return",      "run",      "short",     "signed",   "sizeof",   "static",    "std",
      "stream",   "struct",      "switch",   "template",  "this",     "throw",    "tl",        "torch",
      "triton",   "True",        "try",      "typedef",   "typename", "union",    "unsigned",  "using",
      "virtual",  "void",        "volatile", "while",     "with",     "xor",      "yield"};
  return kWords.contains(word);
}

std::string identifier(const std::string& name) {
  std::string result;
  for (const char c : name) result += is_letter(c) || (c >= '0' && c <= '9') ? c : '_';
  if (result.empty() || !is_letter(result.front())) result.insert(0, "_");
  return result;
}

std::string one_line(std::string_view text) {
  std::string line = util::valid_utf8(std::string(text.substr(0, text.find('\n'))));
  std::replace_if(
      line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; },
      ' ');
  while (!line.empty() && (line.back() == '\\' || line.back() == ' ')) line.pop_back();
  for (std::size_t at = 0; (at = line.find('\\', at)) != std::string::npos; at += 2) line.insert(at, 1, '\\');
  for (std::size_t at = 0; (at = line.find("\"\"\"", at)) != std::string::npos;) line.replace(at, 3, "'''");
  return line;
}

std::string described(const model::TensorSpec& tensor, std::size_t width) {
  constexpr std::size_t kWidest = 40;
  std::string shape = "scalar";
  if (tensor.shape) {
    shape = "[";
    for (std::size_t i = 0; i < tensor.shape->size(); ++i) shape += (i == 0 ? "" : ", ") + (*tensor.shape)[i];
    shape += "]";
  }
  return one_line(fmt::format("  {:<{}}  {} {}", tensor.name, std::min(width, kWidest), tensor.dtype, shape));
}

}  // namespace

const std::string& Identifiers::of(std::string_view scope, const std::string& name) {
  const std::string key = std::string(scope) + "\n" + name;
  const auto found = known_.find(key);
  if (found != known_.end()) return found->second;
  std::string wanted = identifier(name);
  while (is_reserved(wanted) || taken_.contains(wanted)) wanted += "_";
  taken_.insert(wanted);
  return known_.emplace(key, wanted).first->second;
}

std::vector<std::string> head_of(const model::Definition& definition) {
  std::vector<std::string> lines = {one_line(definition.name)};
  if (definition.description && *definition.description)
    lines.front() += ": " + one_line(**definition.description);
  lines.front() = one_line(lines.front());
  std::size_t width = 0;
  for (const auto& tensor : definition.inputs) width = std::max(width, tensor.name.size());
  for (const auto& tensor : definition.outputs) width = std::max(width, tensor.name.size());
  lines.emplace_back("");
  lines.emplace_back("Inputs:");
  for (const auto& tensor : definition.inputs) lines.push_back(described(tensor, width));
  lines.emplace_back("Outputs:");
  for (const auto& tensor : definition.outputs) lines.push_back(described(tensor, width));
  lines.emplace_back("Axes:");
  for (const auto& [name, axis] : definition.axes) {
    const std::string size =
        axis.value        ? (axis.value->fits() ? std::to_string(axis.value->value) : axis.value->digits)
        : axis.expression ? *axis.expression
                          : "of the workload";
    lines.push_back(one_line(fmt::format("  {}: {}", name, size)));
  }
  return lines;
}

}  // namespace fib::scaffold
