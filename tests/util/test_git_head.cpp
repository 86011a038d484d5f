#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <fstream>

#include "support/temporary.h"
#include "util/command.h"
#include "util/error.h"
#include "util/git_head.h"

// Against what git itself says of repositories that it made.
namespace fs = std::filesystem;
using namespace fib;

namespace {

class Repository {
 public:
  Repository() : root_(fs::canonical(folder_.path()) / "data") {
    fs::create_directories(root_ / "traces/bob");
    git({"init", "-q", "-b", "main"});
  }
  [[nodiscard]] const fs::path& root() const { return root_; }

  std::string git(const std::vector<std::string>& arguments) const { return git_in(root_, arguments); }
  static std::string git_in(const fs::path& folder, const std::vector<std::string>& arguments) {
    std::vector<std::string> words = {"git", "-c", "user.name=n", "-c", "user.email=e@x"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    auto result = util::run_command(
        words, folder, {"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "LC_ALL=C"});
    INFO(result.output);
    REQUIRE(result.succeeded());
    while (result.output.ends_with('\n')) result.output.pop_back();
    return result.output;
  }
  void commit(const std::string& message) const { git({"commit", "-q", "--allow-empty", "-m", message}); }
  [[nodiscard]] std::string head() const { return git({"rev-parse", "HEAD"}); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(root_ / name, std::ios::binary) << text;
  }

 private:
  testing::TemporaryFolder folder_;
  fs::path root_;
};

void check(const fs::path& folder, const std::optional<std::string>& commit,
           const std::optional<std::string>& branch) {
  const auto head = util::git_head(folder);
  REQUIRE(head);
  CHECK(head->commit == commit);
  CHECK(head->branch == branch);
}

}  // namespace

TEST_CASE("a branch and its commit are found from any folder below the top") {
  const Repository repository;
  check(repository.root(), std::nullopt, "main");  // no commit yet
  repository.commit("one");
  check(repository.root(), repository.head(), "main");
  check(repository.root() / "traces/bob", repository.head(), "main");
  const auto first = repository.head();
  repository.git({"checkout", "-q", "-b", "try/faster"});
  repository.commit("two");
  CHECK(repository.head() != first);
  check(repository.root(), repository.head(), "try/faster");
}

TEST_CASE("a detached HEAD has a commit and no branch") {
  const Repository repository;
  repository.commit("one");
  repository.git({"checkout", "-q", "--detach"});
  check(repository.root(), repository.head(), std::nullopt);
}

TEST_CASE("packed refs are read, and a newer loose ref stands before them") {
  const Repository repository;
  repository.commit("one");
  repository.git({"branch", "main2"});
  repository.git({"tag", "-a", "v1", "-m", "a tag, which packed-refs peels"});
  repository.git({"pack-refs", "--all"});
  REQUIRE_FALSE(fs::exists(repository.root() / ".git/refs/heads/main"));
  check(repository.root(), repository.head(), "main");
  repository.commit("two");
  REQUIRE(fs::exists(repository.root() / ".git/refs/heads/main"));
  check(repository.root(), repository.head(), "main");
}

TEST_CASE("worktrees and submodules are found by the file .git") {
  const Repository repository;
  repository.commit("one");
  const fs::path tree = repository.root().parent_path() / "tree";
  repository.git({"worktree", "add", "-q", "-b", "side", tree});
  Repository::git_in(tree, {"commit", "-q", "--allow-empty", "-m", "two"});
  check(tree, Repository::git_in(tree, {"rev-parse", "HEAD"}), "side");
  repository.git({"pack-refs", "--all"});
  check(tree, Repository::git_in(tree, {"rev-parse", "HEAD"}), "side");
  check(repository.root(), repository.head(), "main");

  const Repository outer;
  outer.git({"-c", "protocol.file.allow=always", "submodule", "--quiet", "add", repository.root(), "inner"});
  outer.commit("with a submodule");
  check(outer.root() / "inner", repository.head(), "main");
  CHECK(outer.head() != repository.head());
}

TEST_CASE("a ref that names another ref is followed, a circle is not") {
  const Repository repository;
  repository.commit("one");
  repository.git({"symbolic-ref", "refs/heads/alias", "refs/heads/main"});
  repository.write(".git/HEAD", "ref: refs/heads/alias\n");
  check(repository.root(), repository.head(), "alias");
  repository.write(".git/refs/heads/alias", "ref: refs/heads/alias\n");
  check(repository.root(), std::nullopt, "alias");
}

TEST_CASE("what is no repository has no head") {
  const testing::TemporaryFolder folder;
  CHECK_FALSE(util::git_head(folder.path()));
  CHECK_FALSE(util::git_head(folder.path() / "not/there"));
  fs::create_directories(folder.path() / ".git/objects");
  std::ofstream(folder.path() / ".git/HEAD") << "ref: refs/heads/main\n";
  CHECK_FALSE(util::git_head(folder.path()));  // no refs/
  fs::remove_all(folder.path() / ".git");
  std::ofstream(folder.path() / ".git") << "gitdir: nowhere\n";
  CHECK_FALSE(util::git_head(folder.path()));
}

TEST_CASE("a repository with garbage in it is an answer or none, never a wait or a way out") {
  const Repository repository;
  repository.commit("one");
  const std::string commit = repository.head();
  for (const std::string head :
       {"", "\n", "garbage", "ref: ", "ref: refs/heads/../../../secret", "ref: refs/heads/.invalid",
        "ref: heads/main", "0123abc", "ref: refs/heads/a\x01z"}) {
    INFO(head);
    repository.write(".git/HEAD", head);
    CHECK_FALSE(util::git_head(repository.root()));
  }
  repository.write(".git/HEAD", "ref: refs/heads/main\n");
  repository.write(".git/refs/heads/main", "not a commit\n");
  check(repository.root(), std::nullopt, "main");
  fs::remove(repository.root() / ".git/refs/heads/main");
  repository.write(".git/packed-refs", "zz refs/heads/main\n");
  check(repository.root(), std::nullopt, "main");
  repository.write(".git/packed-refs", commit + " refs/heads/main");  // and no line end
  check(repository.root(), commit, "main");
  fs::remove(repository.root() / ".git/HEAD");
  REQUIRE(::mkfifo((repository.root() / ".git/HEAD").c_str(), 0600) == 0);
  CHECK_FALSE(util::git_head(repository.root()));
}
