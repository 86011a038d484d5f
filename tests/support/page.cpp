#include "support/page.h"

#include <stdexcept>
#include <thread>

#include "support/page_events.h"

namespace fib::testing {
namespace {

using nlohmann::json;
using std::chrono::steady_clock;

std::string quoted(const std::string& text) { return json(text).dump(); }

// A file: address, with everything escaped that is not always itself in one (RFC 3986, unreserved, and '/').
std::string address_of(const std::filesystem::path& file) {
  static const std::string plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
  static const std::string digits = "0123456789ABCDEF";
  std::string address = "file://";
  for (const char letter : std::filesystem::absolute(file).lexically_normal().string()) {
    const auto byte = static_cast<unsigned char>(letter);
    if (plain.find(letter) != std::string::npos) {
      address += letter;
    } else {
      address += {'%', digits[byte >> 4U], digits[byte & 15U]};
    }
  }
  return address;
}

}  // namespace

Page::Page(DevTools& tools, const std::filesystem::path& file, const PageOptions& options)
    : tools_(tools), own_address_(address_of(file)) {
  context_ = tools_.call("Target.createBrowserContext").at("browserContextId");
  attach();
  apply(options);
  navigate(options.fragment.empty() ? own_address_ : own_address_ + "#" + options.fragment);
}

Page::~Page() {
  tools_.call_without_answer("Target.closeTarget", {{"targetId", target_}});
  tools_.call_without_answer("Target.disposeBrowserContext", {{"browserContextId", context_}});
}

json Page::call(const std::string& method, const json& parameters) {
  return tools_.call(method, parameters, session_);
}

void Page::attach() {
  const json target = {{"url", "about:blank"}, {"browserContextId", context_}};
  target_ = tools_.call("Target.createTarget", target).at("targetId");
  const json attached = {{"targetId", target_}, {"flatten", true}};
  session_ = tools_.call("Target.attachToTarget", attached).at("sessionId");
  for (const char* domain : {"Page", "Network", "Runtime", "Log", "Performance"}) {
    call(std::string(domain) + ".enable");
  }
  call("Page.setLifecycleEventsEnabled", {{"enabled", true}});
}

void Page::apply(const PageOptions& options) {
  call("Emulation.setDeviceMetricsOverride",
       {{"width", options.width}, {"height", options.height}, {"deviceScaleFactor", 1}, {"mobile", false}});
  call("Emulation.setScriptExecutionDisabled", {{"value", !options.scripts}});
  const json scheme = {{"name", "prefers-color-scheme"}, {"value", options.dark ? "dark" : "light"}};
  const json motion = {{"name", "prefers-reduced-motion"},
                       {"value", options.reduced_motion ? "reduce" : "no-preference"}};
  call("Emulation.setEmulatedMedia",
       {{"media", options.print ? "print" : "screen"}, {"features", json::array({scheme, motion})}});
  call("Emulation.setFocusEmulationEnabled", {{"enabled", true}});
}

void Page::navigate(const std::string& address) {
  const std::size_t from = tools_.events(session_).size();
  const json answer = call("Page.navigate", {{"url", address}});
  const std::string error = answer.value("errorText", "");
  if (!error.empty()) throw std::runtime_error("cannot open " + address + ": " + error);
  finish_loading(from, answer.at("loaderId"));
}

void Page::reload() {
  read_events();
  const std::size_t from = tools_.events(session_).size();
  call("Page.reload");
  finish_loading(from, "");
}

// Waits for the load event that comes after event number `from`, of the navigation `loader` where it is
// known.
void Page::finish_loading(std::size_t from, const std::string& loader) {
  const auto loaded = [&](const json& event) { return is_lifecycle(event, "load", loader); };
  const json event = tools_.wait_for(session_, from, loaded, "the load event of " + own_address_);
  loaded_ = event.at("params").at("timestamp");
  const json metrics = call("Performance.getMetrics").at("metrics");
  for (const auto& metric : metrics) {
    if (metric.at("name") == "NavigationStart") started_ = metric.at("value");
  }
}

json Page::evaluate(const std::string& expression) {
  const json answer =
      call("Runtime.evaluate", {{"expression", expression}, {"returnByValue", true}, {"awaitPromise", true}});
  if (answer.contains("exceptionDetails")) {
    throw std::runtime_error(exception_text(answer.at("exceptionDetails")));
  }
  const json& result = answer.at("result");
  if (result.contains("unserializableValue")) return result.at("unserializableValue");
  return result.value("value", json());
}

void Page::wait_until(const std::string& expression) {
  const auto deadline = steady_clock::now() + tools_.patience();
  while (evaluate("Boolean(" + expression + ")") != json(true)) {
    if (steady_clock::now() > deadline) throw std::runtime_error("never true: " + expression);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

// The value of an expression about the first element `e` that matches.
json Page::ask(const std::string& selector, const std::string& expression) {
  return evaluate("(() => { const e = document.querySelector(" + quoted(selector) +
                  "); if (!e) throw new Error(" + quoted("nothing matches " + selector) + "); return " +
                  expression + "; })()");
}

int Page::count(const std::string& selector) {
  return evaluate("document.querySelectorAll(" + quoted(selector) + ").length");
}

std::string Page::text(const std::string& selector) { return ask(selector, "e.textContent"); }

std::vector<std::string> Page::texts(const std::string& selector) {
  return evaluate("Array.from(document.querySelectorAll(" + quoted(selector) + "), e => e.textContent)");
}

std::map<std::string, std::string> Page::attributes(const std::string& selector) {
  return ask(selector, "Object.fromEntries(Array.from(e.attributes, a => [a.name, a.value]))");
}

bool Page::visible(const std::string& selector) {
  return ask(selector,
             "e.checkVisibility({visibilityProperty: true, opacityProperty: true}) && "
             "Array.from(e.getClientRects()).some(r => r.width > 0 && r.height > 0)");
}

std::string Page::style(const std::string& selector, const std::string& property) {
  return ask(selector, "getComputedStyle(e).getPropertyValue(" + quoted(property) + ")");
}

// Reads what the page has reported until now: an answer comes after the events before it.
void Page::read_events() { evaluate("0"); }

std::vector<std::string> Page::requests() {
  read_events();
  return request_addresses(tools_.events(session_), own_address_);
}

std::vector<std::string> Page::errors() {
  read_events();
  return error_texts(tools_.events(session_));
}

std::optional<double> Page::first_paint_ms() {
  const auto deadline = steady_clock::now() + std::chrono::seconds(5);
  while (steady_clock::now() < deadline) {
    const json start = evaluate("performance.getEntriesByName('first-paint')[0]?.startTime");
    if (!start.is_null()) return start.get<double>();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return std::nullopt;
}

}  // namespace fib::testing
