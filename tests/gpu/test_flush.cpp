#include <functional>
#include <vector>

#include "compile/nvrtc.h"
#include "device/cuda/flush.h"
#include "device/cuda/timer.h"
#include "eval/statistics.h"
#include "gpu/gpu.h"

using namespace fib;
using device::cuda::DeviceMemory;
using device::cuda::Flush;
using device::cuda::FlushKind;
using device::cuda::HostCode;

namespace {

// Reads `bytes` bytes and asks the L2 cache to evict them last.
constexpr const char* kKeep = R"(
extern "C" __global__ void keep(const uint4* data, unsigned long long bytes, unsigned* never) {
  unsigned long long policy;
  asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
  unsigned sum = 0;
  for (unsigned long long i = blockIdx.x * 256ull + threadIdx.x; i < bytes / 16; i += gridDim.x * 256ull) {
    uint4 v;
    asm volatile("ld.global.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(data + i), "l"(policy));
    sum |= v.x | v.y | v.z | v.w;
  }
  if (sum == 0x12345678) *never = sum;
})";

// 16 MiB of data in the first GPU's memory: they stay in a cache of at least 32 MiB unless they are flushed.
struct Data {
  static constexpr std::uint64_t kBytes = 16ULL << 20U;
  testing::Gpu& gpu;
  device::cuda::Timer timer{gpu.context, gpu.kernels};
  DeviceMemory memory{gpu.context, kBytes};
  DeviceMemory never{gpu.context, 4};

  explicit Data(testing::Gpu& g) : gpu(g) {
    gpu.context.check(gpu.context.driver().set_bytes(memory.data(), 0, kBytes, gpu.context.stream()), "set");
  }
  void read() { gpu.kernels.read(memory.data(), kBytes, never.data()); }

  // What happens before a reading that is timed.
  struct Before {
    FlushKind kind;
    HostCode host_code;
    std::function<void()> prepare;
  };

  // How long reading takes in the median after each of `cases`, in nanoseconds. They take turns, so that what
  // the processor's clock does is the same for all.
  std::vector<double> times_after(const std::vector<Before>& cases) {
    constexpr int kRounds = 31;
    std::vector<Flush> flushes;
    for (const auto& one : cases) flushes.emplace_back(gpu.context, gpu.kernels, one.kind, one.host_code);
    std::vector<std::vector<double>> times(cases.size());
    for (int round = 0; round < kRounds; ++round) {
      for (std::size_t i = 0; i < cases.size(); ++i) {
        cases[i].prepare();
        flushes[i]();
        gpu.context.wait();
        times[i].push_back(timer.time([&] { read(); }).device_ns);
      }
    }
    std::vector<double> medians;
    for (const auto& all : times) medians.push_back(eval::median(all));
    return medians;
  }
  Before cold() {
    return {FlushKind::kClean, HostCode::kNone, [this] { read(); }};
  }
};

// Null where the cache is too small for these tests.
std::unique_ptr<Data> data() {
  auto* gpu = testing::gpu();
  if (gpu == nullptr) return nullptr;
  if (gpu->context.l2_bytes() < (32ULL << 20U)) {
    WARN("skipped: the L2 cache has " << gpu->context.l2_bytes() << " bytes");
    return nullptr;
  }
  return std::make_unique<Data>(*gpu);
}

struct Keep {
  CUmodule module = nullptr;
  CUfunction function = nullptr;

  explicit Keep(testing::Gpu& gpu) {
    const auto architecture = cuda::architecture_of(gpu.info.major, gpu.info.minor);
    const auto built =
        compile::run_nvrtc({"keep.cu", kKeep, {}, {"--gpu-architecture=" + architecture}, {"keep"}});
    INFO(built.log);
    REQUIRE(built.succeeded);
    const auto& driver = gpu.context.driver();
    gpu.context.check(driver.module_load(&module, built.cubin.data()), "cuModuleLoadData");
    gpu.context.check(driver.module_function(&function, module, "keep"), "cuModuleGetFunction");
  }

