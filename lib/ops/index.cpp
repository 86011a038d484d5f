#include "ops/index.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "ops/blocks.h"
#include "ops/elementwise.h"
#include "ops/gpu/operations.h"
#include "util/error.h"

namespace fib::ops {
namespace {

bool is_mask(const Tensor& tensor) { return tensor.dtype == DType::kBool || tensor.dtype == DType::kUInt8; }

void check_index_dtype(const Tensor& tensor) {
  if (!is_mask(tensor) && !tensor::is_integral(tensor.dtype)) {
    throw Error("tensors of {} cannot be used as indices", tensor::name_of(tensor.dtype));
  }
}

int dims_taken(const IndexPart& part) {
  if (std::holds_alternative<NewAxis>(part) || std::holds_alternative<EllipsisIndex>(part)) return 0;
  const auto* tensor = std::get_if<Tensor>(&part);
  return tensor != nullptr && is_mask(*tensor) ? tensor->rank() : 1;
}

// What is left of an index when its ints, slices and new axes have been applied: a view, and for some of its
// dimensions a tensor of int64 each.
struct Applied {
  Tensor view;
  std::vector<int> dims;  // ascending
  std::vector<Tensor> indices;
};

class Applier {
 public:
  Applier(const Runtime& runtime, const Tensor& tensor, const Index& index)
      : runtime_(runtime), applied_{tensor, {}, {}} {
    int taken = 0;
    for (const IndexPart& part : index) taken += dims_taken(part);
    if (taken > tensor.rank()) {
      throw Error("{} indices are too many for a tensor of {} dimensions", taken, tensor.rank());
    }
    skipped_ = tensor.rank() - taken;
    for (const IndexPart& part : index) std::visit([&](const auto& p) { apply(p); }, part);
  }

  Applied take() { return std::move(applied_); }

 private:
  void apply(std::int64_t index) { applied_.view = select(applied_.view, dim_, index); }

  void apply(const SliceIndex& s) {
    const std::int64_t stop = s.stop.value_or(std::numeric_limits<std::int64_t>::max());
    applied_.view = slice(applied_.view, dim_, s.start.value_or(0), stop, s.step);
    ++dim_;
  }

  void apply(NewAxis) { applied_.view = unsqueeze(applied_.view, dim_++); }

  void apply(EllipsisIndex) {
    if (ellipsis_) throw Error("an index can only have a single ellipsis");
    ellipsis_ = true;
    dim_ += skipped_;
  }

  void apply(const Tensor& tensor) {
    check_index_dtype(tensor);
    if (is_mask(tensor)) return apply_mask(tensor);
    if (tensor.rank() == 0) return apply(item_as_int(tensor));
    applied_.dims.push_back(dim_++);
    applied_.indices.push_back(to_dtype(runtime_, tensor, DType::kInt64));
  }

  void apply_mask(const Tensor& mask) {
    if (mask.rank() == 0)
      throw Error("masks without dimensions are not supported by the native reference engine");
    for (int i = 0; i < mask.rank(); ++i) {
      if (mask.size(i) == applied_.view.size(dim_ + i)) continue;
      throw Error("a mask of shape {} does not fit a tensor of shape {}", tensor::to_string(mask.shape),
                  tensor::to_string(applied_.view.shape));
    }
    const Tensor positions = nonzero(runtime_, mask);
    for (int i = 0; i < mask.rank(); ++i) {
      applied_.dims.push_back(dim_++);
      applied_.indices.push_back(select(positions, 1, i));
    }
  }

