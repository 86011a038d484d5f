#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/run_support.h"
#include "support/places.h"
#include "support/python.h"

// Python solutions without torch: what the guest does needs no package.
using namespace fib;
using testing::few;

namespace {

// Over memoryviews of fib's own buffers.
const std::string kSum = "[x + y for x, y in zip(a.elements(), b.elements())]";

std::string passing(const std::string& before = "", const std::string& inside = "") {
  return before + "def run(a, b, c):\n" + inside + "    c.elements()[:] = array.array('f', " + kSum + ")\n";
}

struct PythonRun : testing::FibRun {
  PythonRun() {
    python = testing::plain_python(folder.path());
    dataset.add_definition({100});
  }
  void add(const std::string& name, const std::string& source,
           const nlohmann::ordered_json& spec = nlohmann::ordered_json::object()) {
    dataset.python_solution(name, "import array\n" + source, spec);
  }
  std::map<std::string, testing::TraceLine> traces(const std::vector<std::string>& options) {
    const auto result = run(options);
    INFO(result.err);
    CHECK(result.exit_code == 0);
    return testing::traces_by_solution(dataset.root());
  }
};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

void check_trace(const testing::TraceLine& trace, const std::string& status, const std::string& log) {
  INFO(trace.solution << ": " << trace.log.substr(0, 3000));
  CHECK(trace.status == status);
  CHECK(contains(trace.log, log));
}

}  // namespace

TEST_CASE("Python solutions write to their outputs, or return them, alone, in a tuple or by name") {
  PythonRun run;
  const std::string sum = "array.array('f', " + kSum + ")";
  run.add("writes", passing());
  run.add("returns", "def run(a, b):\n    return " + sum + "\n");
  run.add("tuple", "def run(a, b):\n    return (" + sum + ",)\n", {{"destination_passing_style", false}});
  run.add("named", "def run(a, b):\n    return {'c': " + sum + ", 'd': 1}\n");
  run.add("own_memory",
          "def run(a, b):\n    for i, y in enumerate(b.elements()): a.elements()[i] += y\n    return a\n");
  run.add("main_passing", "def run(a, b, c, extra=1):\n    c.elements()[:] = " + sum + "\n",
          {{"destination_passing_style", true}});
  const auto traces = run.traces(few());
  REQUIRE(traces.size() == 6);
  for (const auto& [name, trace] : traces) {
    INFO(name << ": " << trace.log);
    CHECK(trace.status == "PASSED");
    CHECK(trace.latency_ms > 0);
  }
  CHECK(contains(traces.at("returns").log, "called as value-returning"));
  CHECK_FALSE(contains(traces.at("main_passing").log, "called as"));  // it says itself how
  CHECK(contains(traces.at("own_memory").log, "the solution changed its inputs"));
}

TEST_CASE("Python functions whose parameters have the arguments' names are called by name") {
  PythonRun run;
  const std::string sum = "array.array('f', " + kSum + ")";
  run.add("turned", "def run(c, b, a):\n    c.elements()[:] = " + sum + "\n",
          {{"destination_passing_style", true}});
  run.add("unsaid", "def run(*, c, a, b):\n    c.elements()[:] = " + sum + "\n    return c\n");
  run.add("keywords", "def run(*, b, a, extra=1):\n    return " + sum + "\n",
          {{"destination_passing_style", false}});
  run.add("made", "def made(*, b, a):\n    return " + sum + "\nrun = (lambda f: f)(made)\n",
          {{"destination_passing_style", false}});
  run.add("other_names",
          "def run(x, b, a):\n    a.elements()[:] = array.array('f', [p + q for p, q in zip("
          "x.elements(), b.elements())])\n",
          {{"destination_passing_style", true}});
  for (const auto& [name, trace] : run.traces(few())) check_trace(trace, "PASSED", "");
}

