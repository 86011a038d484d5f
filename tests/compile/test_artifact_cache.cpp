#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <set>

#include "compile/artifact_cache.h"
#include "compile/builder.h"
#include "support/temporary.h"
#include "util/files.h"
#include "util/hash.h"

using namespace fib;
namespace fs = std::filesystem;
using Outcome = compile::BuildResult::Outcome;

namespace {

compile::CacheResult make(const fs::path& cache, const std::string& content,
                          const std::string& key = "abcd") {
  return compile::through_cache({cache, "kind", key, {"file"}}, {},
                                [&](const fs::path&, const fs::path& out) -> compile::BuildAnswer {
                                  std::ofstream(out / "file") << content;
                                  return {{}, "log of " + content};
                                });
}

model::Solution solution(const std::string& source) {
  model::Solution s;
  s.spec.language = model::Language::cpp;
  s.spec.target_hardware = {"cpu"};
  s.spec.entry_point = "a.cpp::run";
  s.sources.push_back({"a.cpp", source, {}});
  return s;
}

// The kernel kills it when its CPU time is up. (The sandbox lets it send no signals.)
constexpr const char* kKilled = "ulimit -t 1; while :; do :; done";

// For the life of the object CXX names a script.
struct FakeCompiler {
  explicit FakeCompiler(const std::string& script) {
    fs::create_directory(folder.path() / "bin");
    const auto path = folder.path() / "bin/c++";
    std::ofstream(path) << "#!/bin/sh\n[ \"$1\" = --version ] && echo fake && exit 0\n" << script << "\n";
    fs::permissions(path, fs::perms(0755));
    if (const char* value = std::getenv("CXX")) before = value;
    ::setenv("CXX", path.c_str(), 1);
  }
  ~FakeCompiler() { before.empty() ? ::unsetenv("CXX") : ::setenv("CXX", before.c_str(), 1); }
  FakeCompiler(const FakeCompiler&) = delete;
  FakeCompiler& operator=(const FakeCompiler&) = delete;
  testing::TemporaryFolder folder;
  std::string before;
};

}  // namespace

TEST_CASE("an entry is found again, with the digest of its file") {
  const testing::TemporaryFolder cache;
  const auto first = make(cache.path(), "one");
  CHECK_FALSE(first.from_cache);
  CHECK(first.answer.log == "log of one");
  CHECK(first.digests == std::vector<std::string>{util::sha256_hex("one")});
  const auto second = make(cache.path(), "two");
  CHECK(second.from_cache);
  CHECK(second.digests == first.digests);
  CHECK(util::read_file(second.folder / "file") == "one");
}

TEST_CASE("an entry that was damaged, or belongs to another key, is made again") {
  const testing::TemporaryFolder cache;
  const auto folder = make(cache.path(), "one").folder;
  const auto other = make(cache.path(), "other", "abef").folder;
  const std::vector<std::function<void()>> damages = {
      [&] { std::ofstream(folder / "file") << "on"; },
      [&] { std::ofstream(folder / "file") << ""; },
      [&] { fs::remove(folder / "file"); },
      [&] { fs::copy_file(other / "file", folder / "file", fs::copy_options::overwrite_existing); },
      [&] { fs::remove(folder / "digests.json"); },
      [&] { std::ofstream(folder / "digests.json") << "{"; },
      [&] { fs::copy(other, folder, fs::copy_options::overwrite_existing | fs::copy_options::recursive); },
  };
  for (const auto& damage : damages) {
    damage();
    const auto again = make(cache.path(), "one");
    CHECK_FALSE(again.from_cache);
    CHECK(util::read_file(folder / "file") == "one");
    CHECK(make(cache.path(), "one").from_cache);
  }
}

TEST_CASE("a build that leaves a link, or nothing, makes no entry") {
  const testing::TemporaryFolder cache;
  const auto build = [&](const compile::BuildStep& step) {
    return compile::through_cache({cache.path(), "kind", "abcd", {"file"}}, {}, step);
  };
  CHECK_THROWS_WITH(build([](const fs::path&, const fs::path& out) -> compile::BuildAnswer {
                      fs::create_symlink("/etc/shadow", out / "file");
                      return {};
                    }),
                    Catch::Contains("made no file"));
  CHECK_THROWS_WITH(build([](const fs::path&, const fs::path&) -> compile::BuildAnswer { return {}; }),
                    Catch::Contains("made no file"));
  CHECK_FALSE(fs::exists(cache.path() / "kind/ab/abcd"));
}

