#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "run_support.h"

// `fib eval`: one source, its verdict, and a dataset that stays as it is.
using namespace fib;
using namespace fib::testing;

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

const std::string kSignature = "extern \"C\" void run(const float* a, const float* b, float* c, long n)";

struct Eval {
  FibRun run;

  Eval() { run.dataset.add_definition({100, 200}); }

  [[nodiscard]] fs::path write(const std::string& name, const std::string& text) const {
    const fs::path file = run.folder.path() / name;
    fs::create_directories(file.parent_path());
    util::write_file_atomic(file, text);
    return file;
  }
  [[nodiscard]] ProcessResult operator()(Words words) const {
    words.insert(words.begin(), {fib_binary(), "eval", "--local", run.dataset.root().string()});
    words.insert(words.end(), {"--iterations", "4", "--num-trials", "2", "--warmup-runs", "1"});
    return run_process(words, run.environment());
  }
  // The failure of the first result of the one solution.
  [[nodiscard]] nlohmann::json failure_of(const std::string& source) const {
    const auto file = write("broken.cpp", source);
    const auto result = (*this)(
        {file.string(), "--definition", "add", "--workloads", "first", "--timeout", "3", "--format", "json"});
    INFO(result.out << result.err);
    CHECK(result.exit_code == 3);
    const auto tried = nlohmann::json::parse(result.out).at("solutions").at(0).at("results").at(0);
    if (tried.at("failure").at("stage") == "judge") CHECK(tried.at("durations").at("run_ms") > 0);
    return tried.at("failure");
  }
};

std::set<std::string> files_below(const fs::path& folder) {
  std::set<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) files.insert(entry.path().string());
  return files;
}

}  // namespace

TEST_CASE("a source is tried on all workloads, and the dataset stays as it is") {
  const Eval eval;
  const auto before = files_below(eval.run.dataset.root());
  const auto file = eval.write("mine.cpp", kHonest);
  const auto result = eval({file.string(), "--definition", "add"});
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, Catch::StartsWith("mine on add: PASSED 2 of 2 workloads, ") &&
                             Catch::Contains("w100 n=100") && Catch::Contains("w200 n=200"));
  CHECK(files_below(eval.run.dataset.root()) == before);
  const auto first = eval({file.string(), "--definition", "add", "--workloads", "first", "--quiet"});
  CHECK_THAT(first.out, Catch::StartsWith("mine on add: PASSED 1 of 1 workload, "));
  CHECK_THAT(eval({file.string(), "--definition", "add", "--workloads", "w2", "--name", "other"}).out,
             Catch::StartsWith("other on add: PASSED 1 of 1 workload") && Catch::Contains("w200"));
}

