// Writes far outside of every allocation.
extern "C" __global__ void run(const float* a, const float* b, float* c, long long n) {
  const long long i = blockIdx.x * 256LL + threadIdx.x;
  if (i < n) c[i + (1LL << 45)] = a[i] + b[i];
}
