#include <catch2/catch.hpp>

#include "bench/reference_runner.h"
#include "support/places.h"
#include "support/temporary.h"
#include "worker/process_tree.h"

// Real workers, by the native engine.
using namespace fib;
using bench::ReferenceRunner;

namespace {

model::Definition definition(const std::string& name, const std::string& reference) {
  model::Definition definition;
  definition.name = name;
  definition.inputs.resize(1);
  definition.inputs[0].name = "a";
  definition.outputs.resize(1);
  definition.outputs[0].name = "b";
  definition.reference = reference;
  return definition;
}

struct Fixture {
  [[nodiscard]] std::size_t workers() const { return worker::children_of(spawner.keeper_pid()).size(); }
  testing::TemporaryFolder folder;
  worker::Spawner spawner{testing::fib_binary()};
  bench::DeviceProcesses processes{spawner, {testing::fib_binary(), folder.path()}, {}};
  ReferenceRunner runner{processes, bench::ReferenceEngine::kNative};
  model::Definition good = definition("good", "def run(a):\n    return a + a\n");
  model::Definition bad = definition("bad", "def run(a:\n");
};

}  // namespace

TEST_CASE("a reference that was begun is the one that start() finds") {
  Fixture f;
  f.runner.begin(f.good);
  f.runner.begin(f.good);
  f.runner.start(f.good);
  CHECK(f.workers() == 1);
  CHECK(f.runner.engine().starts_with("native"));
  f.runner.begin(f.good);  // it is ready
  f.runner.start(f.good);
  CHECK(f.workers() == 1);
}

TEST_CASE("a reference that cannot be made says so at start(), and only to those who asked for it") {
  Fixture f;
  f.runner.begin(f.bad);
  CHECK_THROWS_AS(f.runner.start(f.bad), bench::ReferenceError);
  f.runner.begin(f.bad);
  f.runner.start(f.good);
  CHECK(f.workers() == 1);
  CHECK(f.runner.give_up());  // and waits for its end here
  CHECK(f.workers() == 0);
}