TEST_CASE("a solution may be a folder, a record, standard input, and a source with headers beside it") {
  const Eval eval;
  (void)eval.write("folder/config.toml",
                   "[solution]\nname = \"packed\"\ndefinition = \"add\"\nauthor = \"me\"\n"
                   "[build]\nlanguage = \"cpp\"\nentry_point = \"run\"\n");
  (void)eval.write("folder/kernel.cpp", kHonest);
  (void)eval.write("src/deep/more.h", "inline float sum(float a, float b) { return a + b; }\n");
  (void)eval.write("src/mine.h", "#include \"deep/more.h\"\n");
  const auto source = eval.write("src/with_headers.cpp",
                                 "#include \"mine.h\"\n#include \"../folder/config.toml\"\n" + kSignature +
                                     " { for (long i = 0; i < n; ++i) c[i] = sum(a[i], b[i]); }\n");
  const auto folder = eval({(eval.run.folder.path() / "folder").string(), "--quiet"});
  CHECK_THAT(folder.out, Catch::StartsWith("packed on add: PASSED"));
  // What leads out of the source's folder is not taken along.
  CHECK_THAT(eval({source.string(), "--definition", "add", "--quiet"}).out,
             Catch::StartsWith("with_headers on add: COMPILE_ERROR"));
  const auto good =
      eval.write("src/good.cpp", "#include \"mine.h\"\n" + kSignature +
                                     " { for (long i = 0; i < n; ++i) c[i] = sum(a[i], b[i]); }\n");
  CHECK_THAT(eval({good.string(), "--definition", "add", "--quiet"}).out,
             Catch::StartsWith("good on add: PASSED"));
  const auto two =
      eval({good.string(), eval.write("other.cpp", kHonest).string(), "--definition", "add", "--quiet"});
  CHECK_THAT(two.out, Catch::Contains("good on add: PASSED") && Catch::Contains("other on add: PASSED"));
  const std::string shell =
      fmt::format("{} eval - --language cpp --definition add --local {} --quiet < {}", fib_binary(),
                  eval.run.dataset.root().string(), eval.write("in.cpp", kHonest).string());
  CHECK_THAT(run_process({"/bin/sh", "-c", shell}, eval.run.environment()).out,
             Catch::StartsWith("solution on add: PASSED"));
  // C is said to be C++ by records; its file's name tells the compiler.
  const std::string c_source =
      "#include <math.h>\nvoid run(const float* a, const float* b, float* c, long n)\n"
      "{ for (long i = 0; i < n; ++i) { float* restrict new = c; new[i] = a[i] + b[i]; } }\n";
  const std::string c_shell =
      fmt::format("{} eval - --language c --definition add --local {} --quiet < {}", fib_binary(),
                  eval.run.dataset.root().string(), eval.write("in.c", c_source).string());
  CHECK_THAT(run_process({"/bin/sh", "-c", c_shell}, eval.run.environment()).out,
             Catch::StartsWith("solution on add: PASSED"));
  CHECK_THAT(
      eval({eval.write("kernel.txt", kHonest).string(), "--language", "c", "--definition", "add", "--quiet"})
          .out,
      Catch::StartsWith("kernel on add: "));
}

TEST_CASE("a try that is interrupted is no pass, and takes nobody's place") {
  const Eval eval;
  CHECK(eval({eval.write("late.cpp", kHonest + "// before\n").string(), "--definition", "add", "--add"})
            .exit_code == 0);
  // Hangs on the second workload.
  const auto file = eval.write("late.cpp", kSignature + R"( {
  for (long i = 0; i < n; ++i) c[i] = a[i] + b[i];
  volatile long spins = n;
  while (n > 100 && spins != 0) {}
})");
  for (const std::string format : {"table", "json"}) {
    const auto out = eval.run.folder.path() / ("out." + format);
    const std::string shell = fmt::format(
        "exec {} eval {} --definition add --local {} --iterations 4 --timeout 100 --format {} --add "
        "--replace "
        "> {} 2> {}.err",
        fib_binary(), file.string(), eval.run.dataset.root().string(), format, out.string(), out.string());
    const int pid = start_process({"/bin/sh", "-c", shell}, eval.run.environment());
    std::this_thread::sleep_for(std::chrono::seconds(1));
    CHECK(wait_for([&] {
      for (const int process : eval.run.processes()) {
        std::ifstream stat(fmt::format("/proc/{}/stat", process));
        const std::string text{std::istreambuf_iterator<char>(stat), {}};
        std::istringstream fields(text.substr(text.rfind(')') + 1));
        std::string skipped;
        for (int field = 0; field < 11; ++field) fields >> skipped;
        long ticks = 0;
        if (fields >> ticks && ticks > 100) return true;  // a second in the loop
      }
      return false;
    }));
    CHECK(::kill(pid, SIGINT) == 0);
    int status = 0;
    CHECK(::waitpid(pid, &status, 0) == pid);
    CHECK(WEXITSTATUS(status) == 130);
    const std::string text = util::read_file(out);
    INFO(text);
    const auto record = eval.run.dataset.root() / "solutions/local/test/add/late.json";
    CHECK_THAT(util::read_file(record), Catch::Contains("// before"));
    if (format == "table") {
      CHECK_THAT(text, Catch::StartsWith("late on add: interrupted, 1 of 2 workloads passed, 1 not tried\n"));
      continue;
    }
    const auto json = nlohmann::json::parse(text);
    CHECK(json.at("interrupted") == true);
    CHECK(json.at("solutions").at(0).at("status").is_null());
    CHECK(json.at("solutions").at(0).at("untried") == 1);
  }
}

