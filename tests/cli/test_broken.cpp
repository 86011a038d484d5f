#include "cli/run_support.h"
#include "compile/python_interpreter.h"
#include "support/broken_elements.h"
#include "support/tvm_ffi.h"

// Solutions for the CPU that fail: what programs are told of each, without a look into logs.
using namespace fib;
using testing::Broken;
using Table = std::vector<Broken>;

namespace {

const std::string kC = "void run(const float* x, float* y, long m, long n)";
const std::string kCpp = "extern \"C\" " + kC;

// A statement (support/broken_elements.h) for each element.
std::string for_each(const std::string& statement) {
  return "for (long r = 0; r < m; ++r) for (long c = 0; c < n; ++c) { const long e = r * n + c; (void)e; " +
         statement + " }";
}

// A body that is right, behind what it does before.
std::string right(const std::string& before) {
  return " { " + before + for_each("y[e] = 2 * x[e] + 1;") + " }\n";
}

Table c_table() {
  const std::string spins = "void* spin(void* v) { for (;;) *(volatile long*)v; }\nlong kept;\n";
  Table table = {
      {"c_syntax", kC + "\n{ y[0] = 1 }\n", "compile_error", "build", 2},
      {"c_type", kC + "\n{\n  struct { int a; } s = {0};\n  y[0] = s;\n}\n", "compile_error", "build", 4},
      {"c_undeclared", "#include <stdint.h>\n" + kC + " { y[0] = nothing; }\n", "compile_error", "build", 2},
      {"c_member", "struct S { int a; };\n" + kC + "\n{\n  struct S s = {1};\n  y[0] = s.b;\n}\n",
       "compile_error", "build", 5},
      {"c_brace", kC + " {\n  y[0] = 1;\n", "compile_error", "build", 2},
      {"c_arguments", "int twice(int);\n" + kC + " { y[0] = twice(1, 2); }\n", "compile_error", "build", 2},
      {"c_constant", kC + "\n{ x[0] = 1; }\n", "compile_error", "build", 2},
      {"c_error", "#error not for this machine\n" + kC + " {}\n", "compile_error", "build", 1},
      {"c_no_header", "#include \"missing.h\"\n" + kC + " {}\n", "compile_error", "build", 1},
      {"c_link", "int other(void);\n" + kC + " { y[0] = other(); }\n", "link_error", "build"},
      {"c_no_symbol", "void walk(void) {}\n", "missing_symbol", "build"},
      {"c_static", "static " + kC + " {}\n", "missing_symbol", "build"},
      {"c_null", kC + " { *(volatile int*)8 = (int)m; }\n", "crash", "run", 0, "", "SIGSEGV"},
      {"c_trap", kC + " { __builtin_trap(); }\n", "crash", "run", 0, "", "SIGILL"},
      {"c_divides",
       "int run(const float* x, float* y, long m, long n) { volatile long z = m - n; return (int)(m / z); "
       "}\n",
       "crash", "run", 0, "", "SIGFPE"},
      {"c_status", "int run(const float* x, float* y, long m, long n) { return 7; }\n", "error_returned",
       "run", 0, "", "7"},
      {"c_deadlock",
       "#include <pthread.h>\n" + kC +
           " { pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER; pthread_mutex_lock(&l); "
           "pthread_mutex_lock(&l); }\n",
       "timeout", "run"},
      {"c_ptrace", "#include <sys/ptrace.h>\n" + kC + " { ptrace(PTRACE_TRACEME, 0, 0, 0); }\n",
       "forbidden_call", "run"},
      {"c_late",
       "#include <pthread.h>\n" + spins + kC + right("pthread_t t; pthread_create(&t, 0, spin, &kept); "),
       "work_outside_call", "time"},
  };
  testing::add_broken_elements(
      table, "c", [](const std::string& statement) { return kC + " { " + for_each(statement) + " }\n"; });
  return table;
}

Table cpp_table() {
  Table table = {
      {"cpp_syntax", kCpp + "\n{ y[0] = 1 }\n", "compile_error", "build", 2},
      {"cpp_template", "template <typename T> T f(T) = delete;\n" + kCpp + "\n{\n  y[0] = f(1);\n}\n",
       "compile_error", "build", 4},
      {"cpp_enabled",
       "#include <type_traits>\ntemplate <class T, class = std::enable_if_t<std::is_integral_v<T>>> T "
       "f(T);\n" +
           kCpp + "\n{\n  y[0] = f(1.0f);\n}\n",
       "compile_error", "build", 5},
      {"cpp_assert", "static_assert(sizeof(long) == 4, \"no\");\n" + kCpp + " {}\n", "compile_error", "build",
       1},
      {"cpp_no_header", "#include <no_such_library/core.h>\n" + kCpp + " {}\n", "compile_error", "build", 1},
      {"cpp_link", "void other();\n" + kCpp + " { other(); }\n", "link_error", "build"},
      {"cpp_mangled", kC + " {}\n", "missing_symbol", "build"},
      {"cpp_throws", "#include <stdexcept>\n" + kCpp + " { throw std::runtime_error(\"no\"); }\n",
       "exception", "run"},
      {"cpp_throws_a_number", kCpp + " { throw 7; }\n", "exception", "run"},
      {"cpp_memory", "#include <vector>\n" + kCpp + " { std::vector<char> v(1ul << 42, 1); y[0] = v[7]; }\n",
       "out_of_memory", "run"},
      {"cpp_endless", kCpp + " { for (volatile int i = 0;;) (void)i; }\n", "timeout", "run"},
      {"cpp_recursion",
       "__attribute__((noinline)) long deep(volatile long n) { return n < 0 ? 0 : 1 + deep(n + 1); }\n" +
           kCpp + " { y[0] = (float)deep(1); }\n",
       "crash", "run"},
      {"cpp_aborts", "#include <cstdlib>\n" + kCpp + " { std::abort(); }\n", "crash", "run", 0, "",
       "SIGABRT"},
      {"cpp_noexcept", "#include <stdexcept>\nvoid f() noexcept { throw 1; }\n" + kCpp + " { f(); }\n",
       "crash", "run", 0, "", "SIGABRT"},
      {"cpp_exits", "#include <unistd.h>\n" + kCpp + " { _exit(0); }\n", "crash", "run"},
      {"cpp_socket",
       "#include <sys/socket.h>\n#include <cstdlib>\n" + kCpp +
           " { if (socket(AF_INET, SOCK_STREAM, 0) < 0) std::abort(); }\n",
       "crash", "run"},
      {"cpp_ptrace", "#include <sys/ptrace.h>\n" + kCpp + right("ptrace(PTRACE_TRACEME, 0, 0, 0); "),
       "forbidden_call", "run"},
      {"cpp_late", "#include <thread>\n" + kCpp + right("std::thread([] { for (;;) {} }).detach(); "),
       "work_outside_call", "time"},
  };
  testing::add_broken_elements(
      table, "cpp", [](const std::string& statement) { return kCpp + " { " + for_each(statement) + " }\n"; });
  return table;
}

const std::string kTorch = "#include <torch/extension.h>\nvoid run(torch::Tensor x, torch::Tensor y) ";
const std::string kBind = "\nPYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def(\"run\", &run); }\n";

// Without torch on the machine what fib's headers do not compile is not done, so that it has no code.
Table torch_table() {
  return {
      {"torch_check", kTorch + "{ TORCH_CHECK(x.dim() == 3, \"three\"); }" + kBind, "exception", "run"},
      {"torch_dtype", kTorch + "{ x.data_ptr<double>(); }" + kBind, "exception", "run"},
      {"torch_zeros", kTorch + "{ y.zero_(); }" + kBind, "wrong_values", "judge", 0, "all_zeros"},
      {"torch_ptrace", "#include <sys/ptrace.h>\n" + kTorch + "{ ptrace(PTRACE_TRACEME, 0, 0, 0); }" + kBind,
       "forbidden_call", "run"},
      {"torch_late",
       "#include <thread>\n" + kTorch +
           "{ for (long i = 0; i < x.numel(); ++i) y.data_ptr<float>()[i] = 2 * x.data_ptr<float>()[i] + 1;\n"
           "  std::thread([] { for (;;) {} }).detach(); }" +
           kBind,
       "work_outside_call", "time"},
      {"torch_unbound", kTorch + "{}\nPYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def(\"walk\", &run); }\n",
       "missing_symbol", "load"},
  };
}

std::string tvm_ffi(const std::string& body) {
  return testing::kTvmFfiDeclarations +
         "int __tvm_ffi_run(void* self, const Any* args, int32_t count, Any* result) {" + body + "}";
}

const std::string kFfiTensors =
    "const float* x = (const float*)args[0].t->view.data; float* y = (float*)args[1].t->view.data; "
    "const long m = args[0].t->view.shape[0], n = args[0].t->view.shape[1]; ";

Table tvm_ffi_table() {
  Table table = {
      {"ffi_silent", tvm_ffi("return -1;"), "error_returned", "run"},
      {"ffi_crash", tvm_ffi("return *(volatile int*)8;"), "crash", "run"},
      {"ffi_ptrace", "#include <sys/ptrace.h>\n" + tvm_ffi("ptrace(PTRACE_TRACEME, 0, 0, 0); return 0;"),
       "forbidden_call", "run"},
      {"ffi_name", "int __tvm_ffi_walk(void) { return 0; }", "missing_symbol", "build"},
      {"ffi_syntax", tvm_ffi("return 0"), "compile_error", "build", 16},
      {"ffi_raises", tvm_ffi("TVMFFIErrorSetRaisedFromCStr(\"ValueError\", \"no\"); return -1;"), "exception",
       "run", 0, "", "ValueError"},
      {"ffi_link", "int other(void);\n" + tvm_ffi("return other();"), "link_error", "build"},
      {"ffi_endless", tvm_ffi("for (volatile int i = 0;;) (void)i;"), "timeout", "run"},
      {"ffi_aborts", tvm_ffi("__builtin_trap();"), "crash", "run", 0, "", "SIGILL"},
      {"ffi_exits", "#include <unistd.h>\n" + tvm_ffi("_exit(0);"), "crash", "run"},
      {"ffi_late",
       "#include <pthread.h>\nstatic void* spin(void* v) { for (;;) *(volatile char*)v; }\n" +
           tvm_ffi("static char kept; pthread_t t; pthread_create(&t, 0, spin, &kept); " + kFfiTensors +
                   for_each("y[e] = 2 * x[e] + 1;") + " return 0;"),
       "work_outside_call", "time"},
  };
  testing::add_broken_elements(table, "ffi", [](const std::string& statement) {
    return tvm_ffi(kFfiTensors + for_each(statement) + " return 0;");
  });
  return table;
}

const std::string kPython = "import array\n\n\ndef run(x, y):\n    ";

// Elements r and c of a row and column, as `values` says of e = 48 r + c and the list x of all.
std::string python_of(const std::string& values) {
  return kPython + "x, n = x.elements(), 48\n    y.elements()[:] = array.array(\"f\", [" + values +
         " for e in range(n * n) for r, c in [divmod(e, n)]])\n";
}

std::string python_wrong(const std::string& where) {
  return python_of("2 * x[e] + (3 if " + where + " else 1)");
}

// Writes those elements alone.
std::string python_written(const std::string& where) {
  return kPython + "for e in range(48 * 48):\n        if " + where +
         ":\n            y.elements()[e] = 2 * x.elements()[e] + 1\n";
}

Table python_table() {
  const std::string late =
      "import array\nimport threading\n\n\ndef spin():\n    while True:\n        pass\n\n\ndef run(x, y):\n"
      "    threading.Thread(target=spin, daemon=True).start()\n"
      "    y.elements()[:] = array.array(\"f\", [2 * v + 1 for v in x.elements()])\n";
  return {
      {"py_syntax", "def run(x, y:\n    pass\n", "compile_error", "build", 1},
      {"py_indent", "def run(x, y):\n    a = 1\n      b = 2\n", "compile_error", "build", 3},
      {"py_quote", "def run(x, y):\n    a = \"open\n", "compile_error", "build", 2},
      {"py_package", "import no_such_package\n\n\ndef run(x, y):\n    pass\n", "missing_package", "load", 1},
      {"py_name", "def walk(x, y):\n    pass\n", "missing_symbol", "build"},
      {"py_load", "raise ValueError('no')\n\n\ndef run(x, y):\n    pass\n", "load_error", "load", 1, "",
       "ValueError"},
      {"py_attribute", kPython + "y.no_such_method()\n", "exception", "run", 5, "", "AttributeError"},
      {"py_undefined", kPython + "y.elements()[0] = nothing\n", "exception", "run", 5, "", "NameError"},
      {"py_type", kPython + "y.elements()[0] = \"one\" + 1\n", "exception", "run", 5, "", "TypeError"},
      {"py_index", kPython + "y.elements()[48 * 48] = 1\n", "exception", "run", 5, "", "IndexError"},
      {"py_assert", kPython + "assert x is y\n", "exception", "run", 5, "", "AssertionError"},
      {"py_recursion", kPython + "run(x, y)\n", "exception", "run", 5, "", "RecursionError"},
      {"py_memory", kPython + "bytearray(1 << 46)\n", "out_of_memory", "run", 5},
      {"py_endless", kPython + "while True: pass\n", "timeout", "run"},
      {"py_exits", "import os\n" + kPython + "os._exit(0)\n", "crash", "run"},
      {"py_null", "import ctypes\n" + kPython + "ctypes.string_at(8)\n", "crash", "run", 0, "", "SIGSEGV"},
      {"py_ptrace", "import ctypes\n" + kPython + "ctypes.CDLL(None).ptrace(0, 0, None, None)\n",
       "forbidden_call", "run"},
      {"py_late", late, "work_outside_call", "time"},
      {"py_zeros", python_of("0.0"), "wrong_values", "judge", 0, "all_zeros"},
      {"py_nan", python_of("float(\"-inf\") - float(\"-inf\")"), "wrong_values", "judge", 0, "all_nan"},
      {"py_transposed", python_of("2 * x[c * n + r] + 1"), "wrong_values", "judge", 0, "transposed"},
      {"py_row_off", python_of("2 * x[(e + n) % (n * n)] + 1"), "wrong_values", "judge", 0, "off_by_one_row"},
      {"py_all", python_of("2 * x[e] + 3"), "wrong_values", "judge", 0, "all"},
      {"py_column", python_wrong("c == 7"), "wrong_values", "judge", 0, "one_column"},
      {"py_row", python_wrong("r == 7"), "wrong_values", "judge", 0, "one_row"},
      {"py_third", python_wrong("e % 3 == 0"), "wrong_values", "judge", 0, "every_nth"},
      {"py_last_element", python_wrong("e == n * n - 1"), "wrong_values", "judge", 0, "last_elements"},
      {"py_last_block", python_written("e < 48 * 48 - 256"), "unwritten_output", "judge", 0, "last_elements"},
      {"py_odd", python_written("e % 2 == 0"), "unwritten_output", "judge", 0, "every_nth"},
      {"py_nothing", kPython + "pass\n", "unwritten_output", "judge"},
  };
}

nlohmann::ordered_json spec(const std::string& language, const std::string& file,
                            const nlohmann::ordered_json& more = nlohmann::ordered_json::object()) {
  nlohmann::ordered_json all = {
      {"language", language}, {"target_hardware", {"cpu"}}, {"entry_point", file + "::run"}};
  all.update(more);
  return all;
}

}  // namespace

