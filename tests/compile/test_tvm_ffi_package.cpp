#include <cstdlib>

#include "compile/cuda_libraries.h"
#include "compile/python_tests.h"
#include "compile/tvm_ffi_package.h"
#include "support/temporary.h"
#include "util/error.h"
#include "util/files.h"

using namespace fib;
using compile::is_tvm_ffi;
using Strings = std::vector<std::string>;

namespace {

// A package's folder, as pip unpacks it.
void write_package(const std::filesystem::path& root, const std::string& library = "lib/libtvm_ffi.so") {
  util::write_file_atomic(root / "include/tvm/ffi/c_api.h",
                          "#define TVM_FFI_VERSION_MAJOR 0\n#define TVM_FFI_VERSION_MINOR 1\n"
                          "#define TVM_FFI_VERSION_PATCH 12\n");
  util::write_file_atomic(root / "3rdparty/dlpack/include/dlpack/dlpack.h", "");
  if (!library.empty()) util::write_file_atomic(root / library, "");
}

// The variable as it was, when the test ends.
struct Home {
  explicit Home(const std::string& value) { ::setenv("FIB_TVM_FFI_HOME", value.c_str(), 1); }
  ~Home() { ::unsetenv("FIB_TVM_FFI_HOME"); }
};

model::Solution plain(const std::string& source, const nlohmann::json& more = nlohmann::json::object()) {
  return testing::solution("cpp", "a.cpp::run", {{"a.cpp", source}}, more);
}

}  // namespace

TEST_CASE("the headers of TVM-FFI are found where the variable says") {
  const testing::TemporaryFolder folder;
  write_package(folder.path());
  const Home home(folder.path().string());
  const auto found = compile::find_tvm_ffi(std::nullopt);
  REQUIRE(found);
  CHECK(found->include == folder.path() / "include");
  CHECK(found->dlpack == folder.path() / "3rdparty/dlpack/include");
  CHECK(found->library == folder.path() / "lib/libtvm_ffi.so");
  CHECK(found->version == "0.1.12");
  const auto back = compile::parse_tvm_ffi(compile::to_json(*found));
  CHECK(back.include == found->include);
  CHECK(back.dlpack == found->dlpack);
  CHECK(back.library == found->library);
  CHECK(back.version == found->version);
  CHECK_THROWS_AS(compile::parse_tvm_ffi("{}"), Error);
}

TEST_CASE("a variable that names another folder is an error") {
  const testing::TemporaryFolder folder;
  const Home home(folder.path().string());
  CHECK_THROWS_WITH(compile::find_tvm_ffi(std::nullopt),
                    "FIB_TVM_FFI_HOME: " + folder.path().string() +
                        " has no include/tvm/ffi/c_api.h with dlpack/dlpack.h beside it");
}

TEST_CASE("the headers of TVM-FFI are found in the packages of the Python that is used") {
  const testing::TemporaryFolder folder;
  auto python = testing::complete_python();
  python.folders = {folder.path() / "nothing", folder.path() / "site-packages"};
  write_package(folder.path() / "site-packages/tvm_ffi", "");
  const auto found = compile::find_tvm_ffi(python);
  REQUIRE(found);
  CHECK(found->include == folder.path() / "site-packages/tvm_ffi/include");
  CHECK(found->library.empty());
}

TEST_CASE("a solution is TVM-FFI's by its binding, or by what its sources say") {
  CHECK(is_tvm_ffi(plain("", {{"binding", "tvm-ffi"}})));
  CHECK(is_tvm_ffi(plain("int x;\n  #  include <tvm/ffi/function.h>\n")));
  CHECK(is_tvm_ffi(plain("int __tvm_ffi_run(void*);")));
  CHECK(is_tvm_ffi(testing::solution("c", "a.c::run", {{"a.c", ""}}, {{"binding", "tvm-ffi"}})));
  CHECK_FALSE(is_tvm_ffi(plain("extern \"C\" void run();")));
  CHECK_FALSE(is_tvm_ffi(plain("#include <dlpack/dlpack.h>\nextern \"C\" void run();")));
  CHECK_FALSE(is_tvm_ffi(plain("// unlike __tvm_ffi_run\nextern \"C\" void run();")));
  CHECK_FALSE(is_tvm_ffi(plain("int my__tvm_ffi_run(void*);")));
  CHECK_FALSE(is_tvm_ffi(plain("#include <tvm/ffi/function.h>", {{"binding", "torch"}})));
  CHECK_FALSE(is_tvm_ffi(testing::solution("python", "a.py::run", {{"a.py", "# include <tvm/ffi/x.h>"}})));
  CHECK(compile::includes_tvm_ffi(plain("#include \"dlpack/dlpack.h\"\n")));
  CHECK_FALSE(compile::includes_tvm_ffi(plain("int __tvm_ffi_run(void*);")));
}

TEST_CASE("CUDA's libraries are those whose headers are included, and those that dependencies name") {
  const auto libraries = [](const std::string& source,
                            const nlohmann::json& more = nlohmann::json::object()) {
    return compile::cuda_libraries(plain(source, more));
  };
  CHECK(libraries("#include <cublas_v2.h>\n") == Strings{"cublas", "cublasLt"});
  CHECK(libraries("int x;\n #include \"cublasLt.h\"\n#include <cudnn_frontend.h>\n") ==
        Strings{"cublasLt", "cudnn"});
  CHECK(libraries("#include <curand.h>") == Strings{"curand"});
  CHECK(
      libraries("#include <curand_kernel.h>\n#include <cub/cub.cuh>\n#include <cutlass/cutlass.h>").empty());
  CHECK(libraries("// cublas\n#include <vector>\n").empty());
  CHECK(libraries("", {{"dependencies", {"cublas", "cutlass", "torch"}}}) == Strings{"cublas", "cublasLt"});
}

TEST_CASE("fib's runtime lies beside libfib_core") {
  CHECK(std::filesystem::exists(compile::tvm_ffi_runtime()));
}

TEST_CASE("sources of any length and kind can be looked at") {
  for (const std::string filling : {" ", "#", "\n", "#include <", "/*", "__tvm_ffi_", "\\", "\""}) {
    std::string text = "\n";
    while (text.size() < 1'000'000) text += filling;
    const auto s = plain(text + "\nint x;\n");
    CAPTURE(filling);
    CHECK(is_tvm_ffi(s) == (filling == "__tvm_ffi_"));
    CHECK_FALSE(compile::includes_tvm_ffi(s));
    CHECK(compile::cuda_libraries(s).empty());
  }
}

TEST_CASE("headers of TVM-FFI without DLPack's are none") {
  const testing::TemporaryFolder folder;
  util::write_file_atomic(folder.path() / "include/tvm/ffi/c_api.h", "");
  const Home home(folder.path().string());
  CHECK_THROWS_AS(compile::find_tvm_ffi(std::nullopt), Error);
}
