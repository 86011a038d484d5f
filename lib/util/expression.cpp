#include "util/expression.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>

#include "util/error.h"

namespace fib::util {

namespace {

constexpr int kMaxDepth = 64;

enum class Operation {
  kNumber,
  kName,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kRemainder,
  kMin,
  kMax,
  kCeilDiv
};

bool is_name_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::int64_t checked(Operation operation, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  bool overflow = false;
  if (operation == Operation::kAdd) overflow = __builtin_add_overflow(a, b, &result);
  if (operation == Operation::kSubtract) overflow = __builtin_sub_overflow(a, b, &result);
  if (operation == Operation::kMultiply) overflow = __builtin_mul_overflow(a, b, &result);
  if (overflow) throw Error("the result does not fit 64 bits");
  return result;
}

std::int64_t divided(Operation operation, std::int64_t a, std::int64_t b) {
  if (b == 0) throw Error("division by zero");
  if (b == -1) {
    if (operation == Operation::kRemainder) return 0;
    return checked(Operation::kSubtract, 0, a);
  }
  if (operation == Operation::kRemainder) return a % b;
  const std::int64_t quotient = a / b;
  const bool up = operation == Operation::kCeilDiv && a % b != 0 && (a < 0) == (b < 0);
  return up ? quotient + 1 : quotient;
}

}  // namespace

struct Expression::Node {
  Operation operation = Operation::kNumber;
  std::int64_t number = 0;
  std::string name = {};
  std::shared_ptr<const Node> left = {};
  std::shared_ptr<const Node> right = {};

  [[nodiscard]] std::int64_t evaluate(const std::map<std::string, std::int64_t>& values) const {
    if (operation == Operation::kNumber) return number;
    if (operation == Operation::kName) {
      const auto found = values.find(name);
      if (found == values.end()) throw Error("\"{}\" has no value", name);
      return found->second;
    }
    const std::int64_t a = left->evaluate(values);
    const std::int64_t b = right->evaluate(values);
    switch (operation) {
      case Operation::kMin:
        return std::min(a, b);
      case Operation::kMax:
        return std::max(a, b);
      case Operation::kDivide:
      case Operation::kRemainder:
      case Operation::kCeilDiv:
        return divided(operation, a, b);
      default:
        return checked(operation, a, b);
    }
  }
};

class Expression::Parser {
 public:
  Parser(std::string_view text, std::set<std::string>& names) : text_(text), names_(names) {}

  std::shared_ptr<const Node> parse() {
    auto node = sum(0);
    skip_spaces();
    if (at_ != text_.size()) fail("an operator");
    return node;
  }

 private:
  using NodePointer = std::shared_ptr<const Node>;

  [[noreturn]] void fail(const char* expected) const {
    throw Error("expression \"{}\": expected {} at position {}", text_, expected, at_ + 1);
  }
  void skip_spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(char c) {
    skip_spaces();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  static NodePointer binary(Operation operation, NodePointer left, NodePointer right) {
    return std::make_shared<Node>(Node{operation, 0, {}, std::move(left), std::move(right)});
  }

  NodePointer sum(int depth) {
    if (depth > kMaxDepth) fail("less nesting");
    auto node = product(depth);
    while (true) {
      if (take('+')) {
        node = binary(Operation::kAdd, node, product(depth));
      } else if (take('-')) {
        node = binary(Operation::kSubtract, node, product(depth));
      } else {
        return node;
      }
    }
  }

  NodePointer product(int depth) {
    auto node = factor(depth);
    while (true) {
      if (take('*')) {
        node = binary(Operation::kMultiply, node, factor(depth));
      } else if (take('/')) {
        node = binary(Operation::kDivide, node, factor(depth));
      } else if (take('%')) {
        node = binary(Operation::kRemainder, node, factor(depth));
      } else {
        return node;
      }
    }
  }

  NodePointer factor(int depth) {
    if (depth > kMaxDepth) fail("less nesting");
    if (take('-')) {
      return binary(Operation::kSubtract, std::make_shared<Node>(), factor(depth + 1));
    }
    if (take('(')) {
      auto node = sum(depth + 1);
      if (!take(')')) fail("\")\"");
      return node;
    }
    skip_spaces();
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_name_character(text_[at_])) ++at_;
    const std::string_view word = text_.substr(begin, at_ - begin);
    if (word.empty()) fail("a number, a name or \"(\"");
    if (std::isdigit(static_cast<unsigned char>(word[0])) != 0) return number(word, begin);
    if (take('(')) return call(word, begin, depth);
    names_.emplace(word);
    return std::make_shared<Node>(Node{Operation::kName, 0, std::string(word)});
  }

  NodePointer number(std::string_view word, std::size_t begin) {
    std::int64_t value = 0;
    const auto result = std::from_chars(word.data(), word.data() + word.size(), value);
    at_ = begin;
    if (result.ec != std::errc{} || result.ptr != word.data() + word.size())
      fail("a whole number of 64 bits");
    at_ = begin + word.size();
    return std::make_shared<Node>(Node{Operation::kNumber, value});
  }

  NodePointer call(std::string_view function, std::size_t begin, int depth) {
    const Operation operation = function == "min"        ? Operation::kMin
                                : function == "max"      ? Operation::kMax
                                : function == "ceil_div" ? Operation::kCeilDiv
                                                         : Operation::kNumber;
    if (operation == Operation::kNumber) {
      at_ = begin;
      fail("min, max or ceil_div");
    }
    auto left = sum(depth + 1);
    if (!take(',')) fail("\",\"");
    auto right = sum(depth + 1);
    if (!take(')')) fail("\")\"");
    return binary(operation, std::move(left), std::move(right));
  }

  std::string_view text_;
  std::set<std::string>& names_;
  std::size_t at_ = 0;
};

Expression Expression::parse(std::string_view text) {
  constexpr std::size_t kMostText = 4096;  // evaluating a chain of n operators takes n frames of the stack
  if (text.size() > kMostText)
    throw Error("the expression that begins with \"{}\" has {} characters; {} at most", text.substr(0, 40),
                text.size(), kMostText);
  Expression expression;
  expression.text_ = text;
  expression.root_ = Parser(text, expression.names_).parse();
  return expression;
}

std::int64_t Expression::evaluate(const std::map<std::string, std::int64_t>& values) const {
  try {
    return root_->evaluate(values);
  } catch (const Error& error) {
    throw error.with_context(fmt::format("expression \"{}\"", text_));
  }
}

}  // namespace fib::util
