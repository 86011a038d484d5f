// One kernel for each step, as a framework without fusion runs it: every intermediate goes through memory.
__global__ void add(const float* a, const float* b, float* sum, long long n) {
  const long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
  if (i < n) sum[i] = a[i] + b[i];
}

__global__ void sine(const float* x, float* y, long long n) {
  const long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
  if (i < n) y[i] = sinf(x[i]);
}

__global__ void sqrt_abs(const float* x, float* y, long long n) {
  const long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
  if (i < n) y[i] = sqrtf(fabsf(x[i]));
}