  const Runtime& runtime_;
  Applied applied_;
  int dim_ = 0;
  int skipped_ = 0;
  bool ellipsis_ = false;
};

// Where the parts of a tensor that index tensors pick lie, and the shape they form together.
struct Picked {
  Tensor offsets;                   // of every part, in elements from the start of `part`: int64
  Tensor part;                      // the dimensions without index, at the view's start
  Shape shape;                      // of all picked elements
  std::vector<std::int64_t> order;  // brings [parts..., part's dimensions...] into the order of `shape`
  int index_rank = 0;
};

Tensor offsets_of(const Runtime& runtime, const Applied& applied, const Shape& index_shape) {
  const std::int64_t total = count_of(index_shape);
  Tensor offsets = make_zeros(runtime, DType::kInt64, {total});
  auto* sums = reinterpret_cast<std::int64_t*>(offsets.data());
  std::vector<std::int64_t> buffer(static_cast<std::size_t>(kBlock));
  for (std::size_t i = 0; i < applied.dims.size(); ++i) {
    const std::int64_t size = applied.view.size(applied.dims[i]);
    const std::int64_t stride = applied.view.stride(applied.dims[i]);
    const BlockReader<std::int64_t> reader(expand(applied.indices[i], index_shape));
    for (std::int64_t begin = 0; begin < total; begin += kBlock) {
      const std::int64_t count = std::min(kBlock, total - begin);
      const std::int64_t* values = reader.read(begin, count, buffer.data());
      for (std::int64_t j = 0; j < count; ++j) {
        const std::int64_t value = values[j];
        if (value < -size || value >= size) {
          throw Error("index {} is out of range for dimension {} of size {}", value, applied.dims[i], size);
        }
        sums[begin + j] += (value < 0 ? value + size : value) * stride;
      }
    }
  }
  return offsets;
}

Picked pick(const Runtime& runtime, const Applied& applied) {
  Picked picked;
  Shape index_shape;
  for (const Tensor& index : applied.indices) index_shape = broadcast_shapes(index_shape, index.shape);
  picked.offsets = offsets_of(runtime, applied, index_shape);
  picked.index_rank = static_cast<int>(index_shape.size());
  picked.part = applied.view;
  for (std::size_t i = applied.dims.size(); i-- > 0;) {
    picked.part.shape.erase(picked.part.shape.begin() + applied.dims[i]);
    picked.part.strides.erase(picked.part.strides.begin() + applied.dims[i]);
  }
  // The picked parts take the place of neighbouring indexed dimensions, else they come first.
  const bool together =
      applied.dims.back() - applied.dims.front() + 1 == static_cast<int>(applied.dims.size());
  const int front = together ? applied.dims.front() : 0;
  picked.shape = picked.part.shape;
  picked.shape.insert(picked.shape.begin() + front, index_shape.begin(), index_shape.end());
  for (int dim = 0; dim < static_cast<int>(picked.shape.size()); ++dim) {
    const bool before = dim < front;
    const bool inside = !before && dim < front + picked.index_rank;
    picked.order.push_back(before ? dim + picked.index_rank : inside ? dim - front : dim);
  }
  return picked;
}

using gpu::Direction;

// Copies between the picked parts of a tensor and `all`, which is contiguous and has picked.shape.
void move_parts(const Runtime& runtime, const Picked& picked, const Tensor& all, Direction direction) {
  // `all` with the parts in front and the elements of one part behind.
  std::vector<std::int64_t> inverse(picked.order.size());
  for (std::size_t i = 0; i < inverse.size(); ++i)
    inverse[static_cast<std::size_t>(picked.order[i])] = static_cast<std::int64_t>(i);
  Tensor one = permute(all, inverse);
  const std::int64_t step = picked.index_rank == 0 ? 0 : one.stride(picked.index_rank - 1);
  one.shape.erase(one.shape.begin(), one.shape.begin() + picked.index_rank);
  one.strides.erase(one.strides.begin(), one.strides.begin() + picked.index_rank);
  const Strides part_strides(picked.part);
  const Strides one_strides(one);
  const std::int64_t count = picked.part.numel();
  const std::size_t size = all.element_size();
  const auto bytes = static_cast<std::int64_t>(size);
  if (count == 0) return;
  const auto* offsets = reinterpret_cast<const std::int64_t*>(picked.offsets.read());
  if (gpu::move_parts(runtime, direction, {offsets, static_cast<std::size_t>(picked.offsets.numel())},
                      picked.part, one, step))
    return;

  // Writes stay on one thread: where indices repeat, the last one wins.
  const int threads = direction == Direction::kGather ? runtime.threads : 1;
  parallel_for(threads, picked.offsets.numel(), count, 64, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t part = offsets[i];
      const std::int64_t other = i * step;
      Walk in_part(part_strides, 0);
      Walk in_other(one_strides, 0);
      for (std::int64_t left = count; left > 0;) {
        const std::int64_t run = std::min({in_part.run(), in_other.run(), left});
        const std::int64_t a = (part + in_part.offset()) * bytes;
        const std::int64_t b = (other + in_other.offset()) * bytes;
        if (direction == Direction::kGather)
          copy_strided(size, picked.part.read() + a, in_part.stride(), all.data() + b, in_other.stride(),
                       run);
        else
          copy_strided(size, all.read() + b, in_other.stride(), picked.part.data() + a, in_part.stride(),
                       run);
        in_part.advance(run);
        in_other.advance(run);
        left -= run;
      }
    }
  });
}

// Every element of a dimension as often: a copy of a view in which each is there `times` times.
Tensor repeat_each(const Runtime& runtime, const Tensor& tensor, std::int64_t times, int dim) {
  Shape shape = tensor.shape;
  std::int64_t& size = shape[static_cast<std::size_t>(dim)];
  Shape repeated = shape;
  if (times < 0 || __builtin_mul_overflow(size, times, &size))
    throw Error("repeat_interleave cannot repeat {} times", times);
  repeated.insert(repeated.begin() + dim + 1, times);
  return *try_view(cloned(runtime, expand(unsqueeze(tensor, dim + 1), repeated)), shape);
}

}  // namespace

