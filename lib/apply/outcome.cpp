#include <fib.h>

// The words of statistics; a function of the C interface, which lies here since statistics are made here.
extern "C" const char* fib_outcome_name(fib_outcome outcome) {
  static constexpr const char* kNames[] = {
      "applied",         "no_runtime",  "not_configured", "no_definition", "no_result",
      "wrong_arguments", "strided",     "unaligned",      "not_ready",     "cannot_run",
      "dropped",         "call_failed", "other_language", "not_trusted"};
  const auto number = static_cast<unsigned>(outcome);
  return number < sizeof kNames / sizeof kNames[0] ? kNames[number] : "unknown";
}
