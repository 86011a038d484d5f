#include "kept_traces.h"

#include "dataset/paths.h"
#include "dataset/records.h"
#include "util/files.h"
#include "util/hash.h"

namespace fib::cmd {

namespace fs = std::filesystem;

fs::path file_of_kept(const std::string& folder, std::initializer_list<std::string> names) {
  util::Sha256 hash;
  for (const std::string& name : names) hash.add(name);
  return dataset::own_cache_path() / folder / (hash.hex().substr(0, 32) + ".jsonl");
}

std::vector<model::Trace> read_kept(const fs::path& file) {
  std::vector<model::Trace> traces;
  if (!fs::exists(file)) return traces;
  const std::string text = util::read_file(file);
  for (const dataset::Line& line : dataset::split_lines(text)) {
    auto trace = dataset::parse_record(line.text, "", model::Mode::lenient);
    if (trace.evaluation) traces.push_back(std::move(trace));
  }
  return traces;
}

void write_kept(const fs::path& file, const std::vector<model::Trace>& traces) {
  std::string text;
  for (const model::Trace& trace : traces) text += model::to_json(trace) + "\n";
  fs::create_directories(file.parent_path());
  util::write_file_atomic(file, text);
}

}  // namespace fib::cmd
