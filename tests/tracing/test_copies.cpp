#include <algorithm>

#include "emulation/emulation.h"
#include "tracing/cuda/copies.h"
#include "tracing/traced.h"

// Values on a device, here an emulated one; tests/gpu/test_tracing.cpp has the same on a real one.
using namespace fib;
using testing::collect;
using testing::MixedCall;
using testing::statistics_of;
using testing::TracedDataset;
using tracing::Outcome;
using tracing::parse_config;
using tracing::Tracing;

namespace {

constexpr std::uint64_t kLimit = 3 << 20U;

// A tensor's values on the device instead of the host, while it lives.
class OnDevice {
 public:
  OnDevice(testing::HostTensor& tensor, std::size_t bytes) : tensor_(tensor), host_(tensor.view().data) {
    CUdeviceptr address = 0;
    driver().allocate(&address, std::max<std::size_t>(bytes, 1));
    driver().copy_to_device(address, host_, bytes, nullptr);
    tensor.view().data = reinterpret_cast<void*>(address);
    tensor.view().device_type = tvm_ffi::kCuda;
  }
  ~OnDevice() {
    driver().free(reinterpret_cast<CUdeviceptr>(tensor_.view().data));
    tensor_.view().data = host_;
    tensor_.view().device_type = tvm_ffi::kCpu;
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

  static const cuda::Driver& driver() {
    static const cuda::Driver table = emulation::driver();
    return table;
  }

 private:
  testing::HostTensor& tensor_;
  void* host_;
};

// A call of "mixed" with all tensors on the device.
struct DeviceCall : MixedCall {
  explicit DeviceCall(std::int64_t n)
      : MixedCall(n),
        on_device{{x, 4 * size(n)}, {ids, 8 * size(n)}, {bytes, size(n)}, {mask, size(n)}, {zero, 4}} {}
  static std::size_t size(std::int64_t n) { return static_cast<std::size_t>(n); }
  OnDevice on_device[5];
};

Tracing traced(const TracedDataset& data, const std::string& config, std::uint64_t limit = kLimit) {
  return Tracing(data.load(), parse_config(config),
                 tracing::cuda::make_copies([] { return emulation::driver(); }, limit));
}

constexpr const char* kAll = R"({"input_dump_policy":"dump_all"})";

}  // namespace

TEST_CASE("values on a device are copied there, and written as they were") {
  const TracedDataset data;
  const std::size_t held = emulation::device_bytes_in_use();
  {
    auto tracing = traced(data, kAll);
    // More than one piece of the page-locked buffer.
    for (const std::int64_t n : {std::int64_t{3}, std::int64_t{200000}}) {
      DeviceCall call(n);
      CHECK(collect(tracing, "mixed", call) == Outcome::kept);
      OnDevice::driver().set_bytes(reinterpret_cast<CUdeviceptr>(call.x.view().data), 0xff, 4 * call.size(n),
                                   nullptr);
    }
    tracing.flush();
    CHECK(statistics_of(tracing).at("device_bytes_held") == 0);
  }
  CHECK(emulation::device_bytes_in_use() == held);
  const auto workloads = data.workloads("mixed");
  REQUIRE(workloads.size() == 2);
  for (const auto& workload : workloads) {
    const auto n = workload.axes[0].second.value;
    const MixedCall expected(n);
    const auto floats = data.values<float>(workload, "x");
    CHECK(floats.size() == static_cast<std::size_t>(n));
    const auto ids = data.values<std::int64_t>(workload, "ids");
    CHECK(std::equal(floats.begin(), floats.end(),
                     static_cast<const float*>(expected.values[0].u.tensor->data)));
    CHECK(std::equal(ids.begin(), ids.end(),
                     static_cast<const std::int64_t*>(expected.values[1].u.tensor->data)));
    CHECK(data.values<std::int32_t>(workload, "zero") == std::vector<std::int32_t>{11});
  }
}

TEST_CASE("a call whose stream is being captured is counted, and kept when it comes again") {
  const TracedDataset data;
  auto tracing = traced(data, kAll);
  const DeviceCall call(3);
  emulation::set_capturing(true);
  CHECK(collect(tracing, "mixed", call) == Outcome::captured);
  CHECK(collect(tracing, "mixed", call) == Outcome::captured);
  emulation::set_capturing(false);
  CHECK(collect(tracing, "mixed", call) == Outcome::kept);
  CHECK(statistics_of(tracing).at("definitions").at("mixed").at("captured") == 2);
}

TEST_CASE("a call without values to read is kept while its stream is being captured") {
  const TracedDataset data;
  auto tracing = traced(data, R"({"input_dump_policy":"dump_none"})");
  const DeviceCall call(3);
  const std::size_t allocations = emulation::allocations();
  emulation::set_capturing(true);
  CHECK(collect(tracing, "mixed", call) == Outcome::kept);
  emulation::set_capturing(false);
  tracing.flush();
  CHECK(data.workloads("mixed").size() == 1);
  CHECK(emulation::allocations() == allocations);
}

TEST_CASE("tensors of a call on the host and on a device are each copied by their own way") {
  const TracedDataset data;
  auto tracing = traced(data, kAll);
  MixedCall call(3);
  {
    const OnDevice x(call.x, 12);  // with a neighbour on the host on either side
    const OnDevice mask(call.mask, 3);
    const std::size_t uploaded = emulation::uploaded_bytes();
    CHECK(collect(tracing, "mixed", call) == Outcome::kept);
    CHECK(emulation::uploaded_bytes() == uploaded);
    std::fill_n(call.ids.data<std::int64_t>(), 3, -1);  // the program goes on with its memory, of either kind
    OnDevice::driver().set_bytes(reinterpret_cast<CUdeviceptr>(call.x.view().data), 0xff, 12, nullptr);
  }
  tracing.flush();
  CHECK(statistics_of(tracing).at("device_bytes_held") == 0);
  CHECK(statistics_of(tracing).at("bytes_held") == 0);
  const auto workloads = data.workloads("mixed");
  REQUIRE(workloads.size() == 1);
  CHECK(data.values<float>(workloads[0], "x") == std::vector<float>{0, 0.5, 1});
  CHECK(data.values<std::int64_t>(workloads[0], "ids") == std::vector<std::int64_t>{0, 1, 4});
  CHECK(data.values<std::uint8_t>(workloads[0], "mask") == std::vector<std::uint8_t>{1, 0, 1});
  CHECK(data.values<std::int32_t>(workloads[0], "zero") == std::vector<std::int32_t>{11});
  testing::expect_valid(data.builder.root());
}

TEST_CASE("of a call on host and device, values on the host are kept while the stream is being captured") {
  const TracedDataset data;
  auto tracing = traced(data, R"({"per_definition":{"mixed":{"input_dump_policy":["ids"]}}})");
  auto all = traced(data, kAll);
  MixedCall call(3);
  const OnDevice x(call.x, 12);
  emulation::set_capturing(true);
  CHECK(collect(tracing, "mixed", call) == Outcome::kept);
  CHECK(collect(all, "mixed", call) == Outcome::captured);
  emulation::set_capturing(false);
  tracing.flush();
  const auto workloads = data.workloads("mixed");
  REQUIRE(workloads.size() == 1);
  CHECK(data.values<std::int64_t>(workloads[0], "ids") == std::vector<std::int64_t>{0, 1, 4});
}

TEST_CASE("tensors of a call may lie on several devices, one of which the current context is of") {
  const TracedDataset data;
  auto several = emulation::driver();  // device 0 is the current one
  several.device_get = [](CUdevice* device, int ordinal) {
    *device = ordinal;
    return CUDA_SUCCESS;
  };
  Tracing tracing(data.load(), parse_config(kAll),
                  tracing::cuda::make_copies([&] { return several; }, kLimit));
  MixedCall call(3);
  const OnDevice x(call.x, 12);
  const OnDevice ids(call.ids, 24);
  call.x.view().device_id = call.ids.view().device_id = 1;
  CHECK(collect(tracing, "mixed", call) == Outcome::failed);  // its stream is another device's
  CHECK(statistics_of(tracing).at("definitions").at("mixed").at("problem") ==
        "the tensors lie on cuda:1, and the current context is another device's");
  call.x.view().device_id = 0;
  CHECK(collect(tracing, "mixed", call) == Outcome::kept);
  tracing.flush();
  const auto workloads = data.workloads("mixed");
  REQUIRE(workloads.size() == 1);
  CHECK(data.values<float>(workloads[0], "x") == std::vector<float>{0, 0.5, 1});
  CHECK(data.values<std::int64_t>(workloads[0], "ids") == std::vector<std::int64_t>{0, 1, 4});
}

TEST_CASE("what a device has no room for is counted and dropped") {
  const TracedDataset data;
  auto tracing = traced(data, kAll, 50000);
  CHECK(collect(tracing, "mixed", DeviceCall(10000)) == Outcome::no_room);  // the limit
  CHECK(collect(tracing, "mixed", DeviceCall(100)) == Outcome::kept);
  tracing.flush();
  const DeviceCall call(200);
  emulation::set_device_memory(emulation::device_bytes_in_use());
  CHECK(collect(tracing, "mixed", call) == Outcome::no_room);  // the device
  emulation::set_device_memory(std::size_t{4} << 30U);
  CHECK(collect(tracing, "mixed", call) == Outcome::kept);
  tracing.flush();
  CHECK(data.workloads("mixed").size() == 2);
}

TEST_CASE("a tensor on a device that is not contiguous is not kept where its values are wanted") {
  const TracedDataset data;
  auto tracing = traced(data, R"({"per_definition":{"mixed":{"input_dump_policy":["ids"]}}})");
  DeviceCall call(4);
  std::int64_t strides[] = {2};
  std::int64_t shape[] = {2};
  for (auto* tensor : {&call.x, &call.ids, &call.bytes, &call.mask}) tensor->view().shape = shape;
  call.x.view().strides = strides;
  CHECK(collect(tracing, "mixed", call) == Outcome::kept);
  std::int64_t one[] = {1};
  for (auto* tensor : {&call.x, &call.ids, &call.bytes, &call.mask}) tensor->view().shape = one;
  call.ids.view().strides = strides;
  CHECK(collect(tracing, "mixed", call) == Outcome::kept);  // strides of one element mean nothing
  std::int64_t three[] = {3};
  for (auto* tensor : {&call.x, &call.ids, &call.bytes, &call.mask}) tensor->view().shape = three;
  CHECK(collect(tracing, "mixed", call) == Outcome::strided);
}

TEST_CASE("what the driver refuses is told, and what it refuses later is lost") {
  const TracedDataset data;
  const std::size_t held = emulation::device_bytes_in_use();
  auto broken = emulation::driver();
  broken.event_record = [](CUevent, CUstream) { return CUDA_ERROR_ILLEGAL_ADDRESS; };
  {
    Tracing tracing(data.load(), parse_config(kAll),
                    tracing::cuda::make_copies([&] { return broken; }, kLimit));
    CHECK(collect(tracing, "mixed", DeviceCall(3)) == Outcome::failed);
    CHECK(statistics_of(tracing).at("definitions").at("mixed").at("problem") ==
          "cuEventRecord: CUDA_ERROR_ILLEGAL_ADDRESS (emulated)");
    CHECK(emulation::device_bytes_in_use() == held);
  }
  auto later = emulation::driver();
  later.copy_to_host = [](void*, CUdeviceptr, std::size_t, CUstream) { return CUDA_ERROR_ILLEGAL_ADDRESS; };
  Tracing tracing(data.load(), parse_config(kAll), tracing::cuda::make_copies([&] { return later; }, kLimit));
  CHECK(collect(tracing, "mixed", DeviceCall(3)) == Outcome::kept);
  CHECK_THROWS_WITH(tracing.flush(), Catch::Matchers::Contains("cuMemcpyDtoHAsync"));
  CHECK(statistics_of(tracing).at("device_bytes_held") == 0);
  CHECK(data.workloads("mixed").empty());
}

TEST_CASE("without a driver, or without CUDA in fib, values on a device are not kept") {
  const TracedDataset data;
  int opened = 0;
  Tracing tracing(data.load(), parse_config(kAll),
                  tracing::cuda::make_copies(
                      [&]() -> cuda::Driver {
                        ++opened;
                        throw Error("there is no driver");
                      },
                      kLimit));
  CHECK(collect(tracing, "mixed", MixedCall(3)) == Outcome::kept);
  CHECK(opened == 0);
  CHECK(collect(tracing, "mixed", DeviceCall(4)) == Outcome::failed);
  CHECK(opened == 1);
  CHECK(statistics_of(tracing).at("definitions").at("mixed").at("problem") == "there is no driver");
  Tracing without(data.load(), parse_config(kAll), nullptr);
  CHECK(collect(without, "mixed", DeviceCall(4)) == Outcome::failed);
}
