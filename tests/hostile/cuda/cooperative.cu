// Right if all blocks are resident together: every block reads what another one wrote before the grid's barrier.
#include <cooperative_groups.h>

extern "C" __global__ void run(const float* a, const float* b, float* c, float* partial, long long n) {
  const long long i = blockIdx.x * 256LL + threadIdx.x;
  if (i < n) partial[n - 1 - i] = a[n - 1 - i] + b[n - 1 - i];
  cooperative_groups::this_grid().sync();
  if (i < n) c[i] = partial[i];
}
