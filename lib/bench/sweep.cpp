#include "bench/sweep.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <optional>
#include <string_view>

#include "dataset/filter.h"

namespace fib::bench {
namespace {

using nlohmann::ordered_json;

// One sweepable option: takes a word of the user's, says what it stands for. Nothing: it is no such value.
struct Option {
  const char* name;
  const char* expected;
  std::optional<ordered_json> (*set)(RunConfig& config, std::string_view word);
};

template <typename Number>
std::optional<Number> number_of(std::string_view word) {
  Number number{};
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, number);
  return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

template <typename Number>
std::optional<ordered_json> set_number(Number& target, std::string_view word) {
  const auto number = number_of<Number>(word);
  if (!number || !std::isfinite(static_cast<double>(*number))) return std::nullopt;
  target = *number;
  return ordered_json(*number);
}

std::optional<ordered_json> set_flag(bool& target, std::string_view word) {
  if (word != "true" && word != "false") return std::nullopt;
  target = word == "true";
  return ordered_json(target);
}

template <typename Choice>
std::optional<ordered_json> set_choice(Choice& target, std::string_view word,
                                       std::initializer_list<Choice> choices) {
  for (const Choice choice : choices) {
    if (name_of(choice) != word) continue;
    target = choice;
    return ordered_json(word);
  }
  return std::nullopt;
}

using Word = std::string_view;
constexpr const char* kInteger = "a whole number";
constexpr const char* kNumber = "a number";
constexpr const char* kFlag = "true or false";

// Everything that stands in evaluation.fib.config and of which this version knows more than one value.
constexpr Option kOptions[] = {
    {"iterations", kInteger, [](RunConfig& c, Word w) { return set_number(c.iterations.emplace(), w); }},
    {"warmup-runs", kInteger, [](RunConfig& c, Word w) { return set_number(c.warmup_runs.emplace(), w); }},
    {"num-trials", kInteger, [](RunConfig& c, Word w) { return set_number(c.num_trials.emplace(), w); }},
    {"noise", kNumber, [](RunConfig& c, Word w) { return set_number(c.noise.emplace(), w); }},
    {"call-budget", kNumber, [](RunConfig& c, Word w) { return set_number(c.call_budget_s, w); }},
    {"timeout", kNumber, [](RunConfig& c, Word w) { return set_number(c.timeout_s, w); }},
    {"rtol", kNumber, [](RunConfig& c, Word w) { return set_number(c.rtol.emplace(), w); }},
    {"atol", kNumber, [](RunConfig& c, Word w) { return set_number(c.atol.emplace(), w); }},
    {"required-matched-ratio", kNumber,
     [](RunConfig& c, Word w) { return set_number(c.required_matched_ratio.emplace(), w); }},
    {"clock", "auto, events, event-segments, cupti-kernel or cupti-concurrent",
     [](RunConfig& c, Word w) {
       using enum ClockChoice;
       return set_choice(c.clock, w, {kAuto, kEvents, kEventSegments, kCuptiKernel, kCuptiConcurrent});
     }},
    {"flush", "clean, dirty or none",
     [](RunConfig& c, Word w) {
       using enum worker::Flush;
       return set_choice(c.flush, w, {kClean, kDirty, kNone});
     }},
    {"use-isolated-runner", kFlag, [](RunConfig& c, Word w) { return set_flag(c.isolated, w); }},
    {"strict-inputs", kFlag, [](RunConfig& c, Word w) { return set_flag(c.strict_inputs, w); }},
};

const Option* find_option(std::string_view name) {
  const auto* found = std::find_if(std::begin(kOptions), std::end(kOptions),
                                   [&](const Option& option) { return name == option.name; });
  return found == std::end(kOptions) ? nullptr : found;
}

std::string sweepable(const std::set<std::string>& axes) {
  std::string names;
  for (const Option& option : kOptions) names += std::string(names.empty() ? "" : ", ") + option.name;
  if (axes.empty()) return "options: " + names;
  return fmt::format("options: {}; axes of the selected definitions: {}", names, fmt::join(axes, ", "));
}

// "iterations=10,20" in its parts.
struct Request {
  std::string key;
  std::vector<std::string> words;
};

Request parse_request(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    throw Error("{}: expected KEY=VALUE,VALUE,..., for example iterations=10,50", text);
  }
  Request request{text.substr(0, equals), {}};
  for (std::size_t begin = equals + 1; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    request.words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return request;
}

class Builder {
 public:
  Builder(const RunConfig& base, const std::set<std::string>& axes) : sweep_(base), axes_(axes) {}

