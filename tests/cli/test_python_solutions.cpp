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
    std::map<std::string, testing::TraceLine> by_solution;
    for (const auto& trace : testing::read_traces(dataset.root())) by_solution[trace.solution] = trace;
    return by_solution;
  }
};

// The ticket of the request to run that is being served, from the worker's copy on the stack: type, ticket,
// a string of one byte, and an empty list of descriptors.
const std::string kTicketOfRun =
    "import ctypes, re\n"
    "def ticket_of_run():\n"
    "    maps = open('/proc/self/maps').read()\n"
    "    begin, end = [int(x, 16) for x in re.search(r'(\\w+)-(\\w+) .*\\[stack\\]', maps).groups()]\n"
    "    words = list((ctypes.c_uint64 * ((end - begin) // 8)).from_address(begin))\n"
    "    for i in range(len(words) - 8):\n"
    "        if words[i] & 0xffff == 9 and words[i + 2] and words[i + 3] == 1 and words[i + 6] == words[i + "
    "7]:\n"
    "            return words[i + 1]\n"
    "    return 0\n";

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
  CHECK(traces.at("main_passing").log.empty());
  CHECK(contains(traces.at("own_memory").log, "the solution changed its inputs"));
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
      {"exits_hard",
       {passing("import os\n", "    os._exit(0)\n"), "RUNTIME_ERROR", "ended with exit code 0"}},
      {"does_not_import",
       {passing("import nothing_there\n"), "RUNTIME_ERROR",
        "No module named 'nothing_there' while the solution was loaded"}},
      {"loops", {passing("", "    while True: pass\n"), "TIMEOUT", "no answer while the solution ran"}},
      {"prints",
       {passing("", "    for i in range(50): print('x' * 1000000)\n"), "PASSED", "[log truncated]"}},
      {"thread",
       {passing("import threading\ndef spin():\n    while True: pass\nthreading.Thread(target=spin, "
                "daemon=True).start()\n"),
        "RUNTIME_ERROR", "threads of the solution keep running"}},
      {"process",
       {passing("import subprocess\nsubprocess.Popen(['sh', '-c', 'while :; do :; done'])\n"),
        "RUNTIME_ERROR", "processes of the solution keep running outside of its calls"}},
      {"orphan",
       {passing("import subprocess\nsubprocess.call(['sh', '-c', 'while :; do :; done &'])\n"),
        "RUNTIME_ERROR", "processes of the solution keep running outside of its calls"}},
      {"escapes",
       {passing("import os, ctypes\nassert ctypes.CDLL(None).prctl(36, 0, 0, 0, 0) == -1\n"
                "assert ctypes.CDLL(None).unshare(0x10000000) == -1\n"),
        "PASSED", ""}},
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
      {"view_of_input", {"def run(a, b):\n    return a\n", "INCORRECT_NUMERICAL", "elements do not match"}},
      {"does_nothing",
       {"def run(a, b, c):\n    pass\n", "INCORRECT_NUMERICAL", "100 of 100 elements were never written"}},
      {"cached",
       {"kept = []\ndef run(a, b):\n    kept.append(array.array('f', " + kSum + "))\n    return kept[0]\n",
        "INCORRECT_NUMERICAL", "call 2: "}},
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