TEST_CASE("each failure has its code, its stage and what is known of it, in JSON") {
  const Eval eval;
  const std::string run = kSignature;
  const auto syntax = eval.failure_of(run + "\n{ c[0] = nothing; }\n");
  CHECK(syntax["code"] == "compile_error");
  CHECK(syntax["stage"] == "build");
  CHECK(syntax["diagnostics"][0]["file"] == "broken.cpp");
  CHECK(syntax["diagnostics"][0]["line"] == 2);
  CHECK(syntax["diagnostics"][0]["source"] == "{ c[0] = nothing; }");
  CHECK(eval.failure_of("void other(); " + run + " { other(); }")["code"] == "link_error");
  const auto missing = eval.failure_of("extern \"C\" void walk() {}");
  CHECK(missing["code"] == "missing_symbol");
  CHECK(missing["stage"] == "build");
  const auto crash = eval.failure_of(run + " { *(volatile int*)8 = 1; }");
  CHECK(crash["code"] == "crash");
  CHECK(crash["stage"] == "run");
  CHECK(crash["call"] == 1);
  CHECK(eval.failure_of(run + " { for (volatile int i = 0;;) (void)i; }")["code"] == "timeout");
  CHECK(eval.failure_of("#include <stdexcept>\n" + run + " { throw std::runtime_error(\"no\"); }")["code"] ==
        "exception");
  CHECK(eval.failure_of("#include <vector>\n" + run +
                        " { std::vector<char> v(1ul << 42, 1); c[0] = v[7]; }")["code"] == "out_of_memory");
  CHECK(eval.failure_of(
            "extern \"C\" int run(const float*, const float*, float*, long) { return 3; }")["code"] ==
        "error_returned");
  const auto unwritten = eval.failure_of(run + " { for (long i = 0; i < n - 3; ++i) c[i] = a[i] + b[i]; }");
  CHECK(unwritten["code"] == "unwritten_output");
  CHECK(unwritten["mismatch"]["output"] == "c");
  CHECK(unwritten["mismatch"]["index"] == nlohmann::json::array({97}));
  CHECK(unwritten["mismatch"]["unwritten"] == 3);
  CHECK(unwritten["mismatch"].at("absolute_error").is_null());
  CHECK(unwritten["mismatch"]["pattern"] == "last_elements");
  const auto wrong =
      eval.failure_of(run + " { for (long i = 0; i < n; ++i) c[i] = a[i] + b[i] + (i == 5); }");
  CHECK(wrong["code"] == "wrong_values");
  CHECK(wrong["stage"] == "judge");
  CHECK(wrong["violation"] == false);
  CHECK(wrong["mismatch"]["wrong"] == 1);
  CHECK(wrong["mismatch"]["elements"] == 100);
  CHECK(wrong["mismatch"]["matched_ratio"] == 0.99);
  CHECK(wrong["mismatch"]["absolute_error"] == Approx(1).margin(1e-5));
  CHECK(wrong["mismatch"]["index"] == nlohmann::json::array({5}));
  const auto lie = eval.failure_of(
      "#include <thread>\n" + run +
      " { std::thread([] { for (;;) {} }).detach(); for (long i = 0; i < n; ++i) c[i] = a[i] + b[i]; }");
  CHECK(lie["code"] == "work_outside_call");
  CHECK(lie["violation"] == true);
}

