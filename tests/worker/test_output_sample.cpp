#include <catch2/catch.hpp>
#include <cstring>

#include "emulation/emulation.h"
#include "worker/cuda_doors.h"
#include "worker/output_sample.h"

// On the emulated GPU (tests/emulation).
using namespace fib;

namespace {

constexpr std::uint32_t kPlace = 1;  // of the door

struct Scene {
  explicit Scene(int n)
      : definition(model::parse_definition(
            R"({"name": "d", "op_type": "o", "axes": {"n": {"type": "var"}},
                "inputs": {"x": {"shape": ["n"], "dtype": "float32"}},
                "outputs": {"y": {"shape": ["n"], "dtype": "float32"}, "sum": {"shape": [], "dtype": "float32"}},
                "reference": "def run(x): pass"})")),
        layout(eval::make_layout(definition,
                                 model::parse_workload(fmt::format(
                                     R"({{"axes": {{"n": {}}}, "inputs": {{"x": {{"type": "random"}}}},
                                                      "uuid": "w"}})",
                                     n)))) {
    std::memset(outputs(), 0, layout.output_bytes);
  }
  [[nodiscard]] std::byte* outputs() const {
    return reinterpret_cast<std::byte*>(door->outputs(kPlace).device);  // NOLINT
  }

  model::Definition definition;
  eval::Layout layout;
  std::filesystem::path kernels = emulation::kernels();
  std::unique_ptr<worker::JudgeDevice> device = worker::make_cuda_judge_device(
      {emulation::uuid(), kernels.string(), worker::Flush::kClean, 0}, emulation::driver());
  std::unique_ptr<worker::Door> door = device->make_door(layout, worker::DoorUse::kSolutionCalls, kPlace + 1);
};

}  // namespace

TEST_CASE("small outputs are sampled whole") {
  const Scene scene(1000);
  const worker::OutputSample sample(*scene.door, kPlace, scene.layout, "0123456789abcdef0123");
  CHECK_FALSE(sample.differs(*scene.door, kPlace));
  for (const std::uint64_t byte : {std::uint64_t{0}, scene.layout.output_bytes - 1}) {
    scene.outputs()[byte] = std::byte{1};
    CHECK(sample.differs(*scene.door, kPlace));
    scene.outputs()[byte] = std::byte{0};
  }
  CHECK_FALSE(sample.differs(*scene.door, kPlace));
  CHECK_FALSE(worker::OutputSample().differs(*scene.door, kPlace));
}

TEST_CASE("a small output beside a large one is sampled whole") {
  const Scene scene(1 << 20);
  REQUIRE(scene.layout.outputs.size() == 2);
  const auto& small = scene.layout.outputs.back();
  for (const std::string seed : {"0123456789abcdef", "0000000000000001", "ffffffffffffffff"}) {
    const worker::OutputSample sample(*scene.door, kPlace, scene.layout, seed);
    CHECK_FALSE(sample.differs(*scene.door, kPlace));
    scene.outputs()[small.offset + small.bytes - 1] = std::byte{1};
    CHECK(sample.differs(*scene.door, kPlace));
    scene.outputs()[small.offset + small.bytes - 1] = std::byte{0};
  }
}

TEST_CASE("large outputs that come late are found out at places that depend on the seed") {
  const Scene scene(1 << 20);
  const auto changed_bytes = [&](const std::string& seed) {
    const worker::OutputSample sample(*scene.door, kPlace, scene.layout, seed);
    CHECK_FALSE(sample.differs(*scene.door, kPlace));
    // How much of the large one, from its end on, has to be late until it is seen.
    const std::uint64_t bytes = scene.layout.outputs.front().bytes;
    std::uint64_t late = 0;
    while (late < bytes && !sample.differs(*scene.door, kPlace)) {
      late += 4096;
      std::memset(scene.outputs() + bytes - late, 1, 4096);
    }
    std::memset(scene.outputs(), 0, scene.layout.output_bytes);
    return late;
  };
  const std::uint64_t first = changed_bytes("0123456789abcdef");
  const std::uint64_t second = changed_bytes("0123456789abcdee");
  CHECK(first < scene.layout.output_bytes / 4);
  CHECK(second < scene.layout.output_bytes / 4);
  CHECK(first != second);
  CHECK(changed_bytes("0123456789abcdef") == first);
}
