#include "scaffold/solution.h"

#include "scaffold/compiled_source.h"
#include "scaffold/python_source.h"

namespace fib::scaffold {

const std::vector<std::string_view>& suffixes_of(SourceLanguage language) {
  static const std::vector<std::string_view> kSuffixes[] = {
      {".c"}, {".cpp", ".cc", ".cxx"}, {".cu"}, {".py"}, {".py"}};
  return kSuffixes[static_cast<int>(language)];
}

std::string new_source(const model::Definition& definition, SourceLanguage language) {
  switch (language) {
    case SourceLanguage::c:
      return compiled_source(definition, Dialect::c);
    case SourceLanguage::cpp:
      return compiled_source(definition, Dialect::cpp);
    case SourceLanguage::cuda:
      return compiled_source(definition, Dialect::cuda);
    case SourceLanguage::python:
      return python_source(definition, false);
    case SourceLanguage::triton:
      break;
  }
  return python_source(definition, true);
}

}  // namespace fib::scaffold
