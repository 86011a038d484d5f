#include "dataset/load.h"

#include <simdjson.h>
#include <sys/stat.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "dataset/blobs.h"
#include "dataset/links.h"
#include "dataset/path_names.h"
#include "dataset/paths.h"
#include "dataset/source_limit.h"
#include "dataset/trace_stream.h"
#include "util/beneath.h"
#include "util/files.h"
#include "util/machine.h"
#include "util/some_of.h"
#include "util/threads.h"

namespace fib::dataset {
namespace {

constexpr std::size_t kListedProblems = 10;
constexpr unsigned kMostLoadThreads = 8;
constexpr std::size_t kMostRepeated = 1000;  // of a file's workloads are told, one by one
constexpr int kProblemDepth = 4;             // folders below the root

// Far above what people write, and small beside the memory: what is read is copied several times.
constexpr std::uintmax_t kMostSourceBytes = 16 << 20;  // of a source beside its solution

void expect_size(const fs::path& file, std::uintmax_t most) {
  std::error_code unknown;
  const std::uintmax_t size = fs::file_size(file, unknown);
  if (!unknown && size > most)
    throw Error("{} has {} bytes, more than the {} that are read", file.string(), size, most);
}

RecordContext context_of(const Dataset& dataset, const LoadOptions& options) {
  RecordContext context{dataset.root, {}, {}, options.results, options.mode, options.names_from_paths};
  for (const auto& entry : dataset.definitions) context.definitions.insert(entry.first);
  for (const auto& entry : dataset.solutions) context.solutions.insert(entry.first);
  return context;
}

// What each file holds, in the order of `places`.
std::vector<RecordFile> read_side_by_side(const std::vector<RecordPlace>& places,
                                          const RecordContext& context, RowPool& pool) {
  std::vector<RecordFile> read(places.size());
  util::for_each_index(places.size(), std::min(util::usable_cores(), kMostLoadThreads),
                       [&](std::size_t i) { read[i] = read_records(places[i], context, pool); });
  return read;
}

std::size_t count_traces(const std::vector<RecordFile>& files) {
  std::size_t count = 0;
  for (const RecordFile& file : files) count += file.traces.size();
  return count;
}

class Loader {
 public:
  Loader(const fs::path& root, const LoadOptions& options) : options_(options) { dataset_.root = root; }

  Dataset load() {
    expect_dataset_folder(dataset_.root);
    expect_records(dataset_.root);
    load_problems();
    for (const auto& file : files(definitions_folder(dataset_.root), ".json")) load_definition(file);
    for (const auto& file : files(solutions_folder(dataset_.root), ".json")) load_solution(file);
    load_records();
    if (options_.strict) throw_on_errors();
    return std::move(dataset_);
  }

 private:
  std::vector<fs::path> files(const fs::path& folder, std::string_view extension) {
    std::vector<std::pair<fs::path, std::string>> unlisted;
    auto found = list_files(folder, extension, unlisted);
    for (const auto& [where, why] : unlisted) report(where, 0, "cannot be listed: " + why);
    return found;
  }

  void report(const fs::path& file, std::size_t line, const std::string& message,
              Severity severity = Severity::error) {
    dataset_.problems.push_back({relative(file), line, message, severity});
  }

  void warn(const fs::path& file, std::size_t line, const std::string& message) {
    report(file, line, message, Severity::warning);
  }

  std::string relative(const fs::path& file) const { return file.lexically_relative(dataset_.root).string(); }

  std::optional<std::string> read(const fs::path& file) {
    try {
      expect_inside(file, dataset_.root);
      expect_size(file, model::json::Limits{}.bytes);
      const std::string text = util::read_file(file);
      if (!options_.names_from_paths) return text;
      std::string filled = with_names_of_path(text, relative(file));
      if (filled != text) dataset_.repairs.push_back(relative(file) + ": missing names taken from its path");
      return filled;
    } catch (const Error& error) {
      report(file, 0, error.what());
      return std::nullopt;
    }
  }

  // Takes a record under its name, and notes where it was defined; false, with a problem, when there was one
  // before. Of two that differ nothing tells which is meant, and whose file sorts first must not displace the
  // other's: neither is taken.
  template <typename Record>
  bool take(std::map<std::string, Record>& records, std::map<std::string, std::string>& owners,
            const fs::path& file, Record record, std::string_view what) {
    const std::string name = record.name;
    const std::string disputed = fmt::format("{} {}", what, name);
    const auto owner = owners.find(name);
    if (owner == owners.end() && !disputed_.contains(disputed)) {
      owners.emplace(name, relative(file));
      records.emplace(name, std::move(record));
      return true;
    }
    const bool is_same = owner != owners.end() && model::to_json(records.at(name)) == model::to_json(record);
    if (is_same) {
      report(file, 0,
             fmt::format("Duplicate {} name: {} (kept: the one of {}); rename or remove one", what, name,
                         owner->second));
      return false;
    }
    if (owner != owners.end()) {
      disputed_.emplace(disputed, owner->second);
      owners.erase(owner);
      records.erase(name);
    }
    report(file, 0,
           fmt::format("Duplicate {} name: {} (another one is in {}: neither is taken); rename or remove one",
                       what, name, disputed_.at(disputed)));
    return false;
  }

