// Right, through 100 KB of dynamic shared memory.
extern "C" __global__ void run(const float* a, const float* b, float* c, long long n) {
  extern __shared__ float all[];
  const long long i = blockIdx.x * 256LL + threadIdx.x;
  all[25599 - threadIdx.x] = i < n ? a[i] + b[i] : 0;
  __syncthreads();
  if (i < n) c[i] = all[25599 - threadIdx.x];
}
