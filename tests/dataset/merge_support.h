#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "dataset/merge.h"
#include "dataset/temporary_dataset.h"
#include "support/temporary.h"

// What the tests of merging share.
namespace fib::testing {

// All files below a folder, by relative path.
inline std::map<std::string, std::string> contents(const std::filesystem::path& root) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (entry.is_regular_file())
      files[entry.path().lexically_relative(root).string()] = util::read_file(entry.path());
  }
  return files;
}

inline std::string at_time(std::string line, const std::string& time) {
  const auto place = line.find(R"("timestamp":"t")");
  return line.replace(place, 15, R"("timestamp":")" + time + "\"");
}

// A definition "d" with a workload, a solution of its author and one trace a time.
inline void fill(const TemporaryDataset& files, const std::string& author,
                 const std::vector<std::string>& times) {
  files.write("definitions/op/d.json", definition_text("d"));
  files.write("workloads/op/d.jsonl", workload_line("w1") + "\n");
  files.write("solutions/" + author + "/op/d/s_" + author + ".json",
              solution_text("s_" + author, author, "cpp"));
  std::string traces;
  for (const auto& time : times) traces += at_time(trace_line("s_" + author, "w1", 2), time) + "\n";
  files.write("traces/" + author + "/op/d.jsonl", traces);
}

struct Merged {
  TemporaryFolder folder;
  std::filesystem::path output = folder.path() / "out";
  dataset::MergeReport report;

  explicit Merged(const std::vector<std::filesystem::path>& inputs,
                  const dataset::MergeOptions& options = {}) {
    report = dataset::merge(inputs, output, options);
  }
  [[nodiscard]] std::string file(const std::string& name) const { return util::read_file(output / name); }
};

inline void check_refused(const std::vector<std::filesystem::path>& inputs, const std::string& message,
                          const dataset::MergeOptions& options = {}) {
  const TemporaryFolder folder;
  CHECK_THROWS_WITH(dataset::merge(inputs, folder.path() / "out", options), Catch::Contains(message));
  CHECK(std::filesystem::is_empty(folder.path()));  // no output, and no temporary sibling is left
}

inline dataset::MergeOptions on_conflict(dataset::OnConflict what) {
  dataset::MergeOptions options;
  options.on_conflict = what;
  return options;
}

inline std::size_t lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace fib::testing