TEST_CASE("an output without a shape is one number, written or returned") {
  PythonRun run;
  const nlohmann::ordered_json tensor = {{"shape", {"n"}}, {"dtype", "float32"}};
  const nlohmann::ordered_json number = {{"shape", nullptr}, {"dtype", "float32"}};
  const nlohmann::ordered_json definition = {
      {"name", "total"},
      {"op_type", "test"},
      {"axes", {{"n", {{"type", "var"}}}}},
      {"inputs", {{"a", tensor}}},
      {"outputs", {{"s", number}}},
      {"reference", "import torch\n\n\ndef run(a):\n    return a.sum().item()\n"}};
  run.dataset.definition(
      "test", "total", definition.dump(),
      {R"({"definition": "total", "workload": {"axes": {"n": 10}, "inputs": {"a": {"type": "random"}}, "uuid": "w"}})"});
  const nlohmann::ordered_json of_total = {{"definition", "total"}};
  run.dataset.solution("written", "alice", R"(extern "C" void run(const float* a, float* s, long n) {
      *s = 0;
      for (long i = 0; i < n; ++i) *s += a[i];
    })",
                       "total");
  run.dataset.python_solution("returned", "def run(a):\n    return sum(a.elements())\n",
                              nlohmann::ordered_json::object(), "total");
  run.dataset.python_solution("wrong", "def run(a):\n    return 1000.0\n", nlohmann::ordered_json::object(),
                              "total");
  const auto traces = run.traces(few());
  REQUIRE(traces.size() == 3);
  CHECK(traces.at("written").status == "PASSED");
  check_trace(traces.at("returned"), "PASSED", "");
  check_trace(traces.at("wrong"), "INCORRECT_NUMERICAL", "1 of 1 elements do not match");
}

TEST_CASE("modules of one Python solution import each other") {
  PythonRun run;
  run.add("main",
          "from .parts.sum import add\nimport sibling\n\n\ndef run(a, b, c):\n    add(a, b, c)\n    "
          "sibling.nothing()\n");
  const auto path = run.dataset.root() / "solutions/test/test/add/main.json";
  auto json = nlohmann::ordered_json::parse(util::read_file(path));
  json["sources"].push_back({{"path", "parts/sum.py"},
                             {"content",
                              "def add(a, b, c):\n    for i, x in enumerate(a.elements()): "
                              "c.elements()[i] = x + b.elements()[i]\n"}});
  json["sources"].push_back({{"path", "sibling.py"}, {"content", "def nothing():\n    pass\n"}});
  util::write_file_atomic(path, json.dump());
  check_trace(run.traces(few()).at("main"), "PASSED", "");
}

TEST_CASE("Python solutions that fail, hang, lie or cheat get the status they deserve") {
  struct Case {
    std::string source;
    std::string status;
    std::string log;
  };
  const std::map<std::string, Case> cases = {
      {"raises",
       {passing("", "    raise ValueError('no luck today')\n"), "RUNTIME_ERROR",
        "call 1: ValueError: no luck today"}},
      {"exits", {passing("import sys\n", "    sys.exit(0)\n"), "RUNTIME_ERROR", "SystemExit: 0"}},
      {"does_not_import",
       {passing("import nothing_there\n"), "RUNTIME_ERROR",
        "No module named 'nothing_there' while the solution was loaded"}},
      {"loops", {passing("", "    while True: pass\n"), "TIMEOUT", "no answer while the solution ran"}},
      {"prints",
       {passing("", "    for i in range(10): print('x' * 1000000)\n"), "PASSED", "[log truncated]"}},
      {"runs_a_program",
       {passing("import subprocess\n", "    subprocess.run(['true'], check=True)\n"), "PASSED", ""}},
      {"writes_elsewhere",
       {passing("open('" + testing::source_folder().string() + "/written', 'w')\n"), "RUNTIME_ERROR",
        "written"}},
      {"wrong_count", {"def run(a, b):\n    return ()\n", "INCORRECT_SHAPE", "expected 1 outputs, got 0"}},
      {"wrong_shape",
       {"def run(a, b):\n    return array.array('f', [1])\n", "INCORRECT_SHAPE",
        "expected shape (100), got (1)"}},
      {"wrong_dtype",
       {"def run(a, b):\n    return array.array('d', " + kSum + ")\n", "INCORRECT_DTYPE",
        "expected dtype float32, got float64"}},
      {"foreign_dtype",
       {"def run(a, b):\n    return array.array('Q', [1] * 100)\n", "INCORRECT_DTYPE",
        "expected dtype float32, got one that the format does not have"}},
      {"wrong_type",
       {"def run(a, b):\n    return 'a string'\n", "RUNTIME_ERROR",
        "returned a str where a tensor is expected"}},
      {"no_function", {"run = 3\n", "RUNTIME_ERROR", "run cannot be called: it is a int"}},
      {"syntax", {"def run(a, b, c)\n    pass\n", "COMPILE_ERROR", "main.py:2: SyntaxError"}},
      {"three_more",
       {"def run(a, b, c, d, e):\n    pass\n", "COMPILE_ERROR", "expected 3 parameters, but got 5"}},
  };
  PythonRun run;
  for (const auto& [name, what] : cases) run.add(name, what.source);
  const auto traces = run.traces(few({"--timeout", "8"}));
  REQUIRE(traces.size() == cases.size());
  for (const auto& [name, what] : cases) check_trace(traces.at(name), what.status, what.log);
  CHECK_FALSE(contains(traces.at("raises").log, "guest"));  // only its own frames
  CHECK(contains(traces.at("raises").log, "main.py\", line 3, in run"));
  CHECK(run.processes().empty());
}

