#include <algorithm>
#include <array>
#include <numeric>

#include "ops/elementwise.h"
#include "ops/index.h"
#include "reference/arguments.h"

namespace fib::reference {
namespace {

Value view(const Runtime&, const Arguments& a) {
  const Tensor input = a.tensor("input");
  if (a.has("dtype")) return view_as_dtype(input, *a.dtype());
  if (a.rest().size() == 1) {
    if (const auto* dtype = a.rest().front().get<DType>()) return view_as_dtype(input, *dtype);
  }
  const Shape shape = integers_of(a.rest());
  if (auto result = try_view(input, shape)) return *result;
  throw Error(
      "a tensor of shape {} whose elements do not lie end to end cannot be viewed as {}; use reshape()",
      tensor::to_string(input.shape), tensor::to_string(shape));
}

Value reshape_function(const Runtime& runtime, const Arguments& a) {
  return reshape(runtime, a.tensor("input"), integers_of(a.rest()));
}

Value view_as(const Runtime& runtime, const Arguments& a) {
  return reshape(runtime, a.tensor("input"), a.tensor("other").shape);
}

Value flatten(const Runtime& runtime, const Arguments& a) {
  const Tensor input = a.tensor("input");
  if (input.rank() == 0) return reshape(runtime, input, {1});
  const int first = ops::wrap_dim(a.integer_or("start_dim", 0), input.rank());
  const int last = ops::wrap_dim(a.integer_or("end_dim", -1), input.rank());
  if (first > last) throw Error("{} needs start_dim before end_dim", a.function_name());
  Shape shape(input.shape.begin(), input.shape.begin() + first);
  std::int64_t joined = 1;
  for (int dim = first; dim <= last; ++dim) joined *= input.size(dim);
  shape.push_back(joined);
  shape.insert(shape.end(), input.shape.begin() + last + 1, input.shape.end());
  return reshape(runtime, input, shape);
}

Value unflatten(const Runtime& runtime, const Arguments& a) {
  const Tensor input = a.tensor("input");
  const int dim = ops::wrap_dim(a.integer("dim"), input.rank());
  const Shape sizes = ops::infer_shape(a.integers("sizes"), input.size(dim));
  Shape shape = input.shape;
  shape.erase(shape.begin() + dim);
  shape.insert(shape.begin() + dim, sizes.begin(), sizes.end());
  return reshape(runtime, input, shape);
}

Value permute_function(const Runtime&, const Arguments& a) {
  return permute(a.tensor("input"), integers_of(a.rest()));
}

Value transpose_function(const Runtime&, const Arguments& a) {
  return transpose(a.tensor("input"), a.integer("dim0"), a.integer("dim1"));
}

Value t(const Runtime&, const Arguments& a) {
  const Tensor input = a.tensor("input");
  if (input.rank() > 2) throw Error("t() needs a tensor of at most 2 dimensions, not {}", input.rank());
  return input.rank() == 2 ? transpose(input, 0, 1) : input;
}

Value squeeze_function(const Runtime&, const Arguments& a) {
  Tensor result = a.tensor("input");
  if (!a.has("dim")) return squeeze(result, std::nullopt);
  std::vector<std::int64_t> dims = a.integers("dim");
  for (std::int64_t& dim : dims) dim = ops::wrap_dim(dim, result.rank());
  std::sort(dims.rbegin(), dims.rend());
  for (const std::int64_t dim : dims) result = squeeze(result, dim);
  return result;
}

Value unsqueeze_function(const Runtime&, const Arguments& a) {
  return unsqueeze(a.tensor("input"), a.integer("dim"));
}
Value expand_function(const Runtime&, const Arguments& a) {
  return expand(a.tensor("input"), integers_of(a.rest()));
}
Value expand_as(const Runtime&, const Arguments& a) {
  return expand(a.tensor("input"), a.tensor("other").shape);
}
Value contiguous_function(const Runtime& runtime, const Arguments& a) {
  return contiguous(runtime, a.tensor("input"));
}

Value narrow_function(const Runtime&, const Arguments& a) {
  const Tensor input = a.tensor("input");
  const int dim = ops::wrap_dim(a.integer("dim"), input.rank());
  const std::int64_t start = a.integer("start");
  return narrow(input, dim, start < 0 ? start + input.size(dim) : start, a.integer("length"));
}

Value select_function(const Runtime&, const Arguments& a) {
  return select(a.tensor("input"), a.integer("dim"), a.integer("index"));
}

Value movedim(const Runtime&, const Arguments& a) {
  const Tensor input = a.tensor("input");
  return move_dim(input, ops::wrap_dim(a.integer("source"), input.rank()),
                  ops::wrap_dim(a.integer("destination"), input.rank()));
}

// Consecutive parts of the given lengths along a dimension.
Value parts(const Tensor& input, int dim, const std::vector<std::int64_t>& lengths) {
  std::vector<Value> result;
  std::int64_t start = 0;
  for (const std::int64_t length : lengths) {
    result.emplace_back(narrow(input, dim, start, length));
    start += length;
  }
  return make_tuple(std::move(result));
}

std::vector<std::int64_t> equal_lengths(std::int64_t total, std::int64_t length) {
  constexpr std::int64_t kMostParts = 1 << 24;
  if (total / length > kMostParts) throw Error("more than {} parts are not supported", kMostParts);
  std::vector<std::int64_t> lengths;
  for (std::int64_t start = 0; start < total; start += length)
    lengths.push_back(std::min(length, total - start));
  if (lengths.empty()) lengths.push_back(0);
  return lengths;
}

Value chunk(const Runtime&, const Arguments& a) {
  const Tensor input = a.tensor("input");
  const int dim = ops::wrap_dim(a.integer_or("dim", 0), input.rank());
  const std::int64_t chunks = a.integer("chunks");
  if (chunks < 1) throw Error("{} cannot make {} chunks", a.function_name(), chunks);
  const std::int64_t size = input.rank() == 0 ? throw Error("chunk needs a dimension") : input.size(dim);
  return parts(input, dim, equal_lengths(size, std::max<std::int64_t>(1, (size + chunks - 1) / chunks)));
}

Value split(const Runtime&, const Arguments& a) {
  const Tensor input = a.tensor("input");
  const int dim = ops::wrap_dim(a.integer_or("dim", 0), input.rank());
  if (input.rank() == 0) throw Error("split needs a dimension");
  const Value& sizes = a.value("split_size");
  if (const auto* items = sequence_of(sizes)) {
    const std::vector<std::int64_t> lengths = integers_of(*items);
    if (std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0}) != input.size(dim)) {
      throw Error("{} got sizes that do not add up to {}", a.function_name(), input.size(dim));
    }
    return parts(input, dim, lengths);
  }
  const std::int64_t length = a.integer("split_size");
  if (length < 1) throw Error("{} cannot make parts of {}", a.function_name(), length);
  return parts(input, dim, equal_lengths(input.size(dim), length));
}

