#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ops/gpu/operands.h"
#include "ops/gpu/operations.h"

namespace fib::ops::gpu {
namespace {

// Slices to add in one launch do not repeat; a slice that is named more often than this stays with the CPU.
constexpr std::size_t kMostRepeats = 64;

// An array for a kernel.
class Numbers {
 public:
  Numbers(const Runtime& runtime, std::span<const std::int64_t> values)
      : memory_(runtime, values.size_bytes()) {
    if (memory_.address() != 0)
      runtime.gpu->upload(memory_.address(), reinterpret_cast<const std::byte*>(values.data()),
                          values.size_bytes());
  }
  [[nodiscard]] DeviceAddress address() const { return memory_.address(); }

 private:
  Scratch memory_;
};

// Marks all but the last of equal places as skipped.
std::vector<std::int64_t> last_of_equals(std::span<const std::int64_t> places) {
  std::vector<std::int64_t> result(places.begin(), places.end());
  std::unordered_set<std::int64_t> seen;
  for (auto place = result.rbegin(); place != result.rend(); ++place) {
    if (!seen.insert(*place).second) *place = -1;
  }
  return result;
}

// `part` with the span of all its places.
Tensor spanning(const Tensor& part, std::span<const std::int64_t> places) {
  const auto [low, high] = std::minmax_element(places.begin(), places.end());
  Tensor all = part;
  all.offset += *low;
  all.shape.insert(all.shape.begin(), 2);
  all.strides.insert(all.strides.begin(), *high - *low);
  return all;
}

// Views of one part on both sides, for elements that are not all written: view 0 is packed, view 1 scattered.
std::optional<Walk<2>> parts_walk(const Tensor& packed, const Tensor& part) {
  Walk<2> walk{};
  if (!lay_out({&packed, &part}, walk.count, walk.rank, walk.shape, walk.view)) return std::nullopt;
  return walk;
}

DeviceAddress at_offset(DeviceAddress storage, const Tensor& tensor) {
  return storage == 0 ? 0 : storage + static_cast<DeviceAddress>(tensor.offset) * tensor.element_size();
}

// Addresses of both sides, `to` for writing.
bool place_on_device(const Runtime& runtime, const Tensor& from, const Span& read, const Tensor& to,
                     const Span& written, View& from_view, View& to_view) {
  from_view.data = at_offset(from.storage->on_device(runtime.gpu, read.begin, read.end), from);
  if (from_view.data == 0) return false;
  const bool whole = written.begin == 0 && written.end == to.storage->bytes() && to.storage->is_new();
  to_view.data = at_offset(to.storage->for_device(runtime.gpu, written.begin, written.end, whole), to);
  return to_view.data != 0;
}

// The indices in waves within which none repeats, in order.
std::vector<std::vector<std::int64_t>> waves_of(std::span<const std::int64_t> indices) {
  std::unordered_map<std::int64_t, std::size_t> times;
  std::vector<std::vector<std::int64_t>> waves;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const std::size_t wave = times[indices[i]]++;
    if (wave == waves.size()) waves.emplace_back();
    waves[wave].push_back(static_cast<std::int64_t>(i));
  }
  return waves;
}

bool can_add(std::span<const std::int64_t> indices, const Tensor& target, int dim, const Tensor& source) {
  if (target.rank() == 0 || target.storage == source.storage || target.dtype == DType::kBool ||
      is_float8(target.dtype))
    return false;
  Shape expected = target.shape;
  expected[static_cast<std::size_t>(dim)] = static_cast<std::int64_t>(indices.size());
  if (source.shape != expected || source.numel() == 0) return false;
  for (int d = 0; d < target.rank(); ++d) {
    if (target.stride(d) == 0 && target.size(d) > 1) return false;
  }
  return std::all_of(indices.begin(), indices.end(),
                     [&](std::int64_t index) { return index >= 0 && index < target.size(dim); });
}

}  // namespace

bool move_parts(const Runtime& runtime, Direction direction, std::span<const std::int64_t> places,
                const Tensor& part, const Tensor& packed, std::int64_t step) {
  const auto count = static_cast<std::int64_t>(places.size());
  if (count == 0 || part.numel() == 0 || !wanted(runtime, count * part.numel(), {&part, &packed}))
    return false;
  const bool gathers = direction == Direction::kGather;
  auto walk = parts_walk(packed, part);
  if (!walk) return false;
  const Numbers numbers(
      runtime, gathers ? std::vector<std::int64_t>(places.begin(), places.end()) : last_of_equals(places));
  if (numbers.address() == 0) return false;
  const Span scattered = span_of(spanning(part, places));
  const std::vector<std::int64_t> ends = {0, (count - 1) * step};
  const Span together = span_of(spanning(packed, ends));
  const bool placed =
      gathers ? place_on_device(runtime, part, scattered, packed, together, walk->view[1], walk->view[0])
              : place_on_device(runtime, packed, together, part, scattered, walk->view[0], walk->view[1]);
  if (!placed) return false;
  const PartMove move{count, step, numbers.address(), 0};
  runtime.gpu->run(program_of("move", {type_of_bits(part)}, walk->count, DType::kInt64),
                   gathers ? "fib_gather" : "fib_scatter", {blocks_for(runtime, count * walk->count)}, *walk,
                   move);
  return true;
}

bool add_slices(const Runtime& runtime, std::span<const std::int64_t> indices, const Tensor& target, int dim,
                const Tensor& source) {
  if (indices.empty() || !wanted(runtime, source.numel(), {&target, &source})) return false;
  if (!can_add(indices, target, dim, source)) return false;
  const auto waves = waves_of(indices);
  const Tensor packed = select(source, dim, 0);
  const Tensor part = select(target, dim, 0);
  auto walk = parts_walk(packed, part);
  if (waves.size() > kMostRepeats || !walk) return false;
  if (!place_on_device(runtime, source, span_of(source), target, span_of(target), walk->view[0],
                       walk->view[1]))
    return false;
  Program program = program_of("move", {target.dtype}, walk->count, target.dtype);
  define(program, "FIB_ADDS", "1");
  for (const auto& items : waves) {
    std::vector<std::int64_t> places;
    for (const std::int64_t item : items)
      places.push_back(indices[static_cast<std::size_t>(item)] * target.stride(dim));
    const Numbers place_numbers(runtime, places);
    const Numbers item_numbers(runtime, items);
    if (place_numbers.address() == 0 || item_numbers.address() == 0)
      throw Error("the GPU has no memory left for {} indices", places.size());
    const auto count = static_cast<std::int64_t>(items.size());
    const PartMove move{count, source.stride(dim), place_numbers.address(), item_numbers.address()};
    runtime.gpu->run(program, "fib_scatter_add", {blocks_for(runtime, count * walk->count)}, *walk, move);
  }
  return true;
}

}  // namespace fib::ops::gpu