TEST_CASE("every hostile Python solution gets the status it deserves, and the run goes on to its end") {
  struct Expectation {
    std::string status;
    std::string log;
    double least_ms = 0;  // what its calls take in truth, less what watching them can see
  };
  const std::map<std::string, Expectation> expectations = {
      {"cached_by_pointer", {"INCORRECT_NUMERICAL", "call 2: "}},
      {"cached_first_answer", {"INCORRECT_NUMERICAL", "call 2: "}},
      {"changed_inputs", {"PASSED", "the solution changed its inputs in"}},
      {"endless_orphan", {"RUNTIME_ERROR", "processes of the solution keep running outside of its calls"}},
      {"endless_process", {"RUNTIME_ERROR", "processes of the solution keep running outside of its calls"}},
      {"endless_thread", {"RUNTIME_ERROR", "threads of the solution keep running"}},
      {"escapes", {"PASSED", ""}},
      {"exits", {"RUNTIME_ERROR", "ended with exit code 0"}},
      {"fingerprint_cache", {"PASSED", ""}},
      {"forged_message", {"RUNTIME_ERROR", "says that records are missing"}},
      {"patches_the_clock", {"PASSED", "", 9}},
      {"reads_the_judge", {"PASSED", "opened 0"}},
      {"replays_from_a_file", {"INCORRECT_NUMERICAL", "call 2: "}},
      {"returns_an_input", {"INCORRECT_NUMERICAL", "elements do not match"}},
      {"right_at_first", {"INCORRECT_NUMERICAL", "call 6: "}},
      {"takes_locks", {"PASSED", ""}},
      {"unwritten_output", {"INCORRECT_NUMERICAL", "100 of 100 elements were never written"}},
      {"works_in_a_child", {"PASSED", "", 25}},
      {"works_when_looked_at", {"PASSED", "", 25}},
      {"works_when_prepared", {"PASSED", "are added to the worker's claims", 1.5}},
      {"zeros", {"INCORRECT_NUMERICAL", "elements do not match"}},
  };
  PythonRun run;
  const auto sources = testing::source_folder() / "tests/hostile/python";
  for (const auto& entry : std::filesystem::directory_iterator(sources)) {
    INFO(entry.path());
    REQUIRE(expectations.contains(entry.path().stem()));
    run.dataset.python_solution(entry.path().stem(), util::read_file(entry.path()));
  }
  const auto traces =
      run.traces({"--iterations", "5", "--num-trials", "2", "--warmup-runs", "2", "--timeout", "8"});
  REQUIRE(traces.size() == expectations.size());
  for (const auto& [name, expected] : expectations) {
    const auto& trace = traces.at(name);
    check_trace(trace, expected.status, expected.log);
    if (expected.least_ms > 0) CHECK(trace.latency_ms > expected.least_ms);
  }
  CHECK_FALSE(contains(traces.at("fingerprint_cache").log, "FOUND"));
  CHECK(run.processes().empty());
}

TEST_CASE("a Python solution that needs torch says so where there is none, and references run natively") {
  PythonRun run;
  run.add("needs_torch", "import torch\n" + passing());
  run.add("right", passing());
  const auto result = run.run(few());
  CHECK(result.exit_code == 0);
  CHECK(contains(result.err, "needs torch, which " + run.python + " does not have"));
  const auto traces = testing::read_traces(run.dataset.root());
  REQUIRE(traces.size() == 1);
  CHECK(traces[0].status == "PASSED");
  CHECK(contains(traces[0].text, "\"engine\":\"native ("));
}

