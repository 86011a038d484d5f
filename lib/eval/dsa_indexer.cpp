#include "eval/dsa_indexer.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <mutex>
#include <span>
#include <unordered_map>

#include "eval/compare.h"
#include "eval/dsa_scores.h"
#include "eval/slots.h"
#include "tensor/parallel.h"
#include "tensor/shape.h"

namespace fib::eval {
namespace {

using tensor::DType;

constexpr const char* kRule = "dsa-indexer";
constexpr float kNoToken = -std::numeric_limits<float>::infinity();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

void require(const Slot& slot, std::initializer_list<DType> dtypes, const tensor::Shape& shape) {
  if (std::find(dtypes.begin(), dtypes.end(), slot.dtype) != dtypes.end() && slot.shape == shape) return;
  throw Error("rule {}: \"{}\" must have the shape {} and dtype {}, not {} and {}", kRule, slot.name,
              tensor::to_string(shape), tensor::name_of(*dtypes.begin()), tensor::to_string(slot.shape),
              tensor::name_of(slot.dtype));
}

// Where the rule's inputs lie.
struct IndexerSlots {
  const Slot* q = nullptr;
  const Slot* cache = nullptr;
  const Slot* weights = nullptr;
  const Slot* seq_lens = nullptr;
  const Slot* block_table = nullptr;
  const Slot* indices = nullptr;
  IndexerInputs sizes;
  std::size_t places = 0;
};

std::int64_t size_of(const Slot& slot, std::size_t rank, std::size_t dimension) {
  if (slot.shape.size() != rank)
    throw Error("rule {}: \"{}\" must have {} dimensions", kRule, slot.name, rank);
  return slot.shape[dimension];
}

IndexerSlots find_indexer_slots(const Layout& layout) {
  const auto input = [&](const char* name) { return &input_slot(layout, name, kRule); };
  IndexerSlots s{input("q_index_fp8"),
                 input("k_index_cache_fp8"),
                 input("weights"),
                 input("seq_lens"),
                 input("block_table"),
                 nullptr,
                 {},
                 0};
  if (layout.outputs.size() != 1) throw Error("rule {}: there must be one output, the indices", kRule);
  s.indices = &layout.outputs[0];
  const std::int64_t rows = size_of(*s.q, 3, 0);
  const std::int64_t heads = size_of(*s.q, 3, 1);
  const std::int64_t head_dim = size_of(*s.q, 3, 2);
  const std::int64_t pages = size_of(*s.cache, 4, 0);
  const std::int64_t page_size = size_of(*s.cache, 4, 1);
  const std::int64_t slots = size_of(*s.block_table, 2, 1);
  const std::int64_t places = size_of(*s.indices, 2, 1);
  require(*s.q, {DType::kFloat8E4M3FN}, {rows, heads, head_dim});
  require(*s.cache, {DType::kInt8, DType::kUInt8}, {pages, page_size, 1, head_dim + 4});
  require(*s.weights, {DType::kFloat32}, {rows, heads});
  require(*s.seq_lens, {DType::kInt32}, {rows});
  require(*s.block_table, {DType::kInt32}, {rows, slots});
  require(*s.indices, {DType::kInt32}, {rows, places});
  const auto size = [](std::int64_t value) { return static_cast<std::size_t>(value); };
  s.places = size(places);
  s.sizes.rows = size(rows);
  s.sizes.heads = size(heads);
  s.sizes.head_dim = size(head_dim);
  s.sizes.pages = size(pages);
  s.sizes.page_size = size(page_size);
  s.sizes.slots = size(slots);
  return s;
}

template <typename T>
const T* data_of(const std::byte* buffer, const Slot& slot) {
  return reinterpret_cast<const T*>(buffer + slot.offset);
}

// Scores by falling value, -inf for what is no token of the row.
std::vector<float> sorted_scores(IndexerRow& row, std::span<const std::int32_t> indices) {
  std::vector<float> scores;
  scores.reserve(indices.size());
  for (const std::int32_t index : indices)
    scores.push_back(row.tokens_at(index) > 0 ? row.score(index) : kNoToken);
  // NaN, which inputs from files may give, counts as the lowest.
  std::sort(scores.begin(), scores.end(),
            [](float a, float b) { return a > b || (!std::isnan(a) && std::isnan(b)); });
  return scores;
}

// What one row, or several, came to.
struct Findings {
  double absolute_error = 0;
  double relative_error = 0;
  std::size_t mismatched = 0;
  std::size_t bad_row = std::numeric_limits<std::size_t>::max();  // the first with bad indices or scores
  std::string text;                                               // what is wrong with it
  bool bad_indices = false;

