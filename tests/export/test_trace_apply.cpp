#include <catch2/catch.hpp>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "dataset/standing.h"
#include "export/trace_apply.h"
#include "report/runs_dataset.h"
#include "support/process.h"
#include "support/temporary.h"
#include "util/files.h"

using namespace fib;
using Json = nlohmann::ordered_json;
using testing::kRun1;
using testing::RunTrace;
using testing::TemporaryDataset;
namespace fs = std::filesystem;

namespace {

const model::Definition& gemm() {
  static const auto definition = model::parse_definition(testing::definition_text("gemm_n128", "gemm"));
  return definition;
}

// The names of gemm's arguments.
std::string inputs() {
  std::string text;
  for (const auto& input : gemm().inputs) text += (text.empty() ? "" : ", ") + input.name;
  return text;
}
std::string arguments() { return inputs() + ", " + gemm().outputs.front().name; }

model::Solution solution_of(const Json& spec, const std::string& source, const std::string& path) {
  Json whole = {{"language", "python"}, {"target_hardware", {"cuda"}}, {"entry_point", path + "::run"}};
  if (!spec.is_null()) whole.update(spec);
  const Json solution = {{"name", "s"},
                         {"definition", "gemm_n128"},
                         {"author", "alice"},
                         {"spec", whole},
                         {"sources", {{{"path", path}, {"content", source}}}}};
  return model::parse_solution(solution.dump());
}

std::string why_not(const Json& spec, const std::string& source, const std::string& path = "main.py") {
  return exports::why_not_applied(solution_of(spec, source, path), gemm());
}

const std::string kFfi = "#include <tvm/ffi/function.h>\n";

void add(const TemporaryDataset& files, const std::string& name, const Json& spec, const std::string& source,
         const std::string& path = "main.py") {
  Json whole = {{"language", "python"}, {"target_hardware", {"cuda"}}, {"entry_point", path + "::run"}};
  if (!spec.is_null()) whole.update(spec);
  const Json solution = {{"name", name},
                         {"definition", "gemm_n128"},
                         {"author", "alice"},
                         {"spec", whole},
                         {"sources", {{{"path", path}, {"content", source}}}}};
  files.write("solutions/alice/" + name + ".json", solution.dump());
}

std::string trace(const std::string& solution, double median, const std::string& uuid = "w1",
                  const std::string& hardware = testing::kGpu) {
  return RunTrace{.run = kRun1,
                  .definition = "gemm_n128",
                  .solution = solution,
                  .uuid = uuid,
                  .median = median,
                  .hardware = hardware}
      .line();
}

exports::TraceApplyReport exported(const TemporaryDataset& files, const fs::path& output) {
  std::vector<std::string> unreadable;
  const auto dataset = dataset::load_without_results(files.root(), unreadable);
  dataset::Filter filter;
  filter.standing = std::make_shared<const dataset::StandingResults>(dataset, dataset::read_results(dataset));
  auto report = exports::choose_trace_apply(dataset, filter, unreadable);
  CHECK(unreadable.empty());
  exports::write_trace_apply(report, dataset, output);
  return report;
}

// A dataset in which a launch plan wins, a Python solution is second and a TVM-FFI one third.
void write_contest(const TemporaryDataset& files) {
  testing::write_runs(files);
  add(files, "plan", {{"language", "cuda"}, {"launch", {{"grid", 1}, {"block", 1}}}}, "kernel", "a.cu");
  add(files, "triton_one", {{"language", "triton"}}, "def run(" + inputs() + "):\n    return A\n");
  add(files, "ffi", {{"language", "cuda"}}, kFfi, "a.cu");
  files.write("workloads/gemm/gemm_n128.jsonl", testing::workload_line("w1", "gemm_n128", 1) + "\n");
  files.write("traces/all.jsonl", trace("plan", 1) + trace("triton_one", 2) + trace("ffi", 3));
}

}  // namespace

