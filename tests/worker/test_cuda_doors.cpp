#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "emulation/emulation.h"
#include "tensor/convert.h"
#include "util/clock.h"
#include "worker/channel.h"
#include "worker/cuda_doors.h"
#include "worker/expected_store.h"
#include "worker/judge_main.h"
#include "worker/messages.h"

// The judge's part on a GPU, on the emulated one (tests/emulation): fib's own kernels fill, poison and
// compare.
using namespace fib;
using Place = worker::ExpectedStore::Place;

namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;
constexpr std::uint64_t kNoLimit = std::uint64_t{1} << 40U;

std::unique_ptr<worker::JudgeDevice> make_device() {
  static const auto kernels = emulation::kernels();
  return worker::make_cuda_judge_device({emulation::uuid(), kernels.string(), worker::Flush::kClean, 0},
                                        emulation::driver());
}

struct Case {
  model::Definition definition;
  model::Workload workload;
  eval::Layout layout = eval::make_layout(definition, workload);
  synthesis::InputSets sets;

  explicit Case(int rows, synthesis::Replacements replacements = {})
      : definition(model::parse_definition(
            R"({"name": "d", "op_type": "o", "axes": {"m": {"type": "var"}, "h": {"type": "const", "value": 128}},
          "inputs": {"x": {"shape": ["m", "h"], "dtype": "float16"}, "index": {"shape": ["m"], "dtype": "int32"},
                     "scale": {"shape": null, "dtype": "float32"}},
          "outputs": {"y": {"shape": ["m", "h"], "dtype": "float16"}, "n": {"shape": ["m"], "dtype": "int32"}},
          "reference": "def run(x, index, scale): pass"})")),
        workload(model::parse_workload(
            R"({"axes": {"m": )" + std::to_string(rows) +
            R"(}, "inputs": {"scale": {"type": "scalar", "value": 2.5}}, "uuid": "w"})")),
        sets(definition, workload, layout, {}, std::move(replacements)) {}

  // A set as the host makes it.
  [[nodiscard]] std::vector<std::byte> inputs(const std::string& seed) const {
    std::vector<std::byte> bytes(layout.input_bytes);
    sets.fill(seed, bytes.data(), 1);
    return bytes;
  }
};

// What a worker sees of one of a door's two buffers.
class View {
 public:
  View(const worker::Door& door, std::size_t which, std::size_t bytes)
      : bytes_(bytes),
        data_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, door.fds().at(which), 0)) {
    REQUIRE(data_ != MAP_FAILED);
  }
  ~View() { munmap(data_, bytes_); }
  View(const View&) = delete;
  View& operator=(const View&) = delete;
  [[nodiscard]] std::byte* data() const { return static_cast<std::byte*>(data_); }

 private:
  std::size_t bytes_;
  void* data_;
};

const std::vector<eval::PoisonElement> kPoison = {eval::make_poison(tensor::DType::kFloat16, 77),
                                                  eval::make_poison(tensor::DType::kInt32, 78)};

eval::Judgement compare(worker::Door& door, const worker::OutputsAt& expected, std::size_t count = 2) {
  door.take_outputs(0);
  return door.judge_taken(expected, kPoison, {}, count);
}

// Leaves `value` in all elements of y, and its rounded value in all of n.
void write_outputs(const View& outputs, const eval::Layout& layout, double value) {
  for (const auto& slot : layout.outputs) {
    const std::vector<double> values(slot.count(), value);
    tensor::from_double(slot.dtype, values.data(), outputs.data() + slot.offset, slot.count());
  }
}

void check_fill(const Case& test, worker::Door& door, const std::string& seed, std::uint32_t place = 0) {
  const std::uint64_t begin = place * test.layout.input_stride();
  const View inputs(door, 0, begin + test.layout.input_stride());
  std::memset(inputs.data(), 0x5a, begin + test.layout.input_bytes);
  door.fill(place, test.sets, seed, synthesis::Scale::usual);
  door.poison(place, kPoison);
  door.wait();
  const auto expected = test.inputs(seed);
  for (const auto& slot : test.layout.inputs) {
    INFO(slot.name);
    CHECK(std::memcmp(inputs.data() + begin + slot.offset, expected.data() + slot.offset, slot.bytes) == 0);
  }
  CHECK(std::all_of(inputs.data(), inputs.data() + begin,
                    [](std::byte byte) { return byte == std::byte{0x5a}; }));
}

}  // namespace

