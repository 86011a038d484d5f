#pragma once

#include <catch2/catch.hpp>

#include "support/browser_process.h"

namespace fib::testing {

// For tests that need a browser, which not every machine has: says that they skip.
inline bool skips_without_chromium() {
  if (find_chromium()) return false;
  WARN("skipped: chromium is not installed (scripts/setup does that)");
  return true;
}

}  // namespace fib::testing
