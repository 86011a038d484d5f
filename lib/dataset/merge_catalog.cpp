#include "dataset/merge_catalog.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "dataset/blobs.h"
#include "dataset/known_names.h"
#include "dataset/paths.h"
#include "dataset/trace_stream.h"
#include "model/workload_order.h"
#include "util/beneath.h"
#include "util/files.h"
#include "util/find.h"
#include "util/hash.h"

namespace fib::dataset {
namespace {

constexpr std::size_t kDigits = 8;  // of a hash, behind a name

std::string renamed(const std::string& name, const std::string& sha256) {
  return name + "_" + sha256.substr(0, kDigits);
}

// Whether an output can have a blob there: no record, and nothing that a program would take for its own.
bool can_be_blob(const fs::path& path) {
  static const std::set<std::string> kRecords = {"definitions", "workloads", "solutions", "traces", "runs"};
  if (path.empty() || path.is_absolute() || *path.begin() == ".." || util::is_hidden(path)) return false;
  for (const fs::path& component : path) {
    try {
      (void)checked_component(component.string(), "blob");
    } catch (const Error&) {
      return false;
    }
  }
  const std::string first = path.begin()->string();
  return first == "blob" || (path.extension() == ".safetensors" && !kRecords.contains(first));
}

// One content of a name, and the inputs that have it.
template <typename Content>
struct Variant {
  Content content;
  std::string sha256;
  std::vector<std::size_t> inputs;  // ascending
};

template <typename Content>
using Variants = std::vector<Variant<Content>>;  // in the order of the inputs

template <typename Content>
void add_variant(Variants<Content>& variants, Content content, const std::string& sha256, std::size_t input) {
  const auto known = std::find_if(variants.begin(), variants.end(),
                                  [&](const auto& variant) { return variant.sha256 == sha256; });
  if (known != variants.end()) {
    known->inputs.push_back(input);
  } else {
    variants.push_back({std::move(content), sha256, {input}});
  }
}

std::string text_of(const model::json::Value& value) {
  return model::json::dump(value, model::json::Form::compact, model::json::NonFinite::strings);
}

std::map<std::string_view, const model::json::Value*> members_by_name(const model::json::Value& object) {
  std::map<std::string_view, const model::json::Value*> members;
  for (const auto& [name, value] : object.members) members.emplace(name, &value);
  return members;
}

// The first member by name that differs between two documents: "reference", or "spec.entry_point".
std::string differing_field(const model::json::Value& left, const model::json::Value& right) {
  using model::json::Kind;
  if (left.kind != Kind::object || right.kind != Kind::object) return "";
  const auto of_left = members_by_name(left);
  const auto of_right = members_by_name(right);
  auto a = of_left.begin();
  auto b = of_right.begin();
  for (; a != of_left.end() && b != of_right.end(); ++a, ++b) {
    if (a->first != b->first) return std::string(std::min(a->first, b->first));
    if (text_of(*a->second) == text_of(*b->second)) continue;
    const std::string inner = differing_field(*a->second, *b->second);
    return inner.empty() ? std::string(a->first) : fmt::format("{}.{}", a->first, inner);
  }
  if (a != of_left.end()) return std::string(a->first);
  return b != of_right.end() ? std::string(b->first) : "";
}

// A workload with the content of its blobs.
struct HeldWorkload {
  model::Workload workload;
  std::map<std::string, BlobSource> blobs;  // by path as written
};

using WorkloadKey = std::pair<std::string, std::string>;  // definition, uuid

class CatalogMaker {
 public:
  CatalogMaker(const std::vector<fs::path>& inputs, const MergeOptions& options, MergeReport& report)
      : inputs_(inputs), options_(options), report_(report) {}

  Catalog make() {
    catalog_.inputs.resize(inputs_.size());
    for (std::size_t input = 0; input < inputs_.size(); ++input) read(input);
    settle_solutions();
    settle_workloads();
    if (!unsettled_.empty()) throw_unsettled();
    return std::move(catalog_);
  }

