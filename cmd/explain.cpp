#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "commands.h"
#include "model/obstacle.h"
#include "model/trace.h"
#include "present/document.h"
#include "present/table.h"
#include "report/compare.h"
#include "report_common.h"
#include "util/closest.h"
#include "util/error.h"

namespace fib::cmd {
namespace {

struct StatusFacts {
  model::Status status{};
  const char* meaning;
};

const std::vector<StatusFacts>& statuses() {
  using enum model::Status;
  static const std::vector<StatusFacts> all{
      {PASSED,
       "All outputs of all calls were right, and the latency is known. What was written beside them, and "
       "what was read out of bounds, is not looked at: fib sanitize does that."},
      {INCORRECT_SHAPE, "An output has another shape than the definition's."},
      {INCORRECT_NUMERICAL, "The values of an output are wrong, or were not written."},
      {INCORRECT_DTYPE, "An output has another dtype than the definition's."},
      {RUNTIME_ERROR, "The solution failed while it was loaded or run, or worked outside of its calls."},
      {COMPILE_ERROR, "The solution does not build."},
      {TIMEOUT, "Loading or the calls took longer than they may."},
  };
  return all;
}

// Of a change from a side A to a side B, as fib report compare, fib eval --against and fib run tell it.
std::string meaning_of(report::Verdict verdict) {
  switch (verdict) {
    case report::Verdict::same:
      return fmt::format(
          "Both passed, and the latencies differ by at most {:g} %, or by no more than both the noise of the "
          "two runs and {:g} %.",
          100 * report::kSameWithin, 100 * report::kToldWithin);
    case report::Verdict::faster:
      return "B takes less, by more than the noise of the two runs, and their quartile ranges are disjoint, "
             "where they are recorded.";
    case report::Verdict::slower:
      return "B takes longer, by more than the noise of the two runs, and their quartile ranges are "
             "disjoint, where they are recorded.";
    case report::Verdict::ambiguous:
      return "They differ, but by no more than the noise, or the noise is not known, or their quartile "
             "ranges overlap: more calls, or a quieter machine, may tell.";
    case report::Verdict::broken:
      return "A passed, B did not.";
    case report::Verdict::fixed:
      return "B passed, A did not.";
    case report::Verdict::failed:
      break;
  }
  return "Neither passed.";
}

std::string flags_of(const model::ErrorFacts& facts) {
  std::string text;
  if (facts.violation) text = "violation";
  if (facts.retryable) text += (text.empty() ? "" : ", ") + std::string("may pass when tried again");
  return text;
}

template <typename Facts>
present::Table codes_by_stage(const std::vector<Facts>& all) {
  present::Table codes{{present::text_column("Stage", ""), present::text_column("Code", ""),
                        present::text_column("Meaning", "")},
                       {},
                       true};
  for (const Facts& facts : all)
    codes.rows.push_back({present::text_cell(std::string(facts.stage)),
                          present::text_cell(std::string(facts.name)),
                          present::text_cell(std::string(facts.meaning))});
  return codes;
}

std::string all_codes() {
  present::Document document(present::Format::table, stdout_style());
  document.table("Error codes by stage:", codes_by_stage(model::all_error_facts()));
  document.table("Why an evaluation was not made, by stage:", codes_by_stage(model::all_obstacle_facts()));
  present::Table words{{present::text_column("Status", ""), present::text_column("Meaning", "")}, {}};
  for (const auto& [status, meaning] : statuses())
    words.rows.push_back(
        {present::text_cell(std::string(model::name_of(status))), present::text_cell(meaning)});
  document.table("Statuses:", words);
  return document.text();
}

struct PatternFacts {
  const char* name;
  const char* meaning;
};

// Where elements that do not match lie (docs/trace-record.md).
const std::vector<PatternFacts>& patterns() {
  static const std::vector<PatternFacts> all{
      {"all_zeros", "Everything that was written is 0, and not all of it should be."},
      {"all_nan", "Everything that was written is NaN, and not all of it should be."},
      {"transposed", "Each square matrix of the last two dimensions is transposed."},
      {"off_by_one_row",
       "Every row (along the last dimension) is what the one before or behind it should be."},
      {"all", "Every element is wrong."},
      {"last_elements",
       "The wrong elements are an unbroken end of the whole output: a tail that a block does not reach, "
       "say."},
      {"first_elements", "The wrong elements are an unbroken beginning of the whole output."},
      {"one_row", "All wrong elements are in one row (along the last dimension)."},
      {"one_column", "All wrong elements are in one column (of the last dimension)."},
      {"every_nth", "The wrong elements stand at a constant distance of at least two."},
      {"last_rows", "All wrong elements are in the last rows (a row runs along the last dimension)."},
      {"first_rows", "All wrong elements are in the first rows (a row runs along the last dimension)."},
      {"last_columns", "All wrong elements are in the last columns (of the last dimension)."},
      {"first_columns", "All wrong elements are in the first columns (of the last dimension)."},
      {"block_tails",
       "The wrong elements are the last few of three or more blocks of one size, in the order of memory: "
       "what a block or a vector load leaves out, say."},
  };
  return all;
}

// The error codes that traces of the status have.
std::string codes_of(model::Status status) {
  using enum model::ErrorCode;
  std::string text;
  for (const auto& facts : model::all_error_facts()) {
    const bool is_time_limit = facts.code == timeout || facts.code == load_timeout;
    bool fits = false;
    if (status == model::Status::COMPILE_ERROR) fits = facts.stage == "build" || facts.code == missing_symbol;
    if (status == model::Status::TIMEOUT) fits = is_time_limit;
    if (status == model::Status::INCORRECT_SHAPE) fits = facts.code == wrong_shape;
    if (status == model::Status::INCORRECT_DTYPE) fits = facts.code == wrong_dtype;
    if (status == model::Status::INCORRECT_NUMERICAL)
      fits = facts.stage == "judge" && facts.code != wrong_shape && facts.code != wrong_dtype;
    if (status == model::Status::RUNTIME_ERROR)
      fits = (facts.stage == "load" || facts.stage == "run" || facts.stage == "time") && !is_time_limit;
    if (fits) text += (text.empty() ? "" : ", ") + std::string(facts.name);
  }
  return text;
}

std::string explanation_of(const std::string& word) {
  present::Document document(present::Format::table, stdout_style());
  if (const auto* facts = model::find_error_facts(word)) {
    document.paragraph(std::string(facts->meaning));
    document.facts({{"Stage", std::string(facts->stage)},
                    {"It is", flags_of(*facts)},
                    {"What to do", std::string(facts->advice)}});
    return document.text();
  }
  if (const auto* facts = model::find_obstacle_facts(word)) {
    document.paragraph(std::string(facts->meaning));
    document.facts({{"Stage", std::string(facts->stage)},
                    {"It is", "a reason why an evaluation was not made, and no verdict on the solution"},
                    {"Fault", fmt::format("the {}'s", model::name_of(facts->fault))},
                    {"Again", facts->retryable ? "the same command may succeed later" : ""},
                    {"What to do", std::string(facts->advice)}});
    return document.text();
  }
  std::vector<std::string> names;
  for (const auto& [status, meaning] : statuses()) {
    names.emplace_back(model::name_of(status));
    if (names.back() != word) continue;
    document.paragraph(meaning);
    const std::string codes = codes_of(status);
    if (!codes.empty())
      document.facts({{"Its error codes", codes}, {"What to do", "fib explain CODE says it"}});
    return document.text();
  }
  for (const auto& [name, meaning] : patterns()) {
    names.emplace_back(name);
    if (word != name) continue;
    document.paragraph(meaning);
    document.facts({{"It is", "a pattern: where the elements lie that do not match, or were not written"}});
    return document.text();
  }
  for (const auto verdict : report::kVerdicts) {
    names.emplace_back(report::name_of(verdict));
    if (word != names.back()) continue;
    document.paragraph(meaning_of(verdict));
    document.facts({{"It is", "what became of a result between two sides, A and B (fib report compare)"}});
    return document.text();
  }
  for (const auto& facts : model::all_error_facts()) names.emplace_back(facts.name);
  for (const auto& facts : model::all_obstacle_facts()) names.emplace_back(facts.name);
  throw Error("\"{}\" is no code, status, pattern or verdict{}", word, util::did_you_mean(word, names));
}

}  // namespace

void add_explain(CLI::App& app, int& exit_code) {
  auto word = std::make_shared<std::string>();
  CLI::App* explain =
      app.add_subcommand("explain", "What a code, a status, a pattern or a verdict means, and what to do");
  explain
      ->add_option(
          "word", *word,
          "The code of a failure or of why an evaluation was not made, a status, where wrong elements lie,\n"
          "or what became of a result; default: all codes and statuses")
      ->type_name("CODE|STATUS|PATTERN|VERDICT");
  explain->footer(
      "Examples:\n"
      "  fib explain\n"
      "  fib explain unwritten_output\n"
      "Exit codes: 0 done, 1 there is no such word, 2 wrong usage.");
  explain->callback([word, &exit_code] {
    print_result(word->empty() ? all_codes() : explanation_of(*word));
    exit_code = kDone;
  });
}

}  // namespace fib::cmd
