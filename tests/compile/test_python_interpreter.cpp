#include <sys/stat.h>

#include <cstdlib>

#include "compile/python_tests.h"
#include "support/python.h"
#include "support/temporary.h"

using namespace fib;
namespace fs = std::filesystem;

namespace {

// Sets FIB_PYTHON for its lifetime.
class NamedPython {
 public:
  explicit NamedPython(const std::string& value) {
    const char* old = std::getenv("FIB_PYTHON");
    if (old != nullptr) old_ = old;
    ::setenv("FIB_PYTHON", value.c_str(), 1);
  }
  ~NamedPython() {
    if (old_) {
      ::setenv("FIB_PYTHON", old_->c_str(), 1);
    } else {
      ::unsetenv("FIB_PYTHON");
    }
  }
  NamedPython(const NamedPython&) = delete;
  NamedPython& operator=(const NamedPython&) = delete;

 private:
  std::optional<std::string> old_;
};

fs::path program(const fs::path& folder, const std::string& text) {
  const fs::path path = folder / "python";
  util::write_file_atomic(path, "#!/bin/sh\n" + text + "\n");
  ::chmod(path.c_str(), 0755);
  return path;
}

}  // namespace

TEST_CASE("the interpreter is described as it is") {
  const auto python = testing::real_python();
  if (!python) return;
  CHECK(python->path.is_absolute());
  CHECK(fs::exists(python->path));
  CHECK(python->version.starts_with("3."));
  CHECK(python->abi_tag.starts_with("cpython-"));
  // By its path it is the same one.
  const auto again = compile::probe_python(python->path.string());
  CHECK(compile::to_json(again) == compile::to_json(*python));
  // CUDA only with torch.
  CHECK((python->torch_cuda.empty() || python->has("torch")));
}

TEST_CASE("packages without compiled modules are told apart from those that have them") {
  if (!testing::real_python()) return;
  const testing::TemporaryFolder folder;
  const std::string program = testing::broken_python(folder.path(), "triton", "__version__ = '9'\n");
  const auto without = compile::probe_python(program);
  REQUIRE(without.packages.at("triton") == "9");
  CHECK(without.uncompiled.contains("triton"));
  CHECK(compile::parse_python(compile::to_json(without)).uncompiled == without.uncompiled);
  REQUIRE(testing::run_process({program, "-m", "compileall", "-q", folder.path()}).exit_code == 0);
  CHECK(compile::probe_python(program).uncompiled.empty());
}

TEST_CASE("packages are found without being imported, and a folder on PYTHONPATH is none of them") {
  const auto python = testing::real_python();
  if (!python) return;
  const testing::TemporaryFolder folder;
  const auto torch = folder.path() / "torch";
  util::write_file_atomic(torch / "__init__.py", "raise SystemExit('imported')\n");
  util::write_file_atomic(
      torch / "version.py",
      "from typing import Optional\n__version__ = '9.8+cu999'\ncuda: Optional[str] = '99.9'\n");
  const auto here = fs::absolute(python->path).string();
  const auto wrapper = [&](const std::string& words) {
    return program(folder.path(), "export PYTHONPATH=" + folder.path().string() + "\n" + words);
  };
  const auto isolated = compile::probe_python(wrapper("exec " + here + " \"$@\"").string());
  CHECK(isolated.packages == python->packages);
  // Without -I the folder counts: shift drops the option.
  const auto open = compile::probe_python(wrapper("shift; exec " + here + " \"$@\"").string());
  CHECK(open.packages.at("torch") == "9.8+cu999");
  CHECK(open.torch_cuda == "99.9");
}

TEST_CASE("what an interpreter reads are packages and its own parts, not projects that a .pth file names") {
  if (!testing::real_python()) return;
  const testing::TemporaryFolder folder;
  const auto project = folder.path() / "project";
  const auto program = testing::plain_python(project);  // a virtual environment in the project's own folder
  const auto prefix = project / "plain";
  util::write_file_atomic(project / "src/mine/__init__.py", "");
  util::write_file_atomic(project / "deps/triton/__init__.py", "__version__ = '9'\n");
  const auto packages =
      testing::run_process({program, "-c", "import sysconfig; print(sysconfig.get_path('purelib'), end='')"});
  util::write_file_atomic(
      fs::path(packages.out) / "editable.pth",
      (project / "src").string() + "\n" + (project / "deps").string() + "\n" + prefix.string() + "\n");
  const auto folders = compile::probe_python(program).folders;
  const auto has = [&](const fs::path& one) {
    return std::find(folders.begin(), folders.end(), one) != folders.end();
  };
  CHECK(has(packages.out));
  CHECK(has(prefix / "bin"));
  CHECK(has(prefix / "pyvenv.cfg"));
  CHECK(has(project / "deps/triton"));  // a package that fib knows, alone
  for (const auto& other : {project, prefix, project / "src", project / "deps"}) CHECK_FALSE(has(other));
}

TEST_CASE("FIB_PYTHON names the interpreter") {
  const auto python = testing::real_python();
  if (!python) return;
  const testing::TemporaryFolder folder;
  SECTION("a path") {
    const NamedPython named(python->path.string());
    CHECK(compile::find_python()->path == python->path);
  }
  SECTION("the empty string is no Python at all") {
    const NamedPython named("");
    CHECK_FALSE(compile::find_python());
  }
  SECTION("what is not there is an error") {
    const NamedPython named("/no/such/python");
    CHECK_THROWS_WITH(compile::find_python(),
                      Catch::StartsWith("FIB_PYTHON: ") && Catch::Contains("/no/such/python"));
  }
  SECTION("what is no Python is an error with what it said") {
    const NamedPython named(program(folder.path(), "echo no snake here; exit 3").string());
    CHECK_THROWS_WITH(compile::find_python(),
                      Catch::Contains("exit code 3") && Catch::Contains("no snake here"));
  }
  SECTION("an old one is an error") {
    const NamedPython named(program(folder.path(), "echo 'fib: old 2.7.18'").string());
    CHECK_THROWS_WITH(compile::find_python(), Catch::Contains("Python 2.7.18; 3.8 or newer is needed"));
  }
}

TEST_CASE("without FIB_PYTHON a python3 that cannot run is as none") {
  const testing::TemporaryFolder folder;
  const fs::path fake = folder.path() / "python3";
  util::write_file_atomic(fake, "#!/bin/sh\nexit 1\n");
  ::chmod(fake.c_str(), 0755);
  const std::string path = std::getenv("PATH");
  const char* named = std::getenv("FIB_PYTHON");
  const std::string kept = named != nullptr ? named : "";
  ::unsetenv("FIB_PYTHON");
  ::setenv("PATH", (folder.path().string() + ":" + path).c_str(), 1);
  CHECK_FALSE(compile::find_python());
  ::setenv("PATH", path.c_str(), 1);
  if (named != nullptr) ::setenv("FIB_PYTHON", kept.c_str(), 1);
}

TEST_CASE("an interpreter travels as JSON") {
  const auto python = testing::complete_python();
  const auto copy = compile::parse_python(compile::to_json(python));
  CHECK(copy.path == python.path);
  CHECK(copy.packages == python.packages);
  CHECK(copy.torch_cuda == "13.0");
  CHECK(copy.has_headers);
  CHECK_THROWS_AS(compile::parse_python("{}"), Error);
}