  // With a window, its lines are persisting ones: a part of the cache must have been set aside.
  void operator()(Data& data, bool window) const {
    CUdeviceptr source = data.memory.data();
    std::uint64_t bytes = Data::kBytes;
    CUdeviceptr never = data.never.data();
    void* arguments[] = {&source, &bytes, &never};
    CUlaunchAttribute attribute{};
    attribute.id = CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW;
    auto& policy = attribute.value.accessPolicyWindow;
    policy.base_ptr = reinterpret_cast<void*>(source);  // NOLINT
    policy.num_bytes = bytes;
    policy.hitRatio = 1;
    policy.hitProp = CU_ACCESS_PROPERTY_PERSISTING;
    policy.missProp = CU_ACCESS_PROPERTY_NORMAL;
    CUlaunchConfig config{1056, 1, 1, 256, 1, 1, 0, data.gpu.context.stream(), &attribute, window ? 1U : 0U};
    data.gpu.context.check(data.gpu.context.driver().launch_ex(&config, function, arguments, nullptr),
                           "keep");
  }
};

}  // namespace

TEST_CASE("a flush leaves inputs cold", "[gpu]") {
  const auto all = data();
  if (!all) return;
  const auto times =
      all->times_after({all->cold(), {FlushKind::kNone, HostCode::kNone, [&] { all->read(); }}});
  INFO("cold " << times[0] << " ns, warm " << times[1] << " ns");
  CHECK(times[0] > 1.2 * times[1]);
}

TEST_CASE("what host code made persist in the L2 cache is cold after a flush", "[gpu]") {
  const auto all = data();
  if (!all) return;
  const Keep keep(all->gpu);
  const auto& driver = all->gpu.context.driver();
  const auto persist = [&] {
    if (driver.set_limit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, Data::kBytes) != CUDA_SUCCESS) return;
    keep(*all, true);
    keep(*all, true);
  };
  // The last of them takes back what the one before it leaves.
  const auto times = all->times_after({all->cold(),
                                       {FlushKind::kClean, HostCode::kNone, persist},
                                       {FlushKind::kClean, HostCode::kHasSome, persist}});
  INFO("cold " << times[0] << " ns, persisting " << times[1] << " ns, taken back " << times[2] << " ns");
  CHECK(times[2] > 0.97 * times[0]);
}

TEST_CASE("a flush takes back what host code has said of the stream that it runs on", "[gpu]") {
  const auto all = data();
  if (!all) return;
  const auto& context = all->gpu.context;
  const auto& driver = context.driver();
  CUstreamAttrValue window{};
  window.accessPolicyWindow.base_ptr = reinterpret_cast<void*>(all->memory.data());  // NOLINT
  window.accessPolicyWindow.num_bytes = 1 << 20;
  window.accessPolicyWindow.hitRatio = 1;
  window.accessPolicyWindow.hitProp = CU_ACCESS_PROPERTY_STREAMING;
  const auto id = CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW;
  REQUIRE(driver.set_stream_attribute(context.stream(), id, &window) == CUDA_SUCCESS);
  device::cuda::Flush(context, all->gpu.kernels, FlushKind::kClean, HostCode::kHasSome)();
  context.wait_for_all();
  CHECK(driver.stream_attribute(context.stream(), id, &window) == CUDA_SUCCESS);
  CHECK(window.accessPolicyWindow.num_bytes == 0);
}

TEST_CASE("what a kernel asked the L2 cache to evict last is cold after a flush", "[gpu]") {
  const auto all = data();
  if (!all) return;
  const Keep keep(all->gpu);
  const auto twice = [&] {
    keep(*all, false);
    keep(*all, false);
  };
  const auto times = all->times_after({all->cold(), {FlushKind::kClean, HostCode::kNone, twice}});
  INFO("cold " << times[0] << " ns, evict_last " << times[1] << " ns");
  CHECK(times[1] > 0.95 * times[0]);
}
