#include "cuda/cupti.h"

#include "cuda/library.h"
#include "util/error.h"

namespace fib::cuda {

Cupti Cupti::open() {
  Cupti cupti;
  std::string problem;
  const auto library = open_library("CUPTI", {"libcupti.so.13", "libcupti.so.12", "libcupti.so"}, problem);
  if (!library.is_open()) {
    cupti.problem = problem + "; calls are timed by events alone, without a second clock";
    return cupti;
  }
  const auto load = [&](const char* symbol, auto& function) {
    if (!library.find(symbol, function) && cupti.problem.empty()) {
      cupti.problem =
          fmt::format("{} is too old: it has no {}; CUDA 12.3 or newer is needed for a second clock",
                      library.file(), symbol);
    }
  };
  load("cuptiGetResultString", cupti.result_string);
  load("cuptiActivityRegisterCallbacks", cupti.register_callbacks);
  load("cuptiActivityEnable", cupti.enable);
  load("cuptiActivityDisable", cupti.disable);
  load("cuptiGetCallbackName", cupti.callback_name);
  load("cuptiActivityFlushAll", cupti.flush);
  load("cuptiActivityGetNextRecord", cupti.next_record);
  load("cuptiActivityGetNumDroppedRecords", cupti.dropped_records);
  load("cuptiSubscribe", cupti.subscribe);
  load("cuptiUnsubscribe", cupti.unsubscribe);
  load("cuptiEnableCallback", cupti.enable_callback);
  return cupti;
}

void Cupti::check(CUptiResult result, const char* function) const {
  if (result == CUPTI_SUCCESS) return;
  const char* text = nullptr;
  if (result_string(result, &text) != CUPTI_SUCCESS || text == nullptr) text = "unknown error";
  throw Error("{}: {} ({})", function, text, static_cast<int>(result));
}

}  // namespace fib::cuda
