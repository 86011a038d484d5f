#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

// A small strict reader of the XML that charts write: elements, attributes, text and the five entities.
// Throws std::runtime_error where the text is not well formed, so that a test fails.
namespace fib::testing {

struct Node {
  std::string name;
  std::map<std::string, std::string> attributes;
  std::string text;  // of this element alone, entities resolved
  std::vector<Node> children;

  [[nodiscard]] std::string at(const std::string& attribute) const {
    const auto found = attributes.find(attribute);
    return found == attributes.end() ? "" : found->second;
  }
  [[nodiscard]] bool has(const std::string& attribute) const { return attributes.contains(attribute); }
};

class SvgReader {
 public:
  explicit SvgReader(std::string_view text) : rest_(text) {}

  [[nodiscard]] Node document() {
    Node root = element();
    if (rest_ != "\n") fail("text after the document");
    return root;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error(what + " before: " + std::string(rest_.substr(0, 60)));
  }

  bool take(std::string_view token) {
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }

  void expect(std::string_view token) {
    if (!take(token)) fail("no " + std::string(token));
  }

  std::string until(std::string_view stops) {
    const std::size_t end = rest_.find_first_of(stops);
    if (end == std::string_view::npos) fail("no end");
    const std::string text(rest_.substr(0, end));
    rest_.remove_prefix(end);
    return text;
  }

  [[nodiscard]] std::string resolved(const std::string& raw) const {
    static const std::map<std::string, std::string> entities = {
        {"amp", "&"}, {"lt", "<"}, {"gt", ">"}, {"quot", "\""}, {"#10", "\n"}, {"#13", "\r"}, {"#9", "\t"}};
    std::string text;
    for (std::size_t i = 0; i < raw.size(); ++i) {
      if (raw[i] == '<' || (static_cast<unsigned char>(raw[i]) < 0x20 && raw[i] != '\n'))
        fail("raw character");
      if (raw[i] != '&') {
        text += raw[i];
        continue;
      }
      const std::size_t end = raw.find(';', i);
      if (end == std::string::npos || !entities.contains(raw.substr(i + 1, end - i - 1))) fail("bad entity");
      text += entities.at(raw.substr(i + 1, end - i - 1));
      i = end;
    }
    return text;
  }

  Node element() {
    expect("<");
    Node node;
    node.name = until(" />");
    while (take(" ")) {
      const std::string name = until("=");
      expect("=\"");
      if (!node.attributes.emplace(name, resolved(until("\""))).second) fail("attribute twice: " + name);
      expect("\"");
    }
    if (take("/>")) return node;
    expect(">");
    while (!take("</" + node.name + ">")) {
      if (rest_.starts_with("<")) {
        node.children.push_back(element());
      } else {
        node.text += resolved(until("<"));
      }
    }
    return node;
  }

  std::string_view rest_;
};

inline Node read_svg(const std::string& svg) { return SvgReader(svg).document(); }

// All descendants (and the node itself) that have the attribute, in document order.
inline void collect_with(const Node& node, const std::string& attribute, std::vector<Node>& found) {
  if (node.has(attribute)) found.push_back(node);
  for (const Node& child : node.children) collect_with(child, attribute, found);
}

inline std::vector<Node> nodes_with(const Node& node, const std::string& attribute) {
  std::vector<Node> found;
  collect_with(node, attribute, found);
  return found;
}

// The text of all elements of a name, in document order.
inline void collect_texts(const Node& node, const std::string& name, std::vector<std::string>& found) {
  if (node.name == name) found.push_back(node.text);
  for (const Node& child : node.children) collect_texts(child, name, found);
}

inline std::vector<std::string> texts_of(const Node& node, const std::string& name) {
  std::vector<std::string> found;
  collect_texts(node, name, found);
  return found;
}

}  // namespace fib::testing
