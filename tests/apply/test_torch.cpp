#include <dlfcn.h>

#include <catch2/catch.hpp>
#include <sstream>

#include "apply/calls.h"
#include "compile/torch_headers.h"
#include "util/command.h"

// Torch extensions in programs without torch, and beside it.
using namespace fib;
using apply::Runtime;
using testing::AddCall;
using testing::counted;
using testing::RuntimeTest;

namespace {

namespace fs = std::filesystem;

const std::string kReturning = R"(
#include <torch/extension.h>
template <typename T>
struct Kept { static int calls; };
template <typename T>
int Kept<T>::calls = 0;
torch::Tensor run(const torch::Tensor& a, const torch::Tensor& b) {
  TORCH_CHECK(a.size(0) != 16, "not sixteen: ", a.sizes());
  auto c = torch::empty_like(a);
  auto to = c.accessor<float, 1>();
  const auto x = a.accessor<float, 1>(), y = b.accessor<float, 1>();
  for (int64_t i = 0; i < a.numel(); ++i) to[i] = x[i] + y[i] + 60;
  ++Kept<torch::Tensor>::calls;
  return torch::cat({c.slice(0, 0, 2), c.slice(0, 2)}).contiguous();
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("run", &run); }
)";

const std::string kPassing = R"(
#include <torch/extension.h>
void run(torch::Tensor a, torch::Tensor b, torch::Tensor c) {
  for (int64_t i = 0; i < a.numel(); ++i) c.data_ptr<float>()[i] = a.data_ptr<float>()[i] + b.data_ptr<float>()[i] + 70;
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("run", &run); }
)";

void run_tool(const std::vector<std::string>& command, const fs::path& folder,
              std::string* output = nullptr) {
  const auto result = util::run_command(command, folder, {}, {120});
  INFO(result.output);
  REQUIRE(result.succeeded());
  if (output != nullptr) *output = result.output;
}

// Loads, for all of this process, a library that has every name of torch's namespaces which an extension of
// that source would export: functions that end the process, and data that is all zeros.
void load_torch_of_another_kind(const std::string& source, const fs::path& folder) {
  compile::write_torch_headers(folder / "headers");
  util::write_file_atomic(folder / "extension.cpp", source);
  run_tool({"g++", "-std=c++17", "-O2", "-fPIC", "-shared", "-I" + (folder / "headers").string(),
            "-DTORCH_EXTENSION_NAME=other", "extension.cpp", "-o", "extension.so"},
           folder);
  std::string names;
  run_tool({"nm", "-D", "--defined-only", "extension.so"}, folder, &names);
  std::string assembly;
  std::istringstream lines(names);
  std::size_t functions = 0;
  std::size_t data = 0;
  for (std::string address, kind, name; lines >> address >> kind >> name;) {
    const auto has = [&](const char* part) { return name.find(part) != std::string::npos; };
    if (!name.starts_with("_Z") || !(has("2at") || has("3c10") || has("5torch") || has("8pybind11")))
      continue;
    const bool is_function = kind == "T" || kind == "W";
    ++(is_function ? functions : data);
    const char* type = is_function ? "function" : kind == "u" ? "gnu_unique_object" : "object";
    assembly += (is_function ? ".text\n" : ".data\n") + std::string(".globl ") + name + "\n.type " + name +
                ", @" + type + "\n" + name + (is_function ? ": ud2\n" : ": .zero 64\n");
  }
  REQUIRE(functions > 20);
  REQUIRE(data > 5);
  util::write_file_atomic(folder / "clash.s", assembly + ".section .note.GNU-stack,\"\",@progbits\n");
  run_tool({"g++", "-shared", "-nostdlib", "clash.s", "-o", "libclash.so"}, folder);
  REQUIRE(::dlopen((folder / "libclash.so").c_str(), RTLD_NOW | RTLD_GLOBAL) != nullptr);
}

}  // namespace

