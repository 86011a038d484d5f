#include "device/cuda/tracer.h"

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "cuda/cupti.h"
#include "device/cuda/memory.h"

namespace fib::device::cuda {
namespace {

using fib::cuda::Cupti;

constexpr auto kExternalKind = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0;
constexpr std::size_t kAlignment = 8;
constexpr std::uint32_t kMostFunctions = 2048;  // CUPTI numbers them; CUDA 13 has about 800

// Whether a function of the driver or the run time gives the device something to do.
bool makes_work(std::string_view name) {
  for (const std::string_view part : {"Launch", "Memcpy", "Memset"}) {
    if (name.find(part) != std::string_view::npos) return true;
  }
  return false;
}

std::int64_t time_of(std::uint64_t value) { return static_cast<std::int64_t>(value); }

}  // namespace

class Tracer::Session {
 public:
  Session(Cupti cupti, Limits limits) : cupti_(std::move(cupti)), limits_(limits) {
    if (active_ != nullptr) throw Error("a process has one CUPTI session");
    active_ = this;
    cupti_.check(cupti_.register_callbacks(&Session::request_buffer, &Session::take_buffer),
                 "cuptiActivityRegisterCallbacks");
  }
  ~Session() { active_ = nullptr; }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void start(TraceKind kind) {
    const std::lock_guard lock(mutex_);
    activities_.clear();
    launched_.clear();
    dropped_ = 0;
    kinds_ = {
        kind == TraceKind::kOneAtATime ? CUPTI_ACTIVITY_KIND_KERNEL : CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
        CUPTI_ACTIVITY_KIND_MEMCPY,
        CUPTI_ACTIVITY_KIND_MEMSET,
        CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION,
        CUPTI_ACTIVITY_KIND_DRIVER,
        CUPTI_ACTIVITY_KIND_RUNTIME};
    for (const auto each : kinds_) cupti_.check(cupti_.enable(each), "cuptiActivityEnable");
    leave_only_launches();
    ++id_;
    cupti_.check(cupti_.push_id(kExternalKind, id_), "cuptiActivityPushExternalCorrelationId");
  }

  // The calling thread launches nothing more.
  void end_of_call() { (void)cupti_.pop_id(kExternalKind, nullptr); }

  Trace finish() {
    cupti_.check(cupti_.flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED), "cuptiActivityFlushAll");
    stop();
    const std::lock_guard lock(mutex_);
    if (!own_stream_ && !activities_.empty()) own_stream_ = activities_.front().stream;
    Trace trace = summarise(std::move(activities_), launched_, own_stream_.value_or(0));
    activities_.clear();
    trace.dropped = dropped_;
    return trace;
  }

  void stop() {
    for (const auto each : kinds_) (void)cupti_.disable(each);
    kinds_.clear();
  }

 private:
  // Records of all functions would slow launches down. Asking for some functions without the kinds above
  // gives records of them, but no external correlation (seen with CUPTI 13.0), so the others are switched off
  // one by one.
  void leave_only_launches() {
    if (driver_others_.empty()) {
      driver_others_ = others(CUPTI_CB_DOMAIN_DRIVER_API);
      runtime_others_ = others(CUPTI_CB_DOMAIN_RUNTIME_API);
    }
    for (const auto function : driver_others_) (void)cupti_.enable_driver_function(function, 0);
    for (const auto function : runtime_others_) (void)cupti_.enable_runtime_function(function, 0);
  }

  std::vector<std::uint32_t> others(CUpti_CallbackDomain domain) const {
    std::vector<std::uint32_t> functions;
    for (std::uint32_t function = 1; function < kMostFunctions; ++function) {
      const char* name = nullptr;
      if (cupti_.callback_name(domain, function, &name) != CUPTI_SUCCESS || name == nullptr) continue;
      if (!makes_work(name)) functions.push_back(function);
    }
    return functions;
  }

