#pragma once

#include <string>
#include <vector>

#include "support/dataset.h"
#include "support/places.h"
#include "support/process.h"
#include "support/temporary.h"

namespace fib::testing {

// The real program over a dataset of the test's own, with its own cache and temporary folder, so that every
// process it starts can be recognised by this folder's name in its environment.
struct FibRun {
  TemporaryFolder folder;
  DatasetBuilder dataset{folder.path() / "data"};
  std::string python;  // FIB_PYTHON; empty: without Python

  FibRun() { std::filesystem::create_directory(folder.path() / "tmp"); }

  [[nodiscard]] std::vector<std::string> environment() const {
    return {"TMPDIR=" + (folder.path() / "tmp").string(),
            "FIB_CACHE_PATH=" + (folder.path() / "cache").string(), "FIB_PYTHON=" + python};
  }
  [[nodiscard]] std::vector<std::string> words(const std::vector<std::string>& options) const {
    std::vector<std::string> all = {fib_binary(), "run", "--local", dataset.root()};
    all.insert(all.end(), options.begin(), options.end());
    return all;
  }
  [[nodiscard]] ProcessResult run(const std::vector<std::string>& options = {}) const {
    return run_process(words(options), environment());
  }
  [[nodiscard]] int start(const std::vector<std::string>& options = {},
                          const std::string& err = "/dev/null") const {
    return start_process(words(options), environment(), err);
  }
  // Processes of this run that live, the first one included.
  [[nodiscard]] std::vector<int> processes() const {
    return processes_marked(folder.path().filename().string());
  }
};

}  // namespace fib::testing
