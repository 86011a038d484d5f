// Never ends.
extern "C" __global__ void run(const float* a, const float* b, volatile float* c, long long n) {
  while (c[n] == c[n] || n > 0) c[0] = a[0] + b[0];
}