  // CUPTI's callbacks carry no context of ours; they may come from its own threads.
  static void CUPTIAPI request_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* max_records) {
    *buffer = nullptr;
    *size = 0;
    *max_records = 0;
    if (active_ == nullptr || active_->buffers_out_.fetch_add(1) >= active_->limits_.buffers) return;
    *size = active_->limits_.buffer_bytes;
    *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(kAlignment, *size));
  }

  static void CUPTIAPI take_buffer(CUcontext context, std::uint32_t stream, std::uint8_t* buffer, std::size_t,
                                   std::size_t valid_bytes) {
    if (active_ != nullptr && buffer != nullptr) active_->read(context, stream, buffer, valid_bytes);
    std::free(buffer);
  }

  void read(CUcontext context, std::uint32_t stream, std::uint8_t* buffer, std::size_t bytes) {
    buffers_out_ = 0;  // those that were refused are asked for again
    const std::lock_guard lock(mutex_);
    CUpti_Activity* record = nullptr;
    while (cupti_.next_record(buffer, bytes, &record) == CUPTI_SUCCESS) keep(*record);
    std::size_t dropped = 0;
    if (cupti_.dropped_records(context, stream, &dropped) == CUPTI_SUCCESS) dropped_ += dropped;
  }

  // The fields used stand at the same places in all versions of these records since CUDA 12.
  void keep(const CUpti_Activity& record) {
    switch (record.kind) {
      case CUPTI_ACTIVITY_KIND_KERNEL:
      case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: {
        const auto& kernel = reinterpret_cast<const CUpti_ActivityKernel10&>(record);
        return add(kernel.start, kernel.end, kernel.streamId, kernel.correlationId, true, false);
      }
      case CUPTI_ACTIVITY_KIND_CDP_KERNEL: {
        const auto& kernel = reinterpret_cast<const CUpti_ActivityCdpKernel&>(record);
        return add(kernel.start, kernel.end, kernel.streamId, kernel.correlationId, true, true);
      }
      case CUPTI_ACTIVITY_KIND_MEMCPY: {
        const auto& copy = reinterpret_cast<const CUpti_ActivityMemcpy6&>(record);
        return add(copy.start, copy.end, copy.streamId, copy.correlationId, false, false);
      }
      case CUPTI_ACTIVITY_KIND_MEMSET: {
        const auto& set = reinterpret_cast<const CUpti_ActivityMemset4&>(record);
        return add(set.start, set.end, set.streamId, set.correlationId, false, false);
      }
      case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION: {
        const auto& external = reinterpret_cast<const CUpti_ActivityExternalCorrelation&>(record);
        if (external.externalKind == kExternalKind && external.externalId == id_) {
          launched_.push_back(external.correlationId);
        }
        return;
      }
      default:
        return;
    }
  }

  void add(std::uint64_t begin, std::uint64_t end, std::uint32_t stream, std::uint32_t correlation,
           bool kernel, bool from_device) {
    activities_.push_back({time_of(begin), time_of(end), stream, correlation, kernel, from_device});
  }

  static inline Session* active_ = nullptr;  // for CUPTI's callbacks only

  Cupti cupti_;
  Limits limits_;
  std::atomic<std::size_t> buffers_out_ = 0;
  std::vector<CUpti_ActivityKind> kinds_;
  std::vector<std::uint32_t> driver_others_;  // functions that give the device nothing to do
  std::vector<std::uint32_t> runtime_others_;
  std::uint64_t id_ = 0;
  std::optional<std::uint32_t> own_stream_;
  std::mutex mutex_;
  std::vector<Activity> activities_;
  std::vector<std::uint32_t> launched_;
  std::uint64_t dropped_ = 0;
};

Tracer::Tracer(const Context& context, Limits limits) : context_(context) {
  Cupti cupti = Cupti::open();
  if (!cupti.problem.empty()) throw Error("{}", cupti.problem);
  session_ = std::make_unique<Session>(std::move(cupti), limits);
  // The first use is slow; it shall not fall into a call. It also tells the number that CUPTI has for fib's
  // stream: that of the first record of all.
  const DeviceMemory word(context, 1);
  const auto first = trace(TraceKind::kConcurrent, [&] {
    context.check(context.driver().set_bytes(word.data(), 0, 1, context.stream()), "cuMemsetD8Async");
  });
  if (first.copies != 1) throw Error("CUPTI does not record what the device does");
}

Tracer::~Tracer() = default;

Trace Tracer::trace(TraceKind kind, const std::function<void()>& work) {
  session_->start(kind);
  try {
    work();
    session_->end_of_call();
    context_.wait_for_all();
    return session_->finish();
  } catch (...) {
    session_->end_of_call();
    session_->stop();
    throw;
  }
}

}  // namespace fib::device::cuda
