#include <cstdlib>

#include "gpu/gpu.h"
#include "support/broken_elements.h"
#include "support/python.h"
#include "support/tvm_ffi.h"

// Solutions for a GPU that fail: what programs are told of each, without a look into logs.
using namespace fib;
using testing::Broken;
using Table = std::vector<Broken>;
using nlohmann::ordered_json;

namespace {

const std::string kKernel =
    "__global__ void k(const float* x, float* y, long m, long n) {\n"
    "  const long i = blockIdx.x * 256L + threadIdx.x;\n  ";
const std::string kHost =
    "\n}\nextern \"C\" int run(const float* x, float* y, long m, long n, cudaStream_t s) {\n"
    "  ";
const std::string kRight = "if (i < m * n) y[i] = 2 * x[i] + 1;";
const std::string kLaunchIt =
    "k<<<(m * n + 255) / 256, 256, 0, s>>>(x, y, m, n);\n  return cudaGetLastError();\n}\n";

const std::string kPtrace = "#include <sys/ptrace.h>\n";
const std::string kTraceMe = "ptrace(PTRACE_TRACEME, 0, 0, 0);\n  ";

// Host code that does something when its call is over.
const std::string kThreads = "#include <unistd.h>\n#include <thread>\n";
std::string later(const std::string& what) {
  return "std::thread([=] { usleep(3000); " + what + "}).detach();\n  ";
}

// What native code does in a call to read less than the truth: it switches off what a clock records.
const std::string kRecordsOff = R"(#include <dlfcn.h>
#include <link.h>
#include <cstring>
static int find_cupti(dl_phdr_info* info, size_t, void* found) {
  if (!info->dlpi_name || !std::strstr(info->dlpi_name, "libcupti")) return 0;
  void* library = dlopen(info->dlpi_name, RTLD_NOW | RTLD_NOLOAD);
  if (library) *static_cast<void**>(found) = dlsym(library, "cuptiActivityDisable");
  return 1;
}
static void switch_records_off() {
  void* found = nullptr;
  dl_iterate_phdr(find_cupti, &found);
  if (!found) return;
  for (int kind : {3, 10}) reinterpret_cast<int (*)(int)>(found)(kind);
}
)";
const std::string kSwitchOff = "switch_records_off();\n  ";

// The element of a thread (support/broken_elements.h).
const std::string kElement = "const long e = i, r = e / n, c = e % n; (void)r; (void)c; if (e < m * n) { ";

struct BrokenKernel {
  std::string name;
  std::string body;
  std::string code;
  std::string stage;
};

// What can be wrong with a kernel besides what it writes, whatever calls it.
std::vector<BrokenKernel> broken_kernels() {
  return {
      {"syntax", "y[i] = 2 * x[i] + ;", "compile_error", "build"},
      {"undeclared", "y[i] = nothing;", "compile_error", "build"},
      {"type", "y[i] = x;", "compile_error", "build"},
      {"member", "y[i] = x[i].real;", "compile_error", "build"},
      {"constant", "x[i] = y[i];", "compile_error", "build"},
      {"static_shared", "__shared__ float s[100000]; s[threadIdx.x] = x[i]; y[i] = s[(i * 7) % 100000];",
       "too_much_shared_memory", "build"},
      {"illegal", "y[i + (1LL << 40)] = x[i];", "illegal_access", "run"},
      {"illegal_read", "y[i] = x[i + (1LL << 40)];", "illegal_access", "run"},
      {"misaligned", "*(double*)((char*)y + 4) = x[i];", "illegal_access", "run"},
      {"trap", "asm volatile(\"trap;\");", "cuda_error", "run"},
      {"deadlock", "volatile float* v = y; while (v[0] != 123456.f) {}", "timeout", "run"},
  };
}

