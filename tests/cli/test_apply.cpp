#include <catch2/catch.hpp>
#include <chrono>
#include <future>
#include <nlohmann/json.hpp>

#include "apply/results.h"
#include "cli/run_fib.h"
#include "support/process.h"
#include "support/tvm_ffi.h"
#include "util/file_lock.h"

using namespace fib;

namespace {

const char* const kCpu = "Test CPU";

struct ApplyCommand {
  util::TemporaryFolder folder{std::filesystem::temp_directory_path(), "fib-apply-"};
  testing::AppliedDataset data{folder.path() / "dataset"};

  ApplyCommand() {
    data.adder("ten", "10").adder("twenty", "20");
    data.builder().python_solution("snake", "def run(a, b, c):\n    c.copy_(a + b)\n");
    data.result({"ten", 8, 3, kCpu}).result({"twenty", 8, 2, kCpu}).result({"snake", 16, 5, kCpu});
    data.result({"ten", 16, 4, "NVIDIA Test GPU"});
  }

  testing::ProcessResult run(std::vector<std::string> words, bool with_hardware = true) {
    words.insert(words.begin(), {testing::fib_binary(), "apply"});
    if (words[2] != "trust" || words.back() != "--list") {
      words.insert(words.end(), {"--local", data.root().string()});
    }
    if (with_hardware) words.insert(words.end(), {"--hardware", kCpu});
    return testing::run_process(
        words, {"FIB_CACHE_PATH=" + (folder.path() / "cache").string(),
                "FIB_TRUST_FILE=" + (folder.path() / "trusted.txt").string(), "FIB_PYTHON=", "COLUMNS=140"});
  }
};

}  // namespace

TEST_CASE_METHOD(ApplyCommand, "fib apply show tells each case's winner") {
  const auto shown = run({"show"});
  CHECK(shown.exit_code == 0);
  CHECK(shown.err.empty());
  CHECK(shown.out ==
        "Which solution answers which call: 2 cases of 1 definition\n"
        "\n"
        "  Axes  Solution  Latency (ms)  vs. reference  Next best  Latency (ms)\n"
        "----------------------------------------------------------------------\n"
        "add\n"
        "  n=8   ten            0.33333          3.00x  twenty          0.50000\n"
        "  n=16  snake          0.20000          5.00x  -                     -\n"
        "\n"
        "1 result does not count: 1 on other hardware\n");
  const auto json = nlohmann::json::parse(run({"show", "--format", "json"}).out);
  const auto& cases = json.at("datasets").at(0).at("cases");
  REQUIRE(cases.size() == 2);
  CHECK(cases.at(0).at("solution") == "ten");
  CHECK(cases.at(0).at("speedup") == 3.0);
  CHECK(cases.at(0).at("axes") == nlohmann::json{{"n", 8}});
  CHECK(json.at("datasets").at(0).at("left_out") == nlohmann::json{{"on other hardware", 1}});
  CHECK(json.at("datasets").at(0).at("digest").get<std::string>().size() == 64);
}

TEST_CASE_METHOD(ApplyCommand,
                 "cases of machines that are not here are counted, and no cases are a sentence") {
  const auto shown = run({"show", "--definitions", "add"}, false);
  CHECK(shown.exit_code == 0);
  CHECK_THAT(shown.out,
             Catch::StartsWith("No solution of " + data.root().string() +
                               " has a result that counts on this machine (") &&
                 Catch::Contains("1 more case on NVIDIA Test GPU, which is not here: --hardware 'NVIDIA Test "
                                 "GPU'\n2 more cases on Test CPU"));
  const auto unknown = run({"show", "--definitions", "subtract"});
  CHECK(unknown.exit_code == 1);
  CHECK_THAT(unknown.err, Catch::Contains("\"subtract\""));
}

TEST_CASE_METHOD(ApplyCommand, "fib apply check says how each winner is called") {
  const auto checked = run({"check"});
  CHECK(checked.exit_code == 3);  // there is no Python for "snake"
  CHECK_THAT(checked.out, Catch::Contains("  ten       Test CPU      1  in the program") &&
                              Catch::Contains("  snake     Test CPU      1  no: "));
  data.builder().solution("snake", "me", "extern \"C\" void run() {}\n");
  data.result({"twenty", 16, 9, kCpu});
  CHECK(run({"check"}).exit_code == 0);
}

TEST_CASE_METHOD(ApplyCommand, "fib apply warm builds the winners") {
  data.result({"twenty", 16, 9, kCpu});
  const auto first = run({"warm"});
  CHECK(first.out == "ten for add on Test CPU: built\ntwenty for add on Test CPU: built\n");
  CHECK(first.exit_code == 0);
  CHECK(run({"warm"}).out ==
        "ten for add on Test CPU: was built before\ntwenty for add on Test CPU: was built before\n");
  data.builder().solution("broken", "me", "this is no C++\n");
  data.result({"broken", 8, 99, kCpu});
  const auto broken = run({"warm"});
  CHECK(broken.exit_code == 1);
  CHECK_THAT(broken.out, Catch::StartsWith("broken for add on Test CPU: does not build: "));
}

