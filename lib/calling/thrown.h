#pragma once

#include <fmt/format.h>

#include <exception>
#include <optional>
#include <string>

namespace fib::calling {

// Calls a solution's function. What it throws, in words that follow its name: "threw an exception: …";
// nothing when it returned.
template <typename Call>
[[nodiscard]] std::optional<std::string> thrown_by(Call call) {
  try {
    call();
    return std::nullopt;
  } catch (const std::exception& thrown) {
    return fmt::format("threw an exception: {}", thrown.what());
  } catch (...) {
    return "threw an exception of an unknown type";
  }
}

}  // namespace fib::calling