TEST_CASE("FlashInfer applies functions of Python that take the arguments' names, and of TVM-FFI") {
  CHECK(why_not({}, "def run(" + arguments() + "):\n    pass\n").empty());
  CHECK(
      why_not({{"destination_passing_style", false}}, "def run(" + inputs() + "):\n    return 1\n").empty());
  CHECK(why_not({}, "def run(*args, **named):\n    pass\n").empty());
  CHECK(why_not({{"language", "cute_dsl"}}, "def run(" + arguments() + "):\n    pass\n").empty());
  CHECK(why_not({{"language", "cuda"}}, kFfi, "a.cu").empty());
  CHECK(why_not({{"language", "cpp"}, {"binding", "tvm-ffi"}}, "", "a.cpp").empty());
}

TEST_CASE("what FlashInfer cannot apply has a reason") {
  CHECK(why_not({}, "def run(first, second, third):\n    pass\n") ==
        "FlashInfer passes arguments by name, and run does not take " + arguments() + " so");
  CHECK(why_not({{"entry_point", "main.py::Model.run"}}, "class Model:\n    pass\n") ==
        "its entry point Model.run is a method; FlashInfer wants a function");
  CHECK(why_not({{"language", "cuda"}, {"launch", {{"grid", 1}, {"block", 1}}}}, "", "a.cu") ==
        "FlashInfer knows no spec.launch");
  CHECK(why_not({{"language", "cuda"}, {"binding", "torch"}}, "", "a.cu") ==
        "FlashInfer builds no torch extensions");
  CHECK(why_not({{"language", "cuda"}}, "extern \"C\" void run();", "a.cu") ==
        "its function has C's convention; FlashInfer calls TVM-FFI's");
  CHECK(why_not({{"language", "cuda"}, {"compile_options", {{"cuda_cflags", {"-O1"}}}}}, kFfi, "a.cu") ==
        "FlashInfer knows no compile_options");
  CHECK(why_not({{"language", "c"}}, "", "a.c") == "FlashInfer has no language c");
}

TEST_CASE("an applied solution says how it is called, in FlashInfer's words") {
  const auto returns = exports::applied_solution(
      solution_of({{"language", "cute_dsl"}}, "def run(" + inputs() + "):\n    return 1\n", "main.py"),
      gemm());
  const auto text = Json::parse(to_json(returns));
  CHECK(text.at("spec") == Json{{"language", "cutedsl"},
                                {"target_hardware", {"cuda"}},
                                {"entry_point", "main.py::run"},
                                {"dependencies", Json::array()},
                                {"destination_passing_style", false}});
  const auto compiled = exports::applied_solution(solution_of({{"language", "cuda"}}, kFfi, "a.cu"), gemm());
  const auto spec = Json::parse(to_json(compiled)).at("spec");
  CHECK(spec.at("binding") == "tvm-ffi");
  CHECK(spec.at("destination_passing_style") == true);
}

TEST_CASE("the hash is FlashInfer's") {
  auto solution = exports::applied_solution(
      solution_of({{"language", "cuda"}, {"dependencies", {"cutlass"}}}, kFfi, "a.cu"), gemm());
  solution.sources.push_back({"B.h", "int b;\n", {}});
  // Solution.hash() of flashinfer-python 0.7.2.post1 for these fields.
  CHECK(exports::trace_apply_sha256(solution) ==
        "3d6e3cbbba427c23c8d2868076cb048ad1461a0dfabc894e9c9bbb76bfd1eeb3");
  const auto python = exports::applied_solution(
      solution_of({{"destination_passing_style", false}}, "def run():\n    return 1\n", "main.py"), gemm());
  CHECK(exports::trace_apply_sha256(python) ==
        "768789b7e011f8710b3d3cf176c8e29cd8a8cf798d815df06fc749c37d6d5665");
}