TEST_CASE_METHOD(ApplyCommand,
                 "functions that return their outputs, and torch extensions, are called in the program") {
  data.builder().tvm_ffi_solution("returning", testing::kTvmFfiAddReturned,
                                  {{"destination_passing_style", false}});
  const auto torch = [](const std::string& body) {
    return "#include <torch/extension.h>\ntorch::Tensor run(torch::Tensor a, torch::Tensor b) { return " +
           body + "; }\nPYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def(\"run\", &run); }\n";
  };
  data.builder().torch_solution("small", {{"main.cpp", torch("a.clone()")}});
  data.builder().torch_solution("large", {{"main.cpp", torch("torch::relu(a + b)")}});
  data.result({"returning", 8, 9, kCpu}).result({"small", 16, 9, kCpu}).result({"large", 32, 9, kCpu});
  const auto checked = run({"check"});
  CHECK(checked.exit_code == 0);
  CHECK_THAT(checked.out, Catch::Contains("returning  Test CPU      1  in the program  ") &&
                              Catch::Contains("small      Test CPU      1  in the program, or by Python"));
  const auto warmed = run({"warm"});
  CHECK(warmed.exit_code == 0);
  CHECK_THAT(warmed.out,
             Catch::Contains("returning for add on Test CPU: built\n") &&
                 Catch::Contains("small for add on Test CPU: built\n") &&
                 Catch::Contains("large for add on Test CPU: is called by Python: fib's torch headers "
                                 "do not build it: "));
}

TEST_CASE_METHOD(ApplyCommand,
                 "what another command changes meanwhile in the list of accepted solutions stays") {
  const auto list = folder.path() / "trusted.txt";
  auto lock = util::FileLock::take_within(folder.path() / "trusted.txt.lock", std::chrono::seconds(10));
  auto other = std::async(std::launch::async, [&] { return run({"trust", "ten"}, false); });
  CHECK(other.wait_for(std::chrono::milliseconds(500)) == std::future_status::timeout);
  const std::string line = std::string(64, 'a') + "  elsewhere\n";
  util::write_file_atomic(list, line);
  lock.give_up();
  CHECK(other.get().out == "ten is accepted\n");
  CHECK_THAT(util::read_file(list), Catch::Contains(" elsewhere\n") && Catch::Contains(" ten\n"));
}

TEST_CASE_METHOD(ApplyCommand, "fib apply trust keeps a list of accepted solutions") {
  CHECK_THAT(run({"trust", "--list"}, false).out, Catch::EndsWith("trusted.txt has no solution\n"));
  CHECK(run({"trust", "ten"}, false).out == "ten is accepted\n");
  CHECK(run({"trust", "t*"}, false).out == "ten was accepted before\ntwenty is accepted\n");
  CHECK_THAT(run({"check", "--format", "csv"}).out,
             Catch::Contains("add,ten,Test CPU,1,in the program,true\n"));
  CHECK(run({"trust", "twenty", "--remove"}, false).out == "twenty is no longer accepted\n");
  CHECK_THAT(run({"trust", "twenty", "--remove"}, false).err,
             Catch::EndsWith("trusted.txt has none of these: twenty\n"));
  const auto listed = run({"trust", "--list"}, false).out;
  CHECK_THAT(listed, Catch::EndsWith("  ten\n"));
  CHECK(listed.size() == 64 + 2 + 4);
  data.adder("ten", "11").result({"ten", 8, 9, kCpu});  // another source is another solution
  CHECK_THAT(run({"check", "--format", "csv"}).out,
             Catch::Contains("add,ten,Test CPU,1,in the program,false\n"));
  CHECK(run({"trust"}, false).exit_code == 2);
  CHECK(run({"trust", "nobody"}, false).exit_code == 1);
}

TEST_CASE_METHOD(ApplyCommand, "a dataset without results says what to do, and names are no shell's") {
  data.result({"ten", 8, 3, "GPU'; rm -rf ~ #"});
  CHECK_THAT(run({"show"}, false).out,
             Catch::Contains("which is not here: --hardware 'GPU'\\''; rm -rf ~ #'"));
  std::filesystem::remove_all(data.root() / "traces");
  CHECK(run({"show"}, false).out ==
        data.root().string() + " has no results yet: fib run --local " + data.root().string() + "\n");
}

TEST_CASE_METHOD(ApplyCommand, "a configuration file says everything") {
  const auto file = folder.path() / "apply.json";
  util::write_new_file(file, R"({"per_definition":{"add":{"hardware":"any","require_hash":false}}})");
  const auto shown = run({"show", "--apply-config", file.string(), "--format", "csv"}, false);
  CHECK(shown.exit_code == 0);
  CHECK_THAT(shown.out, Catch::Contains("any,snake,python,0.2,5"));
  CHECK(run({"show", "--apply-config", file.string()}).exit_code == 2);
  util::write_file_atomic(file, R"({"default":{"speed":1}})");
  const auto wrong = run({"show", "--apply-config", file.string()}, false);
  CHECK(wrong.exit_code == 1);
  CHECK(wrong.err == "fib: " + file.string() + ": default.speed: is no key of a configuration\n");
  util::write_file_atomic(file, R"({"hardware":"Test CPU","require_trust":true})");
  const auto untrusted = run({"check", "--apply-config", file.string()}, false);
  CHECK(untrusted.exit_code == 3);
  CHECK_THAT(untrusted.out, Catch::Contains("ten for add: it is not accepted (fib apply trust), which the "
                                            "configuration demands\n"));
}
