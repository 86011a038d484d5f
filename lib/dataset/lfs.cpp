#include "dataset/lfs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "util/command.h"
#include "util/error.h"

namespace fib::dataset {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kNeverAsk = {"GIT_TERMINAL_PROMPT=0"};

std::string git(const fs::path& root, std::vector<std::string> arguments) {
  std::vector<std::string> words = {"timeout", "500", "git"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  auto result = util::run_command(words, root, kNeverAsk);
  while (result.output.ends_with('\n')) result.output.pop_back();
  if (!result.succeeded())
    throw Error("git {} in {}: {}{}{}", arguments.front(), root.string(), result.status_text(),
                result.output.empty() ? "" : ": ", result.output);
  return result.output;
}

}  // namespace

void pull_lfs(const fs::path& root, const std::vector<fs::path>& files) {
  const fs::path base = fs::weakly_canonical(root);
  const std::string prefix = git(root, {"rev-parse", "--show-prefix"});  // of the root in its repository
  std::vector<std::string> patterns;
  for (const auto& file : files)
    patterns.push_back(prefix + fs::weakly_canonical(file).lexically_relative(base).string());
  git(root, {"lfs", "pull", "--include", fmt::format("{}", fmt::join(patterns, ","))});
}

}  // namespace fib::dataset
