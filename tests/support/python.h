#pragma once

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include "support/process.h"
#include "util/error.h"
#include "util/files.h"

// The interpreters that tests of Python code use.
namespace fib::testing {

// A Python without packages, whatever is installed: a virtual environment in `folder`.
inline std::string plain_python(const std::filesystem::path& folder) {
  const auto made = run_process({"/usr/bin/env", "python3", "-m", "venv", "--without-pip", folder / "plain"});
  if (made.exit_code != 0) throw fib::Error("cannot make a virtual environment: {}", made.err);
  return folder / "plain/bin/python3";
}

// A plain_python() whose torch, or another package, cannot be imported.
inline constexpr const char* kWhyBroken = "cannot import torch: ImportError: libx.so.1: file too short";
inline std::string broken_python(
    const std::filesystem::path& folder, const std::string& package = "torch",
    const std::string& source = "raise ImportError('libx.so.1:\\nfile too short')\n") {
  const std::string python = plain_python(folder);
  const auto packages =
      run_process({python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'), end='')"}).out;
  util::write_file_atomic(packages + "/" + package + "/__init__.py", source);
  return python;
}

// FIB_PYTHON, else python3, if it has torch; else nothing, after saying that the test is skipped.
inline std::optional<std::string> python_with_torch() {
  const char* named = std::getenv("FIB_PYTHON");
  const std::string python = named != nullptr && *named != '\0' ? named : "python3";
  const auto probe = run_process(
      {"/usr/bin/env", python, "-c", "import importlib.util as u; exit(u.find_spec('torch') is None)"}, {});
  if (probe.exit_code == 0) return python;
  WARN("skipped: " << python << " has no torch; FIB_PYTHON may name a Python that has");
  return std::nullopt;
}

}  // namespace fib::testing
