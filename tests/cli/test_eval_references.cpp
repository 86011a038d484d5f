#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "model/measurement_record.h"
#include "model/trace.h"
#include "run_support.h"
#include "support/python.h"
#include "support/schema_check.h"
#include "tensor/safetensors.h"
#include "util/clock.h"
#include "util/hash.h"

// Times of references that a try before has measured. The Python of these tests has a torch that cannot be
// imported: whoever tries is told so.
using namespace fib;
using namespace fib::testing;
using nlohmann::json;

namespace {

namespace fs = std::filesystem;

constexpr const char* kWarning = "references run in the native engine: ";

struct Tries {
  FibRun run;

  Tries() {
    run.dataset.add_definition({100, 200});
    run.python = broken_python(run.folder.path());
    util::write_file_atomic(run.folder.path() / "mine.cpp", kHonest);
  }

  [[nodiscard]] ProcessResult operator()(std::vector<std::string> words = {}) const {
    words.insert(words.begin(), {fib_binary(), "eval", run.folder.path() / "mine.cpp", "--definition", "add",
                                 "--local", run.dataset.root()});
    words.insert(words.end(), {"--iterations", "4", "--num-trials", "2", "--warmup-runs", "1"});
    return run_process(words, run.environment());
  }
  [[nodiscard]] json result_of(std::vector<std::string> words = {}) const {
    words.insert(words.end(), {"--format", "json"});
    return checked_json("eval", (*this)(words).out);
  }

  [[nodiscard]] fs::path kept() const {
    return run.folder.path() / "cache/references" /
           (util::Sha256().add("add").hex().substr(0, 32) + ".jsonl");
  }
  // The tries of before, as if torch had timed their references.
  void time_by_torch(const std::string& engine) const {
    std::string lines;
    for (const auto& entry : fs::directory_iterator(run.folder.path() / "cache/tries")) {
      std::istringstream text(util::read_file(entry.path()));
      for (std::string line; std::getline(text, line);) {
        auto trace = json::parse(line);
        auto& fib = trace["evaluation"]["fib"];
        fib["reference"]["engine"] = engine;
        fib["reference"]["latency_ms"] = 0.25;
        lines += trace.dump() + "\n";
      }
    }
    fs::create_directories(kept().parent_path());
    util::write_file_atomic(kept(), lines);
  }
  [[nodiscard]] std::string engine() const {
    const auto version =
        run_process({run.python, "-c", "import platform; print(platform.python_version(), end='')"});
    return "Python " + version.out + ", torch 2.11.0";
  }
};

}  // namespace

TEST_CASE("a try whose references were timed before imports no torch, and has a speedup over them") {
  const Tries tries;
  const auto first = tries();
  CHECK_THAT(first.err, Catch::Contains(kWarning));
  CHECK_FALSE(fs::exists(tries.kept()));  // the native engine's times are none of torch's
  tries.time_by_torch(tries.engine());
  const auto kept = util::read_file(tries.kept());
  const auto second = tries();
  INFO(second.out << second.err);
  CHECK(second.exit_code == 0);
  CHECK(second.err.find(kWarning) == std::string::npos);
  CHECK_THAT(second.out, Catch::Contains("Speedups are over the reference's time in a try less than a minute "
                                         "ago; --reference python measures it again."));
  CHECK(util::read_file(tries.kept()) == kept);  // it is not as new as the second try
  const auto tried = tries.result_of({"--workloads", "first"});
  const auto& result = tried.at("solutions").at(0).at("results").at(0);
  CHECK(result.at("reference_ms") == 0.25);
  CHECK(result.at("speedup").get<double>() == Approx(0.25 / result.at("latency_ms").get<double>()));
  CHECK_THAT(tried.at("cautions").back().get<std::string>(), Catch::StartsWith("Speedups are over"));
}

TEST_CASE("a try is compared with one that has timed its reference itself") {
  const Tries tries;
  REQUIRE(tries().exit_code == 0);
  tries.time_by_torch(tries.engine());
  const auto before = tries({"--against", "last"});
  CHECK_THAT(before.out, Catch::Contains("conditions"));  // the native engine's times are others
  const auto same = tries({"--against", "last"});
  INFO(same.out);
  CHECK(same.out.find("conditions") == std::string::npos);
}

TEST_CASE("torch has the last word where the native engine finds values wrong") {
  const Tries tries;
  REQUIRE(tries().exit_code == 0);
  tries.time_by_torch(tries.engine());
  REQUIRE(tries().err.find(kWarning) == std::string::npos);
  std::string wrong = kHonest;
  wrong.replace(wrong.find("+ b["), 3, "- b");
  util::write_file_atomic(tries.run.folder.path() / "mine.cpp", wrong);
  const auto result = tries();
  CHECK(result.exit_code == 3);
  CHECK_THAT(result.err, Catch::Contains(kWarning));  // torch was asked
}

