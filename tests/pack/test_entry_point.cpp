#include <catch2/catch.hpp>

#include "pack/entry_point.h"
#include "util/error.h"

using namespace fib;

namespace {

bool c_defines(const std::string& content, const std::string& symbol = "run") {
  return pack::defines({"a.cu", content, {}}, symbol);
}

bool python_defines(const std::string& content, const std::string& symbol = "run") {
  return pack::defines({"a.py", content, {}}, symbol);
}

}  // namespace

TEST_CASE("a function's body in C, C++ or CUDA defines its name") {
  CHECK(c_defines("void run(int a) {}"));
  CHECK(c_defines("extern \"C\" __global__ void\nrun\n(int a, void (*f)(int))\n{\n}"));
  CHECK(c_defines("auto run() noexcept -> std::vector<int> {}"));
  CHECK(c_defines("void run(int a);\nvoid run(int a) {}"));
  CHECK(c_defines("TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, impl::go);"));
  CHECK(c_defines("PYBIND11_MODULE(a, m) { m.def(\"run\", &go); }"));
}

TEST_CASE("declarations, calls, comments and longer names define nothing") {
  CHECK_FALSE(c_defines("void run(int a);"));
  CHECK_FALSE(c_defines("void f() { if (run(1)) { } run(2); x = run(3) + y; }"));
  CHECK_FALSE(c_defines("// void run() {}\n/* void run() {} */"));
  CHECK_FALSE(c_defines("/* void run() {}"));
  CHECK_FALSE(c_defines("void run2() {} void prerun() {}"));
  CHECK_FALSE(c_defines("void run("));
  // Parameters are not longer than this, so that no call is followed to the end of the file.
  CHECK(c_defines("void run(" + std::string(3'900, ' ') + ") {}"));
  CHECK_FALSE(c_defines("void run(" + std::string(4'100, ' ') + ") {}"));
  CHECK_FALSE(c_defines("void run"));
  CHECK_FALSE(c_defines("void f() {}", ""));
}

TEST_CASE("a function or class at the top of a Python file defines its name") {
  CHECK(python_defines("import x\n\n@jit\ndef run(a):\n  pass\n"));
  CHECK(python_defines("async def run():\n  pass"));
  CHECK(python_defines("class run:\n  pass"));
  CHECK_FALSE(python_defines("class A:\n  def run(self):\n    pass\n"));
  CHECK_FALSE(python_defines("def runner():\n  run()\n# def run"));
  CHECK_FALSE(python_defines("from a import run\nrun(1)\n"));
  CHECK_FALSE(python_defines("\n"));
}

TEST_CASE("an entry point without file means the only source, or the one that defines it") {
  const model::SourceFile header{"a.h", "void run();", {}};
  const model::SourceFile kernel{"b.cu", "void run() {}", {}};
  const model::SourceFile other{"c/d.cpp", "void run() {}", {}};
  CHECK(pack::complete_entry_point("x.cu::run", {header, kernel}) == "x.cu::run");
  CHECK(pack::complete_entry_point("run", {header, kernel}) == "b.cu::run");
  CHECK(pack::complete_entry_point("go", {header}) == "a.h::go");
  CHECK_THROWS_WITH(pack::complete_entry_point("go", {header, kernel}),
                    "entry_point \"go\" names no file, and no source defines it; write \"<file>::go\"");
  CHECK_THROWS_WITH(
      pack::complete_entry_point("run", {header, kernel, other}),
      "entry_point \"run\" names no file, and b.cu and c/d.cpp define it; write \"<file>::run\"");
}
