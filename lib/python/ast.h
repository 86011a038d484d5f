#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

// The syntax tree of a Python module: plain values that own their children. Names follow CPython's `ast`
// module.
namespace fib::python {

struct Expr;
struct Stmt;
using ExprPtr = std::unique_ptr<Expr>;
using StmtPtr = std::unique_ptr<Stmt>;
using Exprs = std::vector<ExprPtr>;
using Block = std::vector<StmtPtr>;

enum class ConstantKind {
  kNone,
  kBool,
  kInteger,
  kBigInteger,
  kFloat,
  kImaginary,
  kString,
  kBytes,
  kFString,
  kEllipsis,
};

enum class UnaryOp { kNot, kInvert, kNegate, kPlus };
enum class BinaryOp {
  kAdd,
  kSub,
  kMult,
  kMatMult,
  kDiv,
  kFloorDiv,
  kMod,
  kPow,
  kLShift,
  kRShift,
  kBitAnd,
  kBitOr,
  kBitXor,
};
enum class BoolOp { kAnd, kOr };
enum class CompareOp { kEq, kNotEq, kLt, kLtE, kGt, kGtE, kIs, kIsNot, kIn, kNotIn };
enum class ComprehensionKind { kList, kSet, kDict, kGenerator };

// A literal. kBool and kInteger use `integer`, kFloat and kImaginary use `real`, kString and kBytes hold the
// decoded bytes in `text`. An integer beyond 64 bits keeps its digits, and an f-string its undecoded body, in
// `text`.
struct Constant {
  ConstantKind kind = ConstantKind::kNone;
  std::int64_t integer = 0;
  double real = 0;
  std::string text;
};

struct Name {
  std::string id;
};

struct Attribute {
  ExprPtr value;
  std::string name;
};

struct Subscript {
  ExprPtr value;
  ExprPtr index;  // a Tuple for x[a, b]
};

// Only inside a Subscript's index; every part may be null.
struct Slice {
  ExprPtr lower;
  ExprPtr upper;
  ExprPtr step;
};

struct Keyword {
  std::string name;  // empty for **value
  ExprPtr value;
};

struct Call {
  ExprPtr function;
  Exprs arguments;  // may hold Starred
  std::vector<Keyword> keywords;
};

struct Unary {
  UnaryOp op;
  ExprPtr operand;
};

struct Binary {
  BinaryOp op;
  ExprPtr left;
  ExprPtr right;
};

struct BoolOperation {
  BoolOp op;
  Exprs values;  // at least two
};

// left ops[0] comparators[0] ops[1] comparators[1] ...
struct Compare {
  ExprPtr left;
  std::vector<CompareOp> ops;
  Exprs comparators;
};

struct Conditional {
  ExprPtr test;
  ExprPtr body;
  ExprPtr orelse;
};

struct Tuple {
  Exprs elements;
};

struct List {
  Exprs elements;
};

struct Set {
  Exprs elements;
};

// A null key stands for **value.
struct Dict {
  Exprs keys;
  Exprs values;
};

struct ComprehensionClause {
  ExprPtr target;
  ExprPtr iterable;
  Exprs conditions;
  bool is_async = false;
};

// `value` is set for a dict comprehension only.
struct Comprehension {
  ComprehensionKind kind;
  ExprPtr element;
  ExprPtr value;
  std::vector<ComprehensionClause> clauses;
};

enum class ParameterKind { kPositionalOnly, kPositional, kStarArgs, kKeywordOnly, kStarKwargs };

struct Parameter {
  ParameterKind kind = ParameterKind::kPositional;
  std::string name;
  ExprPtr annotation;     // may be null
  ExprPtr default_value;  // may be null
};

struct Lambda {
  std::vector<Parameter> parameters;
  ExprPtr body;
};

struct Starred {
  ExprPtr value;
};

// name := value
struct NamedExpr {
  std::string name;
  ExprPtr value;
};

struct Await {
  ExprPtr value;
};

struct Yield {
  ExprPtr value;  // may be null
  bool from = false;
};

using ExprNode = std::variant<Constant, Name, Attribute, Subscript, Slice, Call, Unary, Binary, BoolOperation,
                              Compare, Conditional, Tuple, List, Set, Dict, Comprehension, Lambda, Starred,
                              NamedExpr, Await, Yield>;

struct Expr {
  ExprNode node;
  int line = 0;
  int column = 0;
  int height = 1;              // longest path down to a leaf; bounded by the parser
  bool parenthesized = false;  // written in round brackets of its own
};

struct ExprStmt {
  ExprPtr value;
};

// targets[0] = targets[1] = ... = value
struct Assign {
  Exprs targets;
  ExprPtr value;
};

struct AugAssign {
  ExprPtr target;
  BinaryOp op;
  ExprPtr value;
};

struct AnnAssign {
  ExprPtr target;
  ExprPtr annotation;
  ExprPtr value;  // may be null
};

struct Return {
  ExprPtr value;  // may be null
};

// if/elif are branches in order; `orelse` may be empty.
struct IfBranch {
  ExprPtr test;
  Block body;
};
struct If {
  std::vector<IfBranch> branches;
  Block orelse;
};

struct For {
  ExprPtr target;
  ExprPtr iterable;
  Block body;
  Block orelse;
  bool is_async = false;
};

struct While {
  ExprPtr test;
  Block body;
  Block orelse;
};

struct FunctionDef {
  std::string name;
  std::vector<Parameter> parameters;
  Exprs decorators;
  ExprPtr returns;  // may be null
  Block body;
  bool is_async = false;
};

struct ClassDef {
  std::string name;
  Exprs decorators;
  Exprs bases;
  std::vector<Keyword> keywords;
  Block body;
};

struct WithItem {
  ExprPtr context;
  ExprPtr target;  // may be null
};
struct With {
  std::vector<WithItem> items;
  Block body;
  bool is_async = false;
};

struct ExceptHandler {
  ExprPtr type;  // may be null
  std::string name;
  Block body;
};
struct Try {
  Block body;
  std::vector<ExceptHandler> handlers;
  Block orelse;
  Block finally;
};

struct Raise {
  ExprPtr exception;  // may be null
  ExprPtr cause;      // may be null
};

struct Assert {
  ExprPtr test;
  ExprPtr message;  // may be null
};

struct Alias {
  std::string name;  // dotted, or "*"
  std::string as_name;
};
struct Import {
  std::vector<Alias> names;
};
struct ImportFrom {
  std::string module;  // dotted, empty for "from . import"
  int level = 0;       // number of leading dots
  std::vector<Alias> names;
};

struct Global {
  std::vector<std::string> names;
};
struct Nonlocal {
  std::vector<std::string> names;
};

struct Delete {
  Exprs targets;
};

// Patterns are checked for balance only and not kept.
struct Match {
  ExprPtr subject;
  std::vector<Block> cases;
};

struct Pass {};
struct Break {};
struct Continue {};

using StmtNode = std::variant<ExprStmt, Assign, AugAssign, AnnAssign, Return, If, For, While, FunctionDef,
                              ClassDef, With, Try, Raise, Assert, Import, ImportFrom, Global, Nonlocal,
                              Delete, Match, Pass, Break, Continue>;

struct Stmt {
  StmtNode node;
  int line = 0;
};

struct Module {
  Block body;
};

}  // namespace fib::python
