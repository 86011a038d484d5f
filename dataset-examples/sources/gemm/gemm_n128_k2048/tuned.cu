// Tensor cores (mma.sync), one block for 16 x 8 outputs, eight warps that share the depth and add up at the end.
#include "gemm_tile.cuh"