// Rows of both kinds: `source` makes a source of a kernel's body, which begins in its line `line`.
template <typename Source>
void add_broken_kernels(Table& table, const std::string& kind, int line, const Source& source) {
  for (const BrokenKernel& one : broken_kernels())
    table.push_back({kind + "_" + one.name, source(one.body), one.code, one.stage,
                     one.code == "compile_error" ? line : 0, "", ""});
  testing::add_broken_elements(
      table, kind, [&](const std::string& statement) { return source(kElement + statement + " }"); });
}

std::string nvcc(const std::string& kernel, const std::string& host = kLaunchIt) {
  return kKernel + kernel + kHost + host;
}

Table nvcc_table() {
  Table table = {
      {"nvcc_no_header", "#include <no_such_header.cuh>\n" + nvcc(kRight), "compile_error", "build", 1},
      {"nvcc_no_symbol", "__global__ void k() {}\n", "missing_symbol", "build"},
      {"nvcc_link", "void other();\n" + nvcc(kRight, "other(); return 0;\n}\n"), "link_error", "build"},
      {"nvcc_bounds", nvcc(kRight, "k<<<9, 4096, 0, s>>>(x, y, m, n);\n  return cudaGetLastError();\n}\n"),
       "too_many_threads", "run", 0, "", "cudaErrorInvalidValue"},
      {"nvcc_bounds_unchecked", nvcc(kRight, "k<<<9, 4096, 0, s>>>(x, y, m, n);\n  return 0;\n}\n"),
       "too_many_threads", "run"},
      {"nvcc_registers",
       "__global__ void __launch_bounds__(256) k(const float* x, float* y, long m, long n) {\n"
       "  const long i = blockIdx.x * 512L + threadIdx.x;\n  " +
           kRight + "\n}\n" + kHost.substr(3) +
           "k<<<5, 512, 0, s>>>(x, y, m, n);\n  return cudaGetLastError();\n}\n",
       "too_many_threads", "run"},
      {"nvcc_dynamic_shared",
       nvcc(kRight, "k<<<9, 256, 1 << 20, s>>>(x, y, m, n);\n  return cudaGetLastError();\n}\n"),
       "too_much_shared_memory", "run", 0, "", "cudaErrorInvalidValue"},
      {"nvcc_dynamic_unchecked", nvcc(kRight, "k<<<9, 256, 65536, s>>>(x, y, m, n);\n  return 0;\n}\n"),
       "too_much_shared_memory", "run"},
      {"nvcc_survived",
       nvcc("y[i + (1L << 40)] = x[i];",
            "k<<<9, 256, 1 << 20, s>>>(x, y, m, n);\n  cudaGetLastError();\n  " + kLaunchIt),
       "illegal_access", "run"},
      {"nvcc_own_code", nvcc(kRight, "return 7;\n}\n"), "error_returned", "run", 0, "", "7"},
      {"nvcc_memory",
       nvcc(kRight, "void* p; cudaError_t e = cudaMalloc(&p, 1L << 42); if (e) return e;\n  " + kLaunchIt),
       "out_of_memory", "run"},
      {"nvcc_ptrace", kPtrace + nvcc(kRight, kTraceMe + kLaunchIt), "forbidden_call", "run"},
      {"nvcc_ahead", kThreads + nvcc(kRight, later("k<<<9, 256>>>(x, y, m, n);") + kLaunchIt),
       "work_outside_call", "time"},
      {"nvcc_lie", kRecordsOff + nvcc(kRight, kSwitchOff + kLaunchIt), "impossible_time", "time"},
  };
  add_broken_kernels(table, "nvcc", 3, [](const std::string& body) { return nvcc(body); });
  return table;
}

Table launch_table() {
  const std::string begin =
      "extern \"C\" __global__ void run(const float* x, float* y, long long m, long long n) {\n"
      "  const long long i = blockIdx.x * 256LL + threadIdx.x;\n  ";
  Table table = {
      {"plan_no_kernel", "extern \"C\" __global__ void walk() {}\n", "missing_symbol", "build"},
      {"plan_parameters", "extern \"C\" __global__ void run(const float* x) {}\n", "bad_launch", "run"},
      {"plan_bounds",
       "extern \"C\" __global__ void __launch_bounds__(128) run(const float* x, float* y, long long m, long "
       "long n) "
       "{\n  y[threadIdx.x] = x[threadIdx.x];\n}\n",
       "too_many_threads", "run"},
  };
  add_broken_kernels(table, "plan", 3, [&](const std::string& body) { return begin + body + "\n}\n"; });
  return table;
}