TEST_CASE("the device fills inputs with the host's bits, those scaled by a power of two too") {
  const auto device = make_device();
  for (const int exponent : {0, -3, 5}) {
    const Case test(3, {{}, {{"x", exponent}}});
    const auto door = device->make_door(test.layout, worker::DoorUse::kComparedCalls, 1);
    check_fill(test, *door, "one");
    check_fill(test, *door, "another");
  }
  synthesis::Replacements given;
  given.tensors["index"] = {3 * sizeof(std::int32_t), std::byte{7}};
  const Case test(3, std::move(given));
  const auto door = device->make_door(test.layout, worker::DoorUse::kComparedCalls, 1);
  check_fill(test, *door, "one");
  check_fill(test, *door, "another");
}

TEST_CASE("each place of a door on the device has inputs and outputs of its own") {
  const auto device = make_device();
  const Case test(3);
  const auto door = device->make_door(test.layout, worker::DoorUse::kCalls, 3);
  check_fill(test, *door, "one", 0);
  check_fill(test, *door, "another", 2);
  CHECK(door->outputs(2).device - door->outputs(0).device == 2 * test.layout.output_stride());
  CHECK(test.layout.output_stride() % eval::Layout::kAlignment == 0);
}

TEST_CASE(
    "a door has no more places than a 32nd of the device's memory holds, and one where memory is short") {
  constexpr std::uint64_t kMemory = 256 * kMiB;
  emulation::set_device_memory(kMemory);
  {
    const auto device = make_device();
    const Case test(1000);
    const std::uint64_t place = test.layout.input_stride() + test.layout.output_stride();
    CHECK(device->make_door(test.layout, worker::DoorUse::kCalls, 1000)->places() == kMemory / 32 / place);
    CHECK(device->make_door(test.layout, worker::DoorUse::kCalls, 3)->places() == 3);
    // Of what is free, an 8th.
    {
      const auto driver = emulation::driver();
      CUdeviceptr taken = 0;
      const std::uint64_t left = 5 * kMiB * 8;
      REQUIRE(driver.allocate(&taken, kMemory - emulation::device_bytes_in_use() - left) == CUDA_SUCCESS);
      CHECK(device->make_door(test.layout, worker::DoorUse::kCalls, 1000)->places() == 5 * kMiB / place);
      driver.free(taken);
    }
    // A solution's are all needed.
    const auto many = static_cast<std::uint32_t>(kMemory / 32 / place + 1);
    for (const auto use : {worker::DoorUse::kSolutionCalls, worker::DoorUse::kComparedCalls})
      CHECK(device->make_door(test.layout, use, many)->places() == many);
    // A worker takes all but a megabyte.
    const auto driver = emulation::driver();
    CUdeviceptr taken = 0;
    REQUIRE(driver.allocate(&taken, kMemory - emulation::device_bytes_in_use() - kMiB) == CUDA_SUCCESS);
    CHECK(device->make_door(test.layout, worker::DoorUse::kCalls, 4)->places() == 1);
    CHECK(device->make_door(test.layout, worker::DoorUse::kComparedCalls, 2)->places() == 1);
    const Case large(10'000);
    CHECK_THROWS_AS(device->make_door(large.layout, worker::DoorUse::kCalls, 1), Error);
    driver.free(taken);
  }
  emulation::set_device_memory(std::size_t{4} << 30U);
}

TEST_CASE("pieces of outputs are read as they lie there") {
  const auto device = make_device();
  const Case test(3);
  const auto door = device->make_door(test.layout, worker::DoorUse::kSolutionCalls, 2);
  const View outputs(*door, 1, 2 * test.layout.output_stride());
  std::byte* const second = outputs.data() + test.layout.output_stride();
  for (std::size_t i = 0; i < 16; ++i) second[i] = static_cast<std::byte>(i);
  const auto read = door->read_outputs(1, {{14, 2}, {3, 1}});
  CHECK(read == std::vector{std::byte{14}, std::byte{15}, std::byte{3}});
  CHECK_THROWS_WITH(door->read_outputs(1, {{0, 5 * kMiB}}), "the pieces are too large");
}

TEST_CASE("outputs on the device begin as poison, which is told from values") {
  const auto device = make_device();
  const Case test(3);
  const auto door = device->make_door(test.layout, worker::DoorUse::kComparedCalls, 1);
  door->fill(0, test.sets, "seed", synthesis::Scale::usual);
  door->poison(0, kPoison);
  std::vector<std::byte> poisoned(test.layout.output_bytes);
  eval::fill_poison(test.layout, kPoison, poisoned.data());
  const View outputs(*door, 1, test.layout.output_bytes);
  for (const auto& slot : test.layout.outputs)
    CHECK(std::memcmp(outputs.data() + slot.offset, poisoned.data() + slot.offset, slot.bytes) == 0);

  worker::ExpectedStore store(*device);
  write_outputs(outputs, test.layout, 3);
  store.keep({1, {"", 0}}, door->outputs(0), test.layout.output_bytes, Place::kDevice, kNoLimit);
  door->poison(0, kPoison);
  const auto judgement = compare(*door, store.find({1, {"", 0}})->at());
  CHECK_FALSE(judgement.correct);
  CHECK(judgement.explanation.find("never written") != std::string::npos);
}

TEST_CASE("outputs of each place are taken and compared, and the judge's flush changes nothing of them") {
  const auto device = make_device();
  const Case test(3);
  const auto door = device->make_door(test.layout, worker::DoorUse::kComparedCalls, 2);
  const std::uint64_t stride = test.layout.output_stride();
  const View both(*door, 1, 2 * stride);
  worker::ExpectedStore store(*device);
  write_outputs(both, test.layout, 3);
  store.keep({1, {"", 0}}, door->outputs(0), test.layout.output_bytes, Place::kDevice, kNoLimit);
  std::memcpy(both.data() + stride, both.data(), test.layout.output_bytes);
  write_outputs(both, test.layout, 4);
  device->flush();
  for (const std::uint32_t place : {0U, 1U}) {
    door->take_outputs(place);
    CHECK(door->judge_taken(store.find({1, {"", 0}})->at(), kPoison, {}, 2).correct == (place == 1));
  }
}

TEST_CASE("outputs are compared with copies, wherever these lie") {
  const auto device = make_device();
  const Case test(5);
  const std::uint64_t bytes = test.layout.output_bytes;
  const auto door = device->make_door(test.layout, worker::DoorUse::kComparedCalls, 1);
  const View outputs(*door, 1, bytes);
  const auto host = worker::make_cpu_judge_device(1);
  const auto host_door = host->make_door(test.layout, worker::DoorUse::kCalls, 1);
  const View host_outputs(*host_door, 1, bytes);
  worker::ExpectedStore store(*device);
  write_outputs(outputs, test.layout, 3);
  write_outputs(host_outputs, test.layout, 4);
  store.keep({1, {"", 0}}, door->outputs(0), bytes, Place::kDevice, kNoLimit);
  store.keep({1, {"", 1}}, door->outputs(0), bytes, Place::kHost, kNoLimit);
  store.keep({1, {"", 2}}, host_door->outputs(0), bytes, Place::kDevice, kNoLimit);
  store.keep({1, {"", 3}}, host_door->outputs(0), bytes, Place::kHost, kNoLimit);
  const auto at = [&](std::uint64_t call) { return store.find({1, {"", call}})->at(); };
  for (const std::uint64_t call : {0U, 2U}) CHECK(at(call).host == nullptr);
  for (const std::uint64_t call : {1U, 3U}) CHECK(at(call).host != nullptr);
  // What a worker writes afterwards changes no copy.
  write_outputs(host_outputs, test.layout, 9);
  for (const double value : {3.0, 4.0, 5.0}) {
    write_outputs(outputs, test.layout, value);
    for (std::uint64_t call = 0; call < 4; ++call) {
      INFO(value << " against copy " << call);
      const auto judgement = compare(*door, at(call));
      const double expected = call < 2 ? 3 : 4;
      CHECK(judgement.correct == (value == expected));
      if (value == expected) continue;
      CHECK(judgement.max_absolute_error == std::abs(value - expected));
      CHECK(judgement.explanation.find(fmt::format("expected {}", expected)) != std::string::npos);
      CHECK(judgement.explanation.find(fmt::format("got {}", value)) != std::string::npos);
    }
  }
  // As many outputs as the solution returned.
  write_outputs(outputs, test.layout, 3);
  std::memset(outputs.data() + test.layout.outputs[1].offset, 0, test.layout.outputs[1].bytes);
  CHECK_FALSE(compare(*door, at(0)).correct);
  CHECK(compare(*door, at(0), 1).correct);
}

TEST_CASE("outputs are judged as they were taken, though the door has been filled since") {
  for (const bool on_device : {true, false}) {
    INFO((on_device ? "on the device" : "on the host"));
    const auto device = on_device ? make_device() : worker::make_cpu_judge_device(1);
    const Case test(5);
    const auto door = device->make_door(test.layout, worker::DoorUse::kComparedCalls, 1);
    const View outputs(*door, 1, test.layout.output_bytes);
    write_outputs(outputs, test.layout, 3);
    worker::ExpectedStore store(*device);
    store.keep({1, {"", 0}}, door->outputs(0), test.layout.output_bytes, Place::kDevice, kNoLimit);
    door->take_outputs(0);
    door->fill(0, test.sets, "next", synthesis::Scale::usual);
    door->poison(0, kPoison);
    CHECK(door->judge_taken(store.find({1, {"", 0}})->at(), kPoison, {}, 2).correct);
    door->wait();
    CHECK_FALSE(compare(*door, store.find({1, {"", 0}})->at()).correct);
  }
}

TEST_CASE("zeros are judged in place of each output") {
  for (const bool on_device : {true, false}) {
    INFO((on_device ? "on the device" : "on the host"));
    const auto device = on_device ? make_device() : worker::make_cpu_judge_device(1);
    const Case test(5);
    const auto door = device->make_door(test.layout, worker::DoorUse::kComparedCalls, 1);
    const View outputs(*door, 1, test.layout.output_bytes);
    worker::ExpectedStore store(*device);
    const auto zeros_for = [&](std::uint64_t call, double value, const eval::Tolerance& tolerance) {
      write_outputs(outputs, test.layout, value);
      store.keep({1, {"", call}}, door->outputs(0), test.layout.output_bytes, Place::kDevice, kNoLimit);
      write_outputs(outputs, test.layout, 7);
      door->take_outputs(0);
      return door->judge_zeros(store.find({1, {"", call}})->at(), tolerance);
    };
    CHECK(zeros_for(0, 0, {}) == std::vector{true, true});
    // The second output holds integers: 0.
    CHECK(zeros_for(1, 0.0078125, {}) == std::vector{true, true});
    CHECK(zeros_for(2, 0.0078125, {.atol = 0.005}) == std::vector{false, true});
    CHECK(zeros_for(3, 1, {}) == std::vector{false, false});
    // What a solution has left at the door stays.
    double left = 0;
    tensor::to_double(test.layout.outputs[0].dtype, outputs.data(), &left, 1);
    CHECK(left == 7);
  }
}

TEST_CASE("a copy on the host holds what the device had") {
  const auto device = make_device();
  const Case test(5);
  const auto door = device->make_door(test.layout, worker::DoorUse::kCalls, 1);
  const View outputs(*door, 1, test.layout.output_bytes);
  write_outputs(outputs, test.layout, 3);
  const auto copy = device->on_host(test.layout.output_bytes);
  copy->take(door->outputs(0));
  CHECK(std::memcmp(copy->at().host, outputs.data(), test.layout.output_bytes) == 0);
}

TEST_CASE("expected outputs take no memory of the device that a solution could have had") {
  emulation::set_device_memory(8 * kMiB);  // half a MiB is for expected outputs
  {
    const auto device = make_device();
    worker::ExpectedStore store(*device);
    const Case test(400);  // 102 KiB of outputs
    const std::uint64_t bytes = test.layout.output_bytes;
    const auto reference = device->make_door(test.layout, worker::DoorUse::kCalls, 1);
    const auto door = device->make_door(test.layout, worker::DoorUse::kComparedCalls, 1);
    const View made(*reference, 1, bytes);
    const View outputs(*door, 1, bytes);
    const std::size_t before = emulation::device_bytes_in_use();
    const std::uint64_t limit = device->memory_limit();
    for (std::uint64_t call = 0; call < 12; ++call) {
      write_outputs(made, test.layout, static_cast<double>(call));
      store.keep({1, {"", call}}, reference->outputs(0), bytes, Place::kDevice, kNoLimit);
      CHECK(emulation::device_bytes_in_use() == before);
    }
    CHECK(device->memory_limit() == limit);
    // The oldest have moved to the host; all are what they were.
    const auto at = [&](std::uint64_t call) { return store.find({1, {"", call}})->at(); };
    CHECK(at(0).host != nullptr);
    CHECK(at(11).host == nullptr);
    for (std::uint64_t call = 0; call < 12; ++call) {
      write_outputs(outputs, test.layout, static_cast<double>(call));
      CHECK(compare(*door, at(call)).correct);
    }
    CHECK(emulation::device_bytes_in_use() == before);
  }
  CHECK(emulation::device_bytes_in_use() == 0);
  emulation::set_device_memory(std::size_t{4} << 30U);
}

TEST_CASE("a call on a device allocates nothing, and no output leaves the device") {
  const auto device = make_device();
  worker::ExpectedStore store(*device);
  const Case test(60);
  const auto reference = device->make_door(test.layout, worker::DoorUse::kCalls, 1);
  const auto door = device->make_door(test.layout, worker::DoorUse::kComparedCalls, 1);
  const View made(*reference, 1, test.layout.output_bytes);
  const View outputs(*door, 1, test.layout.output_bytes);
  const auto call = [&](std::uint64_t number) {
    const worker::ExpectedStore::Key key{1, {"own", number}};
    const std::string seed = std::to_string(number);
    reference->fill(0, test.sets, seed, synthesis::Scale::smaller);
    reference->poison(0, kPoison);
    write_outputs(made, test.layout, static_cast<double>(number));
    store.keep(key, reference->outputs(0), test.layout.output_bytes, Place::kDevice, kNoLimit);
    door->fill(0, test.sets, seed, synthesis::Scale::smaller);
    door->poison(0, kPoison);
    write_outputs(outputs, test.layout, static_cast<double>(number));
    CHECK(compare(*door, store.find(key)->at()).correct);
    store.drop(key);
  };
  call(0);
  const std::size_t allocations = emulation::allocations();
  const std::size_t moved = emulation::uploaded_bytes() + emulation::downloaded_bytes();
  for (std::uint64_t number = 1; number <= 3; ++number) call(number);
  CHECK(emulation::allocations() == allocations);
  // A scalar and, for each output, what the comparison found.
  CHECK(emulation::uploaded_bytes() + emulation::downloaded_bytes() - moved < 3 * 512);
}

TEST_CASE("what is too large for one piece is brought to the device whole") {
  const auto device = make_device();
  const auto copy = device->on_device(9 * kMiB + 24);
  REQUIRE(copy);
  std::vector<std::byte> bytes(9 * kMiB + 24);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i % 251);
  copy->take({bytes.data()});
  const auto back = device->on_host(bytes.size());
  back->take(copy->at());
  CHECK(std::memcmp(back->at().host, bytes.data(), bytes.size()) == 0);
}

