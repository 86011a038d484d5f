#include <sys/resource.h>

#include <cstdlib>

#include "compile/builder.h"
#include "compile/elf_symbols.h"
#include "compile/python_tests.h"
#include "compile/torch_builder.h"
#include "dataset/load.h"
#include "support/places.h"
#include "support/python.h"
#include "support/temporary.h"
#include "util/command.h"
#include "util/files.h"

using namespace fib;
using Outcome = compile::BuildResult::Outcome;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

model::Solution extension(const std::vector<testing::Source>& sources, const json& more = json::object()) {
  json spec = {{"binding", "torch"}};
  spec.update(more);
  return testing::solution("cpp", sources[0].path + "::run", sources, spec);
}

// What the compilers have used so far.
double cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// Builds on the CPU. No torch, or no ninja: `python` is nothing.
struct Build {
  const testing::TemporaryFolder cache;
  std::optional<compile::PythonInterpreter> python = able(testing::real_python());

  static std::optional<compile::PythonInterpreter> able(std::optional<compile::PythonInterpreter> python) {
    if (!python) return python;
    const auto reason = compile::unsupported_reason(extension({{"a.cpp", "x"}}), model::DeviceKind::cpu,
                                                    python, std::nullopt, compile::TorchWay::kReal);
    if (!reason) return python;
    WARN("skipped: " << reason->why);
    return std::nullopt;
  }
  compile::BuildResult operator()(const model::Solution& s) const {
    return compile::build(
        s, testing::definition({"x"}, {"y"}),
        {.device = model::DeviceKind::cpu, .python = python, .torch = compile::TorchWay::kReal},
        cache.path());
  }
};

// torch's Python.h-free core keeps these builds short: no torch/extension.h.
const std::string kSmall =
    "#include <pybind11/pybind11.h>\n"
    "#include \"part.h\"\n"
    "double run(double x) { return FACTOR * part(x); }\n"
    "PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def(\"run\", &run); }\n";
const testing::Source kPart = {"part.cpp", "#include \"part.h\"\ndouble part(double x) { return x + 1; }\n"};
const testing::Source kHeader = {"part.h", "double part(double x);\n"};
const json kFactor = {{"compile_options", {{"cflags", {"-DFACTOR=(5 * 2)", "-DTEXT=\"a $b; c\""}}}}};

}  // namespace

TEST_CASE("architectures in torch's words") {
  CHECK(compile::torch_architecture("sm_90a") == "9.0a");
  CHECK(compile::torch_architecture("sm_80") == "8.0");
  CHECK(compile::torch_architecture("sm_120") == "12.0");
  CHECK(compile::torch_architecture("sm_103a") == "10.3a");
  CHECK_THROWS_AS(compile::torch_architecture("sm_9"), Error);
}

TEST_CASE("an extension is built, not loaded, found again, and can be imported") {
  const Build build;
  if (!build.python) return;
  const auto mark = build.cache.path() / "loaded";
  const std::string loads =
      "#include <cstdio>\nstatic auto* file = std::fopen(\"" + mark.string() + "\", \"w\");\n";
  const auto s = extension({{"main.cpp", loads + kSmall}, kPart, kHeader}, kFactor);
  const auto first = build(s);
  INFO(first.log);
  REQUIRE(first.outcome == Outcome::kBuilt);
  CHECK_FALSE(fs::exists(mark));
  CHECK_FALSE(first.from_cache);
  const auto& artifact = first.artifact;
  CHECK(artifact.kind == compile::Artifact::Kind::kTorchExtension);
  CHECK(artifact.symbol == "run");
  CHECK(artifact.module == model::package_name(s, "torch_"));
  CHECK(artifact.style.style == compile::CallingStyle::kValueReturning);
  CHECK_THAT(first.log, Catch::StartsWith("the solution does not say destination_passing_style: called as "
                                          "value-returning, since run in main.cpp:5 returns double"));
  CHECK(compile::exported_functions(artifact.file).contains("PyInit_" + artifact.module));
  const std::string script = "import torch, importlib.util as u\ns = u.spec_from_file_location('" +
                             artifact.module + "', '" + artifact.file.string() +
                             "')\nm = u.module_from_spec(s)\ns.loader.exec_module(m)\nprint(m.run(2))";
  CHECK_THAT(util::run_command({build.python->path.string(), "-c", script}, "/").output,
             Catch::EndsWith("30.0\n"));
  const auto second = build(s);
  CHECK(second.from_cache);
  CHECK(second.artifact.file == artifact.file);
  CHECK(second.artifact.style.reason == artifact.style.reason);
}

TEST_CASE("an extension's failed build begins with the compiler's first error") {
  const Build build;
  if (!build.python) return;
  const auto log_of = [&](const model::Solution& s) {
    const auto result = build(s);
    CHECK(result.outcome == Outcome::kFailed);
    return result.log;
  };
  CHECK_THAT(log_of(extension({{"main.cpp", "#warning early\nint f() { return later; }\n"}})),
             Catch::StartsWith("main.cpp:2:18: error: ") && !Catch::Contains("Traceback"));
  CHECK_THAT(log_of(extension({{"main.cpp", kSmall}, kHeader}, kFactor)),
             Catch::StartsWith("the extension uses what no source and no library defines: part(double)"));
  CHECK_THAT(log_of(extension({kPart, kHeader})),
             Catch::Contains("PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) is missing"));
}

