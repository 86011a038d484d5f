#pragma once

#include <string>
#include <string_view>

namespace fib::present {

// `text` with a mark for each word that tells messages of a kind apart: names with digits, dots or
// underscores, numbers, paths, quoted words. Two messages are of a kind where this is equal.
[[nodiscard]] std::string message_kind(std::string_view text);

}  // namespace fib::present
