#include <nlohmann/json.hpp>

#include "gpu/gpu.h"
#include "support/fib_run.h"
#include "support/python.h"
#include "support/schema_check.h"
#include "util/clock.h"

// `fib eval` of CUDA sources: verdicts, codes and places.
using namespace fib;
using testing::FibRun;

namespace {

struct Eval {
  FibRun run;
  nlohmann::json all{};  // what the last try printed
  Eval() { run.dataset.add_definition({1000}); }

  [[nodiscard]] nlohmann::json operator()(const std::string& name, const std::string& source) {
    const auto file = run.folder.path() / name;
    util::write_file_atomic(file, source);
    const std::int64_t begin = util::monotonic_ns();
    const auto result = testing::run_process(
        {testing::fib_binary(), "eval", file, "--definition", "add", "--local", run.dataset.root(),
         "--device", "cuda:0", "--format", "json", "--workloads", "first"},
        run.environment());
    INFO(result.err);
    WARN("fib eval " << name << ": " << static_cast<int>(util::in_ms(util::monotonic_ns() - begin)) << " ms");
    all = testing::checked_json("eval", result.out);
    return all.at("solutions").at(0);
  }
};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

}  // namespace

TEST_CASE("a CUDA source is tried by one command, and says why it fails", "[gpu]") {
  if (testing::gpu() == nullptr) return;
  if (!testing::has_cuda_tool("nvcc")) return;
  Eval eval;
  const std::string source = util::read_file(testing::source_folder() / "tests/hostile/cuda/host_honest.cu");
  const auto honest = eval("honest.cu", source);
  CHECK(honest["status"] == "PASSED");
  CHECK(honest["latency_ms"] > 0);
  const auto& kernels = honest["results"][0]["resources"];
  REQUIRE(kernels.size() == 1);
  CHECK(kernels[0]["own"] == true);
  CHECK(source.find(kernels[0]["name"].get<std::string>()) != std::string::npos);
  CHECK(kernels[0]["block"] == nlohmann::json::array({256, 1, 1}));
  CHECK(kernels[0]["registers"] > 0);
  CHECK(kernels[0]["local_bytes"] == 0);
  CHECK(kernels[0]["share"] == 1);
  CHECK(kernels[0]["occupancy"] == 1);
  CHECK(honest["results"][0]["roofline"]["share"] > 0);
  CHECK(honest["results"][0]["roofline"]["binds"] == "memory");
  CHECK(eval("honest.cu", source)["status"] == "PASSED");  // from the cache of builds
  const auto syntax =
      eval("syntax.cu", replaced(source, "a[i] + b[i]", "a[i] + x[i]"))["results"][0]["failure"];
  CHECK(syntax["code"] == "compile_error");
  CHECK(syntax["diagnostics"][0]["file"] == "syntax.cu");
  CHECK(syntax["diagnostics"][0]["line"] == 6);
  const auto wrong = eval("wrong.cu", replaced(source, "i < n", "i < n - 1"))["results"][0]["failure"];
  CHECK(wrong["code"] == "unwritten_output");
  CHECK(wrong["mismatch"]["index"] == nlohmann::json::array({999}));
  CHECK(wrong["mismatch"]["pattern"] == "last_elements");
  const auto access =
      eval("access.cu", replaced(source, "c[i] = a", "c[i + (1LL << 40)] = a"))["results"][0]["failure"];
  CHECK(access["code"] == "illegal_access");
  const auto launch =
      eval("launch.cu", replaced(source, "256, 0, stream", "4096, 0, stream"))["results"][0]["failure"];
  CHECK(launch["stage"] == "run");
}

TEST_CASE("what torch took for a reference stands for the tries of the next hour", "[gpu]") {
  if (testing::gpu() == nullptr) return;
  const auto python = testing::python_with_torch();
  if (!python) return;
  Eval eval;
  eval.run.python = *python;
  const std::string source = util::read_file(testing::source_folder() / "tests/hostile/cuda/host_honest.cu");
  const auto first = eval("honest.cu", source);
  const auto second = eval("honest.cu", source + "// edited\n");
  REQUIRE(first["status"] == "PASSED");
  REQUIRE(second["status"] == "PASSED");
  CHECK(first["speedup"] > 0);
  CHECK(second["speedup"] > 0);
  CHECK(second["results"][0]["reference_ms"] == first["results"][0]["reference_ms"]);
  CHECK_THAT(eval.all["cautions"].back().get<std::string>(), Catch::Contains("--reference python"));
}

TEST_CASE("sources of new solutions run in CUDA and in Triton", "[gpu]") {
  if (testing::gpu() == nullptr) return;
  FibRun run;
  if (const auto python = testing::python_with_torch()) run.python = *python;
  const auto fib = [&](std::vector<std::string> words) {
    words.insert(words.begin(), testing::fib_binary());
    words.insert(words.end(), {"--local", run.dataset.root().string()});
    return testing::run_process(words, run.environment());
  };
  for (const std::string form : {"elementwise", "rows", "matmul"}) {
    const std::string definition = "new_" + form;
    REQUIRE(fib({"new", "definition", definition, "--form", form}).exit_code == 0);
    for (const std::string language : {"cuda", "triton"}) {
      if (language == "triton" && run.python.empty()) continue;
      INFO(form << " in " << language);
      const auto file = run.folder.path() / (definition + (language == "cuda" ? ".cu" : ".py"));
      REQUIRE(fib({"new", "solution", "--definition", definition, "--language", language, "--output",
                   file.string()})
                  .exit_code == 0);
      const auto tried = fib({"eval", file.string(), "--definition", definition, "--device", "cuda:0",
                              "--format", "json", "--workloads", "first"});
      INFO(tried.out << tried.err);
      // CUDA sources write zeros until a kernel is in their place; those in Triton compute the reference.
      CHECK(testing::checked_json("eval", tried.out).at("solutions").at(0).at("status") ==
            (language == "cuda" ? "INCORRECT_NUMERICAL" : "PASSED"));
    }
  }
}
