#include <catch2/catch.hpp>
#include <cstring>

#include "apply/build.h"
#include "apply/call_device.h"
#include "apply/calls.h"
#include "emulation/emulation.h"
#include "support/tvm_ffi.h"

// Calls on a device, here an emulated one; tests/gpu/test_apply.cpp has the same on a real one.
using namespace fib;
using apply::CallEnd;
using testing::RuntimeTest;

namespace {

void* stream(int number) {
  return reinterpret_cast<void*>(std::uintptr_t{4096} * static_cast<unsigned>(number));
}

// A function of "add" on the emulated device.
struct DeviceTest : RuntimeTest {
  cuda::Driver driver = emulation::driver();
  std::string error;

  // Made of C++ for the CPU: the emulated device's memory is the process's.
  std::unique_ptr<apply::LoadedSolution> load(const std::string& source, bool is_torch = false) {
    const nlohmann::ordered_json returns = {{"destination_passing_style", false}};
    if (is_torch) data.builder().torch_solution("foreign", {{"main.cpp", source}}, returns);
    if (!is_torch) data.builder().tvm_ffi_solution("foreign", source, returns);
    dataset = data.load();
    const auto& solution = dataset.solutions.at("foreign");
    const auto& definition = dataset.definitions.at("add");
    signature = std::make_unique<arguments::Signature>(definition);
    auto built = apply::build(testing::fib_binary(), {solution, definition, model::DeviceKind::cpu});
    REQUIRE(built.outcome == compile::BuildResult::Outcome::kBuilt);
    return apply::load_tvm_ffi({*signature, definition, solution, built.artifact},
                               apply::cuda_device(driver, 0));
  }
  [[nodiscard]] std::unique_ptr<apply::PreparedCall> prepare(apply::LoadedSolution& loaded) const {
    arguments::Case found{{}, tvm_ffi::kCuda, 0};
    found.axes[0] = 8;
    return loaded.prepare(found, signature->axis_values(found));
  }
  float* numbers(float first) {
    CUdeviceptr address = 0;
    REQUIRE(driver.allocate(&address, 32) == CUDA_SUCCESS);
    auto* all = reinterpret_cast<float*>(address);
    for (int i = 0; i < 8; ++i) all[i] = first;
    return all;
  }

  dataset::Dataset dataset;
  std::unique_ptr<arguments::Signature> signature;
};

// c = a + b + the number of the stream, in memory of the environment's.
const std::string kReturnsSum = testing::kTvmFfiDeclarations + R"(
extern "C" void* TVMFFIEnvGetStream(int32_t, int32_t);
int __tvm_ffi_run(void* self, const Any* args, int32_t count, Any* result) {
  const View *a = &args[0].t->view, *b = &args[1].t->view;
  View prototype = *a;
  void* made = 0;
  if (TVMFFIEnvTensorAlloc(&prototype, &made) != 0) return -1;
  View* c = &((Tensor*)made)->view;
  for (int64_t i = 0; i < 8; ++i)
    ((float*)c->data)[i] = ((float*)a->data)[i] + ((float*)b->data)[i] + (float)((uintptr_t)TVMFFIEnvGetStream(2, 0) / 4096);
  result->type = 70;
  result->p = made;
  return 0;
}
)";

}  // namespace

TEST_CASE_METHOD(DeviceTest, "memory of calls is used again in the order of its stream") {
  const std::size_t held = emulation::device_bytes_in_use();
  {
    const auto device = apply::cuda_device(driver, 0);
    void* first = device->allocate(1000, stream(1));
    void* second = device->allocate(1000, stream(1));
    CHECK(first != second);
    device->free(first);
    CHECK(device->allocate(1000, stream(2)) != first);  // of another stream: it may still be in use there
    CHECK(device->allocate(1001, stream(1)) == first);  // powers of two
    device->free(second);
    CHECK(device->allocate(2000, stream(1)) != second);  // it is too small
    CHECK(device->allocate(0, stream(1)) == second);
    CHECK_THROWS_WITH(device->allocate(std::uint64_t{1} << 63U, stream(1)),
                      Catch::StartsWith("no device has "));
  }
  CHECK(emulation::device_bytes_in_use() == held);
}

TEST_CASE_METHOD(DeviceTest, "what is returned on a device is copied in the order of the stream") {
  const auto loaded = load(kReturnsSum);
  const auto call = prepare(*loaded);
  float* c = numbers(0);
  const apply::Argument arguments[] = {{reinterpret_cast<std::byte*>(numbers(1))},
                                       {reinterpret_cast<std::byte*>(numbers(2))},
                                       {reinterpret_cast<std::byte*>(c)}};
  CHECK(call->call(arguments, stream(3), error) == CallEnd::done);
  CHECK(error.empty());
  CHECK(c[7] == 6);
  const std::size_t before = emulation::allocations();
  for (int i = 0; i < 10; ++i) CHECK(call->call(arguments, stream(3), error) == CallEnd::done);
  CHECK(emulation::allocations() == before);  // also where the stream is captured: copies can be
  emulation::set_capturing(true);
  CHECK(call->call(arguments, stream(3), error) == CallEnd::done);
  emulation::set_capturing(false);
}

TEST_CASE_METHOD(DeviceTest, "a device without memory is not the solution's fault") {
  const auto loaded = load(kReturnsSum);
  const auto call = prepare(*loaded);
  const apply::Argument arguments[] = {{reinterpret_cast<std::byte*>(numbers(1))},
                                       {reinterpret_cast<std::byte*>(numbers(2))},
                                       {reinterpret_cast<std::byte*>(numbers(3))}};
  CUdeviceptr others = 0;
  REQUIRE(driver.allocate(&others, 4096) == CUDA_SUCCESS);
  emulation::set_device_memory(emulation::device_bytes_in_use());
  CHECK(call->call(arguments, stream(1), error) == CallEnd::impeded);
  CHECK_THAT(error, Catch::StartsWith("RuntimeError: cuMemAlloc: "));
  emulation::set_device_memory(std::size_t{4} << 30U);
  CHECK(call->call(arguments, stream(1), error) == CallEnd::done);
  driver.free(others);
}

