#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "validate/checks.h"

namespace fib::validate {
namespace {

using model::Language;

// The extensions that upstream's builders or fib's compile or load; C++ files may be CUDA solutions, since
// bindings are.
std::vector<std::string_view> extensions_of(Language language) {
  switch (language) {
    case Language::python:
    case Language::triton:
    case Language::tilelang:
      return {".py"};
    case Language::cpp:
      return {".cpp", ".cc", ".cxx", ".c"};
    case Language::cuda:
      return {".cu", ".cpp", ".cc", ".cxx", ".c"};
    case Language::unknown:
      break;
  }
  return {};
}

void entry_file(const ScannedSolution& scanned, Messages& messages) {
  const model::Spec& spec = scanned.solution->spec;
  if (spec.language == Language::unknown) {
    warning(messages, {scanned.file},
            fmt::format("{}: the language '{}' is not one of the format's; nothing builds this solution",
                        scanned.name, spec.language_text));
    return;
  }
  const auto extensions = extensions_of(spec.language);
  const std::string extension = std::filesystem::path(spec.entry_file()).extension().string();
  if (std::find(extensions.begin(), extensions.end(), extension) != extensions.end()) return;
  error(messages, {scanned.file},
        fmt::format("{}: the entry file '{}' cannot be {}; its name must end in {}", scanned.name,
                    spec.entry_file(), model::name_of(spec.language), fmt::join(extensions, ", ")));
}

}  // namespace

Messages check_languages(const Subject& subject) {
  Messages messages;
  for (const ScannedSolution* solution : subject.solutions) {
    if (solution->solution) entry_file(*solution, messages);
  }
  return messages;
}

}  // namespace fib::validate