 private:
  void read(std::size_t input) {
    Dataset dataset = load_without_results(inputs_[input], report_.unreadable, options_.repair);
    if (options_.repair) note_repairs(dataset);
    KnownNames(dataset).check(options_.filter);
    const Filter& filter = options_.filter;
    for (auto& [name, definition] : dataset.definitions) {
      if (filter.holds_definition(dataset, name)) add_definition(input, dataset, name, definition);
    }
    for (auto& [name, solution] : dataset.solutions) {
      if (!filter.holds_solution(dataset, solution)) continue;
      ++report_.solutions.read;
      catalog_.inputs[input].authors[name] = solution.author;
      const std::string sha256 = util::sha256_hex(model::to_json(solution));
      add_variant(solutions_[name], std::move(solution), sha256, input);
    }
    check_repeated(dataset);
    for (auto& [definition, workloads] : dataset.workloads) {
      for (auto& workload : workloads) {
        if (filter.holds_workload(dataset, definition, workload))
          add_workload(input, dataset.root, definition, std::move(workload));
      }
    }
  }

  void note_repairs(const Dataset& dataset) {
    report_.repairs.insert(report_.repairs.end(), dataset.repairs.begin(), dataset.repairs.end());
    const auto note_move = [&](const std::string& from, const fs::path& to) {
      if (from != to) report_.repairs.push_back(fmt::format("{}: moved to {}", from, to.string()));
    };
    for (const auto& [name, file] : dataset.definition_files)
      note_move(file, definition_file("", dataset.definitions.at(name).op_type, name));
    for (const auto& [name, file] : dataset.solution_files) {
      const auto& solution = dataset.solutions.at(name);
      const auto definition = dataset.definitions.find(solution.definition);
      const std::string op_type =
          definition == dataset.definitions.end() ? "unknown" : definition->second.op_type;
      note_move(file, solution_file("", solution.author, op_type, solution.definition, name));
    }
  }

  void add_definition(std::size_t input, const Dataset& dataset, const std::string& name,
                      const model::Definition& definition) {
    ++report_.definitions.read;
    const fs::path file = inputs_[input] / dataset.definition_files.at(name);
    const auto [known, is_new] = catalog_.merged.definitions.emplace(name, definition);
    if (is_new) {
      ++report_.definitions.written;
      definition_files_.emplace(name, file);
      return;
    }
    ++report_.definitions.duplicates;
    const auto field = differing_field(model::to_value(known->second), model::to_value(definition));
    if (field.empty()) return;
    unsettled_.push_back(
        fmt::format("Definition conflict for '{}' during merge. \"{}\" differs between {} and {}", name,
                    field, definition_files_.at(name).string(), file.string()));
  }

  // A uuid that one input has twice: the same workload, or a contradiction that no rule settles, since
  // nothing tells which of the two its traces are of.
  void check_repeated(const Dataset& dataset) {
    if (dataset.repeated_workloads.empty()) return;
    std::map<WorkloadKey, const model::Workload*> firsts;
    for (const auto& [definition, workloads] : dataset.workloads) {
      for (const auto& workload : workloads)
        firsts.emplace(WorkloadKey(definition, workload.uuid), &workload);
    }
    for (const auto& [definition, workload] : dataset.repeated_workloads) {
      if (!options_.filter.holds_workload(dataset, definition, workload)) continue;
      ++report_.workloads.read;
      const auto first = firsts.find(WorkloadKey(definition, workload.uuid));
      // Others are among the records that cannot be taken.
      if (first != firsts.end() && model::to_json(*first->second) == model::to_json(workload))
        ++report_.workloads.duplicates;
    }
  }

