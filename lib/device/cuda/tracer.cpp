#include "device/cuda/tracer.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

#include "cuda/cupti.h"
#include "device/cuda/memory.h"

namespace fib::device::cuda {
namespace {

using fib::cuda::Cupti;

constexpr std::size_t kAlignment = 8;

std::int64_t time_of(std::uint64_t value) { return static_cast<std::int64_t>(value); }

// Names of C++ templates can be as long as one likes.
constexpr std::size_t kMostSymbol = 512;

template <typename T>
std::uint32_t count_of(T value) {
  return value > 0 ? static_cast<std::uint32_t>(value) : 0;
}

// The fields stand at the same places in all versions of this record since CUDA 12.
KernelLaunch launch_of(const CUpti_ActivityKernel10& kernel) {
  KernelLaunch launch;
  if (kernel.name != nullptr) launch.symbol.assign(kernel.name, ::strnlen(kernel.name, kMostSymbol));
  launch.grid = {count_of(kernel.gridX), count_of(kernel.gridY), count_of(kernel.gridZ)};
  launch.block = {count_of(kernel.blockX), count_of(kernel.blockY), count_of(kernel.blockZ)};
  launch.registers = kernel.registersPerThread;
  launch.local_bytes = kernel.localMemoryPerThread;
  launch.static_shared_bytes = count_of(kernel.staticSharedMemory);
  launch.dynamic_shared_bytes = count_of(kernel.dynamicSharedMemory);
  return launch;
}

}  // namespace

class Tracer::Session final : public ApiWatcher::Listener {
 public:
  enum class Phase { kNone, kCall, kOwn };

  Session(Cupti cupti, const fib::cuda::Driver& driver, ApiWatcher& watcher, Limits limits)
      : cupti_(std::move(cupti)), driver_(driver), watcher_(watcher), limits_(limits) {
    if (active_ != nullptr) throw Error("a process has one CUPTI session");
    active_ = this;
    register_buffers();
  }
  ~Session() override {
    stop();
    active_ = nullptr;
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void start(TraceKind kind) {
    stop();
    const std::lock_guard lock(mutex_);
    activities_.clear();
    asked_for_ = {};
    dropped_ = uncalled_ = 0;
    thread_ = std::this_thread::get_id();
    phase_ = Phase::kNone;
    kinds_ = {
        kind == TraceKind::kOneAtATime ? CUPTI_ACTIVITY_KIND_KERNEL : CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
        CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET};
    register_buffers();
    for (const auto each : kinds_) cupti_.check(cupti_.enable(each), "cuptiActivityEnable");
    watcher_.start(*this);
  }

  void stop() {
    if (!is_on()) return;
    watcher_.stop();
    for (const auto each : kinds_) (void)cupti_.disable(each);
    kinds_.clear();
  }

  [[nodiscard]] bool is_on() const { return !kinds_.empty(); }
  void set_phase(Phase phase) { phase_ = phase; }

  // Of the thread of start() alone: another one has no phase.
  void before(const ApiCall& call) override {
    if (std::this_thread::get_id() != thread_) return;
    if (phase_ == Phase::kCall) asked_for_.by_call.push_back(call.correlation);
    if (phase_ == Phase::kOwn) asked_for_.by_fib.push_back(call.correlation);
  }
  void after(const ApiCall& call) override {
    if (!call.gives_work || call.result != CUDA_SUCCESS) return;
    const bool is_known = std::this_thread::get_id() == thread_ && phase_ != Phase::kNone;
    if (!is_known) ++uncalled_;
    if (is_known && phase_ == Phase::kCall && call.is_launch && !is_captured(call))
      asked_for_.launches.push_back(call.correlation);
  }
  [[nodiscard]] std::uint64_t uncalled() const { return uncalled_; }

  // Again and again, since anybody in the process may put others in their place.
  void register_buffers() {
    cupti_.check(cupti_.register_callbacks(&Session::request_buffer, &Session::take_buffer),
                 "cuptiActivityRegisterCallbacks");
  }

  // Of all records so far.
  Trace summary() {
    register_buffers();
    cupti_.check(cupti_.flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED), "cuptiActivityFlushAll");
    const std::lock_guard lock(mutex_);
    Trace trace = summarise(activities_, asked_for_);
    trace.dropped = dropped_;
    return trace;
  }

 private:
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
        add(kernel.start, kernel.end, kernel.streamId, kernel.correlationId, true, false);
        activities_.back().launch = launch_of(kernel);
        return;
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
      default:
        return;
    }
  }

  void add(std::uint64_t begin, std::uint64_t end, std::uint32_t stream, std::uint32_t correlation,
           bool kernel, bool from_device) {
    activities_.push_back({time_of(begin), time_of(end), stream, correlation, kernel, from_device});
  }

  [[nodiscard]] bool is_captured(const ApiCall& call) const {
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    return call.knows_stream && driver_.stream_is_capturing(call.stream, &status) == CUDA_SUCCESS &&
           status != CU_STREAM_CAPTURE_STATUS_NONE;
  }

  static inline Session* active_ = nullptr;  // for CUPTI's callbacks only

  Cupti cupti_;
  const fib::cuda::Driver& driver_;
  ApiWatcher& watcher_;
  Limits limits_;
  std::atomic<std::size_t> buffers_out_ = 0;
  std::vector<CUpti_ActivityKind> kinds_;    // that are enabled
  std::atomic<std::uint64_t> uncalled_ = 0;  // calls that gave the device work, neither the call's nor fib's
  std::thread::id thread_;                   // that of start()
  Phase phase_ = Phase::kNone;               // what it does
  AskedFor asked_for_;
  std::mutex mutex_;  // of what records are read into
  std::vector<Activity> activities_;
  std::uint64_t dropped_ = 0;
};

Tracer::Tracer(const Context& context, ApiWatcher& watcher, Limits limits) : context_(context) {
  Cupti cupti = Cupti::open();
  if (!cupti.problem.empty()) throw Error("{}", cupti.problem);
  session_ = std::make_unique<Session>(std::move(cupti), context.driver(), watcher, limits);
  // The first use is slow; it shall not fall into a call.
  const DeviceMemory word(context, 1);
  start(TraceKind::kConcurrent);
  const auto first = call([&] {
    context.check(context.driver().set_bytes(word.data(), 0, 1, context.stream()), "cuMemsetD8Async");
  });
  if (finish() != 0 || first.copies != 1) throw Error("CUPTI does not record what the device does");
}

Tracer::~Tracer() = default;

void Tracer::start(TraceKind kind) { session_->start(kind); }

Trace Tracer::call(const std::function<void()>& work) {
  session_->set_phase(Session::Phase::kCall);
  try {
    work();
  } catch (...) {
    session_->set_phase(Session::Phase::kNone);
    throw;
  }
  session_->set_phase(Session::Phase::kNone);
  context_.wait_for_all();
  return session_->summary();
}

void Tracer::own(const std::function<void()>& work) {
  const OwnWork own;
  session_->set_phase(Session::Phase::kOwn);
  work();
  session_->set_phase(Session::Phase::kNone);
}

std::uint64_t Tracer::finish() {
  if (!session_->is_on()) return 0;
  context_.wait_for_all();
  const Trace all = session_->summary();
  session_->stop();
  return std::max(all.dropped > 0 ? 0 : all.orphans, session_->uncalled());
}

}  // namespace fib::device::cuda
