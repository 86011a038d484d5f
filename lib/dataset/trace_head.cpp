#include "dataset/trace_head.h"

#include <simdjson.h>

namespace fib::dataset {
namespace {

namespace sj = simdjson::ondemand;

std::optional<std::string> text_if_any(sj::value value) {
  std::string_view text;
  if (value.get_string().get(text) != simdjson::SUCCESS) return std::nullopt;
  return std::string(text);
}

bool is_empty_or_null(sj::value value) {
  if (value.is_null()) return true;
  sj::object object;
  if (value.get_object().get(object) != simdjson::SUCCESS) return false;
  bool empty = false;
  return object.is_empty().get(empty) == simdjson::SUCCESS && empty;
}

std::optional<TraceHead> read_members(sj::object object) {
  TraceHead head;
  bool named = false;
  for (auto field : object) {
    std::string_view key;
    sj::value value;
    if (field.unescaped_key().get(key) != simdjson::SUCCESS || field.value().get(value) != simdjson::SUCCESS)
      return std::nullopt;
    if (key == "definition") {
      // Of two values of one key the last counts, as everywhere.
      auto text = text_if_any(value);
      named = text.has_value();
      head.definition = std::move(text).value_or("");
    } else if (key == "solution") {
      head.solution = text_if_any(value);
    } else if (key == "evaluation") {
      head.evaluated = !is_empty_or_null(value);
    }
  }
  return named ? std::optional(std::move(head)) : std::nullopt;
}

}  // namespace

std::optional<TraceHead> read_trace_head(std::string_view line) {
  thread_local sj::parser parser;
  thread_local std::string padded;
  padded.assign(line);
  padded.append(simdjson::SIMDJSON_PADDING, ' ');
  sj::document document;
  sj::object object;
  const simdjson::padded_string_view view(padded.data(), line.size(), padded.size());
  if (parser.iterate(view).get(document) != simdjson::SUCCESS) return std::nullopt;
  if (document.get_object().get(object) != simdjson::SUCCESS) return std::nullopt;
  try {
    return read_members(object);
  } catch (const simdjson::simdjson_error&) {
    return std::nullopt;
  }
}

bool is_result(std::string_view line) {
  const auto head = read_trace_head(line);
  return head && !head->is_workload();
}

}  // namespace fib::dataset
