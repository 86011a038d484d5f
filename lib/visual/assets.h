#pragma once

#include <string_view>

// The files of assets/, embedded.
namespace fib::visual {

[[nodiscard]] std::string_view page_css();
[[nodiscard]] std::string_view page_script();
[[nodiscard]] std::string_view page_script_sha256();  // in base64, as content security policies want it

}  // namespace fib::visual
