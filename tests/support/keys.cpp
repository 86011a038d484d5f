#include "support/keys.h"

#include <cctype>
#include <map>
#include <stdexcept>

namespace fib::testing {
namespace {

// https://developer.mozilla.org/docs/Web/API/UI_Events/Keyboard_event_key_values
const std::vector<Key>& named_keys() {
  static const std::vector<Key> keys = {
      {"Enter", "Enter", 13, "\r"},
      {"Tab", "Tab", 9, ""},
      {"Escape", "Escape", 27, ""},
      {"Backspace", "Backspace", 8, ""},
      {"Delete", "Delete", 46, ""},
      {"Home", "Home", 36, ""},
      {"End", "End", 35, ""},
      {"PageUp", "PageUp", 33, ""},
      {"PageDown", "PageDown", 34, ""},
      {"ArrowLeft", "ArrowLeft", 37, ""},
      {"ArrowUp", "ArrowUp", 38, ""},
      {"ArrowRight", "ArrowRight", 39, ""},
      {"ArrowDown", "ArrowDown", 40, ""},
      {" ", "Space", 32, " "},
      {"/", "Slash", 191, "/"},
  };
  return keys;
}

Key character_key(const std::string& character) {
  Key key{character, "", 0, character};
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() != 1 || std::isalnum(first) == 0) return key;
  key.number = std::toupper(first);
  key.code = (std::isdigit(first) != 0 ? "Digit" : "Key") + std::string(1, static_cast<char>(key.number));
  return key;
}

Key plain_key(const std::string& name) {
  for (const auto& key : named_keys()) {
    if (key.name == (name == "Space" ? " " : name)) return key;
  }
  if (characters_of(name).size() != 1) throw std::runtime_error("no key is named '" + name + "'");
  return character_key(name);
}

}  // namespace

Key key_named(const std::string& name) {
  static const std::map<std::string, int> numbers = {{"Alt", 1}, {"Control", 2}, {"Meta", 4}, {"Shift", 8}};
  std::string rest = name;
  int modifiers = 0;
  for (auto plus = rest.find('+'); plus != std::string::npos && plus > 0; plus = rest.find('+')) {
    const auto found = numbers.find(rest.substr(0, plus));
    if (found == numbers.end()) throw std::runtime_error("no modifier key is named as in '" + name + "'");
    modifiers |= found->second;
    rest.erase(0, plus + 1);
  }
  Key key = plain_key(rest);
  key.modifiers = modifiers;
  if ((modifiers & ~8) != 0) key.text.clear();
  return key;
}

std::vector<std::string> characters_of(const std::string& text) {
  std::vector<std::string> characters;
  for (const char letter : text) {
    const bool continues = (static_cast<unsigned char>(letter) & 0xC0U) == 0x80U;
    if (continues && !characters.empty()) {
      characters.back() += letter;
    } else {
      characters.emplace_back(1, letter);
    }
  }
  return characters;
}

}  // namespace fib::testing