TEST_CASE("references are timed again where it is asked for, and where traces are kept") {
  const Tries tries;
  REQUIRE(tries().exit_code == 0);
  tries.time_by_torch(tries.engine());
  CHECK_THAT(tries({"--reference", "python"}).err, Catch::Contains("cannot import torch"));
  CHECK_THAT(tries({"--add"}).err, Catch::Contains(kWarning));
  tries.time_by_torch("Python 2.7.0, torch 2.11.0");  // of another Python
  CHECK_THAT(tries().err, Catch::Contains(kWarning));
  util::write_file_atomic(tries.kept(), "no JSON\n");
  CHECK_THAT(tries().err, Catch::Contains(kWarning));
}

TEST_CASE("what was tried on other files is no earlier try, nor its reference's time known") {
  const Tries tries;
  const fs::path blob = tries.run.dataset.root() / "blob/a.safetensors";
  const auto write_blob = [&](float value) {
    const std::vector<float> values(100, value);
    fs::create_directories(blob.parent_path());
    tensor::write_safetensors(blob, {{"a", tensor::DType::kFloat32, {100}, values.data()}});
  };
  const fs::path workloads = tries.run.dataset.root() / "workloads/test/add.jsonl";
  auto line = json::parse(util::read_file(workloads).substr(0, util::read_file(workloads).find('\n')));
  line["workload"]["inputs"]["a"] = {
      {"type", "safetensors"}, {"path", "blob/a.safetensors"}, {"tensor_key", "a"}};
  util::write_file_atomic(workloads, line.dump() + "\n");
  write_blob(1);
  const auto written = fs::last_write_time(blob);
  REQUIRE(tries().exit_code == 0);
  tries.time_by_torch(tries.engine());
  const auto same = tries({"--against", "last"});
  CHECK(same.err.find(kWarning) == std::string::npos);
  CHECK_THAT(same.out, Catch::Contains("the last result"));
  write_blob(2);
  const auto other = tries({"--against", "last"});
  CHECK(other.exit_code == 0);
  CHECK_THAT(other.err, Catch::Contains(kWarning));
  CHECK_THAT(other.out, Catch::Contains("There is no earlier try of mine."));
  // Both are kept.
  tries.time_by_torch(tries.engine());
  const auto again = tries({"--against", "last"});
  CHECK(again.err.find(kWarning) == std::string::npos);
  CHECK_THAT(again.out, Catch::Contains("the last result"));
  write_blob(1);
  fs::last_write_time(blob, written);
  CHECK_THAT(tries({"--against", "last"}).out, Catch::Contains("the last result"));
}

TEST_CASE("of tries on files that change again and again the latest eight stay") {
  const Tries tries;
  const fs::path blob = tries.run.dataset.root() / "blob/a.safetensors";
  const std::vector<float> values(100, 1);
  fs::create_directories(blob.parent_path());
  tensor::write_safetensors(blob, {{"a", tensor::DType::kFloat32, {100}, values.data()}});
  const fs::path workloads = tries.run.dataset.root() / "workloads/test/add.jsonl";
  auto line = json::parse(util::read_file(workloads).substr(0, util::read_file(workloads).find('\n')));
  line["workload"]["inputs"]["a"] = {
      {"type", "safetensors"}, {"path", "blob/a.safetensors"}, {"tensor_key", "a"}};
  util::write_file_atomic(workloads, line.dump() + "\n");
  const auto written = fs::last_write_time(blob);
  for (int i = 0; i < 10; ++i) {
    fs::last_write_time(blob, written + std::chrono::seconds(i));
    REQUIRE(tries().exit_code == 0);
  }
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(tries.run.folder.path() / "cache/tries"))
    files.push_back(util::read_file(entry.path()));
  REQUIRE(files.size() == 1);
  CHECK(std::count(files[0].begin(), files[0].end(), '\n') == 8);
  CHECK_THAT(tries({"--against", "last"}).out, Catch::Contains("the last result"));
  fs::last_write_time(blob, written);
  CHECK_THAT(tries({"--against", "last"}).out, Catch::Contains("There is no earlier try of mine."));
}

TEST_CASE("the built-in engine finds the OpenBLAS that is named by its path, from within its sandbox") {
  const auto found =
      run_process({"/bin/sh", "-c", "/sbin/ldconfig -p | sed -n 's/.*libopenblas.so.0 .* => //p' | head -1"});
  const std::string library = found.out.substr(0, found.out.find('\n'));
  if (library.empty()) {
    WARN("skipped: there is no libopenblas.so.0");
    return;
  }
  const Tries tries;
  const fs::path mine = tries.run.folder.path() / "lib/mine.so";
  fs::create_directories(mine.parent_path());
  fs::copy_file(library, mine);
  auto environment = tries.run.environment();
  environment.push_back("FIB_OPENBLAS=" + mine.string());
  const auto result =
      run_process({fib_binary(), "eval", tries.run.folder.path() / "mine.cpp", "--definition", "add",
                   "--local", tries.run.dataset.root(), "--reference", "native", "--format", "json"},
                  environment);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, Catch::Contains("native (OpenBLAS "));
}