TEST_CASE("a try says for programs what it was asked, where, and what it is worth") {
  const Eval eval;
  const auto solution = [&](const std::string& source, const Words& more = {}) {
    const auto file = eval.write("mine.cpp", source);
    Words words = {file.string(), "--definition", "add", "--format", "json"};
    words.insert(words.end(), more.begin(), more.end());
    return nlohmann::json::parse(eval(words).out).at("solutions").at(0);
  };
  const auto first = solution(kHonest);
  const auto again = solution(kHonest);
  CHECK(first.at("reward_components").at("built") == true);
  CHECK(first.at("reward_components").at("correct") == 1.0);
  CHECK(first.at("reward_components").at("violation") == false);
  CHECK(first.at("request_digest") == again.at("request_digest"));
  CHECK(first.at("environment_digest") == again.at("environment_digest"));
  CHECK(first.at("environment_digest").get<std::string>().size() == 64);
  CHECK(solution(kHonest, {"--rtol", "0.5"}).at("request_digest") != first.at("request_digest"));
  CHECK(solution(kHonest, {"--workloads", "first"}).at("request_digest") != first.at("request_digest"));
  const auto seeded = solution(kHonest, {"--seed", "5"}).at("request_digest");
  CHECK(seeded != first.at("request_digest"));
  CHECK(seeded != solution(kHonest, {"--seed", "6"}).at("request_digest"));
  const auto other =
      solution(kSignature + " { for (long i = 0; i < n; ++i) c[i] = n == 100 ? a[i] + b[i] : 0; }");
  CHECK(other.at("request_digest") != first.at("request_digest"));
  CHECK(other.at("environment_digest") == first.at("environment_digest"));
  CHECK(other.at("reward_components").at("correct") == 0.5);
  CHECK(solution("no").at("reward_components").at("built") == false);
}

TEST_CASE("a try is compared with the last one, with the dataset's, and with another solution") {
  Eval eval;
  const auto file = eval.write("mine.cpp", kHonest);
  const Words words{file.string(), "--definition", "add", "--against", "last"};
  CHECK_THAT(eval(words).out, Catch::Contains("There is no earlier try of mine."));
  const auto second = eval(words).out;
  CHECK_THAT(second,
             Catch::Contains("A: the last result   B: this one") && Catch::Contains("2 results compared"));
  (void)eval.write("mine.cpp", "nonsense");
  CHECK_THAT(eval(words).out, Catch::Contains("2 broken"));
  // What failed is not what the next try is compared with, where something passed before.
  (void)eval.write("mine.cpp", kHonest);
  const auto fixed = eval(words).out;
  CHECK_THAT(fixed, !Catch::Contains("fixed") && Catch::Contains("2 results compared") &&
                        Catch::Contains("A: the last result that passed   B: this one"));
  // What passed on one workload is of a source that failed on the other: the mixture is named.
  (void)eval.write("mine.cpp",
                   kSignature + " { for (long i = 0; i < n; ++i) c[i] = n == 100 ? a[i] + b[i] : 0; }");
  CHECK_THAT(eval(words).out, Catch::Contains("1 broken"));
  (void)eval.write("mine.cpp", kHonest);
  CHECK_THAT(
      eval(words).out,
      Catch::Contains("A: of each workload the last result, if one passed that, of 2 sources   B: this one"));
  eval.run.dataset.solution("theirs", "baseline", kSlow);
  const auto against =
      eval({file.string(), "--definition", "add", "--workloads", "first", "--against", "baseline"});
  CHECK(against.exit_code == 0);
  CHECK_THAT(against.out,
             Catch::Contains("A: solution theirs   B: solution mine") && Catch::Contains("1 faster"));
  const auto json = nlohmann::json::parse(
      eval({file.string(), "--definition", "add", "--against", "baseline", "--format", "json"}).out);
  CHECK(json["solutions"][0]["against"]["totals"]["results"] == 2);
  CHECK(json["solutions"][0]["against"]["results"][0]["verdict"] == "faster");
  // What it is compared with may fail: the try has passed.
  const auto off = eval.write("off.cpp", kSignature + " { c[0] = n; }");
  const auto against_failed = eval({file.string(), "--definition", "add", "--against", off.string()});
  CHECK(against_failed.exit_code == 0);
  CHECK_THAT(against_failed.out, Catch::Contains("2 fixed"));
  CHECK(eval({off.string(), "--definition", "add", "--against", file.string()}).exit_code == 3);
  // Nor need it run on this machine.
  const auto gpu = eval.write("gpu.cu", kHonest);
  const auto against_gpu =
      eval({file.string(), "--definition", "add", "--against", gpu.string(), "--device", "cpu"});
  CHECK(against_gpu.exit_code == 0);
  CHECK_THAT(against_gpu.err, Catch::Contains("gpu: language cuda with target hardware [cuda] does not run"));
  const auto nobody = eval({file.string(), "--definition", "add", "--against", "thiers"});
  CHECK(nobody.exit_code == 1);
  CHECK_THAT(nobody.err, Catch::Contains("has no solution \"thiers\" of add; did you mean \"theirs\"?"));
}