Value unbind(const Runtime&, const Arguments& a) {
  const Tensor input = a.tensor("input");
  return make_tuple(items_of(move_dim(input, ops::wrap_dim(a.integer_or("dim", 0), input.rank()), 0)));
}

Value repeat(const Runtime& runtime, const Arguments& a) {
  Tensor input = a.tensor("input");
  const std::vector<std::int64_t> times = integers_of(a.rest());
  while (input.shape.size() < times.size()) input = unsqueeze(input, 0);
  if (input.shape.size() > times.size())
    throw Error("repeat needs a count for each of {} dimensions", input.rank());
  // Every dimension becomes (times, size), the first one without extent in memory.
  Shape wide;
  Shape result;
  Tensor pairs = input;
  for (int dim = input.rank() - 1; dim >= 0; --dim) pairs = unsqueeze(pairs, dim);
  for (std::size_t dim = 0; dim < times.size(); ++dim) {
    wide.insert(wide.end(), {times[dim], input.shape[dim]});
    result.push_back(ops::count_of({times[dim], input.shape[dim]}));
  }
  return *try_view(cloned(runtime, expand(pairs, wide)), result);
}

Value flip(const Runtime& runtime, const Arguments& a) {
  Tensor result = a.tensor("input");
  for (const std::int64_t dim : integers_of(a.rest())) {
    const int at = ops::wrap_dim(dim, result.rank());
    const std::int64_t size = result.rank() == 0 ? 1 : result.size(at);
    const Tensor indices = make_empty(runtime, DType::kInt64, {size});
    auto* values = reinterpret_cast<std::int64_t*>(indices.data());
    for (std::int64_t i = 0; i < size; ++i) values[i] = size - 1 - i;
    result = index_select(runtime, result, at, indices);
  }
  return result;
}

