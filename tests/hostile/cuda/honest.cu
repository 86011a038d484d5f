// Right.
extern "C" __global__ void run(const float* a, const float* b, float* c, long long n) {
  const long long i = blockIdx.x * 256LL + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
