#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/definition.h"

namespace fib::scaffold {

// Names of a definition as identifiers of C and of Python: other characters become "_", and what is a keyword
// or taken already gets "_" behind it. One thread.
class Identifiers {
 public:
  // The identifier of `name`: always the same for one of `scope` and name.
  [[nodiscard]] const std::string& of(std::string_view scope, const std::string& name);

 private:
  std::map<std::string, std::string> known_;
  std::set<std::string> taken_;
};

// The lines of a comment that says what a source for the definition gets and gives, without comment marks:
// printable ASCII and UTF-8 text on one line each, with no backslash at its end.
[[nodiscard]] std::vector<std::string> head_of(const model::Definition& definition);

}  // namespace fib::scaffold
