#include <catch2/catch.hpp>
#include <chrono>
#include <thread>

#include "bench/guest_pool.h"
#include "bench/package_bytecode.h"
#include "compile/python_interpreter.h"
#include "support/places.h"
#include "support/python.h"
#include "support/temporary.h"
#include "util/files.h"

// Real interpreters, with a package of one file that says how it was loaded and what it may write.
using namespace fib;
using bench::GuestPool;
using bench::PackageBytecode;
namespace fs = std::filesystem;

namespace {

constexpr const char* kPackage = R"(
import os
found = "compiled" if os.path.exists(__spec__.cached) else "not compiled"
try:
    open(os.path.join(os.path.dirname(__spec__.cached), "extra"), "w").close()
    written = "written"
except OSError:
    written = "not written"
print(found, "in", __spec__.cached, written)
)";

// What a guest has printed; it may still be on its way when the guest reports.
std::string output_of(worker::WorkerClient& guest) {
  std::string text;
  for (int i = 0; i < 1000 && text.empty(); ++i) {
    text = guest.take_output();
    if (text.empty()) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return text + guest.take_output();
}

struct Fixture {
  explicit Fixture(const std::string& source = kPackage)
      : python(compile::probe_python(testing::broken_python(folder.path(), "triton", source))) {
    setup.files.mode = sandbox::Mode::kAuto;
  }

  [[nodiscard]] worker::GuestSetup guest(std::vector<unsigned> cores = {}) const {
    return {python.path, {"torch", "triton"}, {}, std::move(cores)};
  }
  [[nodiscard]] PackageBytecode bytecode() const { return {python, guest().packages, cache()}; }
  [[nodiscard]] fs::path cache() const { return folder.path() / "cache"; }

  // What the package says in a new guest.
  std::string said(PackageBytecode* bytecode) {
    GuestPool pool(spawner, setup, guest(), bytecode);
    return output_of(*pool.take());
  }

  testing::TemporaryFolder folder;
  compile::PythonInterpreter python;
  worker::Spawner spawner{testing::fib_binary()};
  worker::ChildSetup setup{testing::fib_binary(), folder.path()};
};

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

bool has_python() {
  if (compile::find_python()) return true;
  WARN("skipped: there is no Python");
  return false;
}

}  // namespace

TEST_CASE("guests read compiled modules that their packages lack from the cache, and cannot write there") {
  if (!has_python()) return;
  Fixture f;
  CHECK(has(f.said(nullptr), "not compiled in " + f.python.path.parent_path().parent_path().string()));
  {
    auto bytecode = f.bytecode();
    CHECK(bytecode.folder().empty());
    const std::string said = f.said(&bytecode);
    CAPTURE(said);
    CHECK(has(said, "compiled in " + f.cache().string()));
    CHECK_FALSE(has(said, "not compiled"));
    CHECK(has(said, "not written"));
    CHECK_FALSE(bytecode.folder().empty());
  }
  auto later = f.bytecode();  // another run
  CHECK_FALSE(later.folder().empty());
  CHECK(has(f.said(&later), "compiled in " + f.cache().string()));
}

TEST_CASE("guests that are prepared on cores of their own do not wait for compiled modules") {
  if (!has_python()) return;
  Fixture f;
  auto bytecode = f.bytecode();
  GuestPool pool(f.spawner, f.setup, f.guest({0}), &bytecode);
  pool.expect(1, 1);
  CHECK(pool.take()->alive());
  bytecode.wait();
  CHECK_FALSE(bytecode.folder().empty());
  std::string said = output_of(*pool.take());
  // One was begun before.
  if (has(said, "not compiled")) said = output_of(*pool.take());
  CAPTURE(said);
  CHECK(said.starts_with("compiled in " + f.cache().string()));
}

TEST_CASE("another version or another time of a package is compiled anew") {
  if (!has_python()) return;
  Fixture f;
  auto first = f.bytecode();
  (void)f.said(&first);
  f.python.packages["triton"] = "another";
  CHECK(f.bytecode().folder().empty());
  f.python.packages["triton"] = "";
  CHECK_FALSE(f.bytecode().folder().empty());
  f.python.uncompiled["triton"] += "1";
  CHECK(f.bytecode().folder().empty());
}

TEST_CASE("packages that have compiled modules, or cannot be imported, keep none in the cache") {
  if (!has_python()) return;
  Fixture compiled;
  compiled.python.uncompiled.clear();
  auto nothing = compiled.bytecode();
  (void)compiled.said(&nothing);
  CHECK_FALSE(fs::exists(compiled.cache()));

  Fixture broken("raise ImportError('no such library')\n");
  auto none = broken.bytecode();
  CHECK(has(broken.said(&none), "cannot import triton: ImportError: no such library"));
  CHECK(none.folder().empty());
}

TEST_CASE("without a sandbox nobody believes what lies in the cache") {
  if (!has_python()) return;
  Fixture f;
  f.setup.files.mode = sandbox::Mode::kOff;
  auto bytecode = f.bytecode();
  CHECK(has(f.said(&bytecode), "not compiled"));
  CHECK_FALSE(fs::exists(f.cache()));
}

TEST_CASE("compiling modules ends with what asked for it") {
  if (!has_python()) return;
  Fixture f("import time\ntime.sleep(1000)\n");
  {
    auto bytecode = f.bytecode();
    bytecode.make(f.spawner, f.setup, {});
  }
  CHECK(f.bytecode().folder().empty());
}
