// Gives up.
extern "C" __global__ void run(const float* a, const float* b, float* c, long long n) {
  if (n > 0) __trap();
  c[0] = a[0] + b[0];
}