  void add(const std::string& text) {
    const Request request = parse_request(text);
    if (sweep_.record.contains(request.key)) throw Error("{} is swept twice", request.key);
    if (const Option* option = find_option(request.key)) {
      add_option(*option, request.words);
    } else if (axes_.contains(request.key)) {
      add_axis(request.key, request.words);
    } else {
      throw Error("{} cannot be swept; what can: {}", request.key, sweepable(axes_));
    }
  }

  [[nodiscard]] Sweep finish() { return std::move(sweep_); }

 private:
  void add_option(const Option& option, const std::vector<std::string>& words) {
    std::vector<SweepPoint> product;
    for (const SweepPoint& point : sweep_.points) {
      for (const std::string& word : words) product.push_back(extended(point, option, word));
    }
    for (std::size_t i = 0; i < words.size(); ++i) {
      note(option.name, words[i], product[i].values.at(option.name));
    }
    sweep_.points = std::move(product);
  }

  static SweepPoint extended(SweepPoint point, const Option& option, const std::string& word) {
    const auto value = option.set(point.config, word);
    if (!value) throw Error("{}: \"{}\" is not {}", option.name, word, option.expected);
    check(point.config);
    point.values[option.name] = *value;
    return point;
  }

  void add_axis(const std::string& axis, const std::vector<std::string>& words) {
    auto& [name, sizes] = sweep_.axes.emplace_back(axis, std::vector<std::int64_t>{});
    for (const std::string& word : words) {
      const auto size = number_of<std::int64_t>(word);
      if (!size || *size < 1) throw Error("{}: \"{}\" is not a whole number above 0", axis, word);
      sizes.push_back(*size);
      note(axis, word, *size);
    }
  }

  void note(const std::string& key, const std::string& word, const ordered_json& value) {
    ordered_json& values = sweep_.record[key];
    if (std::find(values.begin(), values.end(), value) != values.end()) {
      throw Error("{}: {} is there twice", key, word);
    }
    values.push_back(value);
  }

  Sweep sweep_;
  const std::set<std::string>& axes_;
};

void merge_values(ordered_json& values, const ordered_json& of_point) {
  if (of_point.is_null()) return;
  ordered_json all = of_point;
  if (values.is_object()) all.update(values);
  values = std::move(all);
}

}  // namespace

Sweep make_sweep(const std::vector<std::string>& texts, const RunConfig& base,
                 const std::set<std::string>& axes) {
  Builder builder(base, axes);
  for (const std::string& text : texts) builder.add(text);
  return builder.finish();
}

std::set<std::string> axes_of(const std::vector<dataset::Dataset>& datasets, const dataset::Filter& filter) {
  std::set<std::string> names;
  for (const auto& dataset : datasets) {
    for (const auto& [name, definition] : dataset.definitions) {
      if (!filter.holds_definition(dataset, name)) continue;
      for (const std::string& axis : model::var_axes(definition)) names.insert(axis);
    }
  }
  return names;
}

Plan plan_sweep(const std::vector<dataset::Dataset>& datasets, const dataset::Filter& filter,
                const PlanTarget& target, const Sweep& sweep, const SweptWorkloads& workloads,
                const DoneOf& done_of) {
  const SweptWorkloads* swept = sweep.axes.empty() ? nullptr : &workloads;
  Plan whole;
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    Plan plan = make_plan(datasets, filter, target, done_of(sweep.points[i].config), swept);
    for (auto& planned : plan.evaluations) {
      planned.point = i;
      merge_values(planned.sweep, sweep.points[i].values);
    }
    whole.resumed += plan.resumed;
    whole.resumed_failures += plan.resumed_failures;
    whole.failed_before.merge(plan.failed_before);
    std::move(plan.evaluations.begin(), plan.evaluations.end(), std::back_inserter(whole.evaluations));
    if (i == 0) whole.skipped = std::move(plan.skipped);
    if (i == 0) whole.incomplete = std::move(plan.incomplete);
  }
  return whole;
}

ordered_json common_config(const Sweep& sweep) {
  const ordered_json first = to_json(sweep.points.front().config);
  ordered_json common = first;
  for (const SweepPoint& point : sweep.points) {
    const ordered_json config = to_json(point.config);
    for (const auto& [key, value] : config.items()) {
      if (first.at(key) != value) common.erase(key);
    }
  }
  return common;
}

}  // namespace fib::bench