TEST_CASE("work that a Python solution leaves for after its call is in its time") {
  PythonRun run;
  const std::string wait = "    end = time.monotonic() + 0.03\n    while time.monotonic() < end: pass\n";
  run.add("child",
          "import mmap, os, time\nkept = {}\n"
          "def work(v):\n" +
              wait +
              "    for i in range(100): v[200 + i] = v[i] + v[100 + i]\n"
              "def start():\n"
              "    kept['v'] = memoryview(mmap.mmap(-1, 4096)).cast('f')\n"
              "    r, kept['w'] = os.pipe()\n"
              "    if os.fork() == 0:\n"
              "        os.close(kept['w'])\n"
              "        while os.read(r, 1): work(kept['v'])\n"
              "        os._exit(0)\n"
              "def run(a, b):\n"
              "    if not kept: start()\n"
              "    kept['v'][0:100] = array.array('f', a.elements())\n"
              "    kept['v'][100:200] = array.array('f', b.elements())\n"
              "    os.write(kept['w'], b'x')\n"
              "    return kept['v'][200:300]\n");
  // Its memory may not be read yet; who reads it pays for the work.
  run.add("looked_at",
          "import ctypes, mmap, time\nlibc = ctypes.CDLL(None)\n"
          "libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]\n"
          "class Action(ctypes.Structure):\n"
          "    _fields_ = [('handler', ctypes.c_void_p), ('mask', ctypes.c_ulong * 16),\n"
          "                ('flags', ctypes.c_int), ('restorer', ctypes.c_void_p)]\n"
          "memory = mmap.mmap(-1, 4096)\n"
          "address = ctypes.addressof(ctypes.c_char.from_buffer(memory))\n"
          "view = memoryview(memory).cast('f')\n"
          "kept = []\n"
          "def fault(signal):\n    libc.mprotect(address, 4096, 3)\n" +
              wait +
              "    view[0:100] = array.array('f', [x + y for x, y in zip(*kept)])\n"
              "handler = ctypes.CFUNCTYPE(None, ctypes.c_int)(fault)\n"
              "action = Action(ctypes.cast(handler, ctypes.c_void_p).value, flags=0x40000000)\n"
              "libc.sigaction(11, ctypes.byref(action), None)\n"
              "def run(a, b):\n"
              "    kept[:] = [list(a.elements()), list(b.elements())]\n"
              "    libc.mprotect(address, 4096, 0)\n"
              "    return view[0:100]\n");
  const auto traces = run.traces(few());
  REQUIRE(traces.size() == 2);
  for (const auto& [name, trace] : traces) {
    check_trace(trace, "PASSED", "");
    CHECK(trace.latency_ms > 25);
  }
}

TEST_CASE("work that a Python solution does while its call is prepared is added to its time") {
  PythonRun run;
  // The guest makes the arguments of the next call, its output last, when the inputs are there.
  run.add("prepares",
          "import __main__, time\n"
          "make, made = __main__.Guest.argument, {}\n"
          "def argument(self, slot, memory):\n"
          "    made[slot['name']] = value = make(self, slot, memory)\n"
          "    if slot['name'] == 'c':\n"
          "        run_for_good(**made)\n"
          "        end = time.monotonic() + 0.003\n"
          "        while time.monotonic() < end: pass\n"
          "    return value\n"
          "__main__.Guest.argument = argument\n"
          "def run_for_good(a, b, c): c.elements()[:] = array.array('f', " +
              kSum + ")\ndef run(a, b, c): pass\n");
  run.add("sleeping_children",
          "import os, threading, time\n"
          "for i in range(8):\n"
          "    if os.fork() == 0: time.sleep(1000)\n"
          "for i in range(32): threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()\n" +
              passing());
  const auto traces = run.traces(few());
  check_trace(traces.at("prepares"), "PASSED", "are added to the worker's claims");
  CHECK(traces.at("prepares").latency_ms > 2.5);
  check_trace(traces.at("sleeping_children"), "PASSED", "");
}

TEST_CASE("a worker that speaks for itself cannot claim that its measurements are missing") {
  PythonRun run;
  run.add("speaks",
          "import os, socket, struct, time\n" + kTicketOfRun +
              "def run(a, b, c):\n"
              "    done = struct.pack('<ddBdIdIIIBdd', 1.0, 0.0, 0, 0.0, 0, 0.0, 0, 0, 0, 1, 0.0, 0.0)\n"
              "    header = struct.pack('<IHHQII', 0x32424946, 10, 0, ticket_of_run(), len(done), 0)\n"
              "    socket.socket(fileno=3).send(header + done)\n"
              "    time.sleep(100)\n");
  check_trace(run.traces(few({"--timeout", "8"})).at("speaks"), "RUNTIME_ERROR",
              "says that records are missing");
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