Tensor get_index(const Runtime& runtime, const Tensor& tensor, const Index& index) {
  const Applied applied = Applier(runtime, tensor, index).take();
  if (applied.dims.empty()) return applied.view;
  const Picked picked = pick(runtime, applied);
  Tensor result = make_empty(runtime, tensor.dtype, picked.shape);
  move_parts(runtime, picked, result, Direction::kGather);
  return result;
}

void set_index(const Runtime& runtime, const Tensor& tensor, const Index& index, const Tensor& value) {
  const Applied applied = Applier(runtime, tensor, index).take();
  // A value may have leading dimensions of one more than what it goes into.
  const auto fitted = [&](std::size_t rank) {
    Tensor result = value;
    while (result.shape.size() > rank && result.shape.front() == 1) result = squeeze(result, 0);
    return result;
  };
  if (applied.dims.empty()) return copy_into(runtime, fitted(applied.view.shape.size()), applied.view);
  check_writable(applied.view);
  const Picked picked = pick(runtime, applied);
  Tensor values = make_empty(runtime, tensor.dtype, picked.shape);
  copy_into(runtime, fitted(picked.shape.size()), values);
  move_parts(runtime, picked, values, Direction::kScatter);
}

Tensor nonzero(const Runtime& runtime, const Tensor& tensor) {
  std::vector<std::int64_t> found;
  with_compute_type(tensor.dtype, [&](auto real) {
    using Real = decltype(real);
    const BlockReader<Real> reader(tensor);
    std::vector<Real> buffer(static_cast<std::size_t>(kBlock));
    const std::int64_t total = tensor.numel();
    for (std::int64_t begin = 0; begin < total; begin += kBlock) {
      const std::int64_t count = std::min(kBlock, total - begin);
      const Real* values = reader.read(begin, count, buffer.data());
      for (std::int64_t i = 0; i < count; ++i) {
        if (values[i] != Real{0}) found.push_back(begin + i);
      }
    }
  });
  Tensor result =
      make_empty(runtime, DType::kInt64, {static_cast<std::int64_t>(found.size()), tensor.rank()});
  auto* positions = reinterpret_cast<std::int64_t*>(result.data());
  for (std::int64_t linear : found) {
    for (int dim = tensor.rank() - 1; dim >= 0; --dim) {
      positions[dim] = linear % tensor.size(dim);
      linear /= tensor.size(dim);
    }
    positions += tensor.rank();
  }
  return result;
}

Tensor index_select(const Runtime& runtime, const Tensor& tensor, std::int64_t dim, const Tensor& indices) {
  if (is_mask(indices)) throw Error("indices must be integers, not {}", tensor::name_of(indices.dtype));
  const int at = wrap_dim(dim, tensor.rank());
  if (tensor.rank() == 0) return cloned(runtime, tensor);
  Index index(static_cast<std::size_t>(at), SliceIndex{});
  index.emplace_back(indices.rank() == 0 ? unsqueeze(indices, 0) : indices);
  return get_index(runtime, tensor, index);
}

Tensor repeat_interleave(const Runtime& runtime, const Tensor& tensor, const Tensor& repeats,
                         std::int64_t dim) {
  const int at = wrap_dim(dim, tensor.rank());
  const std::int64_t size = tensor.rank() == 0 ? 1 : tensor.size(at);
  if (repeats.numel() == 1 && tensor.rank() > 0)
    return repeat_each(runtime, tensor, item_as_int(repeats), at);
  const bool one_for_all = repeats.numel() == 1;
  if (!one_for_all && repeats.numel() != size) {
    throw Error("repeat_interleave got {} counts for {} elements", repeats.numel(), size);
  }
  const Tensor counts = contiguous(runtime, to_dtype(runtime, repeats, DType::kInt64));
  const auto* values = reinterpret_cast<const std::int64_t*>(counts.data());
  std::int64_t total = 0;
  for (std::int64_t i = 0; i < size; ++i) {
    const std::int64_t times = values[one_for_all ? 0 : i];
    if (times < 0 || __builtin_add_overflow(total, times, &total)) {
      throw Error("repeat_interleave cannot repeat {} times", times);
    }
  }
  const Tensor index = make_empty(runtime, DType::kInt64, {total});
  auto* to = reinterpret_cast<std::int64_t*>(index.data());
  for (std::int64_t i = 0; i < size; ++i) to = std::fill_n(to, values[one_for_all ? 0 : i], i);
  return index_select(runtime, tensor.rank() == 0 ? unsqueeze(tensor, 0) : tensor, at, index);
}

}  // namespace fib::ops