TEST_CASE("a name means the dataset's solution, and a file only where there is none") {
  Eval eval;
  const auto file = eval.write("mine.cpp", kHonest);
  eval.run.dataset.solution("theirs", "baseline", kHonest);
  const auto here = eval.run.folder.path() / "here";
  std::filesystem::create_directories(here);
  util::write_file_atomic(here / "baseline", "no solution");
  const auto against = [&](const std::string& name) {
    const std::string shell =
        fmt::format("cd {} && exec {} eval {} --definition add --local {} --workloads first --against {}",
                    here.string(), fib_binary(), file.string(), eval.run.dataset.root().string(), name);
    return run_process({"/bin/sh", "-c", shell}, eval.run.environment());
  };
  CHECK_THAT(against("baseline").out, Catch::Contains("A: solution theirs"));
  CHECK(against("./baseline").exit_code == 1);
}

TEST_CASE("what is added is the solution and its traces, which never replaces another's record") {
  const Eval eval;
  const auto file = eval.write("mine.cpp", kHonest);
  const auto added = eval({file.string(), "--definition", "add", "--add"});
  CHECK(added.exit_code == 0);
  CHECK_THAT(added.err, Catch::Contains("the solution's record is added: "));
  const auto summary = run_process({fib_binary(), "report", "summary", "--local", eval.run.dataset.root()},
                                   eval.run.environment());
  CHECK_THAT(summary.out, Catch::Contains("mine") && Catch::Contains("2 passed"));
  (void)eval.write("mine.cpp", kHonest + "// another\n");
  const auto refused = eval({file.string(), "--definition", "add", "--add"});
  CHECK(refused.exit_code == 1);
  CHECK_THAT(refused.err, Catch::Contains("is there already, with another content; give the new one another "
                                          "name, or replace it: --replace"));
  CHECK(eval({file.string(), "--definition", "add", "--replace"}).exit_code == 2);  // nothing without --add
  const auto other = eval({file.string(), "--definition", "add", "--add", "--replace"});
  CHECK(other.exit_code == 0);
  CHECK_THAT(other.err, Catch::Contains("takes the place of the one before"));
  const auto record = eval.run.dataset.root() / "solutions/local/test/add/mine.json";
  CHECK_THAT(util::read_file(record), Catch::Contains("// another"));
  const auto replaced = run_process({fib_binary(), "report", "summary", "--local", eval.run.dataset.root()},
                                    eval.run.environment());
  CHECK_THAT(replaced.out, Catch::Contains("2 of other sources"));
  // A source that does not pass takes nobody's place.
  for (const std::string& bad : {std::string("nonsense"), kSignature + " {}"}) {
    (void)eval.write("mine.cpp", bad);
    const auto failed = eval({file.string(), "--definition", "add", "--add", "--replace"});
    CHECK(failed.exit_code == 3);
    CHECK_THAT(failed.err, Catch::Contains("mine has not passed everything: the dataset keeps the solution"));
    CHECK_THAT(util::read_file(record), Catch::Contains("// another"));
  }
  (void)eval.write("mine.cpp", kHonest);
  CHECK_THAT(eval({file.string(), "--definition", "add", "--against", "last"}).out,
             Catch::Contains("A: the last result that passed   B: this one"));
}