TEST_CASE("--reference python without torch leaves nothing done, and says why") {
  PythonRun run;
  run.add("right", passing());
  const auto result = run.run(few({"--reference", "python"}));
  CHECK(result.exit_code == 1);
  CHECK(contains(result.err, "--reference python: " + run.python + " has no torch"));
  CHECK(testing::read_traces(run.dataset.root()).empty());
}

TEST_CASE("a torch that cannot be imported is said in a sentence, and does not stop what needs no Python") {
  PythonRun run;
  run.python = testing::broken_python(run.folder.path());
  run.dataset.solution("native", "alice", testing::kHonest);
  run.add("right", passing());
  const auto result = run.run(few());
  INFO(result.err);
  CHECK(result.exit_code == 1);
  CHECK(result.out.starts_with("1 of 2 evaluations done: 1 passed"));
  const std::string why = run.python + " " + testing::kWhyBroken;
  CHECK(contains(result.err, "warning: references run in the native engine: " + why + "\n"));
  CHECK(contains(result.err, "not done: right w100: " + why + "\n"));
  CHECK_FALSE(contains(result.err, "Traceback"));
  const auto traces = testing::read_traces(run.dataset.root());
  REQUIRE(traces.size() == 1);
  CHECK(traces[0].status == "PASSED");
  CHECK(contains(traces[0].text, "; not in Python: " + why));

  const auto insisting = run.run(few({"--reference", "python", "--solutions", "native"}));
  CHECK(insisting.exit_code == 1);
  CHECK(contains(insisting.err, "not done: native w100: the reference failed: " + why + "\n"));
}

TEST_CASE("a triton that cannot be imported fails those that import it, and no others") {
  PythonRun run;
  run.python = testing::broken_python(run.folder.path(), "triton");
  run.add("imports", "import triton\n" + passing(), {{"language", "triton"}});
  run.add("right", passing());
  auto environment = run.environment();
  environment.emplace_back("TRITON_INTERPRET=1");
  const auto result = testing::run_process(run.words(few()), environment);
  INFO(result.err);
  CHECK(result.exit_code == 0);
  for (const auto& trace : testing::read_traces(run.dataset.root())) {
    if (trace.solution == "right") check_trace(trace, "PASSED", "");
    if (trace.solution == "imports") check_trace(trace, "RUNTIME_ERROR", "ImportError: libx.so.1:");
  }
  CHECK(testing::read_traces(run.dataset.root()).size() == 2);
}

namespace {

// Says what its just-in-time compiler left, and leaves something.
const std::string kJit = R"(import os
folder = os.environ['TRITON_CACHE_DIR']
made = os.path.join(folder, 'a', 'kernel')
print('there is', open(made).read() if os.path.exists(made) else 'nothing')
os.makedirs(os.path.dirname(made), exist_ok=True)
open(made, 'a').write('x')
)";

}  // namespace

TEST_CASE(
    "what its just-in-time compilers made is there for the next worker of a solution, and for no other") {
  PythonRun run;
  run.add("one", passing(kJit));
  run.add("other", passing(kJit + "# another\n"));
  run.add("wrong", passing(kJit, "    a.elements()[0] += 1\n"));
  const auto logs = [&](std::vector<std::string> options) {
    std::filesystem::remove_all(run.dataset.root() / "traces");
    return run.traces(options);
  };
  check_trace(logs(few()).at("one"), "PASSED", "there is nothing");
  run.dataset.python_solution("late", "import array\n" + passing(kJit + "# late\n"));
  const auto again = logs(few());
  check_trace(again.at("one"), "PASSED", "there is x\n");
  check_trace(again.at("other"), "PASSED", "there is x\n");
  check_trace(again.at("late"), "PASSED", "there is nothing");
  check_trace(again.at("wrong"), "INCORRECT_NUMERICAL", "there is nothing");
  check_trace(logs(few()).at("one"), "PASSED", "there is xx\n");
  // With inputs that can be known before, what was computed for them could lie there.
  auto seeded = few();
  seeded.insert(seeded.end(), {"--seed", "1"});
  check_trace(logs(seeded).at("one"), "PASSED", "there is nothing");
  check_trace(logs(few()).at("one"), "PASSED", "there is xxx\n");
}

TEST_CASE("what just-in-time compilers made is not there for an equal solution of the same run") {
  // Which gets the same inputs, and could find outputs for them.
  PythonRun run;
  run.add("one", passing(kJit));
  run.add("twin", passing(kJit));
  for (const auto& [name, trace] : run.traces(few())) check_trace(trace, "PASSED", "there is nothing");
}