TEST_CASE("programs are told of every broken solution for the CPU where, why and whose fault it is") {
  const testing::BrokenKind c = {spec("c", "main.c"), "main.c"};
  const testing::BrokenKind cpp = {spec("cpp", "main.cpp"), "main.cpp"};
  const testing::BrokenKind torch = {
      spec("cpp", "main.cpp", {{"binding", "torch"}, {"destination_passing_style", true}}), "main.cpp"};
  const testing::BrokenKind ffi = {spec("c", "main.c", {{"binding", "tvm-ffi"}}), "main.c"};
  testing::FibRun run;
  testing::add_grid(run.dataset);
  testing::add_broken(run.dataset, c, c_table());
  testing::add_broken(run.dataset, cpp, cpp_table());
  testing::add_broken(run.dataset, torch, torch_table());
  testing::add_broken(run.dataset, ffi, tvm_ffi_table());
  const auto result = run.run(testing::few({"--device", "cpu", "--timeout", "3"}));
  INFO(result.err);
  CHECK(result.exit_code == 0);
  for (const Table& table : {c_table(), cpp_table(), tvm_ffi_table()}) CHECK(table.size() >= 30);
  testing::check_all_broken(run, {c_table(), cpp_table(), torch_table(), tvm_ffi_table()});
}

TEST_CASE("programs are told of every broken Python solution for the CPU where, why and whose fault it is") {
  const auto python = compile::find_python();
  if (!python) {
    WARN("skipped: no python3 here");
    return;
  }
  testing::FibRun run;
  run.python = python->path.string();
  testing::add_grid(run.dataset);
  const auto passes = spec("python", "main.py", {{"destination_passing_style", true}});
  testing::add_broken(run.dataset, {passes, "main.py"}, python_table());
  const auto result = run.run(testing::few({"--device", "cpu", "--timeout", "3", "--reference", "native"}));
  INFO(result.err);
  CHECK(result.exit_code == 0);
  CHECK(python_table().size() >= 30);
  testing::check_all_broken(run, {python_table()});
}