  void load_problems() {
    const auto folders = problem_folders(dataset_.root);
    dataset_.of_problems = !folders.empty();
    for (const auto& folder : folders) {
      const std::string definition = load_definition(folder / kProblemDefinition);
      const fs::path workloads = folder / kProblemWorkloads;
      if (definition.empty() || !is_there(workloads)) continue;
      if (leads_out(workloads, dataset_.root)) {
        report(workloads, 0, "it lies outside of the dataset, by a link; put the file itself there");
      } else {
        places_.push_back({workloads, RecordFolder::workloads, definition});
      }
    }
    for (const auto& folder : folders) {
      if (leads_out(folder / kProblemDefinition, dataset_.root)) continue;  // which has been said
      for (const auto& file : files(folder, ".json")) {
        if (file.parent_path() == folder && file.filename().string().starts_with("solution"))
          load_solution(file);
      }
    }
  }

  // Its name, or "" when it was not taken.
  std::string load_definition(const fs::path& file) {
    const auto text = read(file);
    if (!text) return "";
    try {
      model::Definition definition = model::parse_definition(*text, options_.mode);
      (void)workloads_file("", definition.op_type, definition.name);  // so that its records have a place
      const std::string name = definition.name;
      const bool is_taken =
          take(dataset_.definitions, dataset_.definition_files, file, std::move(definition), "definition");
      return is_taken ? name : "";
    } catch (const Error& error) {
      report(file, 0, error.what());
      return "";
    }
  }

  void load_solution(const fs::path& file) {
    const auto text = read(file);
    if (!text) return;
    try {
      model::Solution solution = model::parse_solution(*text, options_.mode);
      (void)solution_file("", solution.author, "any", solution.definition, solution.name);  // likewise
      read_sources(dataset_.root, file, solution);
      source_limit_.take(solution);
      const std::string name = solution.name;
      const std::string definition = solution.definition;
      if (!take(dataset_.solutions, dataset_.solution_files, file, std::move(solution), "solution")) return;
      if (!dataset_.definitions.contains(definition))
        warn(file, 0, fmt::format("solution \"{}\" is for the unknown definition \"{}\"", name, definition));
    } catch (const Error& error) {
      report(file, 0, error.what());
    }
  }

  void load_records() {
    add_places(workloads_folder(dataset_.root), RecordFolder::workloads);
    add_places(traces_folder(dataset_.root), RecordFolder::traces);
    std::vector<RecordFile> read = read_side_by_side(places_, context_of(dataset_, options_), *dataset_.pool);
    dataset_.traces.reserve(count_traces(read));
    for (std::size_t i = 0; i < read.size(); ++i) add_records(places_[i], std::exchange(read[i], {}));
    remove_disputed_workloads();
  }

  void add_places(const fs::path& folder, RecordFolder kind) {
    for (auto& file : files(folder, ".jsonl")) {
      const std::string definition = definition_of_file(file);
      places_.push_back({std::move(file), kind, definition});
    }
  }

  void add_records(const RecordPlace& place, RecordFile records) {
    const fs::path& file = place.file;
    if (records.filled > 0) {
      dataset_.repairs.push_back(fmt::format("{}: definition taken from the path in {} of its records",
                                             relative(file), records.filled));
    }
    std::move(records.traces.begin(), records.traces.end(), std::back_inserter(dataset_.traces));
    std::vector<Problem> repeated;
    for (auto& found : records.workloads) add_workload(place, std::move(found), repeated);
    if (repeated.size() > kMostRepeated) {
      const auto first_untold = repeated.begin() + static_cast<std::ptrdiff_t>(kMostRepeated);
      const bool any_error = std::any_of(first_untold, repeated.end(), [](const Problem& problem) {
        return problem.severity == Severity::error;
      });
      const std::size_t untold = repeated.size() - kMostRepeated;
      repeated.erase(first_untold, repeated.end());
      repeated.push_back({relative(file), 0,
                          fmt::format("{} more of its workloads are there already", untold),
                          any_error ? Severity::error : Severity::warning});
    }
    std::move(repeated.begin(), repeated.end(), std::back_inserter(records.problems));
    std::stable_sort(records.problems.begin(), records.problems.end(),
                     [](const Problem& left, const Problem& right) { return left.line < right.line; });
    std::move(records.problems.begin(), records.problems.end(), std::back_inserter(dataset_.problems));
  }

