#include "support/page_events.h"

namespace fib::testing {
namespace {

using nlohmann::json;

bool asks_nobody(const std::string& address) {
  for (const char* scheme : {"data:", "blob:", "about:"}) {
    if (address.rfind(scheme, 0) == 0) return true;
  }
  return false;
}

// The address that an event asks for; empty when it is about something else.
std::string address_in(const json& event) {
  const std::string method = event.at("method");
  if (method == "Network.requestWillBeSent") return event.at("params").at("request").at("url");
  if (method == "Network.webSocketCreated") return event.at("params").at("url");
  return "";
}

std::string log_text(const json& entry) {
  if (entry.at("level") != "error") return "";
  const std::string address = entry.value("url", "");
  return entry.at("text").get<std::string>() + (address.empty() ? "" : " (" + address + ")");
}

std::string console_text(const json& call) {
  if (call.at("type") != "error" && call.at("type") != "assert") return "";
  std::string text = "console." + call.at("type").get<std::string>() + ":";
  for (const auto& argument : call.at("args")) {
    const json value = argument.value("value", json(argument.value("description", "")));
    text += " " + (value.is_string() ? value.get<std::string>() : value.dump());
  }
  return text;
}

// The error that an event tells of; empty when it tells of none.
std::string error_in(const json& event) {
  const std::string method = event.at("method");
  const json parameters = event.value("params", json::object());
  if (method == "Runtime.exceptionThrown") return exception_text(parameters.at("exceptionDetails"));
  if (method == "Runtime.consoleAPICalled") return console_text(parameters);
  if (method == "Log.entryAdded") return log_text(parameters.at("entry"));
  if (method == "Inspector.targetCrashed") return "the page has crashed";
  return "";
}

}  // namespace

bool is_lifecycle(const json& event, const std::string& name, const std::string& loader) {
  if (event.at("method") != "Page.lifecycleEvent") return false;
  const json& parameters = event.at("params");
  return parameters.at("name") == name && (loader.empty() || parameters.at("loaderId") == loader);
}

std::vector<std::string> request_addresses(const std::vector<json>& events, const std::string& own_address) {
  std::vector<std::string> addresses;
  for (const auto& event : events) {
    const std::string address = address_in(event);
    if (!address.empty() && address != own_address && !asks_nobody(address)) addresses.push_back(address);
  }
  return addresses;
}

std::vector<std::string> error_texts(const std::vector<json>& events) {
  std::vector<std::string> texts;
  for (const auto& event : events) {
    const std::string text = error_in(event);
    if (!text.empty()) texts.push_back(text);
  }
  return texts;
}

std::string exception_text(const json& details) {
  const std::string text = details.value("text", "exception");
  if (!details.contains("exception")) return text;
  const json& exception = details.at("exception");
  if (exception.contains("description")) return text + " " + exception.at("description").get<std::string>();
  return text + " " + exception.value("value", json()).dump();
}

}  // namespace fib::testing