std::string torch_extension(const std::string& kernel, const std::string& host) {
  return "#include <torch/extension.h>\n#include <c10/cuda/CUDAException.h>\n" + kKernel + kernel +
         "\n}\nvoid run(torch::Tensor x, torch::Tensor y) {\n  const long m = x.size(0), n = x.size(1);\n  " +
         host +
         "\n  C10_CUDA_KERNEL_LAUNCH_CHECK();\n}\n"
         "PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def(\"run\", &run); }\n";
}

// What does not compile is tried with torch itself, and is not done where that is not there.
Table torch_table(bool has_torch) {
  const auto launch = [](const std::string& sizes) {
    return "k<<<" + sizes + ">>>(x.data_ptr<float>(), y.data_ptr<float>(), m, n);";
  };
  const std::string usual = launch("(m * n + 255) / 256, 256");
  Table table = {
      {"torch_dtype", torch_extension(kRight, "x.data_ptr<double>();"), "exception", "run"},
      {"torch_check", torch_extension(kRight, "TORCH_CHECK(x.dim() == 3, \"three\");"), "exception", "run"},
      {"torch_bounds", torch_extension(kRight, launch("9, 2048")), "too_many_threads", "run"},
      {"torch_shared", torch_extension(kRight, launch("9, 256, 1 << 18")), "too_much_shared_memory", "run"},
      {"torch_host", torch_extension(kRight, "*(volatile float*)y.data_ptr<float>() = 1;"), "crash", "run"},
      {"torch_ahead", kThreads + torch_extension(kRight, usual + "\n  " + later(usual)), "work_outside_call",
       "time"},
      {"torch_ptrace", kPtrace + torch_extension(kRight, kTraceMe + usual), "forbidden_call", "run"},
      {"torch_lie", kRecordsOff + torch_extension(kRight, kSwitchOff + usual), "impossible_time", "time"},
  };
  add_broken_kernels(table, "torch", 5,
                     [&](const std::string& body) { return torch_extension(body, usual); });
  if (!has_torch) {
    std::erase_if(table, [](const Broken& one) { return one.stage == "build"; });
  } else {
    table.push_back(
        {"torch_method", torch_extension(kRight, "y.no_such_method();"), "compile_error", "build", 9});
  }
  return table;
}

std::string tvm_ffi(const std::string& kernel, const std::string& host) {
  return testing::kTvmFfiDeclarations + kKernel + kernel +
         "\n}\nextern \"C\" int __tvm_ffi_run(void*, const Any* args, int32_t, Any*) {\n"
         "  const View *in = &args[0].t->view, *out = &args[1].t->view;\n"
         "  const float* x = (const float*)in->data;\n  float* y = (float*)out->data;\n"
         "  const long m = in->shape[0], n = in->shape[1];\n  " +
         host + "\n  return 0;\n}\n";
}

