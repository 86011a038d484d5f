#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <memory>

#include "eval/layout.h"
#include "util/files.h"
#include "worker/stage.h"
#include "worker/used_memory.h"

using namespace fib;

TEST_CASE("memory of an input, or of an output before, is in use already") {
  worker::UsedMemory used;
  used.begin(1000, 100);
  CHECK_FALSE(used.add(900, 100));   // ends where the inputs begin
  CHECK_FALSE(used.add(1100, 100));  // and the other way round
  CHECK(used.add(1050, 10));
  CHECK(used.add(1199, 1));  // of the output that begins at 1100
  CHECK_FALSE(used.add(1050, 0));
  used.begin(1000, 100);  // another call
  CHECK_FALSE(used.add(1100, 100));
}

TEST_CASE("within the call, an output that is an input's memory is copied to its own") {
  const auto definition = model::parse_definition(
      R"({"name": "d", "op_type": "o", "axes": {"n": {"type": "const", "value": 300}},
        "inputs": {"x": {"shape": ["n"], "dtype": "float32"}}, "outputs": {"y": {"shape": ["n"], "dtype": "float32"}},
        "reference": "def run(x): pass"})");
  const auto layout =
      eval::make_layout(definition, model::parse_workload(R"({"axes": {}, "inputs": {}, "uuid": "w"})"));
  constexpr std::size_t kPage = 4096;
  REQUIRE(layout.input_stride() <= kPage);
  const auto stage = worker::make_cpu_stage();
  auto inputs = util::make_memory_file("inputs", kPage);
  const std::string ones(layout.input_bytes, '\1');
  REQUIRE(::pwrite(inputs.get(), ones.data(), ones.size(), 0) == static_cast<ssize_t>(ones.size()));
  stage->open(layout, {std::move(inputs), util::make_memory_file("outputs", kPage)});
  stage->fill(worker::Clock::kHost, 0);
  const auto buffers = stage->buffers();
  const auto& y = layout.outputs.front();
  const std::vector<float> elsewhere(300, 5);
  stage->touch_output(y, reinterpret_cast<std::uint64_t>(elsewhere.data()));
  CHECK(std::memcmp(buffers.outputs + y.offset, ones.data(), y.bytes) != 0);
  stage->touch_output(y, reinterpret_cast<std::uint64_t>(buffers.inputs));
  CHECK(std::memcmp(buffers.outputs + y.offset, ones.data(), y.bytes) == 0);
}
