#include "ops/gpu/cuda_gpu.h"

#include "ops/gpu/device.h"
#include "ops/gpu/device_pool.h"
#include "ops/gpu/programs.h"
#include "ops/gpu/transfers.h"

namespace fib::ops {
namespace gpu {
namespace {

constexpr unsigned kThreadsPerBlock = 256;
// What a kernel may use of dynamic shared memory without being asked.
constexpr unsigned kUsualSharedBytes = 48 * 1024;
// Kept between runs: a solution that is timed meanwhile needs the memory more.
constexpr std::size_t kKeptBetweenRuns = std::size_t{256} << 20U;

class CudaGpu final : public Gpu {
 public:
  CudaGpu(const cuda::Driver& driver, const cuda::Nvrtc& nvrtc, const std::string& uuid, int threads)
      : device_(Device::open(driver, uuid)),
        pool_(device_),
        transfers_(device_, threads),
        programs_(device_, nvrtc) {
    // Everything after this will work, or the reason is found now.
    (void)programs_.function({"join", {{"FIB_REAL", "float"}, {"FIB_INDEX", "u32"}, {"FIB_TYPE0", "1"}}},
                             "fib_join");
  }

  ~CudaGpu() override {
    if (device_.driver.set_current(device_.context) == CUDA_SUCCESS)
      (void)device_.driver.stream_destroy(device_.stream);
  }
  CudaGpu(const CudaGpu&) = delete;
  CudaGpu& operator=(const CudaGpu&) = delete;

  [[nodiscard]] const std::string& name() const override { return device_.name; }
  [[nodiscard]] unsigned multiprocessors() const override { return device_.multiprocessors; }

  [[nodiscard]] DeviceBlock allocate(std::size_t bytes) override { return pool_.allocate(bytes); }
  void release(DeviceBlock block) noexcept override { pool_.release(block); }
  void trim() override { pool_.trim(kKeptBetweenRuns); }

  void upload(DeviceAddress target, const std::byte* source, std::size_t bytes) override {
    transfers_.upload(target, source, bytes);
  }
  void download(std::byte* target, DeviceAddress source, std::size_t bytes) override {
    transfers_.download(target, source, bytes);
  }
  void clear(DeviceAddress target, std::size_t bytes) override {
    device_.enter();
    device_.check(device_.driver.set_bytes(target, 0, bytes, device_.stream), "cuMemsetD8Async");
  }
  void copy(DeviceAddress target, DeviceAddress source, std::size_t bytes) override {
    device_.enter();
    device_.check(device_.driver.copy(target, source, bytes, device_.stream), "cuMemcpyDtoDAsync");
  }

  void launch(const Program& program, const std::string& kernel, const Grid& grid,
              void** arguments) override {
    device_.enter();
    const CUfunction function = programs_.function(program, kernel);
    if (grid.shared_bytes > kUsualSharedBytes)
      device_.check(
          device_.driver.set_function_attribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                                static_cast<int>(grid.shared_bytes)),
          "cuFuncSetAttribute");
    device_.check(device_.driver.launch(function, grid.x, grid.y, grid.z, kThreadsPerBlock, 1, 1,
                                        grid.shared_bytes, device_.stream, arguments, nullptr),
                  "cuLaunchKernel");
  }

 private:
  Device device_;
  DevicePool pool_;
  Transfers transfers_;
  Programs programs_;
};

}  // namespace

std::shared_ptr<Gpu> open_with(const cuda::Driver& driver, const cuda::Nvrtc& nvrtc, const std::string& uuid,
                               int threads) {
  return std::make_shared<CudaGpu>(driver, nvrtc, uuid, threads);
}

}  // namespace gpu

std::shared_ptr<Gpu> open_gpu(const std::string& uuid, int threads) {
  return gpu::open_with(cuda::Driver::open(), cuda::Nvrtc::open(), uuid, threads);
}

}  // namespace fib::ops