Table tvm_ffi_table() {
  const auto launch = [](const std::string& sizes) { return "k<<<" + sizes + ">>>(x, y, m, n);"; };
  const std::string usual = launch("(m * n + 255) / 256, 256");
  Table table = {
      {"ffi_raises", tvm_ffi(kRight, "TVMFFIErrorSetRaisedFromCStr(\"ValueError\", \"no\"); return -1;"),
       "exception", "run", 0, "", "ValueError"},
      {"ffi_silent", tvm_ffi(kRight, "return -1;"), "error_returned", "run"},
      {"ffi_bounds", tvm_ffi(kRight, launch("9, 2048")), "too_many_threads", "run"},
      {"ffi_shared", tvm_ffi(kRight, launch("9, 256, 1 << 18")), "too_much_shared_memory", "run"},
      {"ffi_host", tvm_ffi(kRight, "*(volatile float*)y = 1;"), "crash", "run"},
      {"ffi_ptrace", kPtrace + tvm_ffi(kRight, kTraceMe + usual), "forbidden_call", "run"},
      {"ffi_ahead", kThreads + tvm_ffi(kRight, usual + "\n  " + later(usual)), "work_outside_call", "time"},
      {"ffi_lie", kRecordsOff + tvm_ffi(kRight, kSwitchOff + usual), "impossible_time", "time"},
  };
  add_broken_kernels(table, "ffi", 18, [&](const std::string& body) { return tvm_ffi(body, usual); });
  return table;
}

const std::string kRun = "import torch\n\n\ndef run(x, y):\n    ";
const std::string kPythonTraceMe = "ctypes.CDLL(None).ptrace(0, 0, None, None)\n    ";
const std::string kPythonThreads =
    "import threading\nimport time\n\n\ndef later(work):\n    time.sleep(0.003)\n    work()\n\n\n";

// Python that does something when its call is over.
std::string python_later(const std::string& what) {
  return "\n    threading.Thread(target=later, args=(lambda: " + what + ",), daemon=True).start()\n";
}

// What kRecordsOff does, in Python.
const std::string kPythonRecordsOff =
    "import ctypes\n\n\ndef switch_records_off():\n"
    "    for line in open(\"/proc/self/maps\"):\n"
    "        if \"libcupti\" in line:\n"
    "            for kind in (3, 10):\n"
    "                ctypes.CDLL(line.split()[-1]).cuptiActivityDisable(kind)\n"
    "            return\n\n\n";

Table python_table() {
  return {
      {"py_syntax", "def run(x, y:\n    pass\n", "compile_error", "build", 1},
      {"py_package", "import no_such_package\n\n\ndef run(x, y):\n    pass\n", "missing_package", "load", 1},
      {"py_name", "def walk(x, y):\n    pass\n", "missing_symbol", "build"},
      {"py_load", "raise ValueError('no')\n\n\ndef run(x, y):\n    pass\n", "load_error", "load", 1, "",
       "ValueError"},
      {"py_exception", kRun + "y.copy_(x.no_such_method())\n", "exception", "run", 5, "", "AttributeError"},
      {"py_memory", kRun + "torch.empty(1 << 42, device=x.device)\n", "out_of_memory", "run", 5},
      {"py_endless", kRun + "while True: pass\n", "timeout", "run"},
      {"py_exits", "import os\n" + kRun + "os._exit(0)\n", "crash", "run"},
      {"py_zeros", kRun + "y.zero_()\n", "wrong_values", "judge", 0, "all_zeros"},
      {"py_nan", kRun + "y.copy_(torch.softmax(torch.full_like(x, float('-inf')), -1))\n", "wrong_values",
       "judge", 0, "all_nan"},
      {"py_transposed", kRun + "y.copy_((2 * x + 1).T)\n", "wrong_values", "judge", 0, "transposed"},
      {"py_rows", kRun + "y.copy_(torch.roll(2 * x + 1, 1, 0))\n", "wrong_values", "judge", 0,
       "off_by_one_row"},
      {"py_last_rows", kRun + "y[:-1].copy_((2 * x + 1)[:-1])\n", "unwritten_output", "judge", 0,
       "last_elements"},
      {"py_nothing", kRun + "pass\n", "unwritten_output", "judge"},
      {"py_indent", "def run(x, y):\n    a = 1\n      b = 2\n", "compile_error", "build", 3},
      {"py_import", "from torch import no_such_name\n\n\ndef run(x, y):\n    pass\n", "load_error", "load", 1,
       "", "ImportError"},
      {"py_undefined", kRun + "y.copy_(nothing)\n", "exception", "run", 5, "", "NameError"},
      {"py_type", kRun + "y.copy_(\"one\" + 1)\n", "exception", "run", 5, "", "TypeError"},
      {"py_index", kRun + "y[48, 0] = 1\n", "exception", "run", 5, "", "IndexError"},
      {"py_sizes", kRun + "y.copy_(x[:7])\n", "exception", "run", 5, "", "RuntimeError"},
      {"py_devices", kRun + "y.copy_(x + torch.ones(48))\n", "exception", "run", 5, "", "RuntimeError"},
      {"py_recursion", kRun + "run(x, y)\n", "exception", "run", 5, "", "RecursionError"},
      {"py_null", "import ctypes\n" + kRun + "ctypes.string_at(8)\n", "crash", "run", 0, "", "SIGSEGV"},
      {"py_all", kRun + "y.copy_(2 * x + 3)\n", "wrong_values", "judge", 0, "all"},
      {"py_column", kRun + "y.copy_(2 * x + 1)\n    y[:, 7] += 3\n", "wrong_values", "judge", 0,
       "one_column"},
      {"py_row", kRun + "y.copy_(2 * x + 1)\n    y[7] += 3\n", "wrong_values", "judge", 0, "one_row"},
      {"py_third", kRun + "y.copy_(2 * x + 1)\n    y.view(-1)[::3] += 3\n", "wrong_values", "judge", 0,
       "every_nth"},
      {"py_first_rows", kRun + "y[1:].copy_((2 * x + 1)[1:])\n", "unwritten_output", "judge", 0,
       "first_elements"},
      {"py_lie", kPythonRecordsOff + kRun + "switch_records_off()\n    y.copy_(2 * x + 1)\n",
       "impossible_time", "time"},
      {"py_ptrace", "import ctypes\n" + kRun + kPythonTraceMe + "y.copy_(2 * x + 1)\n", "forbidden_call",
       "run"},
      {"py_ahead", kPythonThreads + kRun + "y.copy_(2 * x + 1)" + python_later("y.copy_(2 * x + 1)"),
       "work_outside_call", "time"},
  };
}

