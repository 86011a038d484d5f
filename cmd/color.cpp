#include "color.h"

#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "choice.h"

namespace fib::cmd {
namespace {

// "" where it is not set.
std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

void set_color(const std::string& when) {
  if (when == "always") {
    ::unsetenv("NO_COLOR");
    ::setenv("FORCE_COLOR", "1", 1);
  } else if (when == "never") {
    ::setenv("NO_COLOR", "1", 1);
  }
}

}  // namespace

void add_color(CLI::App& command) {
  const auto children = command.get_subcommands([](const CLI::App*) { return true; });
  for (CLI::App* child : children) add_color(*child);
  if (!children.empty()) return;
  command.add_option_function<std::string>("--color", set_color, "Colours and bold text; default: auto")
      ->check(one_of({"auto", "always", "never"}))
      ->type_name("WHEN");
}

bool wants_color(int fd) {
  if (!variable("NO_COLOR").empty()) return false;
  const auto forced = variable("FORCE_COLOR");
  if (!forced.empty()) return forced != "0";
  return ::isatty(fd) == 1 && !variable("TERM").empty() && variable("TERM") != "dumb";
}

}  // namespace fib::cmd
