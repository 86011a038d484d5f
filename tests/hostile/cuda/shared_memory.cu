// Right, through 100 KB of dynamic shared memory.
extern "C" __global__ void run(const float* a, const float* b, float* c, long long n) {
  extern __shared__ float tile[];
  const long long i = blockIdx.x * 256LL + threadIdx.x;
  tile[25599 - threadIdx.x] = i < n ? a[i] + b[i] : 0;
  __syncthreads();
  if (i < n) c[i] = tile[25599 - threadIdx.x];
}