Value roll(const Runtime& runtime, const Arguments& a) {
  const Tensor input = a.tensor("input");
  const std::vector<std::int64_t> shifts = a.integers("shifts");
  const std::vector<std::int64_t> dims = a.integers("dims");
  Tensor result = dims.empty() ? reshape(runtime, input, {-1}) : input;
  if (!dims.empty() && dims.size() != shifts.size()) throw Error("roll needs one dimension for each shift");
  for (std::size_t i = 0; i < shifts.size(); ++i) {
    const int dim = dims.empty() ? 0 : ops::wrap_dim(dims[i], input.rank());
    const std::int64_t size = result.size(dim);
    if (size == 0) continue;
    const std::int64_t cut = ((size - shifts[i]) % size + size) % size;
    const Tensor rolled = make_empty(runtime, result.dtype, result.shape);
    copy_into(runtime, narrow(result, dim, cut, size - cut), narrow(rolled, dim, 0, size - cut));
    copy_into(runtime, narrow(result, dim, 0, cut), narrow(rolled, dim, size - cut, cut));
    result = rolled;
  }
  return reshape(runtime, result, input.shape);
}

constexpr std::array kViewsFunctions = {
    BuiltinRow{"view", kMethod, "input *shape dtype?", view},
    BuiltinRow{"reshape", kTorch | kMethod, "input *shape", reshape_function},
    BuiltinRow{"view_as", kMethod, "input other", view_as},
    BuiltinRow{"reshape_as", kMethod, "input other", view_as},
    BuiltinRow{"flatten", kTorch | kMethod, "input start_dim? end_dim?", flatten},
    BuiltinRow{"ravel", kTorch | kMethod, "input start_dim? end_dim?", flatten},
    BuiltinRow{"unflatten", kTorch | kMethod, "input dim sizes", unflatten},
    BuiltinRow{"permute", kTorch | kMethod, "input *dims", permute_function},
    BuiltinRow{"transpose", kTorch | kMethod, "input dim0 dim1", transpose_function},
    BuiltinRow{"swapaxes", kTorch | kMethod, "input dim0 dim1", transpose_function},
    BuiltinRow{"swapdims", kTorch | kMethod, "input dim0 dim1", transpose_function},
    BuiltinRow{"t", kTorch | kMethod, "input", t},
    BuiltinRow{"squeeze", kTorch | kMethod, "input dim?", squeeze_function},
    BuiltinRow{"unsqueeze", kTorch | kMethod, "input dim", unsqueeze_function},
    BuiltinRow{"expand", kMethod, "input *size", expand_function},
    BuiltinRow{"broadcast_to", kTorch | kMethod, "input *size", expand_function},
    BuiltinRow{"expand_as", kMethod, "input other", expand_as},
    BuiltinRow{"contiguous", kMethod, "input", contiguous_function},
    BuiltinRow{"narrow", kTorch | kMethod, "input dim start length", narrow_function},
    BuiltinRow{"select", kTorch | kMethod, "input dim index", select_function},
    BuiltinRow{"movedim", kTorch | kMethod, "input source destination", movedim},
    BuiltinRow{"moveaxis", kTorch | kMethod, "input source destination", movedim},
    BuiltinRow{"chunk", kTorch | kMethod, "input chunks dim?", chunk},
    BuiltinRow{"split", kTorch | kMethod, "input split_size dim?", split},
    BuiltinRow{"unbind", kTorch | kMethod, "input dim?", unbind},
    BuiltinRow{"repeat", kMethod, "input *repeats", repeat},
    BuiltinRow{"tile", kTorch | kMethod, "input *repeats", repeat},
    BuiltinRow{"flip", kTorch | kMethod, "input *dims", flip},
    BuiltinRow{"roll", kTorch | kMethod, "input shifts dims?", roll},
};

}  // namespace

std::span<const BuiltinRow> view_functions() { return kViewsFunctions; }

}  // namespace fib::reference