TEST_CASE("where results could not be written nothing is built") {
  Eval eval;
  const auto file = eval.write("mine.cpp", kHonest);
  const auto runs = eval.run.dataset.root() / "runs/runs.jsonl";
  std::filesystem::create_directories(runs.parent_path());
  util::write_file_atomic(runs, "");
  std::filesystem::resize_file(runs, std::uintmax_t{1} << 40U);
  const auto added = eval({file.string(), "--definition", "add", "--add"});
  CHECK(added.exit_code == 1);
  CHECK_THAT(added.err, Catch::Contains("its last line is longer than 64 MB") && !Catch::Contains("built"));
}

TEST_CASE("a name that another author's solution has is not added: the dataset would have neither") {
  Eval eval;
  eval.run.dataset.solution("theirs", "baseline", kSlow);
  const auto file = eval.write("theirs.cpp", kHonest);
  const auto refused = eval({file.string(), "--definition", "add", "--add", "--replace"});
  CHECK(refused.exit_code == 1);
  CHECK_THAT(refused.err, Catch::Contains("has a solution theirs already, in solutions/") &&
                              Catch::Contains("give the new one another name"));
}

TEST_CASE("a Python source that is added is for the device that it ran on") {
  const Eval eval;
  const auto file = eval.write("mine.py", "def run(a, b, c):\n    c[...] = a + b\n");
  (void)eval({file.string(), "--definition", "add", "--add", "--device", "cpu"});
  const auto record = util::read_file(eval.run.dataset.root() / "solutions/local/test/add/mine.json");
  CHECK(nlohmann::json::parse(record).at("spec").at("target_hardware") == nlohmann::json::array({"cpu"}));
}

TEST_CASE("a cascade ends with the smallest workload when that fails") {
  const Eval eval;
  const auto bad = eval.write("bad.cpp", kSignature + " {}");
  const auto result = eval({bad.string(), "--definition", "add", "--cascade"});
  CHECK(result.exit_code == 3);
  CHECK_THAT(
      result.out,
      Catch::StartsWith("bad on add: INCORRECT_NUMERICAL (unwritten_output), 0 of 2 workloads passed, 1 not "
                        "tried\n"
                        "what to do: fib explain unwritten_output\n"));
  const auto good = eval.write("good.cpp", kHonest);
  CHECK_THAT(eval({good.string(), "--definition", "add", "--cascade"}).out,
             Catch::StartsWith("good on add: PASSED 2 of 2 workloads"));
}

TEST_CASE("a cascade goes on with the solutions that passed, and says what it did not come to") {
  const Eval eval;
  const auto good = eval.write("good.cpp", kHonest);
  const auto bad =
      eval.write("bad.cpp", kSignature + " { for (long i = 0; i < n; ++i) c[i] = a[i] - b[i] - 9; }\n");
  const auto result =
      eval({good.string(), bad.string(), "--definition", "add", "--cascade", "--format", "json"});
  CHECK(result.exit_code == 3);
  const auto report = nlohmann::json::parse(result.out);
  CHECK(report.at("solutions").at(0).at("passed") == 2);
  CHECK(report.at("solutions").at(0).at("untried") == 0);
  CHECK(report.at("solutions").at(0).at("stages").size() == 3);
  CHECK(report.at("solutions").at(1).at("stages").at(1).at("status") == "INCORRECT_NUMERICAL");
  CHECK(report.at("solutions").at(1).at("workloads") == 1);
  CHECK(report.at("solutions").at(1).at("untried") == 1);
  const auto text = eval({bad.string(), "--definition", "add", "--cascade", "--quiet"});
  CHECK_THAT(text.out, Catch::Contains("0 of 2 workloads passed, 1 not tried"));
}