namespace {

// As on a GPU that works for another process in turn.
int fills_at_once = 0;  // of the fills to come
CUresult CUDAAPI slow_fill(CUdeviceptr target, unsigned char value, std::size_t bytes, CUstream stream) {
  if (--fills_at_once < 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  return emulation::driver().set_bytes(target, value, bytes, stream);
}

}  // namespace

TEST_CASE("a GPU is busy where the work of others makes every fill wait") {
  static const auto kernels = emulation::kernels();
  CHECK(make_device()->is_idle());
  auto driver = emulation::driver();
  driver.set_bytes = slow_fill;
  const auto device =
      worker::make_cuda_judge_device({emulation::uuid(), kernels.string(), worker::Flush::kClean, 0}, driver);
  fills_at_once = 0;
  CHECK_FALSE(device->is_idle());
  fills_at_once = 2;
  CHECK_FALSE(device->is_idle());
  fills_at_once = 8;
  CHECK(device->is_idle());
}

namespace {

bool device_failed = false;
CUresult device_state() { return device_failed ? CUDA_ERROR_ILLEGAL_ADDRESS : CUDA_SUCCESS; }

// What a judge answers that looks around on a device which fails at that request; nothing: it has ended.
std::optional<worker::MessageType> answer_of_judge(bool stays_failed) {
  static const auto kernels = emulation::kernels();
  auto driver = emulation::driver();
  driver.set_bytes = [](CUdeviceptr, unsigned char, std::size_t, CUstream) {
    return CUDA_ERROR_ILLEGAL_ADDRESS;
  };
  driver.stream_synchronize = [](CUstream) { return device_state(); };
  device_failed = false;
  const worker::UseDevice use{emulation::uuid(), kernels.string(), worker::Flush::kClean, 0};
  auto [ours, theirs] = worker::Channel::make_pair();
  std::thread judge([&theirs = theirs, &driver] {
    (void)worker::run_judge(util::UniqueFd(::dup(theirs.fd())), [&](const worker::UseDevice& device) {
      return worker::make_cuda_judge_device(device, driver);
    });
    theirs.close();
  });
  worker::Message message;
  const auto next = [&]() -> std::optional<worker::MessageType> {
    const std::int64_t soon = util::monotonic_ns() + 20'000'000'000;
    if (ours.receive(message, soon) != worker::Channel::Result::kMessage) return std::nullopt;
    return message.type;
  };
  CHECK(next() == worker::MessageType::kHello);
  CHECK(ours.send(worker::MessageType::kUseDevice, 1, use.encode()));
  CHECK(next() == worker::MessageType::kDeviceReady);
  device_failed = stays_failed;
  CHECK(ours.send(worker::MessageType::kLookAround, 2, {}));
  const auto answer = next();
  ours.close();
  judge.join();
  return answer;
}

}  // namespace

TEST_CASE("a judge whose device has failed ends, after one call that failed it serves on") {
  CHECK(answer_of_judge(false) == worker::MessageType::kError);
  CHECK(answer_of_judge(true) == std::nullopt);
}
