#include "kept_traces.h"

#include <sys/stat.h>

#include <algorithm>

#include "dataset/blobs.h"
#include "dataset/paths.h"
#include "dataset/records.h"
#include "model/measurement_record.h"
#include "util/error.h"
#include "util/files.h"
#include "util/hash.h"

namespace fib::cmd {

namespace fs = std::filesystem;

namespace {

bool are_of_one_device(const model::Trace& left, const model::Trace& right) {
  const auto uuid = [](const model::Trace& trace) {
    const auto device = model::measurement_record(*trace.evaluation).device;
    return device ? device->uuid : std::nullopt;
  };
  return left.evaluation->environment.hardware == right.evaluation->environment.hardware &&
         uuid(left) == uuid(right);
}

}  // namespace

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

model::Workload kept_workload(const model::Workload& workload, const std::string& definition,
                              const fs::path& root) {
  model::Workload kept = workload;
  for (auto& [name, input] : kept.inputs) {
    if (input.kind != model::InputKind::safetensors) continue;
    try {
      const auto blob = dataset::resolve_blob(root, definition, input.path, dataset::Confinement::none);
      struct stat status {};
      if (!blob || ::stat(blob->file.c_str(), &status) != 0) continue;
      input.tensor_key += " of " + util::Sha256()
                                       .add(blob->file.string())
                                       .add(std::to_string(status.st_size))
                                       .add(std::to_string(status.st_mtim.tv_sec))
                                       .add(std::to_string(status.st_mtim.tv_nsec))
                                       .hex();
    } catch (const Error&) {  // NOLINT(bugprone-empty-catch): its name stays
    }
  }
  return kept;
}

bool are_of_one_work(const model::Trace& left, const model::Trace& right) {
  return left.workload.uuid == right.workload.uuid && are_of_one_device(left, right) &&
         model::work_key(left.workload) == model::work_key(right.workload);
}

void drop_old(std::vector<model::Trace>& traces) {
  constexpr std::ptrdiff_t kMost = 8;
  if (traces.empty()) return;
  const auto is_alike = [last = traces.back()](const model::Trace& trace) {
    return trace.workload.uuid == last.workload.uuid && are_of_one_device(trace, last);
  };
  if (std::count_if(traces.begin(), traces.end(), is_alike) > kMost)
    traces.erase(std::find_if(traces.begin(), traces.end(), is_alike));
}

void write_kept(const fs::path& file, const std::vector<model::Trace>& traces) {
  std::string text;
  for (const model::Trace& trace : traces) text += model::to_json(trace) + "\n";
  fs::create_directories(file.parent_path());
  util::write_file_atomic(file, text);
}

}  // namespace fib::cmd
