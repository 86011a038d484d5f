#include <catch2/catch.hpp>

#include "compile/compile_options.h"

using namespace fib;

namespace {

bool allowed(const std::vector<std::string>& flags) {
  model::Solution solution;
  solution.spec.compile_options.emplace();
  solution.spec.compile_options->cflags = flags;
  const bool result = !compile::refused_option(solution);
  model::Solution linked;
  linked.spec.compile_options.emplace();
  linked.spec.compile_options->ld_flags = flags;
  CHECK(!compile::refused_option(linked) == result);
  return result;
}

}  // namespace

TEST_CASE("options of usual builds are allowed") {
  CHECK_FALSE(compile::refused_option({}));
  // clang-format off
  for (const char* flag :
       {"-O3", "-g", "-std=c++20", "-march=native", "-mavx2", "-fopenmp", "-ffast-math", "-fno-plt", "-fPIC",
        "-funroll-loops", "-fvisibility=hidden", "-DX=1", "-UX", "-I a", "-I/x", "-L/x", "-lcuda", "-lgomp",
        "-Wall", "-Wno-unused", "-w", "-s", "-pthread", "-Wl,--as-needed", "-Wl,-rpath,/x,-z,now", "-Wl,-O1",
        "-static-libstdc++", "-shared", "--use_fast_math", "-use_fast_math", "--expt-relaxed-constexpr",
        "-gencode=arch=compute_90a,code=sm_90a", "-arch=sm_90", "-rdc=true", "-lineinfo", "-maxrregcount=64",
        "-Xptxas=-v,-O3", "--ptxas-options=-dlcm=ca", "-Xcompiler=-fopenmp,-O3", "-Xcompiler -fPIC",
        "-diag-suppress=177", "--generate-line-info"}) {
    // clang-format on
    INFO(flag);
    CHECK(allowed({flag}));
  }
  CHECK(allowed(
      {"-Xptxas", "-dlcm=ca", "-Xcompiler", "-fPIC,-O2", "-Xlinker", "-z", "-include", "a.h", "-I", "b"}));
}

TEST_CASE("options that write files, run programs or load plugins are not") {
  // clang-format off
  for (const char* flag :
       {"-fplugin=x.so", "-wrapper", "-o", "-ofile", "@file", "-save-temps", "-specs=x", "-B/x", "-MF", "-MD",
        "-fdump-tree-all", "-fopt-info-all=/p", "-fprofile-generate=/p", "-fmodule-mapper=|x", "-fuse-ld=x",
        "-fdiagnostics-add-output=sarif:file=/p", "-dumpdir", "-Wl,-o,/p", "-Wl,-Map=/p", "-Wl,-z,now,-plugin,x",
        "-Wl,--dependency-file=/p", "-Wl,@x", "-Wp,-MMD,/p", "-Wp,-fplugin=x.so", "-Wa,-a=/p", "-Xclang",
        "-Xcompiler=-fplugin=x", "-Xcompiler=-O2,-wrapper,x", "-Xptxas=-o,/p", "--keep-dir=/p", "-ccbin=/x",
        "--compiler-bindir=/x", "-DX=1\ncxx = id", "-O2\r", "-T", "--some-new-option"}) {
    // clang-format on
    INFO(flag);
    CHECK_FALSE(allowed({flag}));
  }
  CHECK_FALSE(allowed({"-Xlinker", "-plugin"}));
  CHECK_FALSE(allowed({"-Xcompiler", "-fplugin=x"}));
  CHECK_FALSE(allowed({"-Xptxas", "--output-file"}));
}

TEST_CASE("options of nvcc hold nothing that a shell understands") {
  const auto allowed_for_nvcc = [](const std::string& flag) {
    model::Solution compiled;
    compiled.spec.compile_options.emplace();
    compiled.spec.compile_options->cuda_cflags = std::vector<std::string>{flag};
    model::Solution linked;
    linked.sources.push_back({"a.cu", "", {}});
    linked.spec.compile_options.emplace();
    linked.spec.compile_options->ld_flags = std::vector<std::string>{flag};
    const bool result = !compile::refused_option(compiled);
    CHECK(!compile::refused_option(linked) == result);
    return result;
  };
  for (const char* flag : {"-DX=$(touch x)", "-DX=`touch x`", "-DX=\\\\\";touch x;", "-DX=;touch x",
                           "-DX=a b", "-DX='a'", "-DX=a|b", "-DX=a&b", "-DX=<a", "-DX=(a)", "-I~", "a*"}) {
    INFO(flag);
    CHECK_FALSE(allowed_for_nvcc(flag));
  }
  for (const char* flag : {"-DX=1", "-I/usr/include/c++/12", "-O3", "-l:libx.so.1"}) {
    INFO(flag);
    CHECK(allowed_for_nvcc(flag));
  }
  CHECK_FALSE(allowed({"-DX=$(shell x)"}));
  CHECK_FALSE(allowed({"-DX=`x`"}));
  CHECK(allowed({"-Wl,-rpath,$ORIGIN"}));
}

TEST_CASE("a refused option is named, with what cannot be printed escaped") {
  model::Solution solution;
  solution.spec.compile_options.emplace();
  solution.spec.compile_options->cuda_cflags = std::vector<std::string>{"-O3", "-D\nX"};
  CHECK(compile::refused_option(solution) == "the compile option \"-D\\nX\" is not allowed");
}
