#include "eval/sampling.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "eval/draw_statistics.h"
#include "eval/slots.h"
#include "eval/uniformity.h"
#include "tensor/convert.h"
#include "tensor/parallel.h"
#include "util/hash.h"

namespace fib::eval {
namespace {

std::uint64_t key_of(std::string_view seed) {
  const std::string digest = util::Sha256().add("sampling").add(seed).hex();
  return std::stoull(digest.substr(0, 16), nullptr, 16);
}

struct SamplingSlots {
  const Slot* probs = nullptr;
  const Slot* top_k = nullptr;
  const Slot* top_p = nullptr;
  const Slot* samples = nullptr;
  std::size_t rows = 0;
  std::size_t tokens = 0;  // V
};

// Of rank 1 (one row) or 2.
void read_shape(const Slot& probs, SamplingSlots& slots) {
  if (probs.scalar || probs.shape.empty() || probs.shape.size() > 2 || !tensor::is_floating(probs.dtype))
    throw Error("rule sampling: input \"probs\" must be a tensor of floats of shape [rows, V]");
  slots.tokens = static_cast<std::size_t>(probs.shape.back());
  slots.rows = probs.shape.size() == 1 ? 1 : static_cast<std::size_t>(probs.shape[0]);
}

const Slot& parameter(const Layout& layout, const char* name, std::size_t rows) {
  const Slot& slot = input_slot(layout, name, "sampling");
  if (!slot.scalar && slot.count() != 1 && slot.count() != rows)
    throw Error("rule sampling: input \"{}\" must be a scalar or have one element for each row", name);
  return slot;
}

SamplingSlots find_sampling_slots(const model::Definition& definition, const Layout& layout) {
  SamplingSlots slots;
  slots.probs = &input_slot(layout, "probs", "sampling");
  read_shape(*slots.probs, slots);
  const auto named = [&](const char* part) { return definition.name.find(part) != std::string::npos; };
  const bool both = named("top_k_top_p");
  if (both || named("top_k")) slots.top_k = &parameter(layout, "top_k", slots.rows);
  if (both || (!named("top_k") && named("top_p"))) slots.top_p = &parameter(layout, "top_p", slots.rows);
  slots.samples = &layout.outputs.at(0);
  if (layout.outputs.size() != 1 || slots.samples->count() != slots.rows)
    throw Error("rule sampling: there must be one output with one sample for each row of \"probs\"");
  return slots;
}

class SamplingEvaluator : public HostEvaluator {
 public:
  SamplingEvaluator(const model::Definition& definition, const Layout& layout, std::string_view seed,
                    unsigned threads)
      : layout_(layout),
        slots_(find_sampling_slots(definition, layout_)),
        threads_(threads),
        statistics_(key_of(seed)) {}

  Judgement judge(const HostCall& call) override {
    const std::size_t unwritten = count_unwritten(
        slots_.samples->dtype, call.outputs + slots_.samples->offset, slots_.rows, call.poison.at(0).data());
    if (unwritten > 0) {
      return wrong(fmt::format("output \"{}\": {} of {} elements were never written", slots_.samples->name,
                               unwritten, slots_.rows));
    }
    std::vector<RowDraw> draws(slots_.rows);
    tensor::parallel_for(slots_.rows, 1, threads_, [&](std::size_t begin, std::size_t end) {
      std::vector<float> row(slots_.tokens);
      for (std::size_t i = begin; i < end; ++i) draws[i] = look_up_row(call, i, row);
    });
    for (std::size_t i = 0; i < draws.size(); ++i) {
      if (!draws[i].inside) return wrong(explain(call, i, draws[i]));
    }
    statistics_.add_call(draws, call.repeated);
    Judgement judgement;
    judgement.correct = true;
    return judgement;
  }

  Conclusion conclude() const override {
    const auto summary = statistics_.summarise();
    Conclusion conclusion;
    conclusion.judgement.correct = summary.p_value >= kLeastPValue;
    conclusion.judgement.max_absolute_error = summary.distance;
    conclusion.extra = nlohmann::ordered_json{{"samples", summary.samples},
                                              {"p_value", summary.p_value},
                                              {"distance", summary.distance},
                                              {"distance_limit", std::min(1.0, summary.distance_limit)}}
                           .dump();
    if (!conclusion.judgement.correct) {
      conclusion.judgement.explanation = fmt::format(
          "output \"{}\": {} samples {}; p-value {:.3g}, at least {:g} is wanted (rule: sampling)",
          slots_.samples->name, summary.samples, summary.worst, summary.p_value, kLeastPValue);
    }
    return conclusion;
  }