TEST_CASE("what a cascade finds in its first stage is added too") {
  const Eval eval;
  const auto bad = eval.write("bad.cpp", kSignature + " {}");
  CHECK(eval({bad.string(), "--definition", "add", "--cascade", "--add"}).exit_code == 3);
  const auto shown =
      run_process({fib_binary(), "list", "traces", "--local", eval.run.dataset.root(), "--format", "csv"},
                  eval.run.environment());
  CHECK_THAT(shown.out, Catch::Contains("bad") && Catch::Contains("INCORRECT_NUMERICAL"));
}

TEST_CASE("a definition and workloads may come from files alone") {
  const Eval eval;
  fs::path definition;
  fs::path workloads;
  for (const std::string& file : files_below(eval.run.dataset.root())) {
    if (file.find("/definitions/") != std::string::npos && file.ends_with(".json")) definition = file;
    if (file.find("/workloads/") != std::string::npos && file.ends_with(".jsonl")) workloads = file;
  }
  const auto source = eval.write("mine.cpp", kHonest);
  const auto result = run_process({fib_binary(), "eval", source, "--definition", definition, "--workload",
                                   workloads, "--iterations", "4", "--quiet"},
                                  eval.run.environment());
  CHECK(result.out.starts_with("mine on add: PASSED 2 of 2 workloads"));
  // The same inputs twice could be answered from memory.
  util::write_file_atomic(workloads, util::read_file(workloads) + util::read_file(workloads));
  const auto twice =
      run_process({fib_binary(), "eval", source, "--definition", definition, "--workload", workloads},
                  eval.run.environment());
  CHECK(twice.exit_code == 1);
  CHECK_THAT(twice.err, Catch::Contains(":3: the workload w100 is there twice"));
}

// Which of a run's processes run this hidden command.
static std::vector<int> processes_of(const FibRun& run, const std::string& hidden_command) {
  std::vector<int> found;
  for (const int process : run.processes()) {
    std::ifstream command(fmt::format("/proc/{}/cmdline", process));
    const std::string words{std::istreambuf_iterator<char>(command), {}};
    if (words.find(hidden_command) != std::string::npos) found.push_back(process);
  }
  return found;
}

TEST_CASE("a watch tries again when a source changes, and goes on when it cannot be read") {
  const Eval eval;
  const auto file = eval.write("mine.cpp", "#include \"add.h\"\n" + kSignature + " { add(a, b, c, n); }\n");
  const std::string head = "inline void add(const float* a, const float* b, float* c, long n) { ";
  const std::string body = "for (long i = 0; i < n; ++i) c[i] = a[i] + b[i]";
  (void)eval.write("add.h", head + body + " + 1; }\n");
  const auto out = eval.run.folder.path() / "out";
  const std::string shell = fmt::format(
      "exec {} eval {} --definition add --local {} --workloads first --quiet --watch "
      "--iterations 4 > {} 2> {}.err",
      fib_binary(), file.string(), eval.run.dataset.root().string(), out.string(), out.string());
  const int pid = start_process({"/bin/sh", "-c", shell}, eval.run.environment());
  const auto says = [&](const std::string& text) {
    return wait_for([&] { return fs::exists(out) && util::read_file(out).find(text) != std::string::npos; });
  };
  CHECK(says("mine on add: INCORRECT_NUMERICAL"));
  (void)eval.write("add.h", "nonsense");
  CHECK(says("mine on add: COMPILE_ERROR"));
  (void)eval.write("add.h", head + body + "; }\n");
  CHECK(says("mine on add: PASSED 1 of 1 workload"));
  // A watch that waits has no device.
  const auto err = out.string() + ".err";
  CHECK(wait_for([&] {
    const std::string text = util::read_file(err);
    std::size_t waits = 0;
    for (auto at = text.find("Ctrl-C ends"); at != std::string::npos; at = text.find("Ctrl-C ends", at + 1))
      ++waits;
    return waits == 3;
  }));
  const auto other = eval.write("other.cpp", kHonest);
  const auto between = eval({other.string(), "--definition", "add", "--quiet"});
  CHECK(between.exit_code == 0);
  CHECK(between.err.find("waiting") == std::string::npos);
  if (::geteuid() == 0) {  // who alone can tell which is which
    // For the next try, of a solution's worker and a reference's.
    CHECK(processes_of(eval.run, "__judge").size() == 1);
    CHECK(processes_of(eval.run, "__worker").size() == 2);
    // All tries have one keeper; when it is lost, the next try gets another.
    for (const int keeper : processes_of(eval.run, "__keeper")) CHECK(::kill(keeper, SIGKILL) == 0);
  }
  (void)eval.write("add.h", head + body + " + 2; }\n");
  CHECK(wait_for([&] {
    const std::string text = util::read_file(out);
    return text.find("INCORRECT_NUMERICAL", text.find("PASSED")) != std::string::npos;
  }));
  CHECK(::kill(pid, SIGINT) == 0);
  int status = 0;
  CHECK(::waitpid(pid, &status, 0) == pid);
  CHECK(WEXITSTATUS(status) == 130);
  CHECK(wait_for([&] { return eval.run.processes().empty(); }));
}

