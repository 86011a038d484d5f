#include "eval_references.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "dataset/paths.h"
#include "dataset/records.h"
#include "model/measurement_record.h"
#include "present/text.h"
#include "util/clock.h"
#include "util/files.h"
#include "util/hash.h"

namespace fib::cmd {
namespace {

namespace fs = std::filesystem;

// Names may be anything, so that the file's is a hash of one.
fs::path file_of(const std::string& definition) {
  return dataset::own_cache_path() / "references" /
         (util::Sha256().add(definition).hex().substr(0, 32) + ".jsonl");
}

std::vector<model::Trace> read_traces(const std::string& definition) {
  const fs::path file = file_of(definition);
  std::vector<model::Trace> traces;
  if (!fs::exists(file)) return traces;
  const std::string text = util::read_file(file);
  for (const dataset::Line& line : dataset::split_lines(text)) {
    auto trace = dataset::parse_record(line.text, "", model::Mode::lenient);
    if (trace.evaluation) traces.push_back(std::move(trace));
  }
  return traces;
}

std::vector<model::Trace> readable_traces(const std::string& definition) {
  try {
    return read_traces(definition);
  } catch (const Error&) {
    return {};  // they are measured again, and the file is written anew
  }
}

bool are_of_one_device(const model::Trace& left, const model::Trace& right) {
  const auto uuid = [](const model::Trace& trace) {
    const auto device = model::measurement_record(*trace.evaluation).device;
    return device ? device->uuid : std::nullopt;
  };
  return left.evaluation->environment.hardware == right.evaluation->environment.hardware &&
         uuid(left) == uuid(right);
}

std::optional<std::string> timed_utc(const model::Trace& trace) {
  const auto reference = model::measurement_record(*trace.evaluation).reference;
  return reference ? reference->timed_utc : std::nullopt;
}

}  // namespace

bench::EarlierReferences read_references(const bench::Plan& plan, const bench::RunConfig& config,
                                         const bench::Environment& environment, std::int64_t now_us) {
  bench::EarlierReferences known;
  std::map<std::string, std::vector<model::Trace>> kept;
  for (const auto& planned : plan.evaluations) {
    const auto& definition = planned.definition->name;
    if (!kept.contains(definition)) kept[definition] = readable_traces(definition);
    const auto own = bench::config_for(config, *planned.definition, *planned.workload);
    std::optional<model::RecordedReference> found;
    for (const auto& trace : kept[definition]) {
      if (found) break;
      found = bench::earlier_reference(trace, planned, own, environment, FIB_VERSION, now_us);
    }
    if (!found) return {};
    known[{definition, planned.workload->uuid}] = *found;
  }
  return known;
}

void keep_references(const std::map<std::string, std::vector<model::Trace>>& traces) {
  std::map<std::string, std::vector<model::Trace>> kept;
  for (const auto& [solution, own] : traces) {
    for (const model::Trace& trace : own) {
      if (!bench::measures_reference(trace)) continue;
      if (!kept.contains(trace.definition)) kept[trace.definition] = readable_traces(trace.definition);
      auto& of_definition = kept[trace.definition];
      std::erase_if(of_definition, [&](const model::Trace& old) {
        return old.workload.uuid == trace.workload.uuid && are_of_one_device(old, trace);
      });
      of_definition.push_back(trace);
      of_definition.back().evaluation->log.clear();
    }
  }
  for (const auto& [definition, of_definition] : kept) {
    std::string text;
    for (const model::Trace& trace : of_definition) text += model::to_json(trace) + "\n";
    const fs::path file = file_of(definition);
    fs::create_directories(file.parent_path());
    util::write_file_atomic(file, text);
  }
}

std::optional<std::string> about_references(const std::map<std::string, std::vector<model::Trace>>& traces,
                                            std::int64_t now_us) {
  std::optional<std::int64_t> oldest;
  for (const auto& [solution, own] : traces) {
    for (const model::Trace& trace : own) {
      const auto text = timed_utc(trace);
      const auto then = text ? util::parse_timestamp(*text) : std::nullopt;
      if (then) oldest = std::min(*then, oldest.value_or(*then));
    }
  }
  if (!oldest) return std::nullopt;
  const auto minutes = static_cast<std::size_t>(std::max<std::int64_t>(0, now_us - *oldest) / 60'000'000);
  return fmt::format(
      "Speedups are over the reference's time in a try {} ago; --reference python measures it again.",
      minutes == 0 ? "less than a minute" : present::plural(minutes, "minute"));
}

}  // namespace fib::cmd
