#include "support/browser.h"

#include <stdexcept>

namespace fib::testing {
namespace {

std::filesystem::path installed_chromium() {
  const auto program = find_chromium();
  if (!program) throw std::runtime_error("chromium is not installed (scripts/setup does that)");
  return *program;
}

}  // namespace

Browser::Browser(std::chrono::milliseconds patience)
    : process_(installed_chromium()), tools_(process_.socket(), patience) {
  try {
    tools_.call("Browser.getVersion");
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(std::string(error.what()) + "; it printed:\n" + process_.log());
  }
}

Page Browser::open(const std::filesystem::path& file, const PageOptions& options) {
  return {tools_, file, options};
}

}  // namespace fib::testing