Table returned_table() {
  const std::string run = "import torch\n\n\ndef run(x):\n    ";
  return {
      {"py_dtype", run + "return (2 * x + 1).half()\n", "wrong_dtype", "judge"},
      {"py_shape", run + "return (2 * x + 1)[:-1]\n", "wrong_shape", "judge"},
      {"py_none", run + "return None\n", "wrong_shape", "judge"},
  };
}

const std::string kTritonCall = "kernel[(9,)](x, y, 2304, BLOCK=256)";

std::string triton(const std::string& body, const std::string& call = kTritonCall) {
  return "import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef kernel(x, y, n, BLOCK: "
         "tl.constexpr):\n"
         "    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n    " +
         body + "\n\n\ndef run(x, y):\n    " + call + "\n";
}

// Two tiles of 256 KB each.
const std::string kTritonShared =
    "import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef kernel(x, y, B: tl.constexpr, K: "
    "tl.constexpr):\n    r = tl.arange(0, B)\n    k = tl.arange(0, K)\n"
    "    a = tl.load(x + (r[:, None] * K + k[None, :]) % 2304)\n"
    "    b = tl.load(x + (k[:, None] * B + r[None, :]) % 2304)\n"
    "    tl.store(y + (r[:, None] * B + r[None, :]) % 2304, tl.dot(a, b))\n\n\n"
    "def run(x, y):\n    kernel[(1,)](x, y, B=128, K=512, num_warps=16)\n";

