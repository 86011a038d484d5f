#pragma once

#include <string>

#include "present/document.h"
#include "validate/report.h"

namespace fib::validate {

// A validation on a screen: how many definitions are well formed, then a line for each kind of error and of
// warning with its first message, those found most often first, then the notes. Messages of one check that
// differ in names, numbers or paths alone are of a kind; the same words about the same workload or
// definition are one message. With a final newline. Pure.
[[nodiscard]] std::string to_digest(const Report& report, const present::TextStyle& style);

}  // namespace fib::validate
