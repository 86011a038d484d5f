#pragma once

#include <string>
#include <vector>

namespace fib::testing {

// A key as Input.dispatchKeyEvent of the DevTools protocol describes it.
struct Key {
  std::string name;   // KeyboardEvent.key
  std::string code;   // KeyboardEvent.code on a US keyboard; empty for characters not on it
  int number = 0;     // the Windows virtual key code, which KeyboardEvent.keyCode shows
  std::string text;   // what it types; empty for keys that type nothing
  int modifiers = 0;  // Alt 1, Control 2, Meta 4, Shift 8, added up
};

// A key by name with modifiers before it: "Enter", "a", "Shift+Tab", "Control++". Throws std::runtime_error
// for names of several characters that are not known.
[[nodiscard]] Key key_named(const std::string& name);

// The characters of UTF-8 text.
[[nodiscard]] std::vector<std::string> characters_of(const std::string& text);

}  // namespace fib::testing