  void note(std::size_t row, std::string what) {
    if (row >= bad_row) return;
    bad_row = row;
    text = std::move(what);
  }
  void add(const Findings& other) {
    absolute_error = worse(absolute_error, other.absolute_error);
    relative_error = worse(relative_error, other.relative_error);
    mismatched += other.mismatched;
    bad_indices |= other.bad_indices;
    note(other.bad_row, other.text);
  }
};

// Whether every index may stand where it does.
bool check_indices(const IndexerRow& row, std::span<const std::int32_t> indices, std::size_t number,
                   const PoisonElement& poison, Findings& findings) {
  std::unordered_map<std::int32_t, std::size_t> seen;
  for (std::size_t place = 0; place < indices.size(); ++place) {
    const std::int32_t index = indices[place];
    if (index == -1) continue;
    const std::size_t tokens = row.tokens_at(index);
    if (tokens > 0 && ++seen[index] <= tokens) continue;
    findings.bad_indices = true;
    const auto* bytes = reinterpret_cast<const std::byte*>(indices.data());
    findings.note(number, fmt::format("{} indices in batch [{}]: {} at place {}{}",
                                      tokens == 0 ? "out-of-range" : "duplicate", number, index, place,
                                      unwritten_remark(DType::kInt32, bytes, place, poison.data())));
    return false;
  }
  return true;
}

void compare_scores(const std::vector<float>& got, const std::vector<float>& expected,
                    const Tolerance& tolerance, std::size_t number, Findings& findings) {
  for (std::size_t place = 0; place < got.size(); ++place) {
    const float x = got[place];
    const float y = expected[place];
    if (x == y || (std::isnan(x) && std::isnan(y))) continue;
    const double absolute =
        std::isfinite(x) && std::isfinite(y) ? std::abs(static_cast<double>(x) - y) : kInfinity;
    const double relative = absolute / (std::abs(static_cast<double>(y)) + kRelativeFloor);
    const double known = std::isnan(relative) ? kInfinity : relative;  // infinity by infinity
    findings.absolute_error = std::max(findings.absolute_error, absolute);
    findings.relative_error = std::max(findings.relative_error, known);
    if (absolute <= tolerance.atol || known <= tolerance.rtol) continue;
    ++findings.mismatched;
    findings.note(number, fmt::format("scores differ in batch [{}]: number {} by rank is {}, expected {}",
                                      number, place + 1, x, y));
  }
}

class DsaIndexerEvaluator : public HostEvaluator {
 public:
  DsaIndexerEvaluator(const Layout& layout, const Tolerance& tolerance, unsigned threads)
      : layout_(layout), slots_(find_indexer_slots(layout_)), tolerance_(tolerance), threads_(threads) {}

  Judgement judge(const HostCall& call) override {
    const Slot& output = *slots_.indices;
    const std::size_t unwritten =
        count_unwritten(output.dtype, call.outputs + output.offset, output.count(), call.poison.at(0).data());
    if (unwritten > 0) {
      return {false, kInfinity, kInfinity, 0,
              fmt::format("output \"{}\": {} of {} elements were never written", output.name, unwritten,
                          output.count())};
    }
    const IndexerInputs inputs = inputs_of(call);
    Findings findings;
    std::mutex mutex;
    tensor::parallel_for(inputs.rows, 1, threads_, [&](std::size_t begin, std::size_t end) {
      for (std::size_t row = begin; row < end; ++row) {
        const Findings found = judge_row(call, inputs, row);
        const std::scoped_lock lock(mutex);
        findings.add(found);
      }
    });
    return judgement_of(findings);
  }

  Conclusion conclude() const override { return {{true, 0, 0, 1, {}}, {}}; }

 private:
  [[nodiscard]] IndexerInputs inputs_of(const HostCall& call) const {
    IndexerInputs inputs = slots_.sizes;
    inputs.q = data_of<std::uint8_t>(call.inputs, *slots_.q);
    inputs.cache = data_of<std::uint8_t>(call.inputs, *slots_.cache);
    inputs.weights = data_of<float>(call.inputs, *slots_.weights);
    inputs.seq_lens = data_of<std::int32_t>(call.inputs, *slots_.seq_lens);
    inputs.block_table = data_of<std::int32_t>(call.inputs, *slots_.block_table);
    return inputs;
  }

  [[nodiscard]] Findings judge_row(const HostCall& call, const IndexerInputs& inputs,
                                   std::size_t number) const {
    const auto indices = [&](const std::byte* buffer) {
      return std::span(data_of<std::int32_t>(buffer, *slots_.indices) + number * slots_.places,
                       slots_.places);
    };
    IndexerRow row(inputs, number);
    Findings findings;
    if (!check_indices(row, indices(call.outputs), number, call.poison.at(0), findings)) return findings;
    compare_scores(sorted_scores(row, indices(call.outputs)), sorted_scores(row, indices(call.expected)),
                   tolerance_, number, findings);
    return findings;
  }

  [[nodiscard]] Judgement judgement_of(const Findings& findings) const {
    Judgement judgement;
    const auto count = static_cast<double>(std::max<std::size_t>(1, slots_.indices->count()));
    judgement.matched_ratio = findings.bad_indices ? 0 : 1 - static_cast<double>(findings.mismatched) / count;
    judgement.max_absolute_error = findings.bad_indices ? kInfinity : findings.absolute_error;
    judgement.max_relative_error = findings.bad_indices ? kInfinity : findings.relative_error;
    const bool exceeds = tolerance_.max_error && !(judgement.max_absolute_error <= *tolerance_.max_error);
    judgement.correct =
        !findings.bad_indices && !exceeds && judgement.matched_ratio >= tolerance_.required_matched_ratio;
    if (!judgement.correct) {
      judgement.explanation = fmt::format(
          "output \"{}\": {} (rule: dsa-indexer, |got - expected| <= {} or relative error <= {}, "
          "matched ratio >= {})",
          slots_.indices->name, findings.text, tolerance_.atol, tolerance_.rtol,
          tolerance_.required_matched_ratio);
    }
    return judgement;
  }

  Layout layout_;
  IndexerSlots slots_;
  Tolerance tolerance_;
  unsigned threads_;
};

}  // namespace

std::unique_ptr<HostEvaluator> make_dsa_indexer_evaluator(const Layout& layout, const Tolerance& tolerance,
                                                          unsigned threads) {
  return std::make_unique<DsaIndexerEvaluator>(layout, tolerance, threads);
}

}  // namespace fib::eval
