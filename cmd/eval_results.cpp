#include "eval_results.h"

#include <filesystem>

#include "dataset/paths.h"
#include "dataset/records.h"
#include "util/files.h"
#include "util/hash.h"

namespace fib::cmd {
namespace {

namespace fs = std::filesystem;

// Names may be anything, so that the file's is a hash of them.
fs::path file_of(const std::string& definition, const std::string& solution) {
  const std::string key = util::Sha256().add(definition).add(solution).hex();
  return dataset::own_cache_path() / "tries" / (key.substr(0, 32) + ".jsonl");
}

}  // namespace

void EvalProgress::evaluation_finished(const bench::PlannedEvaluation& planned,
                                       const model::Evaluation& evaluation, std::size_t /*done*/,
                                       std::size_t /*total*/) {
  traces_[planned.solution->name].push_back(bench::trace_of(planned, evaluation));
}

std::vector<model::Trace> read_tries(const std::string& definition, const std::string& solution) {
  const fs::path file = file_of(definition, solution);
  std::vector<model::Trace> traces;
  if (!fs::exists(file)) return traces;
  const std::string text = util::read_file(file);
  for (const dataset::Line& line : dataset::split_lines(text))
    traces.push_back(dataset::parse_record(line.text, "", model::Mode::lenient));
  return traces;
}

void add_tries(const std::string& definition, const std::string& solution,
               const std::vector<model::Trace>& traces) {
  std::vector<model::Trace> kept = read_tries(definition, solution);
  for (const model::Trace& trace : traces) {
    std::erase_if(kept, [&](const model::Trace& old) {
      const bool is_same = old.workload.uuid == trace.workload.uuid &&
                           old.evaluation->environment.hardware == trace.evaluation->environment.hardware;
      return is_same && (trace.passed() || !old.passed());
    });
    kept.push_back(trace);
  }
  std::string text;
  for (const model::Trace& trace : kept) text += model::to_json(trace) + "\n";
  const fs::path file = file_of(definition, solution);
  fs::create_directories(file.parent_path());
  util::write_file_atomic(file, text);
}

}  // namespace fib::cmd