  void add_workload(const RecordPlace& place, RecordFile::FoundWorkload found,
                    std::vector<Problem>& problems) {
    const fs::path& file = place.file;
    try {
      (void)workloads_file("", "any", found.definition);  // so that a merge has a place for it
    } catch (const Error& error) {
      problems.push_back({relative(file), found.line, error.what(), Severity::error});
      return;
    }
    const std::string& uuid = found.workload.uuid;
    auto& known = dataset_.workloads[found.definition];
    const auto [first, is_new] = uuids_.try_emplace(
        std::pair(found.definition, uuid),
        KnownWorkload{fmt::format("{}:{}", relative(file), found.line), known.size(), place.folder});
    if (is_new) {
      known.push_back(std::move(found.workload));
      return;
    }
    const bool is_same = model::to_json(known[first->second.index]) == model::to_json(found.workload);
    // Tools and people add lines below traces/, where workloads are an old layout's: they displace none of
    // workloads/. Else it is as take() has it.
    const bool is_kept = is_same || first->second.folder != place.folder;
    first->second.is_disputed = first->second.is_disputed || !is_kept;
    problems.push_back(
        {relative(file), found.line,
         fmt::format("workload \"{}\" of definition \"{}\" is there already{} {}{}", uuid, found.definition,
                     is_same   ? " (kept:"
                     : is_kept ? ", with another content (kept:"
                               : ", with another content, in",
                     first->second.place, is_kept ? ")" : ": neither is taken"),
         is_same ? Severity::warning : Severity::error});
    dataset_.repeated_workloads.emplace_back(std::move(found.definition), std::move(found.workload));
  }

  void remove_disputed_workloads() {
    std::map<std::string, std::set<std::size_t>> disputed;  // places in the list of a definition
    for (const auto& [key, known] : uuids_) {
      if (known.is_disputed) disputed[key.first].insert(known.index);
    }
    for (const auto& [definition, places] : disputed) {
      std::vector<model::Workload> kept;
      auto& all = dataset_.workloads.at(definition);
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (!places.contains(i)) kept.push_back(std::move(all[i]));
      }
      all = std::move(kept);
    }
  }

  void throw_on_errors() const {
    const std::size_t count = dataset_.error_count();
    if (count == 0) return;
    std::vector<std::string> lines;
    for (const Problem& problem : dataset_.problems) {
      if (problem.severity == Severity::error) lines.push_back(to_string(problem));
    }
    throw Error("{} has {} {} that cannot be loaded; correct or remove {}:{}", dataset_.root.string(), count,
                count == 1 ? "record" : "records", count == 1 ? "it" : "them", first_lines(lines));
  }

  LoadOptions options_;
  SourceLimit source_limit_;
  Dataset dataset_;
  std::vector<RecordPlace> places_;
  struct KnownWorkload {
    std::string place;      // "<file>:<line>"
    std::size_t index = 0;  // among those of its definition
    RecordFolder folder{};
    bool is_disputed = false;  // another one has its uuid: none is taken
  };
  std::map<std::pair<std::string, std::string>, KnownWorkload> uuids_;  // by definition and uuid
  std::map<std::string, std::string>
      disputed_;  // names of which none is taken, and the first file that had it
};

}  // namespace

std::size_t Dataset::error_count() const {
  return static_cast<std::size_t>(std::count_if(problems.begin(), problems.end(), [](const Problem& problem) {
    return problem.severity == Severity::error;
  }));
}

std::string first_lines(const std::vector<std::string>& lines) {
  std::string list;
  for (std::size_t i = 0; i < std::min(lines.size(), kListedProblems); ++i) list += "\n  " + lines[i];
  if (lines.size() > kListedProblems) list += "\n  " + util::and_more(lines.size(), kListedProblems);
  return list;
}

namespace {

struct FoundFile {
  fs::path path;
  bool is_link = false;

  friend bool operator<(const FoundFile& left, const FoundFile& right) { return left.path < right.path; }
};

void find_files(const fs::path& folder, const fs::path& root, std::string_view extension, bool is_linked,
                std::vector<FoundFile>& found, std::vector<std::pair<fs::path, std::string>>& unlisted) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code gone;  // editors' locks (.#a.json) are links that lead nowhere
    if (entry->is_directory(gone)) {
      if (entry->is_symlink(gone)) {
        unlisted.emplace_back(entry->path(), "it is a link to a folder; put the folder itself there");
      } else {
        find_files(entry->path(), root, extension, is_linked, found, unlisted);
      }
    } else if (entry->is_regular_file(gone) && entry->path().extension() == extension) {
      if ((is_linked || entry->is_symlink(gone)) && leads_out(entry->path(), root)) {
        unlisted.emplace_back(entry->path(),
                              "it lies outside of the dataset, by a link; put the file itself there");
      } else {
        found.push_back({entry->path(), entry->is_symlink(gone)});
      }
    } else if (entry->path().extension() == extension &&
               !entry->path().filename().string().starts_with(".#")) {
      unlisted.emplace_back(entry->path(),
                            entry->is_symlink(gone) ? "it is a link that leads nowhere" : "it is no file");
    }
  }
  if (error) unlisted.emplace_back(folder, error.message());
}

