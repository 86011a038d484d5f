// Right but for one element.
extern "C" __global__ void run(const float* a, const float* b, float* c, long long n) {
  for (long long i = threadIdx.x; i < n; i += blockDim.x) c[i] = a[i] + b[i] + (i == n - 1 ? 1.0f : 0.0f);
}
