#include <algorithm>
#include <map>
#include <string>

#include "ops/elementwise.h"
#include "ops/matmul.h"
#include "ops/reduce.h"
#include "util/error.h"

namespace fib::ops {
namespace {

// A tensor whose dimensions have names, one letter each.
struct Term {
  std::string letters;
  Tensor tensor;
};

bool contains(std::string_view text, char letter) { return text.find(letter) != std::string_view::npos; }

struct Equation {
  std::vector<std::string> inputs;
  std::string output;
};

Equation parse(std::string_view text) {
  Equation equation;
  equation.inputs.emplace_back();
  bool arrow = false;
  std::string all;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ' ') continue;
    if (c == ',' && !arrow) {
      equation.inputs.emplace_back();
    } else if (c == '-' && i + 1 < text.size() && text[i + 1] == '>' && !arrow) {
      arrow = true;
      ++i;
    } else if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
      std::string& letters = arrow ? equation.output : equation.inputs.back();
      if (contains(letters, c)) throw Error("einsum with \"{}\" twice in one term is not supported", c);
      letters.push_back(c);
      if (!arrow) all.push_back(c);
    } else {
      throw Error("einsum(\"{}\") is not supported by the native reference engine", text);
    }
  }
  if (arrow) return equation;
  // Without "->" the result has every letter that occurs once, in alphabetical order.
  std::sort(all.begin(), all.end());
  for (const char c : all) {
    if (std::count(all.begin(), all.end(), c) == 1) equation.output.push_back(c);
  }
  return equation;
}

Tensor permuted(const Term& term, std::string_view order) {
  std::vector<std::int64_t> dims;
  for (const char c : order) dims.push_back(static_cast<std::int64_t>(term.letters.find(c)));
  return permute(term.tensor, dims);
}

// Sums over the letters that nobody else needs.
Term sum_out(const Runtime& runtime, Term term, std::string_view needed) {
  Dims dims;
  std::string kept;
  for (std::size_t i = 0; i < term.letters.size(); ++i) {
    if (contains(needed, term.letters[i]))
      kept.push_back(term.letters[i]);
    else
      dims.push_back(static_cast<std::int64_t>(i));
  }
  if (dims.empty()) return term;
  return {kept, reduce(runtime, Reduction::kSum, term.tensor, dims, KeepDim::kNo)};
}

// The letters of `of` that pass a test, and the product of their sizes.
struct Group {
  std::string letters;
  Shape shape;
  std::int64_t count = 1;
};

template <typename Test>
Group group(const Term& of, const Test& test) {
  Group result;
  for (std::size_t i = 0; i < of.letters.size(); ++i) {
    if (!test(of.letters[i])) continue;
    result.letters.push_back(of.letters[i]);
    result.shape.push_back(of.tensor.shape[i]);
    result.count *= of.tensor.shape[i];
  }
  return result;
}

// The product of two terms, summed over the letters that are not needed afterwards: one batched matrix
// product.
Term contract(const Runtime& runtime, const Term& left, const Term& right, std::string_view needed) {
  const Term a = sum_out(runtime, left, std::string(needed) + right.letters);
  const Term b = sum_out(runtime, right, std::string(needed) + left.letters);
  const auto in_both = [&](char c) { return contains(a.letters, c) && contains(b.letters, c); };
  const Group batch = group(a, [&](char c) { return in_both(c) && contains(needed, c); });
  const Group summed = group(a, [&](char c) { return in_both(c) && !contains(needed, c); });
  const Group rows = group(a, [&](char c) { return !in_both(c); });
  const Group columns = group(b, [&](char c) { return !in_both(c); });
  const Tensor a_matrices = reshape(runtime, permuted(a, batch.letters + rows.letters + summed.letters),
                                    {batch.count, rows.count, summed.count});
  const Tensor b_matrices = reshape(runtime, permuted(b, batch.letters + summed.letters + columns.letters),
                                    {batch.count, summed.count, columns.count});
  const Tensor product = matmul(runtime, a_matrices, b_matrices);
  Shape shape = batch.shape;
  shape.insert(shape.end(), rows.shape.begin(), rows.shape.end());
  shape.insert(shape.end(), columns.shape.begin(), columns.shape.end());
  return {batch.letters + rows.letters + columns.letters, *try_view(product, shape)};
}

std::vector<Term> make_terms(const Equation& equation, std::string_view text,
                             const std::vector<Tensor>& operands) {
  if (equation.inputs.size() != operands.size()) {
    throw Error("einsum(\"{}\") got {} tensors", text, operands.size());
  }
  std::map<char, std::int64_t> sizes;
  std::vector<Term> terms;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const std::string& letters = equation.inputs[i];
    if (letters.size() != operands[i].shape.size()) {
      throw Error("einsum(\"{}\") got a tensor of shape {} for \"{}\"", text,
                  tensor::to_string(operands[i].shape), letters);
    }
    for (std::size_t dim = 0; dim < letters.size(); ++dim) {
      const auto [known, added] = sizes.emplace(letters[dim], operands[i].shape[dim]);
      if (!added && known->second != operands[i].shape[dim]) {
        throw Error("einsum(\"{}\") has sizes {} and {} for \"{}\"", text, known->second,
                    operands[i].shape[dim], letters[dim]);
      }
    }
    terms.push_back({letters, operands[i]});
  }
  for (const char c : equation.output) {
    if (!sizes.contains(c)) throw Error("einsum(\"{}\") has \"{}\" only in the result", text, c);
  }
  return terms;
}

}  // namespace

Tensor einsum(const Runtime& runtime, std::string_view text, const std::vector<Tensor>& operands) {
  const Equation equation = parse(text);
  const std::vector<Term> terms = make_terms(equation, text, operands);
  Term result = terms.front();
  for (std::size_t i = 1; i < terms.size(); ++i) {
    std::string needed = equation.output;
    for (std::size_t later = i + 1; later < terms.size(); ++later) needed += terms[later].letters;
    result = contract(runtime, result, terms[i], needed);
  }
  return permuted(sum_out(runtime, result, equation.output), equation.output);
}

}  // namespace fib::ops