// The files, of which links to one and the same file, and other names of one (hard links), are left out: they
// would be read as often. Of a file that is there itself the name that is first counts.
std::vector<fs::path> without_repeated(const std::vector<FoundFile>& found,
                                       std::vector<std::pair<fs::path, std::string>>& unlisted) {
  std::set<std::pair<dev_t, ino_t>> taken;
  std::set<fs::path> repeated;
  for (const bool links : {false, true}) {
    for (const FoundFile& file : found) {
      struct stat status {};
      if (file.is_link != links || ::stat(file.path.c_str(), &status) != 0) continue;
      const bool is_new = taken.emplace(status.st_dev, status.st_ino).second;
      // Not all file systems have numbers that tell files apart.
      if (!is_new && (links || status.st_nlink > 1)) repeated.insert(file.path);
    }
  }
  std::vector<fs::path> files;
  for (const FoundFile& file : found) {
    if (repeated.contains(file.path)) {
      unlisted.emplace_back(file.path, file.is_link ? kReadAlready : kOtherName);
    } else {
      files.push_back(file.path);
    }
  }
  return files;
}

void find_problems(const fs::path& folder, int depth, std::vector<fs::path>& found) {
  std::error_code error;
  if (fs::is_regular_file(folder / kProblemDefinition, error)) found.push_back(folder);
  if (depth == 0) return;
  for (const auto& entry : util::entries_of(folder)) {
    const bool hidden = entry.path().filename().string().starts_with('.');
    if (!hidden && entry.is_directory(error) && !entry.is_symlink(error))
      find_problems(entry.path(), depth - 1, found);
  }
}

}  // namespace

std::vector<fs::path> list_files(const fs::path& folder, std::string_view extension,
                                 std::vector<std::pair<fs::path, std::string>>& unlisted) {
  std::vector<FoundFile> found;
  if (is_there(folder)) {
    std::error_code unknown;
    find_files(folder, folder.parent_path(), extension, fs::is_symlink(folder, unknown), found, unlisted);
  }
  std::sort(found.begin(), found.end());
  return without_repeated(found, unlisted);
}

std::vector<fs::path> problem_folders(const fs::path& root) {
  for (const auto& folder : {definitions_folder(root), workloads_folder(root), solutions_folder(root)}) {
    if (is_there(folder)) return {};
  }
  std::vector<fs::path> found;
  find_problems(root, kProblemDepth, found);
  std::sort(found.begin(), found.end());
  return found;
}

void read_sources(const fs::path& root, const fs::path& file, model::Solution& solution) {
  for (auto& source : solution.sources) {
    if (!source.content.empty()) continue;
    const fs::path path = file.parent_path() / source.path;
    if (leads_out(path, root))
      throw Error("source \"{}\" has no content, and the file of this name leads out of the dataset",
                  source.path);
    expect_size(path, kMostSourceBytes);
    source.content = util::read_file(path);
    if (source.content.find('\0') != std::string::npos)
      throw Error("{} holds NUL bytes, which no source has", path.string());
    if (source.content.empty())
      throw Error("{} is empty; leave it out of the sources, or put a comment in", path.string());
    if (!simdjson::validate_utf8(source.content)) throw Error("{} is not UTF-8; convert it", path.string());
  }
}

void expect_records(const fs::path& root) {
  if (fs::is_empty(root)) return;
  for (const auto& folder : {definitions_folder(root), workloads_folder(root), solutions_folder(root),
                             traces_folder(root), runs_file(root).parent_path()}) {
    if (fs::exists(folder)) return;
  }
  if (problem_folders(root).empty())
    throw Error("{} is no dataset: it has no folder definitions, workloads, solutions or traces",
                root.string());
}

Dataset load(const fs::path& root, const LoadOptions& options) { return Loader(root, options).load(); }

std::vector<TraceRow> read_results(const Dataset& dataset) {
  std::vector<RecordPlace> places;
  for (const auto& file : record_files(dataset.root))
    places.push_back({file, RecordFolder::traces, definition_of_file(file)});
  std::vector<TraceRow> rows;
  std::vector<RecordFile> files = read_side_by_side(places, context_of(dataset, {}), *dataset.pool);
  rows.reserve(count_traces(files));
  for (RecordFile& file : files) std::move(file.traces.begin(), file.traces.end(), std::back_inserter(rows));
  return rows;
}

}  // namespace fib::dataset
