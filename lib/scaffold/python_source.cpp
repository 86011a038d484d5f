#include "scaffold/python_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "scaffold/names.h"

namespace fib::scaffold {
namespace {

// The reference, whose `run` is called `reference`.
std::string renamed_reference(const std::string& source) {
  constexpr std::string_view kBegin = "def run";
  std::string result;
  for (std::size_t begin = 0; begin < source.size();) {
    const std::size_t end = std::min(source.find('\n', begin), source.size() - 1);
    std::string line = source.substr(begin, end - begin + 1);
    const std::size_t after = line.find_first_not_of(" \t", kBegin.size());
    if (line.starts_with(kBegin) && after != std::string::npos && line[after] == '(')
      line.replace(0, after, "def reference");
    result += line;
    begin = end + 1;
  }
  if (!result.empty() && result.back() != '\n') result += '\n';
  return result;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

constexpr const char* kTritonCopy = R"(
@triton.jit
def copy_kernel(source, target, elements, block: tl.constexpr):
    at = tl.program_id(0) * block + tl.arange(0, block)
    tl.store(target + at, tl.load(source + at, mask=at < elements), mask=at < elements)


# A first kernel, to begin from: it only copies.
def copy(source, target):
    elements = target.numel()
    if elements > 0:
        copy_kernel[(triton.cdiv(elements, 1024),)](source.contiguous(), target, elements, block=1024)

)";

constexpr const char* kPythonCopy = R"(
def copy(source, target):
    target.copy_(source)

)";

}  // namespace

std::string python_source(const model::Definition& definition, bool with_triton) {
  std::string text = "\"\"\"";
  for (const std::string& line : head_of(definition)) text += line + "\n";
  text += "\nrun() gets the inputs, then the outputs to write into, in this order.\n\"\"\"\n";
  if (with_triton) text += "import triton\nimport triton.language as tl\n\n";
  text += "\n# The definition's reference: right, and slow. Compute what it computes, and take it away.\n";
  text += renamed_reference(definition.reference) + "\n";
  text += with_triton ? kTritonCopy : kPythonCopy;
  Identifiers names;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  for (const auto& input : definition.inputs) inputs.push_back(names.of("tensor", input.name));
  for (const auto& output : definition.outputs) outputs.push_back(names.of("tensor", output.name));
  std::vector<std::string> all = inputs;
  all.insert(all.end(), outputs.begin(), outputs.end());
  text += fmt::format(
      "\ndef run({}):\n"
      "    results = reference({})\n"
      "    if not isinstance(results, (tuple, list)):\n"
      "        results = (results,)\n"
      "    for result, output in zip(results, ({}{})):\n"
      "        copy(result, output)\n",
      joined(all), joined(inputs), joined(outputs), outputs.size() == 1 ? "," : "");
  return text;
}

}  // namespace fib::scaffold
