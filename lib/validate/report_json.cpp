#include "model/json_value.h"
#include "util/utf8.h"
#include "validate/report.h"

namespace fib::validate {
namespace {

namespace json = model::json;

json::Value text_value(std::string_view text) { return json::make_string(std::string(text)); }

json::Value list_value(const std::vector<std::string>& texts) {
  json::Value array = json::make_array();
  for (const std::string& text : texts) array.items.push_back(json::make_string(text));
  return array;
}

json::Value config_value(const Config& config) {
  json::Value object = json::make_object();
  object.add("dataset", json::make_string(config.dataset));
  object.add("checks", list_value(config.checks));
  object.add("disable_gpu", json::make_boolean(config.disable_gpu));
  object.add("op_types", list_value(config.op_types));
  object.add("definitions", list_value(config.definitions));
  return object;
}

json::Value message_value(const Message& message) {
  json::Value object = json::make_object();
  object.add("level", text_value(name_of(message.level)));
  object.add("message", json::make_string(message.text));
  return object;
}

json::Value check_value(const CheckResult& check) {
  if (!check.messages) return json::make_null();
  json::Value messages = json::make_array();
  for (const Message& message : *check.messages) messages.items.push_back(message_value(message));
  json::Value object = json::make_object();
  object.add("status", text_value(name_of(status_of(check))));
  object.add("messages", std::move(messages));
  return object;
}

json::Value checks_value(const std::vector<CheckResult>& checks) {
  json::Value object = json::make_object();
  object.add("status", text_value(name_of(status_of(checks))));
  for (const CheckResult& check : checks) object.add(check.name, check_value(check));
  return object;
}

}  // namespace

std::string to_json(const Report& report) {
  json::Value definitions = json::make_object();
  for (const DefinitionReport& definition : report.definitions) {
    definitions.add(definition.name, checks_value(definition.checks));
  }
  json::Value document = json::make_object();
  document.add("config", config_value(report.config));
  document.add("definitions", std::move(definitions));
  if (report.mode == model::Mode::lenient) {
    document.add("dataset", checks_value(report.dataset));
    document.add("notes", list_value(report.notes));
  }
  return util::valid_utf8(json::dump(document, json::Form::indented, json::NonFinite::strings));
}

}  // namespace fib::validate
