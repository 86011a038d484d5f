#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "support/devtools.h"

namespace fib::testing {

struct PageOptions {
  int width = 1280;  // of the viewport, in CSS pixels, each one pixel of a screenshot
  int height = 800;
  bool scripts = true;  // whether the page's own scripts run
  bool dark = false;    // what the media query prefers-color-scheme says: dark or light
  bool print = false;   // the media type: print or screen
  bool reduced_motion = false;
  std::string fragment = {};  // the part of the address behind '#'
};

// A page in a browser, made by Browser::open(). All methods throw std::runtime_error: when no element matches
// a selector (a CSS selector; the first match counts), when the browser refuses, when it takes too long. All
// work also where the page's own scripts do not run, except that timers and events then do nothing.
class Page {
 public:
  // Opens and loads. `tools` must outlive this page.
  Page(DevTools& tools, const std::filesystem::path& file, const PageOptions& options);
  ~Page();
  Page(const Page&) = delete;
  Page& operator=(const Page&) = delete;

  // Loads the page again, with the same storage; what the page asked for and its errors are kept.
  void reload();

  // The value of a JavaScript expression as JSON; of a promise, what it is resolved with; undefined is null.
  // Throws with the message of an exception.
  nlohmann::json evaluate(const std::string& expression);
  // Waits until the expression is true.
  void wait_until(const std::string& expression);

  [[nodiscard]] int count(const std::string& selector);
  // Text content (also where it is not displayed), of the first match or of all.
  [[nodiscard]] std::string text(const std::string& selector);
  [[nodiscard]] std::vector<std::string> texts(const std::string& selector);
  [[nodiscard]] std::map<std::string, std::string> attributes(const std::string& selector);
  // Whether it takes up space and is not hidden by CSS (display, visibility, a closed <details>, ...). It may
  // be outside the viewport.
  [[nodiscard]] bool visible(const std::string& selector);
  // The computed value of a CSS property, for example "rgb(255, 0, 0)" for "color".
  [[nodiscard]] std::string style(const std::string& selector, const std::string& property);

  // Real input events. click() and hover() scroll to the middle of the element (of its first line) and throw
  // when something else lies over it.
  void click(const std::string& selector);
  void hover(const std::string& selector);
  // One key by its name in KeyboardEvent.key ("Enter", "ArrowDown", "a"), with modifiers before it
  // ("Shift+Tab", "Control+a").
  void press(const std::string& key);
  // Types UTF-8 text into what has the focus.
  void type(const std::string& text);

  // A PNG file of the viewport, or of the whole page.
  [[nodiscard]] std::string screenshot(bool full_page = false);

  // The addresses that the page has asked for, in order, without its own file, data: and blob:. Not what its
  // workers ask for.
  [[nodiscard]] std::vector<std::string> requests();
  // What went wrong, in order: uncaught exceptions, console.error(), failed requests, violated security
  // policies and all else that the browser logs as an error.
  [[nodiscard]] std::vector<std::string> errors();

  // Milliseconds from the start of the last navigation to its load event.
  [[nodiscard]] double load_ms() const { return (loaded_ - started_) * 1000; }
  // The same to the first paint, which may come after the load event; nothing when none comes within 5 s.
  [[nodiscard]] std::optional<double> first_paint_ms();

 private:
  nlohmann::json call(const std::string& method, const nlohmann::json& parameters = nlohmann::json::object());
  nlohmann::json ask(const std::string& selector, const std::string& expression);
  void attach();
  void apply(const PageOptions& options);
  void navigate(const std::string& address);
  void finish_loading(std::size_t from, const std::string& loader);
  void move_to(const std::string& selector);
  void mouse(const std::string& type);
  void read_events();

  DevTools& tools_;
  std::string context_;  // of the browser: what shares storage
  std::string target_;
  std::string session_;
  std::string own_address_;  // of the file, without the fragment
  double started_ = 0;       // in seconds of the browser's clock
  double loaded_ = 0;
  double mouse_x_ = 0;  // in CSS pixels of the viewport
  double mouse_y_ = 0;
};

}  // namespace fib::testing
