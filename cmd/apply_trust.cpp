#include "apply_trust.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <iterator>
#include <memory>

#include "apply/trust.h"
#include "commands.h"
#include "dataset/known_names.h"
#include "present/text.h"
#include "util/file_lock.h"

namespace fib::cmd {
namespace {

struct TrustOptions {
  ReadOptions read;
  std::vector<std::string> solutions;
  bool list = false;
  bool remove = false;
};

// Held from reading the list until it is written, so that two commands do not undo each other's changes.
util::FileLock lock_of(std::filesystem::path file) {
  constexpr std::chrono::seconds kMostWaiting{10};
  return util::FileLock::take_within(file += ".lock", kMostWaiting);
}

// Takes what matches off the list, by name or by key.
int distrust(const TrustOptions& options, const std::filesystem::path& file) {
  const auto lock = lock_of(file);
  auto list = apply::read_trust(file);
  std::size_t removed = 0;
  for (auto it = list.begin(); it != list.end();) {
    const bool is_meant =
        dataset::matches(options.solutions, it->second) || dataset::matches(options.solutions, it->first);
    if (is_meant) {
      print_result(present::printable(it->second) + " is no longer accepted\n");
      ++removed;
    }
    it = is_meant ? list.erase(it) : std::next(it);
  }
  if (removed == 0)
    throw Error("{} has none of these: {}", file.string(), fmt::join(options.solutions, ", "));
  apply::write_trust(file, list);
  return kDone;
}

int trust(const TrustOptions& options) {
  const auto file = apply::trust_file();
  if (options.list) {
    const auto list = apply::read_trust(file);
    for (const auto& [key, name] : list) print_result(key + "  " + present::printable(name) + "\n");
    if (list.empty()) print_result(fmt::format("{} has no solution\n", file.string()));
    return kDone;
  }
  if (options.solutions.empty()) throw CLI::ValidationError("SOLUTION", "names of solutions, or --list");
  if (options.remove) return distrust(options, file);
  dataset::Filter filter;
  filter.solutions = options.solutions;
  const auto dataset = one_dataset(options.read, filter);
  const auto lock = lock_of(file);
  auto list = apply::read_trust(file);
  for (const auto& [name, solution] : dataset.solutions) {
    const auto definition = dataset.definitions.find(solution.definition);
    if (!dataset::matches(options.solutions, name) || definition == dataset.definitions.end()) continue;
    const std::string key = apply::trust_key(solution, definition->second);
    const bool was_there = list.contains(key);
    list[key] = present::printable(name);
    print_result(present::printable(name) + (was_there ? " was accepted before\n" : " is accepted\n"));
  }
  apply::write_trust(file, list);
  return kDone;
}

}  // namespace

dataset::Dataset one_dataset(const ReadOptions& options, const dataset::Filter& filter) {
  if (dataset_folders(options).size() != 1) throw CLI::ValidationError("--local", "one dataset at a time");
  auto datasets = load_datasets(options);
  dataset::KnownNames(datasets).check(filter);
  return std::move(datasets.front());
}

void add_apply_trust(CLI::App& group, int& exit_code) {
  auto options = std::make_shared<TrustOptions>();
  CLI::App* trusted = group.add_subcommand("trust", "Accept solutions, where a configuration demands it");
  trusted->add_option("solutions", options->solutions, "Solutions of the dataset; names or globs")
      ->type_name("SOLUTION");
  add_read_options(*trusted, options->read);
  trusted->remove_option(trusted->get_option("--format"));
  trusted->add_flag("--list", options->list, "Print the solutions that are accepted");
  trusted->add_flag("--remove", options->remove, "Accept these no longer: names, globs or keys of the list");
  trusted->footer(
      std::string("Examples:\n  fib apply trust tuned_rmsnorm --local DIR\n  fib apply trust --list\n") +
      kLocalDefault + "The list: FIB_TRUST_FILE, else ~/.config/fib/trusted.txt.\n");
  trusted->callback([options, &exit_code] { exit_code = trust(*options); });
}

}  // namespace fib::cmd