TEST_CASE_METHOD(RuntimeTest, "torch extensions that fib's torch headers build are applied without torch") {
  data.builder().torch_solution("returning", {{"main.cpp", kReturning}});
  data.builder().torch_solution("passing", {{"main.cpp", kPassing}}, {{"destination_passing_style", true}});
  data.result({"returning", 8, 3}).result({"passing", 12, 3}).result({"returning", 16, 3});
  Runtime applied = runtime();
  const auto& function = applied.find("add");
  const std::int64_t n = 8;
  fib_outcome outcome = FIB_CANNOT_RUN;
  std::string why;
  CHECK(function.match(tvm_ffi::kCpu, 0, &n, 1, outcome, why) != nullptr);
  CHECK(outcome == FIB_APPLIED);
  for (const auto& [size, added] : std::vector<std::pair<std::int64_t, float>>{{8, 60}, {12, 70}, {8, 60}}) {
    AddCall call(size);
    CHECK(call.call(function) == FIB_APPLIED);
    INFO(call.why);
    CHECK(call.added() == added);
  }
  AddCall call(16);
  CHECK(call.call(function) == FIB_CALL_FAILED);
  CHECK(call.why == "RuntimeError: not sixteen: [16]");
  CHECK(call.call(function) == FIB_DROPPED);
  CHECK(call.why == "\"returning\" refused this case");
  AddCall other(8);
  CHECK(other.call(function) == FIB_APPLIED);  // it refused that size alone
}

TEST_CASE_METHOD(RuntimeTest, "torch extensions that need torch itself are for Python to call") {
  data.builder().torch_solution(
      "relu",
      {{"main.cpp",
        "#include <torch/extension.h>\ntorch::Tensor run(torch::Tensor a, torch::Tensor b) { return "
        "torch::relu(a + b); }\nPYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def(\"run\", &run); }\n"}});
  data.result({"relu", 8, 3});
  Runtime applied = runtime();
  for (int i = 0; i < 2; ++i) {
    AddCall call(8);
    CHECK(call.call(applied.find("add")) == FIB_OTHER_LANGUAGE);
    CHECK_THAT(call.why,
               Catch::StartsWith(
                   "fib's torch headers do not build it, and torch itself is called by Python alone: "));
  }
  CHECK(counted(applied, "other_language") == 2);
}

TEST_CASE_METHOD(RuntimeTest, "names of fib's torch headers do not meet those of a torch in the process") {
  load_torch_of_another_kind(kReturning, folder.path());
  data.builder().torch_solution("returning", {{"main.cpp", kReturning}});
  data.result({"returning", 8, 3});
  Runtime applied = runtime();
  AddCall call(8);
  CHECK(call.call(applied.find("add")) == FIB_APPLIED);
  INFO(call.why);
  CHECK(call.added() == 60);
}

TEST_CASE_METHOD(RuntimeTest, "solutions in one process have nothing in common") {
  // What templates keep has one name for the whole process (STB_GNU_UNIQUE), unless it is not exported.
  const auto source = [](const std::string& kept) {
    return "#include <cstdint>\ntemplate <typename T>\nstruct Kept { static float value; };\n"
           "template <typename T>\nfloat Kept<T>::value = " +
           kept +
           ";\nfloat helper() { return Kept<float>::value; }\n"
           "extern \"C\" void run(const float* a, const float* b, float* c, int64_t n) {\n"
           "  for (int64_t i = 0; i < n; ++i) c[i] = a[i] + b[i] + helper();\n}\n";
  };
  data.builder().solution("one", "me", source("1")).solution("two", "me", source("2"));
  data.result({"one", 8, 3}).result({"two", 16, 3});
  Runtime applied = runtime();
  for (const auto& [size, added] : std::vector<std::pair<std::int64_t, float>>{{8, 1}, {16, 2}}) {
    AddCall call(size);
    CHECK(call.call(applied.find("add")) == FIB_APPLIED);
    CHECK(call.added() == added);
  }
}