TEST_CASE_METHOD(DeviceTest, "a solution that asks for more than the device has refuses the case") {
  for (const auto& [elements, what] : {std::pair{"1ll << 40", "the device has no 4398046511104 bytes"},
                                       {"1ll << 61", "no tensor has these sizes"}}) {
    const auto loaded = load(testing::kTvmFfiDeclarations + R"(
int __tvm_ffi_run(void* self, const Any* args, int32_t count, Any* result) {
  View prototype = args[0].t->view;
  int64_t size = )" + std::string(elements) +
                             R"(;
  prototype.shape = &size;
  void* made = 0;
  return TVMFFIEnvTensorAlloc(&prototype, &made);
}
)");
    const auto call = prepare(*loaded);
    auto* tensor = reinterpret_cast<std::byte*>(numbers(1));
    const apply::Argument arguments[] = {{tensor}, {tensor}, {tensor}};
    CHECK(call->call(arguments, stream(1), error) == CallEnd::refused);
    CHECK_THAT(error, Catch::Contains(what));
  }
}

TEST_CASE("memory of the host is given, or told to be more than there is") {
  const auto device = apply::host_device();
  void* memory = device->allocate(1000, nullptr);
  CHECK(reinterpret_cast<std::uintptr_t>(memory) % 256 == 0);
  device->free(memory);
  CHECK_THROWS_WITH(device->allocate(std::uint64_t{1} << 60U, nullptr),
                    Catch::StartsWith("this machine has no "));
}

TEST_CASE_METHOD(DeviceTest, "work on the default stream comes between that of the program's") {
  const auto device = apply::cuda_device(driver, 0);
  const std::size_t before = emulation::stream_waits();
  CHECK(device->begin_default_stream(nullptr, error) == CallEnd::done);
  CHECK(emulation::stream_waits() == before);
  CHECK(device->begin_default_stream(stream(1), error) == CallEnd::done);
  CHECK(emulation::stream_waits() == before + 1);
  CHECK(device->end_default_stream(stream(1), error) == CallEnd::done);
  CHECK(emulation::stream_waits() == before + 2);
  emulation::set_capturing(true);
  CHECK(device->begin_default_stream(stream(1), error) == CallEnd::impeded);
  emulation::set_capturing(false);
  CHECK(error == "the stream is being captured, which sees no work on the default stream");
}

TEST_CASE_METHOD(DeviceTest, "a torch extension and what is done for it work on the default stream") {
  struct Copy {
    CUstream stream = nullptr;
    std::size_t waits = 0;  // that came before it
  };
  static std::vector<Copy> copies;
  static decltype(driver.copy) copy = nullptr;
  copies.clear();
  copy = driver.copy;
  driver.copy = [](CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
    copies.push_back({stream, emulation::stream_waits()});
    return copy(to, from, bytes, stream);
  };
  const auto loaded = load(R"(
#include <torch/extension.h>
extern "C" int fib_torch_cuda_device() { return 0; }  // what a build for CUDA has
torch::Tensor run(torch::Tensor a, torch::Tensor b) {
  TORCH_CHECK(a.is_cuda());
  const auto stream = reinterpret_cast<uintptr_t>(TVMFFIEnvGetStream(2, 0));  // torch's current one
  auto c = torch::empty_like(a);
  for (int i = 0; i < 8; ++i) c.data_ptr<float>()[i] = a.data_ptr<float>()[i] + b.data_ptr<float>()[i];
  TORCH_CHECK(c.data_ptr<float>()[0] < 10, "too large");
  c.data_ptr<float>()[7] += static_cast<float>(stream);
  return c;
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("run", &run); }
)",
                           true);
  const auto call = prepare(*loaded);
  float* a = numbers(1);
  float* c = numbers(0);
  const apply::Argument arguments[] = {{reinterpret_cast<std::byte*>(a)},
                                       {reinterpret_cast<std::byte*>(numbers(2))},
                                       {reinterpret_cast<std::byte*>(c)}};
  const std::size_t before = emulation::stream_waits();
  CHECK(call->call(arguments, stream(1), error) == CallEnd::done);
  INFO(error);
  CHECK(c[0] == 3);
  CHECK(c[7] == 3);
  REQUIRE(copies.size() == 1);
  CHECK(copies[0].stream == nullptr);
  CHECK(copies[0].waits == before + 1);  // behind the work of the program's stream
  CHECK(emulation::stream_waits() == before + 2);
  const std::size_t allocated = emulation::allocations();
  CHECK(call->call(arguments, stream(1), error) == CallEnd::done);
  CHECK(emulation::allocations() == allocated);  // its memory is that of the program's stream,
  CHECK(call->call(arguments, stream(2), error) == CallEnd::done);
  CHECK(emulation::allocations() == allocated + 1);  // and of no other one
  const std::size_t waits = emulation::stream_waits();
  a[0] = 10;
  CHECK(call->call(arguments, stream(1), error) == CallEnd::refused);
  CHECK(error == "RuntimeError: too large");
  CHECK(emulation::stream_waits() == waits + 2);  // what it has begun is waited for
  emulation::set_capturing(true);
  CHECK(call->call(arguments, stream(1), error) == CallEnd::impeded);
  emulation::set_capturing(false);
}
