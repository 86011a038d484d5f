#pragma once

#include <cupti.h>

#include <string>

namespace fib::cuda {

// The functions of CUPTI that fib uses, opened at run time. Plain data; a process has one CUPTI session.
struct Cupti {
  // Opens the library. Not there or too old (CUDA 12 is needed): `problem` is one sentence, and no function
  // may be called.
  [[nodiscard]] static Cupti open();

  // Throws Error "cuptiActivityEnable: CUPTI_ERROR_…" unless `result` is a success.
  void check(CUptiResult result, const char* function) const;

  std::string problem;
  decltype(&cuptiGetResultString) result_string = nullptr;
  decltype(&cuptiActivityRegisterCallbacks) register_callbacks = nullptr;
  decltype(&cuptiActivityEnable) enable = nullptr;
  decltype(&cuptiActivityDisable) disable = nullptr;
  decltype(&cuptiGetCallbackName) callback_name = nullptr;
  decltype(&cuptiActivityFlushAll) flush = nullptr;
  decltype(&cuptiActivityGetNextRecord) next_record = nullptr;
  decltype(&cuptiActivityGetNumDroppedRecords) dropped_records = nullptr;
  decltype(&cuptiSubscribe) subscribe = nullptr;
  decltype(&cuptiUnsubscribe) unsubscribe = nullptr;
  decltype(&cuptiEnableCallback) enable_callback = nullptr;
};

}  // namespace fib::cuda