TEST_CASE("extensions that torch cannot build are refused in a sentence") {
  const Build build;
  if (!build.python) return;
  const auto log_of = [&](const model::Solution& s) {
    const auto result = build(s);
    CHECK(result.outcome == Outcome::kFailed);
    return result.log;
  };
  CHECK(log_of(extension({{"a/x.cpp", "x"}, {"b/x.cc", "y"}})) ==
        "torch cannot build two sources named x: rename one");
  CHECK_THAT(log_of(extension({{"a$b.cpp", "x"}})),
             Catch::Contains("torch cannot build the source \"a$b.cpp\""));
  CHECK_THAT(log_of(extension({{"a.h", "x"}})),
             Catch::StartsWith("no source can be compiled: expected .cpp"));
  CHECK_THAT(log_of(extension({{"a.cpp", "x"}}, {{"compile_options", {{"cflags", {"-fplugin=x.so"}}}}})),
             Catch::Contains("-fplugin=x.so\" is not allowed"));
}

TEST_CASE("a torch extension with tensors is built on the CPU") {
  const Build build;
  if (!build.python) return;
  const auto s = extension({{"main.cpp",
                             "#include <torch/extension.h>\n"
                             "void run(torch::Tensor x, torch::Tensor y) { y.copy_(x * 2); }\n"
                             "PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def(\"run\", &run); }\n"}});
  const auto result = build(s);
  INFO(result.log);
  REQUIRE(result.outcome == Outcome::kBuilt);
  CHECK(result.artifact.style.style == compile::CallingStyle::kDestinationPassing);
  const std::string script =
      "import torch, importlib.util as u\ns = u.spec_from_file_location('" + result.artifact.module + "', '" +
      result.artifact.file.string() +
      "')\nm = u.module_from_spec(s)\ns.loader.exec_module(m)\nx, y = torch.ones(3), torch.zeros(3)\n"
      "m.run(x, y)\nprint(y.tolist())";
  CHECK_THAT(util::run_command({build.python->path.string(), "-c", script}, "/").output,
             Catch::EndsWith("[2.0, 2.0, 2.0]\n"));
}

// Minutes each: FIB_TEST_REAL_EXTENSIONS is a part of their names ("rmsnorm"), or "all".
TEST_CASE("published torch extensions compile for a GPU", "[real_extensions]") {
  const char* wanted = std::getenv("FIB_TEST_REAL_EXTENSIONS");
  const fs::path data = testing::source_folder() / "../shared/data";
  const Build build;
  if (wanted == nullptr || !build.python || !fs::exists(data / "real/fib_a800/solutions")) {
    WARN("skipped: slow; set FIB_TEST_REAL_EXTENSIONS to \"all\" or a part of their names");
    return;
  }
  const auto definitions = dataset::load(data / "flashinfer_trace", {}).definitions;
  for (const auto& file : fs::directory_iterator(data / "real/fib_a800/solutions")) {
    const auto solution = model::parse_solution(util::read_file(file.path()));
    if (std::string(wanted) != "all" && solution.name.find(wanted) == std::string::npos) continue;
    const double begin = cpu_seconds();
    const auto result = compile::build(solution, definitions.at(solution.definition),
                                       {.device = model::DeviceKind::cuda,
                                        .architecture = "sm_90a",
                                        .python = build.python,
                                        .torch = compile::TorchWay::kReal},
                                       build.cache.path());
    WARN(solution.name << ": " << cpu_seconds() - begin << " s of CPU time");
    INFO(result.log);
    CHECK(result.outcome == Outcome::kBuilt);
  }
}

TEST_CASE("a torch that cannot be imported is no fault of an extension, and may take random numbers") {
  const testing::TemporaryFolder folder;
  const auto said_when_built_by = [&](const std::string& path) {
    compile::PythonInterpreter python;
    python.path = path;
    python.packages = {{"torch", "2.0"}, {"setuptools", "1"}, {"ninja", "1"}};
    python.has_headers = true;
    const auto solution = extension({{"main.cpp", kSmall}, kPart, kHeader}, kFactor);
    try {
      (void)compile::build(
          solution, testing::definition({"x"}, {"y"}),
          {.device = model::DeviceKind::cpu, .python = python, .torch = compile::TorchWay::kReal},
          folder.path() / "cache");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("it was built");
  };
  const auto broken = testing::broken_python(folder.path() / "a");
  CHECK(said_when_built_by(broken) ==
        broken + " cannot build torch extensions: ImportError: libx.so.1:\nfile too short");
  // torch 2 does when it is imported.
  const auto random = testing::broken_python(
      folder.path() / "b", "torch",
      "with open('/dev/urandom', 'rb') as file: raise ImportError(f'{len(file.read(8))} random bytes')\n");
  CHECK(said_when_built_by(random) == random + " cannot build torch extensions: ImportError: 8 random bytes");
}
