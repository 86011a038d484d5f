#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "dataset/load.h"
#include "pack/bare_source.h"
#include "report/details.h"

namespace fib::cmd {

// What `fib eval` is told to try, and on what.
struct EvalWords {
  std::vector<std::string> solutions;  // files, folders, or "-" for stdin
  std::string text_of_stdin;           // by read_stdin()
  std::vector<std::string> local;      // datasets with definitions and workloads; none: the default one
  std::string definition;              // a name, or a definition's JSON file; empty: the solutions say it
  std::string workload_file;           // a JSONL file of workloads in place of the dataset's; empty: none
  std::string workloads = "all";       // "first", "all", a number, or uuids with "," between
  pack::SourceFacts source;            // what source files do not say
  bool returns_outputs = false;        // functions of sources return their outputs; else it is as they look
  std::string against;                 // "baseline", a solution of the dataset, or else a file; empty: none
  bool with_results = false;           // the dataset's own results of the solutions are wanted too
};

struct EvalInputs {
  // Definitions, the workloads to run, and the solutions to try; no traces.
  std::vector<dataset::Dataset> datasets;
  // By solution: what the dataset of its definition has of a solution of its name. Points into `datasets`.
  std::map<std::string, std::vector<report::Detail>> results;
  std::vector<std::string> tried;   // names of the solutions, in the order in which they were given
  std::string against;              // the name of the one that they are compared with; empty: none
  bool is_against_foreign = false;  // that one is a file's, or has got another name than the dataset's
  bool are_some = false;            // the definitions have more workloads than were chosen
};

// That with the solution, and so with its definition. Throws Error where none has it.
[[nodiscard]] const dataset::Dataset& dataset_of(const EvalInputs& inputs, const std::string& solution);

inline constexpr const char* kTryGroup = "What to try";

// The options that fill `words`, which must outlive `app`: solutions, datasets, definition, workloads, and
// what source files do not say.
void add_try_options(CLI::App& app, EvalWords& words);

// Reads standard input to its end where it is one of the solutions. To be called first, while Ctrl-C still
// ends the process. Throws Error where it is longer than any solution may be.
void read_stdin(EvalWords& words);

// The files that solutions are made of: what a change of means another try. Standard input is none. Those
// that are not there now are left out. Throws Error when a source cannot be read.
[[nodiscard]] std::vector<std::filesystem::path> files_of(const EvalWords& words);

// Reads solutions, definitions and workloads. Throws Error in one sentence for what is not there, is no
// solution, or has no workloads. `device`: where a baseline has to run.
[[nodiscard]] EvalInputs read_eval_inputs(const EvalWords& words, model::DeviceKind device);

}  // namespace fib::cmd
