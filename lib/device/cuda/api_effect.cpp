#include "device/cuda/api_effect.h"

#include <algorithm>
#include <initializer_list>

namespace fib::device::cuda {
namespace {

using Parts = std::initializer_list<std::string_view>;

bool has(std::string_view function, Parts parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](auto part) { return function.find(part) != std::string_view::npos; });
}

bool begins(std::string_view function, Parts parts) {
  return std::any_of(parts.begin(), parts.end(), [&](auto part) { return function.starts_with(part); });
}

bool is_harmless(std::string_view function) {
  return has(function,
             {"Get", "Attribute", "Occupancy", "TensorMap", "Error", "Version", "TexRef", "TexObject",
              "SurfRef", "SurfObject", "UserObject", "PushCurrent", "PopCurrent", "SetCurrent",
              "CanAccessPeer", "PrimaryCtxRetain", "CacheConfig", "SharedMemConfig"}) ||
         begins(function, {"cuInit",
                           "cuEventCreate",
                           "cuEventElapsedTime",
                           "cuEventDestroy",
                           "cuStreamCreate",
                           "cuStreamIsCapturing",
                           "cuStreamSetFlags",
                           "cuStreamUpdateCaptureDependencies",
                           "cuThreadExchangeStreamCaptureMode",
                           "cuFuncSet",
                           "cuFuncIsLoaded",
                           "cuKernelSet",
                           "cuParamSet",
                           "cuDeviceComputeCapability",
                           "cuDeviceTotalMem",
                           "cuMemAddressReserve",
                           "cuMemAdvise",
                           "cuProfiler",
                           "cuLogs",
                           "cuModuleEnumerate",
                           "cuLibraryEnumerate"});
}

Effect effect_of_graph(std::string_view function) {
  if (begins(function, {"cuGraphLaunch"})) return Effect::kWork;
  if (begins(function, {"cuGraphUpload"})) return Effect::kOrder;
  if (begins(function, {"cuGraphInstantiate", "cuGraphExecDestroy"})) return Effect::kWait;
  return Effect::kNone;
}

}  // namespace

Effect effect_of(std::string_view function) {
  if (begins(function, {"cuGraph"}) && !begins(function, {"cuGraphics"})) return effect_of_graph(function);
  if (begins(function, {"cuStreamQuery", "cuEventQuery"})) return Effect::kAsk;
  if (begins(function, {"cuStreamDestroy"})) return Effect::kForget;
  if (begins(function, {"cuStreamBeginCapture"})) return Effect::kBeginCapture;
  if (begins(function, {"cuStreamEndCapture"})) return Effect::kEndCapture;
  if (begins(function, {"cuEventRecord", "cuStreamWaitEvent", "cuStreamWaitValue", "cuStreamAttachMem",
                        "cuMemAllocAsync", "cuMemAllocFromPoolAsync", "cuMemFreeAsync"})) {
    return Effect::kOrder;
  }
  if (begins(function, {"cuMemcpy"})) {
    if (begins(function, {"cuMemcpyDto", "cuMemcpyAto"}) && !has(function, {"toH"})) return Effect::kWork;
    return has(function, {"Peer", "Batch"}) && has(function, {"Async"}) ? Effect::kWork : Effect::kCopy;
  }
  if (begins(function,
             {"cuLaunch", "cuMemset", "cuStreamWriteValue", "cuStreamBatchMemOp", "cuStreamAddCallback"}))
    return Effect::kWork;
  if (has(function, {"Async"}) && !has(function, {"Notification"})) return Effect::kWork;
  return is_harmless(function) ? Effect::kNone : Effect::kWait;
}

}  // namespace fib::device::cuda