  void add_workload(std::size_t input, const fs::path& root, const std::string& definition,
                    model::Workload workload) {
    ++report_.workloads.read;
    HeldWorkload held{std::move(workload), {}};
    util::Sha256 hash;
    hash.add(model::to_json(held.workload));
    for (const auto& [name, spec] : held.workload.inputs) {
      if (spec.kind != model::InputKind::safetensors) continue;
      if (auto blob = find_blob(root, definition, spec.path)) {
        hash.add(blob->sha256);
        held.blobs.emplace(spec.path, std::move(*blob));
      }
    }
    const std::pair key(definition, held.workload.uuid);
    add_variant(workloads_[key], std::move(held), hash.hex(), input);
  }

  // Where the output has a blob: as it is written, or, in a repair and where it cannot be there, as its own
  // dataset has it; or, where that cannot be either, by its content.
  std::string place_of(const fs::path& root, const std::string& written, const BlobSource& blob) const {
    const fs::path path = fs::path(written).lexically_normal();
    if (!options_.repair && can_be_blob(path)) return path.string();
    const fs::path own = blob.file.lexically_relative(fs::weakly_canonical(root));
    return can_be_blob(own) ? own.string() : "blob/" + blob.sha256 + ".safetensors";
  }

  // Hashes a file once, however many workloads name it.
  std::optional<BlobSource> find_blob(const fs::path& root, const std::string& definition,
                                      const std::string& path) {
    try {
      const auto blob = resolve_blob(root, definition, path);
      if (!blob) return std::nullopt;
      auto known = hashes_.find(blob->file.string());
      if (known == hashes_.end()) {
        const std::string sha256 = util::sha256_of_file(blob->file, options_.interrupted);
        known = hashes_.emplace(blob->file.string(), sha256).first;
        ++report_.blobs.read;
      }
      BlobSource source{blob->file, {}, known->second};
      source.place = place_of(root, path, source);
      return source;
    } catch (const Error& error) {
      check_interrupt(options_.interrupted);
      report_.unreadable.emplace_back(error.what());
      return std::nullopt;
    }
  }

  void settle_solutions() {
    for (auto& entry : solutions_) settle_solution(entry.first, entry.second);
  }

  void settle_solution(const std::string& name, Variants<model::Solution>& variants) {
    const auto keep = [&](Variant<model::Solution>& variant, const std::string& as) {
      variant.content.name = as;
      keep_solution(std::move(variant.content));
    };
    const auto call = [&](const Variant<model::Solution>& variant, const std::optional<std::string>& as) {
      for (const std::size_t input : variant.inputs) catalog_.inputs[input].solutions[name] = as;
    };
    const auto what = [&] {
      return fmt::format(
          "solution \"{}\" ({} differs)", name,
          differing_field(model::to_value(variants[0].content), model::to_value(variants[1].content)));
    };
    settle(name, variants, report_.solutions, what, keep, call);
  }

  // A new name may be one that an earlier merge gave.
  void keep_solution(model::Solution solution) {
    const auto [known, is_new] = catalog_.merged.solutions.emplace(solution.name, solution);
    if (is_new) {
      ++report_.solutions.written;
    } else if (model::to_json(known->second) == model::to_json(solution)) {
      ++report_.solutions.duplicates;
    } else {
      unsettled_.push_back(
          fmt::format("solution \"{}\" is another solution's new name; rename it", solution.name));
    }
  }

  void settle_workloads() {
    for (auto& entry : workloads_) settle_workload(entry.first, entry.second);
    for (auto& [definition, workloads] : catalog_.merged.workloads) sort_workloads(definition, workloads);
  }

  void settle_workload(const WorkloadKey& key, Variants<HeldWorkload>& variants) {
    fold_missing_blobs(variants);
    const auto keep = [&](Variant<HeldWorkload>& variant, const std::string& as) {
      keep_workload(key.first, variant, as);
    };
    const auto call = [&](const Variant<HeldWorkload>& variant, const std::optional<std::string>& as) {
      for (const std::size_t input : variant.inputs) catalog_.inputs[input].workloads[key] = as;
    };
    const auto what = [&] {
      return fmt::format("workload \"{}\" of definition \"{}\"", key.second, key.first);
    };
    settle(key.second, variants, report_.workloads, what, keep, call);
  }