TEST_CASE("links, and too much, are not kept for a solution's next worker") {
  PythonRun run;
  run.add("links", passing(kJit + "os.remove(made)\nos.symlink('/etc/hostname', made)\n"));
  run.add("large", passing(kJit + "open(made, 'a').truncate(65 << 20)\n"));
  for (int time = 0; time < 2; ++time) {
    std::filesystem::remove_all(run.dataset.root() / "traces");
    const auto traces = run.traces(few());
    check_trace(traces.at("links"), "PASSED", "there is nothing");
    check_trace(traces.at("large"), "PASSED", "there is nothing");
  }
}

TEST_CASE("a guest's home is its folder for private files") {
  PythonRun run;
  run.add("homes", passing("import os\nprint(os.environ['HOME'] == os.environ['TMPDIR'] == os.getcwd())\n"));
  check_trace(run.traces(few()).at("homes"), "PASSED", "True");
}

TEST_CASE("Triton hashes itself before a solution is there, where it has a function for that") {
  const std::string with_key = R"(import sys, types
runtime, cache = types.ModuleType('triton.runtime'), types.ModuleType('triton.runtime.cache')
sys.modules.update({'triton.runtime': runtime, 'triton.runtime.cache': cache})
times = 0
def triton_key():
    global times
    times += 1
    FAILS
cache.triton_key = triton_key
)";
  struct Case {
    std::string package;
    std::string printed;
  };
  const auto key = [&](const std::string& what) {
    std::string text = with_key;
    return text.replace(text.find("FAILS"), 5, what);
  };
  for (const auto& one : {Case{key("pass"), "hashed 1 times"}, Case{key("raise OSError()"), "hashed 1 times"},
                          Case{"times = 0\n", "hashed 0 times"}}) {
    PythonRun run;
    run.python = testing::broken_python(run.folder.path(), "triton", one.package);
    run.add("triton", "import triton\nprint('hashed', triton.times, 'times')\n" + passing(),
            {{"language", "triton"}});
    auto environment = run.environment();
    environment.emplace_back("TRITON_INTERPRET=1");
    const auto result = testing::run_process(run.words(few()), environment);
    INFO(result.err);
    CHECK(result.exit_code == 0);
    for (const auto& trace : testing::read_traces(run.dataset.root()))
      check_trace(trace, "PASSED", one.printed);
  }
}

TEST_CASE("a method is called of an instance that is made once") {
  PythonRun run;
  run.add("method",
          "made = 0\nclass Model:\n    def __init__(self):\n        global made\n        made += 1\n        "
          "self.one = 1\n"
          "    def forward(self, a, b):\n        assert made == 1 and self.one == 1\n        return "
          "array.array('f', " +
              kSum + ")\n",
          {{"entry_point", "main.py::Model.forward"}});
  run.add("static",
          "class Model:\n    def __init__(self):\n        raise ValueError('never made')\n    @staticmethod\n"
          "    def forward(a, b):\n        return array.array('f', " +
              kSum + ")\n",
          {{"entry_point", "main.py::Model.forward"}, {"destination_passing_style", false}});
  run.add("argument",
          "class Model:\n    def __init__(self, size):\n        pass\n    def forward(self, a, b):\n        "
          "return a\n",
          {{"entry_point", "main.py::Model.forward"}});
  auto traces = run.traces(few());
  check_trace(traces["method"], "PASSED", "");
  check_trace(traces["static"], "PASSED", "");
  check_trace(traces["argument"], "RUNTIME_ERROR", "missing 1 required positional argument: 'size'");
}

TEST_CASE("what a function returned ends before the next inputs are there") {
  PythonRun run;
  run.add("ends",
          "class End:\n    def __init__(self, a):\n        self.a, self.first = a, a.elements()[0]\n"
          "    def __del__(self):\n        if self.a.elements()[0] != self.first:\n"
          "            print('NEXT INPUTS', flush=True)\n"
          "class Holder(array.array):\n    pass\n"
          "def run(a, b):\n    result = Holder('f', " +
              kSum + ")\n    result.end = End(a)\n    return result\n",
          {{"destination_passing_style", false}});
  auto traces = run.traces(few());
  check_trace(traces["ends"], "PASSED", "");
  CHECK_FALSE(contains(traces["ends"].log, "NEXT INPUTS"));
}
