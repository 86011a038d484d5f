#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "commands.h"
#include "model/error_code.h"
#include "model/trace.h"
#include "present/document.h"
#include "present/table.h"
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
      {PASSED, "All outputs of all calls were right, and the latency is known."},
      {INCORRECT_SHAPE, "An output has another shape than the definition's."},
      {INCORRECT_NUMERICAL, "The values of an output are wrong, or were not written."},
      {INCORRECT_DTYPE, "An output has another dtype than the definition's."},
      {RUNTIME_ERROR, "The solution failed while it was loaded or run, or worked outside of its calls."},
      {COMPILE_ERROR, "The solution does not build."},
      {TIMEOUT, "Loading or the calls took longer than they may."},
  };
  return all;
}

std::string flags_of(const model::ErrorFacts& facts) {
  std::string text;
  if (facts.violation) text = "violation";
  if (facts.retryable) text += (text.empty() ? "" : ", ") + std::string("may pass when tried again");
  return text;
}

std::string all_codes() {
  present::Document document(present::Format::table, stdout_style());
  present::Table codes{{present::text_column("Stage", ""), present::text_column("Code", ""),
                        present::text_column("Meaning", "")},
                       {},
                       true};
  for (const auto& facts : model::all_error_facts())
    codes.rows.push_back({present::text_cell(std::string(facts.stage)),
                          present::text_cell(std::string(facts.name)),
                          present::text_cell(std::string(facts.meaning))});
  document.table("Error codes by stage:", codes);
  present::Table words{{present::text_column("Status", ""), present::text_column("Meaning", "")}, {}};
  for (const auto& [status, meaning] : statuses())
    words.rows.push_back(
        {present::text_cell(std::string(model::name_of(status))), present::text_cell(meaning)});
  document.table("Statuses:", words);
  return document.text();
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
  for (const auto& facts : model::all_error_facts()) names.emplace_back(facts.name);
  throw Error("\"{}\" is no error code and no status{}", word, util::did_you_mean(word, names));
}

}  // namespace

void add_explain(CLI::App& app, int& exit_code) {
  auto word = std::make_shared<std::string>();
  CLI::App* explain = app.add_subcommand("explain", "What an error code or a status means, and what to do");
  explain->add_option("word", *word, "An error code or a status; default: all of them")
      ->type_name("CODE|STATUS");
  explain->footer(
      "Examples:\n"
      "  fib explain\n"
      "  fib explain unwritten_output\n"
      "Exit codes: 0 done, 1 there is no such code or status, 2 wrong usage.");
  explain->callback([word, &exit_code] {
    print_result(word->empty() ? all_codes() : explanation_of(*word));
    exit_code = kDone;
  });
}

}  // namespace fib::cmd