  // Inputs may lack some blobs of a workload: variants that agree in those that both have are one. The
  // fullest are taken first, so that the order of the inputs does not matter.
  static void fold_missing_blobs(Variants<HeldWorkload>& variants) {
    const auto order = [](const auto& variant) {
      return std::pair(-static_cast<std::ptrdiff_t>(variant.content.blobs.size()), variant.sha256);
    };
    std::sort(variants.begin(), variants.end(),
              [&](const auto& left, const auto& right) { return order(left) < order(right); });
    Variants<HeldWorkload> folded;
    for (auto& variant : variants) {
      const auto same = std::find_if(folded.begin(), folded.end(), [&](const auto& other) {
        return agrees(other.content, variant.content);
      });
      if (same == folded.end()) {
        folded.push_back(std::move(variant));
        continue;
      }
      same->inputs.insert(same->inputs.end(), variant.inputs.begin(), variant.inputs.end());
      std::sort(same->inputs.begin(), same->inputs.end());
      same->content.blobs.merge(variant.content.blobs);
    }
    std::sort(folded.begin(), folded.end(),
              [](const auto& left, const auto& right) { return left.inputs < right.inputs; });
    variants = std::move(folded);
  }

  static bool agrees(const HeldWorkload& left, const HeldWorkload& right) {
    if (model::to_json(left.workload) != model::to_json(right.workload)) return false;
    return std::all_of(left.blobs.begin(), left.blobs.end(), [&](const auto& blob) {
      const auto other = right.blobs.find(blob.first);
      return other == right.blobs.end() || other->second.sha256 == blob.second.sha256;
    });
  }

  void keep_workload(const std::string& definition, Variant<HeldWorkload>& variant, const std::string& uuid) {
    auto& workload = variant.content.workload;
    const bool is_renamed = workload.uuid != uuid;
    workload.uuid = uuid;
    for (auto& [name, spec] : workload.inputs) {
      if (spec.kind != model::InputKind::safetensors) continue;
      const auto blob = variant.content.blobs.find(spec.path);
      if (blob == variant.content.blobs.end()) {
        report_.missing_blobs.push_back(spec.path);
        continue;
      }
      fs::path target = blob->second.place;
      if (is_renamed || is_taken(target, blob->second)) {
        const auto stem = target.stem().string();
        target.replace_filename(renamed(stem, blob->second.sha256) + target.extension().string());
        for (const std::size_t input : variant.inputs)  // the paths in their traces change too
          catalog_.inputs[input].workloads.try_emplace({definition, uuid}, uuid);
      }
      if (fs::path(spec.path).lexically_normal() != target) spec.path = "./" + target.string();
      add_blob(target.string(), blob->second);
    }
    auto& others = catalog_.merged.workloads[definition];
    const auto [known, is_new] = kept_workloads_.emplace(WorkloadKey(definition, uuid), others.size());
    if (is_new) {
      ++report_.workloads.written;
      others.push_back(std::move(workload));
    } else if (model::to_json(others[known->second]) == model::to_json(workload)) {
      ++report_.workloads.duplicates;
    } else {
      unsettled_.push_back(fmt::format("workload \"{}\" is another workload's new name; rename it", uuid));
    }
  }

  // Whether another workload's blob, which differs, has the place. Both are kept: the second under a new
  // name.
  bool is_taken(const fs::path& target, const BlobSource& source) {
    const auto known = catalog_.blobs.find(target.string());
    if (known == catalog_.blobs.end() || known->second.sha256 == source.sha256) return false;
    const std::string differs =
        fmt::format("blob {} differs between {} and {}, for different workloads", target.string(),
                    known->second.file.string(), source.file.string());
    if (options_.on_conflict == OnConflict::error) {
      unsettled_.push_back(differs);
    } else {
      report_.conflicts.push_back(differs + ": both are kept, one with a part of its hash behind the name");
    }
    return true;
  }

