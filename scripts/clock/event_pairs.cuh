// Times work on one stream by pairs of events behind a queue, with caches that hold other things: what
// scripts/bench-clock compares fib with where Nsight Compute cannot see, between kernels.
#pragma once

#include <algorithm>
#include <vector>

__global__ void wait_until(volatile int* go) { while (*go == 0) {} }
__global__ void read_all(const float4* p, long long n, float* never) {
  float s = 0;
  for (long long i = blockIdx.x * 256LL + threadIdx.x; i < n; i += gridDim.x * 256LL) { float4 v = __ldcg(p + i); s += v.x + v.y + v.z + v.w; }
  if (s != 0) *never = s;
}

class EventPairs {
 public:
  // `stream`: the default one, or another of the program's; the work has to go there.
  explicit EventPairs(cudaStream_t stream = nullptr) : stream_(stream) {
    cudaMalloc(&flush_, kFlushBytes);
    cudaMalloc(&never_, sizeof *never_);
    cudaMemset(flush_, 0, kFlushBytes);
    cudaEventCreate(&begin_);
    cudaEventCreate(&end_);
    cudaMallocHost(&go_, sizeof *go_);
    empty_ = raw([] {}, [] {});
  }
  // The median of 60, in microseconds, less an empty pair.
  template <typename Work>
  float time(Work work) { return raw([] {}, work) - empty_; }
  // The same after other work, which finds the caches as `work` does above, and has ended.
  template <typename Before, typename Work>
  float time_after(Before before, Work work) { return raw(before, work) - empty_; }

 private:
  static constexpr long long kFlushBytes = 160LL << 20;
  template <typename Before, typename Work>
  float raw(Before before, Work work) {
    std::vector<float> times;
    for (int i = 0; i < 60; ++i) {
      read_all<<<1056, 256, 0, stream_>>>(flush_, kFlushBytes / 16, never_);
      cudaDeviceSynchronize();
      before();
      cudaDeviceSynchronize();
      *static_cast<volatile int*>(go_) = 0;
      wait_until<<<1, 1, 0, stream_>>>(go_);
      cudaEventRecord(begin_, stream_);
      work();
      cudaEventRecord(end_, stream_);
      *static_cast<volatile int*>(go_) = 1;
      cudaDeviceSynchronize();
      float ms;
      cudaEventElapsedTime(&ms, begin_, end_);
      times.push_back(ms * 1000);
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
  }

  cudaStream_t stream_;
  float4* flush_;
  float* never_;
  int* go_;
  cudaEvent_t begin_, end_;
  float empty_ = 0;
};
