// Right, and destroys its inputs afterwards.
extern "C" __global__ void run(float* a, float* b, float* c, long long n) {
  const long long i = blockIdx.x * 256LL + threadIdx.x;
  if (i >= n) return;
  c[i] = a[i] + b[i];
  a[i] = 0;
  b[i] = 0;
}
