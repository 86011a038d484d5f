#pragma once

#include <functional>
#include <string>

namespace fib::cmd {

// For programs an error of fib's own is an answer, too: what `work` throws is thrown on, and where `is_json`
// printed before as {"schema_version", "fib", `list`: [], "error"}. Wrong usage is not: nothing was tried.
// `work` prints nothing before it has succeeded.
int with_json_error(bool is_json, const std::string& list, const std::function<int()>& work);

}  // namespace fib::cmd
