#include "cli/run_support.h"
#include "support/broken.h"
#include "support/tvm_ffi.h"

// Solutions for the CPU that fail: what programs are told of each, without a look into logs.
using namespace fib;
using testing::Broken;
using Table = std::vector<Broken>;

namespace {

const std::string kC = "void run(const float* x, float* y, long m, long n)";
const std::string kCpp = "extern \"C\" " + kC;

// The right computation of an element, in loops over i and j.
std::string loops(const std::string& body) {
  return " { for (long i = 0; i < m; ++i) for (long j = 0; j < n; ++j) { " + body + " } }\n";
}

Table c_table() {
  return {
      {"c_syntax", kC + "\n{ y[0] = 1 }\n", "compile_error", "build", 2},
      {"c_type", kC + "\n{\n  struct { int a; } s = {0};\n  y[0] = s;\n}\n", "compile_error", "build", 4},
      {"c_undeclared", "#include <stdint.h>\n" + kC + " { y[0] = nothing; }\n", "compile_error", "build", 2},
      {"c_no_header", "#include \"missing.h\"\n" + kC + " {}\n", "compile_error", "build", 1},
      {"c_link", "int other(void);\n" + kC + " { y[0] = other(); }\n", "link_error", "build"},
      {"c_no_symbol", "void walk(void) {}\n", "missing_symbol", "build"},
      {"c_null", kC + " { *(volatile int*)8 = (int)m; }\n", "crash", "run", 0, "", "SIGSEGV"},
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
       "#include <pthread.h>\nvoid* spin(void* v) { for (;;) *(volatile long*)v; }\nlong kept;\n" + kC +
           loops("y[i * n + j] = 2 * x[i * n + j] + 1;")
               .insert(2, " pthread_t t; pthread_create(&t, 0, spin, &kept);"),
       "work_outside_call", "time"},
      {"c_last_row", kC + loops("if (i < m - 1) y[i * n + j] = 2 * x[i * n + j] + 1;"), "unwritten_output",
       "judge", 0, "last_elements"},
      {"c_nothing", kC + " {}\n", "unwritten_output", "judge"},
  };
}

Table cpp_table() {
  return {
      {"cpp_template", "template <typename T> T f(T) = delete;\n" + kCpp + "\n{\n  y[0] = f(1);\n}\n",
       "compile_error", "build", 4},
      {"cpp_assert", "static_assert(sizeof(long) == 4, \"no\");\n" + kCpp + " {}\n", "compile_error", "build",
       1},
      {"cpp_mangled", kC + " {}\n", "missing_symbol", "build"},
      {"cpp_throws", "#include <stdexcept>\n" + kCpp + " { throw std::runtime_error(\"no\"); }\n",
       "exception", "run"},
      {"cpp_memory", "#include <vector>\n" + kCpp + " { std::vector<char> v(1ul << 42, 1); y[0] = v[7]; }\n",
       "out_of_memory", "run"},
      {"cpp_endless", kCpp + " { for (volatile int i = 0;;) (void)i; }\n", "timeout", "run"},
      {"cpp_recursion",
       "__attribute__((noinline)) long deep(volatile long n) { return n < 0 ? 0 : 1 + deep(n + 1); }\n" +
           kCpp + " { y[0] = (float)deep(1); }\n",
       "crash", "run"},
      {"cpp_aborts", "#include <cstdlib>\n" + kCpp + " { std::abort(); }\n", "crash", "run", 0, "",
       "SIGABRT"},
      {"cpp_exits", "#include <unistd.h>\n" + kCpp + " { _exit(0); }\n", "crash", "run"},
      {"cpp_zeros", kCpp + loops("y[i * n + j] = 0;"), "wrong_values", "judge", 0, "all_zeros"},
      {"cpp_nan",
       "#include <cmath>\n" + kCpp + loops("y[i * n + j] = std::log(-1 - x[i * n + j] * x[i * n + j]);"),
       "wrong_values", "judge", 0, "all_nan"},
      {"cpp_transposed", kCpp + loops("y[j * n + i] = 2 * x[i * n + j] + 1;"), "wrong_values", "judge", 0,
       "transposed"},
      {"cpp_row_off", kCpp + loops("y[i * n + j] = 2 * x[(i + 1) % m * n + j] + 1;"), "wrong_values", "judge",
       0, "off_by_one_row"},
      {"cpp_column", kCpp + loops("y[i * n + j] = 2 * x[i * n + j] + (j == 7 ? 3 : 1);"), "wrong_values",
       "judge", 0, "one_column"},
      {"cpp_row", kCpp + loops("y[i * n + j] = 2 * x[i * n + j] + (i == 7 ? 3 : 1);"), "wrong_values",
       "judge", 0, "one_row"},
      {"cpp_third", kCpp + loops("y[i * n + j] = 2 * x[i * n + j] + ((i * n + j) % 3 == 0 ? 3 : 1);"),
       "wrong_values", "judge", 0, "every_nth"},
      {"cpp_tails", kCpp + loops("y[i * n + j] = 2 * x[i * n + j] + ((i * n + j) % 24 >= 22 ? 3 : 1);"),
       "wrong_values", "judge", 0, "block_tails"},
      {"cpp_socket",
       "#include <sys/socket.h>\n#include <cstdlib>\n" + kCpp +
           " { if (socket(AF_INET, SOCK_STREAM, 0) < 0) std::abort(); }\n",
       "crash", "run"},
      {"cpp_ptrace",
       "#include <sys/ptrace.h>\n" + kCpp +
           loops("y[i * n + j] = 2 * x[i * n + j] + 1;").insert(2, " ptrace(PTRACE_TRACEME, 0, 0, 0);"),
       "forbidden_call", "run"},
      {"cpp_late",
       "#include <thread>\n" + kCpp +
           loops("y[i * n + j] = 2 * x[i * n + j] + 1;")
               .insert(2, " std::thread([] { for (;;) {} }).detach();"),
       "work_outside_call", "time"},
  };
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

Table tvm_ffi_table() {
  return {
      {"ffi_silent", tvm_ffi("return -1;"), "error_returned", "run"},
      {"ffi_nothing", tvm_ffi("return 0;"), "unwritten_output", "judge"},
      {"ffi_crash", tvm_ffi("return *(volatile int*)8;"), "crash", "run"},
      {"ffi_ptrace", "#include <sys/ptrace.h>\n" + tvm_ffi("ptrace(PTRACE_TRACEME, 0, 0, 0); return 0;"),
       "forbidden_call", "run"},
      {"ffi_name", "int __tvm_ffi_walk(void) { return 0; }", "missing_symbol", "build"},
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
  testing::check_all_broken(run, {c_table(), cpp_table(), torch_table(), tvm_ffi_table()});
}
