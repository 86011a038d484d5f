// Host code that falls over a null pointer.
#include <cstdint>

extern "C" int run(const float*, const float*, float*, std::int64_t, cudaStream_t) {
  volatile int* nothing = nullptr;
  return *nothing;
}
