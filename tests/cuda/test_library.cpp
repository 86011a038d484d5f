#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>

#include "cuda/devices.h"
#include "cuda/library.h"
#include "support/temporary.h"
#include "util/files.h"

using namespace fib;

TEST_CASE("a library that is nowhere is one sentence with what is missing and where it was looked for") {
  std::string problem;
  const auto library = cuda::open_library("the Oracle", {"liboracle.so.2", "liboracle.so.1"}, problem);
  CHECK_FALSE(library.is_open());
  CHECK(library.symbol("anything") == nullptr);
  CHECK(problem.find(
            "the Oracle was not found: no liboracle.so.2 or liboracle.so.1 in the loader's folders") == 0);
}

TEST_CASE("CUDA_HOME and Python's packages are searched, in this order") {
  const testing::TemporaryFolder folder;
  const auto home = folder.path() / "toolkit";
  const auto environment = folder.path() / "venv";
  const auto package = environment / "lib/python3.12/site-packages/nvidia/cuda_nvrtc";
  std::filesystem::create_directories(home / "lib64");
  std::filesystem::create_directories(home / "include");
  std::filesystem::create_directories(package / "lib");
  std::filesystem::create_directories(package / "include");
  const char* old = std::getenv("CUDA_HOME");
  const std::string saved = old == nullptr ? "" : old;
  ::setenv("CUDA_HOME", home.c_str(), 1);
  ::setenv("VIRTUAL_ENV", environment.c_str(), 1);
  const auto libraries = cuda::library_folders();
  const auto includes = cuda::include_folders();
  std::string problem;
  (void)cuda::open_library("X", {"libx.so"}, problem);
  if (old == nullptr) {
    ::unsetenv("CUDA_HOME");
  } else {
    ::setenv("CUDA_HOME", saved.c_str(), 1);
  }
  ::unsetenv("VIRTUAL_ENV");
  REQUIRE_FALSE(libraries.empty());
  CHECK(libraries.front() == home / "lib64");
  CHECK(std::find(libraries.begin(), libraries.end(), package / "lib") != libraries.end());
  CHECK(includes.front() == home / "include");
  CHECK(std::find(includes.begin(), includes.end(), package / "include") != includes.end());
  CHECK(problem.find((package / "lib").string()) != std::string::npos);
}

TEST_CASE("a library in CUDA_HOME is opened") {
  // Any library will do: the C library's own mathematics under another name.
  const testing::TemporaryFolder folder;
  std::filesystem::create_directories(folder.path() / "lib64");
  for (const char* from : {"/lib/x86_64-linux-gnu/libm.so.6", "/lib/aarch64-linux-gnu/libm.so.6"}) {
    if (std::filesystem::exists(from))
      std::filesystem::copy_file(from, folder.path() / "lib64/libfibtest.so");
  }
  if (!std::filesystem::exists(folder.path() / "lib64/libfibtest.so")) {
    WARN("skipped: no libm where Debian has it");
    return;
  }
  const char* old = std::getenv("CUDA_PATH");
  const std::string saved = old == nullptr ? "" : old;
  ::setenv("CUDA_PATH", folder.path().c_str(), 1);
  std::string problem;
  const auto library = cuda::open_library("the test", {"libfibtest.so"}, problem);
  if (old == nullptr) {
    ::unsetenv("CUDA_PATH");
  } else {
    ::setenv("CUDA_PATH", saved.c_str(), 1);
  }
  CHECK(problem.empty());
  CHECK(library.file() == (folder.path() / "lib64/libfibtest.so").string());
  CHECK(library.symbol("cos") != nullptr);
  CHECK(library.symbol("no_such_function") == nullptr);
}

TEST_CASE("architectures have their specific suffix from compute capability 9.0 on") {
  CHECK(cuda::architecture_of(8, 0) == "sm_80");
  CHECK(cuda::architecture_of(8, 9) == "sm_89");
  CHECK(cuda::architecture_of(9, 0) == "sm_90a");
  CHECK(cuda::architecture_of(10, 3) == "sm_103a");
  CHECK(cuda::architecture_of(12, 0) == "sm_120a");
}
