#include "calling/status.h"

#include <algorithm>
#include <array>

#include "util/error.h"

namespace fib::calling {
namespace {

struct RuntimeError {
  int status = 0;
  const char* name = nullptr;
  const char* meaning = nullptr;
};

// Of driver_types.h, CUDA 12 and 13; the meanings are those of cudaGetErrorString().
constexpr std::array kRuntimeErrors{
    RuntimeError{1, "cudaErrorInvalidValue", "invalid argument"},
    RuntimeError{2, "cudaErrorMemoryAllocation", "out of memory"},
    RuntimeError{9, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
    RuntimeError{46, "cudaErrorDevicesUnavailable", "CUDA-capable device(s) is/are busy or unavailable"},
    RuntimeError{98, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    RuntimeError{209, "cudaErrorNoKernelImageForDevice",
                 "no kernel image is available for execution on the device"},
    RuntimeError{214, "cudaErrorECCUncorrectable", "uncorrectable ECC error encountered"},
    RuntimeError{220, "cudaErrorNvlinkUncorrectable",
                 "uncorrectable NVLink error detected during the execution"},
    RuntimeError{400, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    RuntimeError{700, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
    RuntimeError{701, "cudaErrorLaunchOutOfResources", "too many resources requested for launch"},
    RuntimeError{702, "cudaErrorLaunchTimeout", "the launch timed out and was terminated"},
    RuntimeError{710, "cudaErrorAssert", "device-side assert triggered"},
    RuntimeError{714, "cudaErrorHardwareStackError", "hardware stack error"},
    RuntimeError{715, "cudaErrorIllegalInstruction", "an illegal instruction was encountered"},
    RuntimeError{716, "cudaErrorMisalignedAddress", "misaligned address"},
    RuntimeError{717, "cudaErrorInvalidAddressSpace",
                 "operation not supported on global/shared address space"},
    RuntimeError{718, "cudaErrorInvalidPc", "invalid program counter"},
    RuntimeError{719, "cudaErrorLaunchFailure", "unspecified launch failure"},
    RuntimeError{720, "cudaErrorCooperativeLaunchTooLarge", "too many blocks in cooperative launch"},
};

}  // namespace

std::string status_text(int status, bool on_cuda) {
  const auto found = std::find_if(kRuntimeErrors.begin(), kRuntimeErrors.end(),
                                  [&](const RuntimeError& error) { return error.status == status; });
  if (!on_cuda || found == kRuntimeErrors.end()) return fmt::format("{}", status);
  return fmt::format("{} ({}: {})", status, found->name, found->meaning);
}

}  // namespace fib::calling