TEST_CASE("of what a build leaves only the contents of the files asked for become the entry") {
  const testing::TemporaryFolder cache;
  const auto made =
      compile::through_cache({cache.path(), "kind", "abcd", {"file", "package/part"}}, {},
                             [](const fs::path&, const fs::path& out) -> compile::BuildAnswer {
                               fs::create_directory(out / "package");
                               for (const char* name : {"file", "package/part", "shell"}) {
                                 std::ofstream(out / name) << name;
                                 fs::permissions(out / name, fs::perms::all | fs::perms::set_uid);
                               }
                               fs::create_symlink("/etc/shadow", out / "link");
                               if (::mkfifo((out / "pipe").c_str(), 0666) != 0) return {"no pipe", {}};
                               fs::permissions(out, fs::perms::all);
                               return {};
                             });
  CHECK(made.answer.failure.empty());
  std::set<std::string> left;
  for (const auto& entry : fs::recursive_directory_iterator(made.folder)) {
    left.insert(entry.path().lexically_relative(made.folder));
    if (entry.is_regular_file()) CHECK(entry.status().permissions() == fs::perms(0644));
  }
  CHECK(left == std::set<std::string>{"file", "package", "package/part", "digests.json"});
  CHECK((fs::status(made.folder).permissions() & fs::perms::others_write) == fs::perms::none);
  CHECK(util::read_file(made.folder / "package/part") == "package/part");
}

TEST_CASE("a build that puts a link in the place of its folder changes nothing elsewhere") {
  const testing::TemporaryFolder cache;
  const testing::TemporaryFolder elsewhere;
  std::ofstream(elsewhere.path() / "file") << "text";
  CHECK_THROWS_WITH(compile::through_cache({cache.path(), "kind", "abcd", {"file"}}, {},
                                           [&](const fs::path& work, const fs::path& out) {
                                             fs::rename(out, work / "moved");
                                             fs::create_directory_symlink(elsewhere.path(), out);
                                             return compile::BuildAnswer{};
                                           }),
                    Catch::Contains("the build has left no folder"));
  CHECK_FALSE(fs::exists(elsewhere.path() / "digests.json"));
  CHECK_FALSE(fs::exists(cache.path() / "kind/ab/abcd"));
}

TEST_CASE("a build's limits hold for single files, and for folders that are hard to look into") {
  const testing::TemporaryFolder cache;
  const auto failure_of = [&](const std::function<void(const fs::path&)>& leave) {
    return compile::through_cache({cache.path(), "kind", "abcd", {"file"}}, {},
                                  [&](const fs::path&, const fs::path& out) {
                                    std::ofstream(out / "file") << "text";
                                    leave(out);
                                    return compile::BuildAnswer{};
                                  })
        .answer.failure;
  };
  CHECK(failure_of([](const fs::path& out) { fs::resize_file(out / "file", std::uintmax_t{600} << 20); }) ==
        "the build made file with more than 512 MiB");
  CHECK(failure_of([](const fs::path& out) {
          fs::path deep = out;
          for (int i = 0; i < 200; ++i) deep /= "d";
          fs::create_directories(deep);
        }) == "the build made folders in folders, more than 100 deep");
  CHECK(fs::is_empty(cache.path() / "kind/ab"));
}

TEST_CASE("a compiler that is killed, or meets a full disk, says nothing of the solution") {
  const testing::TemporaryFolder cache;
  for (const char* script :
       {kKilled, "echo 'c++: fatal error: Killed signal terminated program cc1plus' >&2; exit 1",
        "echo 'collect2: fatal error: ld terminated with signal 9 [Killed]' >&2; exit 1",
        "echo \"nvcc error   : 'cicc' died due to signal 9 (Kill signal)\" >&2; exit 1",
        "echo '/tmp/x.s: No space left on device' >&2; exit 1"}) {
    INFO(script);
    const FakeCompiler compiler(script);
    CHECK_THROWS_WITH(compile::build(solution("int x;"), {}, {}, cache.path()),
                      Catch::Contains("c++ was ended by signal") || Catch::Contains("c++ could not work: "));
  }
  const FakeCompiler compiler("echo 'a.cpp:1: error: no' >&2; exit 1");
  CHECK(compile::build(solution("int x;"), {}, {}, cache.path()).outcome == Outcome::kFailed);
}

TEST_CASE("what a source names outside of its build is not there, and in no log") {
  const testing::TemporaryFolder folder;
  const auto secret = (folder.path() / "secret").string();
  std::ofstream(secret) << "HIDDEN_WORD=1\n";
  const testing::TemporaryFolder cache;
  const std::vector<std::string> sources = {
      "#include \"" + secret + "\"\n",
      "#include \"/etc/shadow\"\n",
      "#include \"/dev/zero\"\n",
      "#include \"/proc/self/root" + secret + "\"\n",
      "__asm__(\".incbin \\\"" + secret + "\\\"\");\n",
      "__asm__(\".include \\\"" + secret + "\\\"\");\n",
      "__asm__(\".incbin \\\"/dev/zero\\\"\");\n",
      "#if __has_include(\"" + secret + "\")\n#error seen\n#endif\n#error end\n"};
  for (const auto& source : sources) {
    INFO(source);
    const auto result =
        compile::build(solution(source + "extern \"C\" void run() {}\n"), {}, {}, cache.path());
    CHECK(result.outcome == Outcome::kFailed);
    CHECK(result.log.find("HIDDEN_WORD") == std::string::npos);
    CHECK(result.log.find("out of memory") == std::string::npos);
    CHECK(result.log.find("error: #error seen") == std::string::npos);
    CHECK(result.log.find(cache.path().string()) == std::string::npos);  // nor where the build was
  }
}
