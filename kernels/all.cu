// Everything that fib itself runs on a CUDA device, as one module. Compiled by NVRTC for the device at hand.
#include "kernels/compare.cuh"
#include "kernels/fill.cuh"
#include "kernels/memory.cuh"
#include "kernels/spin.cuh"
