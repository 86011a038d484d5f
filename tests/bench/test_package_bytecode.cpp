#include <catch2/catch.hpp>
#include <chrono>
#include <functional>
#include <thread>

#include "bench/guest_pool.h"
#include "bench/package_bytecode.h"
#include "compile/python_interpreter.h"
#include "support/places.h"
#include "support/python.h"
#include "support/temporary.h"
#include "util/clock.h"
#include "util/files.h"
#include "worker/process_tree.h"

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
  [[nodiscard]] fs::path source() const {
    for (const auto& entry : fs::recursive_directory_iterator(folder.path() / "plain/lib"))
      if (entry.path().filename() == "__init__.py" && entry.path().parent_path().filename() == "triton")
        return entry;
    return {};
  }
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

bool eventually(const std::function<bool()>& happens) {
  for (int i = 0; i < 3000; ++i) {
    if (happens()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

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
  // Only who compiles takes long.
  Fixture f("import sys, time\nif not sys.dont_write_bytecode: time.sleep(1000)\n");
  auto bytecode = f.bytecode();
  GuestPool pool(f.spawner, f.setup, f.guest({0}), &bytecode);
  pool.expect(1, 1);
  CHECK(pool.take()->alive());
  CHECK(bytecode.folder().empty());
}

TEST_CASE("compiling modules ends with what asked for it") {
  if (!has_python()) return;
  Fixture f("import time\ntime.sleep(1000)\n");
  const auto begin = util::monotonic_ns();
  {
    auto bytecode = f.bytecode();
    bytecode.make(f.spawner, f.setup, {});
    CHECK(eventually([&] { return worker::children_of(f.spawner.keeper_pid()).size() == 1; }));
  }
  CHECK(util::monotonic_ns() - begin < std::int64_t{60} * 1'000'000'000);
  CHECK(eventually([&] { return worker::children_of(f.spawner.keeper_pid()).empty(); }));
  CHECK(util::entries_of(f.cache() / "bytecode").empty());
}

TEST_CASE("another version of a package is compiled anew, whatever its file's time says") {
  if (!has_python()) return;
  Fixture f("print('one')\n");
  auto first = f.bytecode();
  CHECK(has(f.said(&first), "one"));
  const fs::path source = f.source();
  const auto time = fs::last_write_time(source);
  util::write_file_atomic(source, "print('two')\n");
  fs::last_write_time(source, time);
  f.python.packages["triton"] = "2";
  auto second = f.bytecode();
  CHECK(second.folder().empty());
  CHECK(has(f.said(&second), "two"));
  CHECK_FALSE(second.folder().empty());
  CHECK(second.folder() != first.folder());
  f.python.uncompiled["triton"] += "1";
  CHECK(f.bytecode().folder().empty());
}

TEST_CASE("packages that have compiled modules keep none in the cache") {
  if (!has_python()) return;
  Fixture compiled;
  compiled.python.uncompiled.clear();
  auto nothing = compiled.bytecode();
  (void)compiled.said(&nothing);
  CHECK_FALSE(fs::exists(compiled.cache()));
}

TEST_CASE("a package that cannot be imported does not keep others from being compiled, torch does") {
  if (!has_python()) return;
  Fixture f;
  f.python.packages["missing"] = "1";
  PackageBytecode others(f.python, {"missing", "triton"}, f.cache());
  CHECK(has(f.said(&others), "compiled in " + f.cache().string()));
  f.python.packages["torch"] = "1";
  f.python.uncompiled["torch"] = "1";
  PackageBytecode torch(f.python, {"triton", "torch"}, f.cache());
  torch.make(f.spawner, f.setup, {});
  torch.wait();
  CHECK(torch.folder().empty());
}

TEST_CASE("compiled modules that a guest could write to, or another user, are not read") {
  if (!has_python()) return;
  Fixture f;
  auto bytecode = f.bytecode();
  REQUIRE(has(f.said(&bytecode), "compiled in " + f.cache().string()));
  const auto plain = f.setup.files;
  f.setup.files.writable.push_back(bytecode.folder());
  CHECK(has(f.said(&bytecode), "not compiled"));
  f.setup.files = plain;
  f.setup.files.mode = sandbox::Mode::kOff;
  CHECK(has(f.said(&bytecode), "not compiled"));
  f.setup.files = plain;
  fs::permissions(bytecode.folder(), fs::perms::group_write, fs::perm_options::add);
  CHECK(bytecode.folder().empty());
  CHECK(has(f.said(&bytecode), "not compiled"));
}

TEST_CASE("the oldest compiled modules go when other versions have come") {
  if (!has_python()) return;
  Fixture f;
  for (int version = 0; version < 10; ++version) {
    f.python.packages["triton"] = std::to_string(version);
    auto bytecode = f.bytecode();
    bytecode.make(f.spawner, f.setup, {});
    bytecode.wait();
    CHECK_FALSE(bytecode.folder().empty());
  }
  CHECK(util::entries_of(f.cache() / "bytecode").size() == 8);
  CHECK_FALSE(f.bytecode().folder().empty());
}