Table triton_table() {
  const std::string right = "tl.store(y + i, 2 * tl.load(x + i, mask=i < n) + 1, mask=i < n)";
  const auto stores = [](const std::string& value) { return triton("tl.store(y + i, " + value + ")"); };
  const auto wrong = [&](const std::string& where) {
    return stores("2 * tl.load(x + i) + tl.where(" + where + ", 3, 1)");
  };
  return {
      {"triton_syntax", triton("tl.store(y + i, 1"), "compile_error", "build", 8},
      {"triton_name", "def walk(x, y):\n    pass\n", "missing_symbol", "build"},
      {"triton_load", "raise ValueError('no')\n\n\ndef run(x, y):\n    pass\n", "load_error", "load", 1, "",
       "ValueError"},
      {"triton_endless", triton(right, "while True: pass"), "timeout", "run"},
      {"triton_exception", triton(right, "y.no_such_method()"), "exception", "run", 12, "", "AttributeError"},
      {"triton_shapes", triton("tl.store(y + i, tl.arange(0, 128) + tl.load(x + i))"), "compile_error",
       "build", 8},
      {"triton_lie", kPythonRecordsOff + triton(right, "switch_records_off()\n    " + kTritonCall),
       "impossible_time", "time"},
      {"triton_zeros", stores("tl.load(x + i) * 0"), "wrong_values", "judge", 0, "all_zeros"},
      {"triton_all", stores("2 * tl.load(x + i) + 3"), "wrong_values", "judge", 0, "all"},
      {"triton_rows", stores("2 * tl.load(x + (i + 48) % n) + 1"), "wrong_values", "judge", 0,
       "off_by_one_row"},
      {"triton_column", wrong("i % 48 == 7"), "wrong_values", "judge", 0, "one_column"},
      {"triton_row", wrong("i // 48 == 7"), "wrong_values", "judge", 0, "one_row"},
      {"triton_third", wrong("i % 3 == 0"), "wrong_values", "judge", 0, "every_nth"},
      {"triton_tails", wrong("i % 24 >= 22"), "wrong_values", "judge", 0, "block_tails"},
      {"triton_first_block", triton("tl.store(y + i, 2 * tl.load(x + i) + 1, mask=i >= 256)"),
       "unwritten_output", "judge", 0, "first_elements"},
      {"triton_odd", triton("tl.store(y + i, 2 * tl.load(x + i) + 1, mask=i % 2 == 0)"), "unwritten_output",
       "judge", 0, "every_nth"},
      {"triton_undefined", triton("tl.store(y + i, nothing, mask=i < n)"), "compile_error", "build", 8},
      {"triton_type", triton("tl.store(y + i, x + i, mask=i < n)"), "compile_error", "build", 8},
      {"triton_block", triton(right, "kernel[(24,)](x, y, 2304, BLOCK=100)"), "compile_error", "build", 7},
      {"triton_argument", triton(right, "kernel[(9,)](x, y, BLOCK=256)"), "exception", "run", 12},
      {"triton_warps", triton(right, "kernel[(9,)](x, y, 2304, BLOCK=256, num_warps=64)"), "too_many_threads",
       "run", 12},
      {"triton_ptrace", "import ctypes\n" + triton(right, kPythonTraceMe + kTritonCall), "forbidden_call",
       "run"},
      {"triton_ahead", kPythonThreads + triton(right, kTritonCall + python_later(kTritonCall)),
       "work_outside_call", "time"},
      {"triton_shared", kTritonShared, "too_much_shared_memory", "run", 15},
      {"triton_illegal", triton("tl.store(y + i.to(tl.int64) + (1 << 40), tl.load(x + i))"), "illegal_access",
       "run"},
      {"triton_last_block", triton("tl.store(y + i, 2 * tl.load(x + i) + 1, mask=i < n - 256)"),
       "unwritten_output", "judge", 0, "last_elements"},
      {"triton_nan",
       triton("u = tl.full((BLOCK,), float('-inf'), tl.float32)\n    tl.store(y + i, tl.exp(u - u) + "
              "tl.load(x + "
              "i))"),
       "wrong_values", "judge", 0, "all_nan"},
      {"triton_grid", triton(right, "kernel[(8,)](x, y, 2304, BLOCK=256)"), "unwritten_output", "judge", 0,
       "last_elements"},
      {"triton_transposed", triton("tl.store(y + i % 48 * 48 + i // 48, 2 * tl.load(x + i) + 1)"),
       "wrong_values", "judge", 0, "transposed"},
      {"triton_attribute", triton("tl.store(y + i, tl.no_such(i))"), "compile_error", "build", 8},
      {"triton_package", "import triton_of_another_name\n" + triton(right), "missing_package", "load", 1},
  };
}

