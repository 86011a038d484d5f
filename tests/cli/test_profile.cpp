#include <sys/stat.h>

#include <catch2/catch.hpp>

#include "cli/run_support.h"
#include "support/schema_check.h"

// `fib profile` as far as it needs no GPU; tests/gpu/test_profile.cpp has the rest.
using namespace fib;
using namespace fib::testing;
using Catch::Contains;

namespace {

// A program that says what it was asked.
std::string fake_ncu(const FibRun& run, const std::string& end = "exit 0") {
  const auto file = run.folder.path() / "fake_ncu";
  util::write_file_atomic(file, "#!/bin/sh\necho \"asked: $*\"\n" + end + "\n");
  REQUIRE(::chmod(file.c_str(), 0700) == 0);
  return file.string();
}

ProcessResult profile(const FibRun& run, const std::vector<std::string>& words, const std::string& ncu) {
  std::vector<std::string> all = {fib_binary(), "profile"};
  all.insert(all.end(), words.begin(), words.end());
  auto environment = run.environment();
  environment.push_back("NCU=" + ncu);
  return run_process(all, environment);
}

}  // namespace

TEST_CASE("the sets and sections of ncu are listed by it, and its exit code counts") {
  const FibRun run;
  const auto sets = profile(run, {"--list-sets"}, fake_ncu(run));
  CHECK(sets.out == "asked: --list-sets\n");
  CHECK(sets.err.empty());
  CHECK(sets.exit_code == 0);
  CHECK(profile(run, {"--list-sections"}, fake_ncu(run)).out == "asked: --list-sections\n");
  CHECK(profile(run, {"--list-sets"}, fake_ncu(run, "exit 9")).exit_code == 1);
  for (const char* name : {"/nope", "/tmp", "no-such-tool"}) {
    const auto nowhere = profile(run, {"--list-sets"}, name);
    CHECK(nowhere.exit_code == 1);
    CHECK(nowhere.err == std::string("fib: NCU names ") + name +
                             ", which is no program that can be started: name Nsight Compute's ncu\n");
  }
}

TEST_CASE("what cannot be profiled is said before anything is built") {
  FibRun run;
  run.dataset.add_definition({100});
  const auto source = run.folder.path() / "a.cu";
  util::write_file_atomic(source, "int x;\n");
  const std::vector<std::string> words = {
      source.string(), "--definition", "add", "--local", run.dataset.root().string(), "--device", "cpu"};
  const auto on_cpu = profile(run, words, fake_ncu(run));
  CHECK(on_cpu.exit_code == 1);
  CHECK(on_cpu.out.empty());
  CHECK_THAT(on_cpu.err,
             Contains("ncu profiles kernels on NVIDIA GPUs; this machine has none, or --device says cpu"));
  auto for_programs = words;
  for_programs.insert(for_programs.end(), {"--format", "json"});
  const auto in_json = testing::checked_json("profile", profile(run, for_programs, fake_ncu(run)).out);
  CHECK_THAT(in_json.at("error").get<std::string>(),
             Catch::StartsWith("ncu profiles kernels on NVIDIA GPUs"));
  CHECK(in_json.at("profiled").empty());
  const auto without = profile(run, {}, fake_ncu(run));
  CHECK(without.exit_code == 2);
  CHECK_THAT(without.err, Contains("SOLUTION is missing"));
  CHECK_THAT(profile(run, {"a.cu", "--page", "all"}, fake_ncu(run)).err,
             Contains("--page: \"all\" is none of details, raw, source"));
  const auto text_in_json = profile(run, {"a.cu", "--page", "raw", "--format", "json"}, fake_ncu(run));
  CHECK(text_in_json.exit_code == 2);
  CHECK_THAT(text_in_json.err, Contains("ncu's own pages are text"));
  for (const char* list : {"--list-sets", "--list-sections"}) {
    const auto listed = profile(run, {list, "--format", "json"}, fake_ncu(run));
    CHECK(listed.exit_code == 2);
    CHECK_THAT(listed.err, Contains(list) && Contains("ncu's own lists are text"));
  }
}

TEST_CASE("without ncu its place is told") {
  const FibRun run;
  auto environment = run.environment();
  std::erase_if(environment, [](const std::string& entry) { return entry.starts_with("PATH="); });
  environment.insert(environment.end(), {"PATH=/nowhere", "CUDA_HOME=/nowhere", "CUDA_PATH=/nowhere"});
  const auto result = run_process({fib_binary(), "profile", "--list-sets"}, environment);
  if (result.exit_code == 0) return;  // /usr/local/cuda has one
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.err,
             Contains("ncu, Nsight Compute's command line, is not here: it comes with the CUDA toolkit"));
}
