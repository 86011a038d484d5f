// Captures, instantiates, launches and destroys a graph in each call.
#include "add.h"

extern "C" int run(const float* a, const float* b, float* c, std::int64_t n, cudaStream_t stream) {
  static cudaStream_t side = nullptr;
  if (side == nullptr) cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t made = nullptr;
  cudaStreamBeginCapture(side, cudaStreamCaptureModeThreadLocal);
  for (int i = 0; i < 3; ++i) add_part(a, b, c, n, i, 3, side);
  cudaStreamEndCapture(side, &graph);
  cudaGraphInstantiate(&made, graph, 0);
  cudaGraphLaunch(made, stream);
  cudaGraphExecDestroy(made);
  cudaGraphDestroy(graph);
  return cudaGetLastError();
}
