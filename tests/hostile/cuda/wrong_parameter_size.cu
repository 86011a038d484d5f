// Wants a size of sixteen bytes.
extern "C" __global__ void run(const float* a, const float* b, float* c, longlong2 n) {
  if (threadIdx.x < n.x) c[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x];
}
