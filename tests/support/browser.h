#pragma once

#include <chrono>
#include <filesystem>

#include "support/browser_process.h"
#include "support/devtools.h"
#include "support/page.h"

namespace fib::testing {

// A headless Chromium of the test's own; starting one takes about a second, a page in it a tenth of that.
class Browser {
 public:
  // Starts the one that find_chromium() finds. Throws std::runtime_error where there is none, or with what it
  // printed when it does not answer. No call of this object or of its pages lasts longer than `patience`.
  explicit Browser(std::chrono::milliseconds patience = std::chrono::seconds(30));

  // A new page that shows `file`, loaded: with cookies and storage of its own. It must not outlive the
  // browser. Throws std::runtime_error when the file cannot be loaded.
  [[nodiscard]] Page open(const std::filesystem::path& file, const PageOptions& options = {});

  // The living processes of the browser, one for each page among them.
  [[nodiscard]] std::vector<int> processes() const { return process_.processes(); }

 private:
  BrowserProcess process_;
  DevTools tools_;
};

}  // namespace fib::testing