TEST_CASE("what cannot be tried is one sentence") {
  const Eval eval;
  const auto latin = eval.write("latin.cpp", kHonest + "// caf\xe9\n");
  const auto not_utf8 = eval({latin.string(), "--definition", "add"});
  CHECK(not_utf8.exit_code == 1);
  CHECK_THAT(not_utf8.err, Catch::Contains("latin.cpp: line ") &&
                               Catch::Contains("is not UTF-8; sources of solutions have to be"));
  CHECK(eval({"-", "--language", "cpp", "--definition", "add", "--watch"}).exit_code == 2);
  CHECK(eval({"nowhere.cpp", "--definition", "add", "--watch"}).exit_code == 1);
  const auto file = eval.write("mine.cpp", kHonest);
  const auto fails = [&](const Words& words, int code, const std::string& text) {
    const auto result = eval(words);
    CHECK(result.exit_code == code);
    CHECK(result.out.empty());
    CHECK_THAT(result.err, Catch::Contains(text));
  };
  fails({file.string()}, 1, "mine.cpp does not say what it computes: name its definition");
  fails({file.string(), "--definition", "ad"}, 1, "no definition is called \"ad\"; did you mean \"add\"?");
  fails({"nowhere.cpp", "--definition", "add"}, 1, "there is no file or folder nowhere.cpp");
  fails({file.string(), "--definition", "add", "--workloads", "xyz"}, 1,
        "no workload of add has a uuid that begins with \"xyz\"");
  fails({file.string(), "--definition", "add", "--workloads", "0"}, 1, "--workloads 0 chooses none");
  fails({file.string(), file.string(), "--definition", "add"}, 1, "two of the solutions are called mine");
  fails({eval.write("mine.txt", kHonest).string(), "--definition", "add"}, 1,
        "its name does not tell its language");
  fails({eval.write("gpu.cu", kHonest).string(), "--definition", "add", "--device", "cpu"}, 3,
        "gpu: language cuda with target hardware [cuda] does not run on cpu");
  const auto skipped =
      nlohmann::json::parse(eval({(eval.run.folder.path() / "gpu.cu").string(), "--definition", "add",
                                  "--device", "cpu", "--format", "json"})
                                .out);
  REQUIRE(skipped.at("skipped").size() == 1);
  CHECK(skipped.at("skipped")[0].at("stage") == "plan");
  CHECK(skipped.at("skipped")[0].at("fault") == "machine");
  CHECK(skipped.at("skipped")[0].at("code") == "other_device");
  CHECK(skipped.at("skipped")[0].at("retryable") == false);
  CHECK(skipped.at("plan_ms") > 0);
}