  void add_blob(const std::string& target, const BlobSource& source) {
    const auto [known, is_new] = catalog_.blobs.emplace(target, source);
    if (is_new || known->second.sha256 == source.sha256) return;
    unsettled_.push_back(fmt::format("blob {} is another blob's new name; rename it", source.file.string()));
  }

  // Chooses among the contents of one name; `keep` takes a content under a name, `call` says what an input's
  // is called (nothing: it is left out).
  template <typename Content, typename What, typename Keep, typename Call>
  void settle(const std::string& name, Variants<Content>& variants, MergeCount& count, What&& what,
              Keep&& keep, Call&& call) {
    for (const auto& variant : variants) count.duplicates += variant.inputs.size() - 1;
    if (variants.size() == 1) return keep(variants[0], name);
    const std::string differs =
        fmt::format("{} differs between {} and {}", what(), inputs_[variants[0].inputs[0]].string(),
                    inputs_[variants[1].inputs[0]].string());
    if (options_.on_conflict == OnConflict::error) {
      unsettled_.push_back(differs);
      return;
    }
    if (options_.on_conflict == OnConflict::rename) {
      report_.conflicts.push_back(differs + ": all are kept, with a part of their hash behind the name");
      for (auto& variant : variants) {
        call(variant, renamed(name, variant.sha256));
        keep(variant, renamed(name, variant.sha256));
      }
      return;
    }
    const auto by_last = [](const auto& a, const auto& b) { return a.inputs.back() < b.inputs.back(); };
    const auto chosen = options_.on_conflict == OnConflict::first
                            ? variants.begin()
                            : std::max_element(variants.begin(), variants.end(), by_last);
    const auto from =
        options_.on_conflict == OnConflict::first ? chosen->inputs.front() : chosen->inputs.back();
    report_.conflicts.push_back(fmt::format("{}: that of {} is kept", differs, inputs_[from].string()));
    for (auto variant = variants.begin(); variant != variants.end(); ++variant) {
      if (variant == chosen) continue;
      ++count.left_out;
      call(*variant, std::nullopt);
    }
    keep(*chosen, name);
  }

  void sort_workloads(const std::string& definition, std::vector<model::Workload>& workloads) const {
    const auto* order = util::find_or_null(catalog_.merged.definitions, definition);
    std::sort(workloads.begin(), workloads.end(),
              [&](const auto& left, const auto& right) { return model::is_smaller(order, left, right); });
  }

  [[noreturn]] void throw_unsettled() const {
    throw Error(
        "the datasets contradict each other; correct one of them, or see --on-conflict for solutions and "
        "workloads:{}",
        first_lines(unsettled_));
  }

  const std::vector<fs::path>& inputs_;
  const MergeOptions& options_;
  MergeReport& report_;
  Catalog catalog_;
  std::map<std::string, fs::path> definition_files_;
  std::map<std::string, Variants<model::Solution>> solutions_;
  std::map<WorkloadKey, Variants<HeldWorkload>> workloads_;
  std::map<std::string, std::string> hashes_;  // of blobs
  std::vector<std::string> unsettled_;
  std::map<WorkloadKey, std::size_t> kept_workloads_;  // their places in catalog_.merged.workloads
};

}  // namespace

std::string Catalog::op_type_of(const std::string& definition) const {
  const auto known = merged.definitions.find(definition);
  return known == merged.definitions.end() ? "unknown" : known->second.op_type;
}

Catalog make_catalog(const std::vector<fs::path>& inputs, const MergeOptions& options, MergeReport& report) {
  return CatalogMaker(inputs, options, report).make();
}

}  // namespace fib::dataset