ordered_json spec(const std::string& language, const std::string& file,
                  const ordered_json& more = ordered_json::object()) {
  ordered_json all = {{"language", language}, {"target_hardware", {"cuda"}}, {"entry_point", file + "::run"}};
  all.update(more);
  return all;
}

std::vector<std::string> few() {
  return {"--device",      "cuda:0", "--iterations", "5", "--num-trials", "2",
          "--warmup-runs", "1",      "--timeout",    "8", "--skip-after", "0"};
}

}  // namespace

TEST_CASE("programs are told of every broken CUDA solution where, why and whose fault it is", "[gpu]") {
  if (testing::gpu() == nullptr) return;
  if (!testing::has_cuda_tool("nvcc")) return;
  testing::FibRun run;
  testing::add_grid(run.dataset);
  const ordered_json plan = {{"launch", {{"grid", "ceil_div(m * n, 256)"}, {"block", 256}}}};
  testing::add_broken(run.dataset, {spec("cuda", "kernel.cu"), "kernel.cu"}, nvcc_table());
  testing::add_broken(run.dataset, {spec("cuda", "kernel.cu", plan), "kernel.cu"}, launch_table());
  const auto result = run.run(few());
  INFO(result.err);
  CHECK(result.exit_code == 0);
  for (const Table& table : {nvcc_table(), launch_table()}) CHECK(table.size() >= 30);
  testing::check_all_broken(run, {nvcc_table(), launch_table()});
}

TEST_CASE("programs are told of every broken torch extension and TVM-FFI solution for a GPU, too", "[gpu]") {
  if (testing::gpu() == nullptr) return;
  if (!testing::has_cuda_tool("nvcc")) return;
  testing::FibRun run;
  testing::add_grid(run.dataset);
  const auto bound = [](const char* binding) {
    return spec("cuda", "kernel.cu", {{"binding", binding}, {"destination_passing_style", true}});
  };
  const auto python = testing::python_with_torch();
  if (python) run.python = *python;
  const Table torch = torch_table(python.has_value());
  testing::add_broken(run.dataset, {bound("torch"), "kernel.cu"}, torch);
  testing::add_broken(run.dataset, {bound("tvm-ffi"), "kernel.cu"}, tvm_ffi_table());
  const auto result = run.run(few());
  INFO(result.err);
  CHECK(result.exit_code == 0);
  for (const Table& table : {torch, tvm_ffi_table()}) CHECK(table.size() >= 30);
  testing::check_all_broken(run, {torch, tvm_ffi_table()});
}

TEST_CASE("programs are told of every broken Python and Triton solution where, why and whose fault it is",
          "[gpu]") {
  if (testing::gpu() == nullptr) return;
  const auto python = testing::python_with_torch();
  if (!python) return;
  testing::FibRun run;
  run.python = *python;
  testing::add_grid(run.dataset);
  const ordered_json passes = {{"destination_passing_style", true}};
  const ordered_json returns = {{"destination_passing_style", false}};
  testing::add_broken(run.dataset, {spec("python", "main.py", passes), "main.py"}, python_table());
  testing::add_broken(run.dataset, {spec("python", "main.py", returns), "main.py"}, returned_table());
  testing::add_broken(run.dataset, {spec("triton", "main.py", passes), "main.py"}, triton_table());
  const auto result = run.run(few());
  INFO(result.err);
  CHECK(result.exit_code == 0);
  for (const Table& table : {python_table(), triton_table()}) CHECK(table.size() >= 30);
  testing::check_all_broken(run, {python_table(), returned_table(), triton_table()});
}