  std::uint64_t calls_wanted() const override { return calls_for(kWantedSamples); }
  std::uint64_t repeats_wanted() const override {
    constexpr std::uint64_t kFewest = 4;  // calls: the rows of one may say little, however many there are
    return std::max(kFewest, calls_for(kWantedRepetitions));
  }

 private:
  [[nodiscard]] std::uint64_t calls_for(std::uint64_t samples) const {
    return slots_.rows == 0 ? 0 : (samples + slots_.rows - 1) / slots_.rows;
  }
  [[nodiscard]] std::int64_t sample(const HostCall& call, std::size_t row) const {
    return integer_at(slots_.samples->dtype, call.outputs + slots_.samples->offset, row);
  }

  [[nodiscard]] RowFilter filter(const HostCall& call, std::size_t row) const {
    RowFilter filter;
    if (slots_.top_k != nullptr) filter.top_k = integer_value(*slots_.top_k, call.inputs, row);
    if (slots_.top_p != nullptr) filter.top_p = real_value(*slots_.top_p, call.inputs, row);
    return filter;
  }

  // `buffer` holds one row.
  [[nodiscard]] RowDraw look_up_row(const HostCall& call, std::size_t row, std::vector<float>& buffer) const {
    const std::int64_t token = sample(call, row);
    if (token < 0 || static_cast<std::uint64_t>(token) >= slots_.tokens) return {};
    const std::size_t at = tensor::bytes_of(slots_.probs->dtype, row * slots_.tokens);
    tensor::to_float(slots_.probs->dtype, call.inputs + slots_.probs->offset + at, buffer.data(),
                     slots_.tokens);
    return look_up(buffer, filter(call, row), static_cast<std::size_t>(token));
  }

  [[nodiscard]] std::string explain(const HostCall& call, std::size_t row, const RowDraw& draw) const {
    const std::int64_t token = sample(call, row);
    const std::string text =
        fmt::format("output \"{}\": row {} has the sample {}", slots_.samples->name, row, token);
    if (token < 0 || static_cast<std::uint64_t>(token) >= slots_.tokens)
      return text + fmt::format(", which is no token: V is {}{} (rule: sampling)", slots_.tokens,
                                unwritten_remark(slots_.samples->dtype, call.outputs + slots_.samples->offset,
                                                 row, call.poison.at(0).data()));
    return text + fmt::format(
                      ", which cannot be drawn: its probability is {:.6g}, {} tokens are more probable, "
                      "and {} of {} may be drawn{} (rule: sampling)",
                      draw.probability, draw.rank, draw.kept, slots_.tokens, filter_text(call, row));
  }

  [[nodiscard]] std::string filter_text(const HostCall& call, std::size_t row) const {
    const RowFilter used = filter(call, row);
    std::string text;
    if (used.top_k) text += fmt::format(", top_k {}", *used.top_k);
    if (used.top_p) text += fmt::format(", top_p {:g}", *used.top_p);
    return text;
  }

  [[nodiscard]] static Judgement wrong(std::string explanation) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    return {false, kInfinity, kInfinity, 1, std::move(explanation)};
  }

  Layout layout_;
  SamplingSlots slots_;
  unsigned threads_;
  DrawStatistics statistics_;
};

}  // namespace

bool is_sampling(const model::Definition& definition) {
  if (definition.op_type != "sampling" || definition.outputs.empty()) return false;
  const auto dtype = tensor::dtype_from_name(definition.outputs[0].dtype);
  return dtype && tensor::is_integral(*dtype);
}

std::unique_ptr<HostEvaluator> make_sampling_evaluator(const model::Definition& definition,
                                                       const Layout& layout, std::string_view seed,
                                                       unsigned threads) {
  return std::make_unique<SamplingEvaluator>(definition, layout, seed, threads);
}

}  // namespace fib::eval