TEST_CASE("the folder has the best solution of a definition that can be applied") {
  const TemporaryDataset files;
  write_contest(files);
  const testing::TemporaryFolder folder;
  const auto report = exported(files, folder.path() / "out");
  CHECK(report.hardware == testing::kGpu);
  REQUIRE(report.chosen.size() == 1);
  CHECK(report.chosen[0].solution == "triton_one");
  CHECK(report.chosen[0].latency_ms == 2);
  REQUIRE(report.chosen[0].faster.size() == 1);
  CHECK(report.chosen[0].faster[0].solution == "plan");
  CHECK(report.chosen[0].faster[0].reason == "FlashInfer knows no spec.launch");
  CHECK(report.chosen[0].faster[0].latency_ms == 1);
  CHECK(report.chosen[0].workloads == 1);
  CHECK(report.chosen[0].all_workloads == 1);
  CHECK(report.without_api == std::vector<std::string>{"gemm_n128"});
  const auto solution =
      Json::parse(util::read_file(folder.path() / "out/solutions/alice/gemm/gemm_n128/triton_one.json"));
  CHECK(solution.at("spec").at("destination_passing_style") == false);
  CHECK(fs::exists(folder.path() / "out/definitions/gemm/gemm_n128.json"));
  const auto manifest = Json::parse(util::read_file(folder.path() / "out/manifest.json"));
  CHECK(manifest.at("definitions").at(0).at("sha256") == report.chosen[0].sha256);
  std::size_t files_there = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder.path() / "out"))
    files_there += entry.is_regular_file() ? 1 : 0;
  CHECK(files_there == 3);
}

TEST_CASE("who failed on a workload is not chosen, and nothing is written where nobody can be") {
  const TemporaryDataset files;
  write_contest(files);
  const testing::TemporaryFolder folder;
  const fs::path output = folder.path() / "out";
  files.write("workloads/gemm/gemm_n128.jsonl", testing::workload_line("w1", "gemm_n128", 1) + "\n" +
                                                    testing::workload_line("w2", "gemm_n128", 1) + "\n");
  files.write("traces/all.jsonl", trace("triton_one", 2) + trace("ffi", 3) + trace("ffi", 3, "w2"));
  CHECK(exported(files, output).chosen.at(0).solution == "ffi");
  CHECK_THROWS_WITH(exported(files, output), Catch::Contains("exists; name a new folder"));
  files.write("traces/all.jsonl", trace("plan", 1));
  CHECK_THROWS_WITH(exported(files, folder.path() / "none"),
                    "no solution can be applied:\n  gemm_n128: plan cannot be applied: FlashInfer knows no "
                    "spec.launch");
  files.write("traces/all.jsonl", trace("ffi", 1) + trace("ffi", 1, "w1", "NVIDIA A100"));
  CHECK_THROWS_WITH(exported(files, folder.path() / "none"), Catch::Contains("say by --hardware which"));
  files.write("traces/all.jsonl", "");
  CHECK_THROWS_WITH(exported(files, folder.path() / "none"), Catch::Contains("there are no results"));
  CHECK_FALSE(fs::exists(folder.path() / "none"));
}

// FIB_TEST_FLASHINFER names a folder with the package flashinfer, of which two files are read alone:
// importing the package needs a GPU's libraries.
TEST_CASE("FlashInfer's own reader takes the folder, with the same hash") {
  const char* package = std::getenv("FIB_TEST_FLASHINFER");
  if (package == nullptr) {
    WARN("skipped: FIB_TEST_FLASHINFER names no folder with the package flashinfer");
    return;
  }
  const TemporaryDataset files;
  write_contest(files);
  const testing::TemporaryFolder folder;
  const auto report = exported(files, folder.path() / "out");
  const std::string script = R"(
import importlib.util, sys, types
def load(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
root, output = sys.argv[1:]
for name in ("flashinfer", "flashinfer.trace"):
    sys.modules[name] = types.ModuleType(name)
load("flashinfer.trace.solution", root + "/flashinfer/trace/solution.py")
config = load("flashinfer.trace_apply.config", root + "/flashinfer/trace_apply/config.py")
for (definition, name), solution in config.load_config(output).solutions.items():
    print(definition, name, solution.spec.destination_passing_style, solution.hash())
)";
  const auto result = testing::run_process(
      {"/usr/bin/env", "python3", "-c", script, package, (folder.path() / "out").string()}, {});
  INFO(result.err);
  CHECK(result.out == "gemm_n128 triton_one False " + report.chosen.at(0).sha256 + "\n");
}
