#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace fib::testing {

// What events of the DevTools protocol say about a page. Pure functions.

// Whether the event is the lifecycle event `name` of the navigation `loader` (empty: of any).
[[nodiscard]] bool is_lifecycle(const nlohmann::json& event, const std::string& name,
                                const std::string& loader);

// The addresses asked for, in order, without `own_address` and without data:, blob: and about:, which ask
// nobody.
[[nodiscard]] std::vector<std::string> request_addresses(const std::vector<nlohmann::json>& events,
                                                         const std::string& own_address);

// Texts of exceptions, console.error(), console.assert() and entries of the browser's log of level error.
[[nodiscard]] std::vector<std::string> error_texts(const std::vector<nlohmann::json>& events);

// The message of an exception, with its stack where there is one (Runtime.ExceptionDetails).
[[nodiscard]] std::string exception_text(const nlohmann::json& details);

}  // namespace fib::testing
