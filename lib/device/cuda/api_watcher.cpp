#include "device/cuda/api_watcher.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "cuda/cupti.h"
#include "util/errno_error.h"
#include "util/unique_fd.h"

namespace fib::device::cuda {
namespace {

using fib::cuda::Cupti;

constexpr std::uint32_t kMostFunctions = 2048;  // CUPTI numbers them; CUDA 13 has about 800
// A copy from pageable memory to the device up to here returns at once.
constexpr std::size_t kMostStagedBytes = 64 * 1024;

thread_local bool in_listener = false;
thread_local int own_works = 0;  // that live on this thread

// Where a function's arguments hold the stream, and whether 0 means the thread's own default stream.
struct StreamPlace {
  std::size_t offset = 0;
  bool of_thread = false;
};

// Copies the caller's memory by the kernel, which says that it cannot be read where reading it would raise a
// signal: the handler of one could show the driver other arguments than fib.
class CallersMemory {
 public:
  CallersMemory() {
    std::array<int, 2> ends{-1, -1};
    if (::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) throw util::errno_error("cannot open a pipe");
    out_ = util::UniqueFd(ends[0]);
    in_ = util::UniqueFd(ends[1]);
  }

  template <typename T>
  [[nodiscard]] std::optional<T> copy_of(const T* memory) const {
    const std::lock_guard lock(mutex_);
    T copy;
    const auto size = static_cast<ssize_t>(sizeof copy);
    if (::write(in_.get(), memory, sizeof copy) != size) return std::nullopt;
    if (::read(out_.get(), &copy, sizeof copy) != size) return std::nullopt;
    return copy;
  }

 private:
  mutable std::mutex mutex_;  // of what lies in the pipe
  util::UniqueFd out_;
  util::UniqueFd in_;
};

// Two entries: of the function, and of its form for the thread's own default stream.
#define FIB_STREAM(function, member)                                                         \
  {CUPTI_DRIVER_TRACE_CBID_##function, {offsetof(function##_params, member), false}}, {      \
    CUPTI_DRIVER_TRACE_CBID_##function##_ptsz, { offsetof(function##_params, member), true } \
  }

const std::map<CUpti_CallbackId, StreamPlace>& stream_places() {
  static const std::map<CUpti_CallbackId, StreamPlace> places = {
      FIB_STREAM(cuLaunchKernel, hStream),         FIB_STREAM(cuLaunchCooperativeKernel, hStream),
      FIB_STREAM(cuLaunchHostFunc, hStream),       FIB_STREAM(cuGraphLaunch, hStream),
      FIB_STREAM(cuGraphUpload, hStream),          FIB_STREAM(cuEventRecord, hStream),
      FIB_STREAM(cuEventRecordWithFlags, hStream), FIB_STREAM(cuStreamWaitEvent, hStream),
      FIB_STREAM(cuStreamAddCallback, hStream),    FIB_STREAM(cuStreamAttachMemAsync, hStream),
      FIB_STREAM(cuStreamWaitValue32, stream),     FIB_STREAM(cuStreamWaitValue64, stream),
      FIB_STREAM(cuStreamWriteValue32, stream),    FIB_STREAM(cuStreamWriteValue64, stream),
      FIB_STREAM(cuStreamWaitValue32_v2, stream),  FIB_STREAM(cuStreamWaitValue64_v2, stream),
      FIB_STREAM(cuStreamWriteValue32_v2, stream), FIB_STREAM(cuStreamWriteValue64_v2, stream),
      FIB_STREAM(cuStreamBatchMemOp, stream),      FIB_STREAM(cuStreamBatchMemOp_v2, stream),
      FIB_STREAM(cuMemcpyAsync, hStream),          FIB_STREAM(cuMemcpyPeerAsync, hStream),
      FIB_STREAM(cuMemcpyHtoDAsync_v2, hStream),   FIB_STREAM(cuMemcpyDtoHAsync_v2, hStream),
      FIB_STREAM(cuMemcpyDtoDAsync_v2, hStream),   FIB_STREAM(cuMemcpyHtoAAsync_v2, hStream),
      FIB_STREAM(cuMemcpyAtoHAsync_v2, hStream),   FIB_STREAM(cuMemcpy2DAsync_v2, hStream),
      FIB_STREAM(cuMemcpy3DAsync_v2, hStream),     FIB_STREAM(cuMemcpy3DPeerAsync, hStream),
      FIB_STREAM(cuMemsetD8Async, hStream),        FIB_STREAM(cuMemsetD16Async, hStream),
      FIB_STREAM(cuMemsetD32Async, hStream),       FIB_STREAM(cuMemsetD2D8Async, hStream),
      FIB_STREAM(cuMemsetD2D16Async, hStream),     FIB_STREAM(cuMemsetD2D32Async, hStream),
      FIB_STREAM(cuMemAllocAsync, hStream),        FIB_STREAM(cuMemAllocFromPoolAsync, hStream),
      FIB_STREAM(cuMemFreeAsync, hStream),         FIB_STREAM(cuMemMapArrayAsync, hStream),
      FIB_STREAM(cuMemPrefetchAsync, hStream),
  };
  return places;
}

#undef FIB_STREAM

// Where a function's arguments hold the event that a node of a graph is to record: itself, or a pointer to
// the node's parameters.
struct NodeEvent {
  std::string_view function;
  std::size_t offset = 0;
  bool in_parameters = false;
};

const NodeEvent* node_event_of(std::string_view function) {
  constexpr std::size_t kWord = sizeof(void*);  // all of their arguments have this size
  static constexpr std::array<NodeEvent, 7> kNodeEvents = {
      {{"cuGraphAddEventRecordNode", 4 * kWord, false},
       {"cuGraphEventRecordNodeSetEvent", kWord, false},
       {"cuGraphExecEventRecordNodeSetEvent", 2 * kWord, false},
       {"cuGraphAddNode", 4 * kWord, true},
       {"cuGraphAddNode_v2", 5 * kWord, true},
       {"cuGraphNodeSetParams", kWord, true},
       {"cuGraphExecNodeSetParams", 2 * kWord, true}}};
  const auto* const found = std::find_if(kNodeEvents.begin(), kNodeEvents.end(),
                                         [&](const NodeEvent& each) { return each.function == function; });
  return found != kNodeEvents.end() ? found : nullptr;
}

// The beginning of CUgraphNodeParams, for a node that records an event. Declared here since CUDA's headers
// have it from 12.2 on.
struct NodeParameters {
  int type;
  int reserved[3];
  CUevent event;
};

CUstream stream_in(const void* arguments, std::size_t offset) {
  CUstream stream = nullptr;
  std::memcpy(&stream, static_cast<const std::byte*>(arguments) + offset, sizeof stream);  // NOLINT: a handle
  return stream;
}

CUevent event_in(const void* arguments) {
  CUevent event = nullptr;
  std::memcpy(&event, arguments, sizeof event);  // NOLINT: a handle
  return event;
}

// Of a stream that is captured, such a record becomes a node of the graph. The flags follow event and stream.
bool is_external_record(const void* arguments) {
  unsigned flags = 0;
  std::memcpy(&flags, static_cast<const std::byte*>(arguments) + 2 * sizeof(void*), sizeof flags);
  return (flags & CU_EVENT_RECORD_EXTERNAL) != 0;
}

bool is_launch_ex(CUpti_CallbackId id) {
  return id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx ||
         id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz;
}

bool is_plain_launch(CUpti_CallbackId id) {
  return id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel || id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz ||
         id == CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel ||
         id == CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz;
}

bool queues(Effect effect) {
  return effect == Effect::kWork || effect == Effect::kOrder || effect == Effect::kCopy;
}

// Of the functions that name no stream.
bool works_on_default_stream(std::string_view function) {
  return function.starts_with("cuMemcpy") || function.starts_with("cuMemset");
}

bool begins_with(std::string_view function, std::initializer_list<std::string_view> names) {
  return std::any_of(names.begin(), names.end(),
                     [&](std::string_view name) { return function.starts_with(name); });
}

bool gives_work(std::string_view function) {
  return begins_with(
      function, {"cuLaunch", "cuGraphLaunch", "cuMemcpy", "cuMemset", "cuMemPrefetch", "cuStreamWaitValue",
                 "cuStreamWriteValue", "cuStreamBatchMemOp", "cuStreamAddCallback"});
}

bool is_launch(std::string_view function) {
  return begins_with(function, {"cuLaunch", "cuGraphLaunch"}) && !begins_with(function, {"cuLaunchHostFunc"});
}

// Of functions that record an event: their first argument.
bool records_event(std::string_view function) { return function.starts_with("cuEventRecord"); }

// The copies and sets without a stream that work on the thread's own default stream have numbers in a row.
bool is_of_thread(CUpti_CallbackId id) {
  return id >= CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoD_v2_ptds &&
         id <= CUPTI_DRIVER_TRACE_CBID_cuMemsetD2D32_v2_ptds;
}

}  // namespace

class ApiWatcher::Subscription {
 public:
  explicit Subscription(const Context& context) : context_(context), cupti_(Cupti::open()) {
    if (!cupti_.problem.empty()) throw Error("{}", cupti_.problem);
    cupti_.check(cupti_.subscribe(&subscriber_, &Subscription::called, this), "cuptiSubscribe");
    for (CUpti_CallbackId id = 1; id < kMostFunctions; ++id) {
      const char* name = nullptr;
      if (cupti_.callback_name(CUPTI_CB_DOMAIN_DRIVER_API, id, &name) != CUPTI_SUCCESS || name == nullptr)
        continue;
      const Function function(name);
      if (function.is_of_interest()) functions_.emplace(id, function);
    }
  }
  ~Subscription() { (void)cupti_.unsubscribe(subscriber_); }
  Subscription(const Subscription&) = delete;
  Subscription& operator=(const Subscription&) = delete;

  void start(Listener& listener) {
    if (!enabled_) enable();
    listener_.store(&listener);
  }
  void stop() { listener_.store(nullptr); }
  std::uint64_t take_unheard() { return unheard_.exchange(0); }
  std::optional<RefusedLaunch> take_refused() {
    const std::lock_guard lock(refused_mutex_);
    return std::exchange(refused_, std::nullopt);
  }
  bool graphs_record(const std::function<bool(CUevent)>& is_own) {
    const std::lock_guard lock(nodes_mutex_);
    return has_unread_node_ || std::any_of(node_events_.begin(), node_events_.end(), is_own);
  }

 private:
  // What follows from the name of a function of the driver: names are not compared in its calls.
  struct Function {
    explicit Function(std::string_view its_name) : name(its_name) {}
    [[nodiscard]] bool is_of_interest() const {
      return effect != Effect::kNone || node_event != nullptr || destroys_event;
    }

    std::string_view name;
    Effect effect = effect_of(name);
    bool gives_work = cuda::gives_work(name);
    bool is_launch = cuda::is_launch(name);
    bool records_event = cuda::records_event(name);
    bool has_record_flags = name.starts_with("cuEventRecordWithFlags");
    bool destroys_event = name.starts_with("cuEventDestroy");
    const NodeEvent* node_event = node_event_of(name);  // null: it makes no node that records an event
  };

  void enable() {
    for (const auto& [id, function] : functions_) {
      cupti_.check(cupti_.enable_callback(1, subscriber_, CUPTI_CB_DOMAIN_DRIVER_API, id),
                   "cuptiEnableCallback");
    }
    enabled_ = true;
  }

  static void CUPTIAPI called(void* self, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                              const void* data) {
    auto& subscription = *static_cast<Subscription*>(self);
    if (in_listener || domain != CUPTI_CB_DOMAIN_DRIVER_API) return;
    const auto function = subscription.functions_.find(id);
    if (function == subscription.functions_.end()) return;
    const auto& info = *static_cast<const CUpti_CallbackData*>(data);
    subscription.note_events(function->second, info);
    if (function->second.is_launch) subscription.note_refused(id, info);
    if (function->second.effect == Effect::kNone) return;
    Listener* const listener = subscription.listener_.load();
    if (listener == nullptr) {
      if (own_works == 0 && info.callbackSite == CUPTI_API_ENTER && function->second.gives_work)
        ++subscription.unheard_;
      return;
    }
    const ApiCall call = subscription.call_of(id, function->second, info);
    in_listener = true;
    if (info.callbackSite == CUPTI_API_ENTER) {
      listener->before(call);
    } else {
      listener->after(call);
    }
    in_listener = false;
  }

  void note_refused(CUpti_CallbackId id, const CUpti_CallbackData& info) {
    if (info.callbackSite != CUPTI_API_EXIT || info.functionReturnValue == nullptr) return;
    const auto result = *static_cast<const CUresult*>(info.functionReturnValue);
    if (result != CUDA_ERROR_INVALID_VALUE && result != CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES) return;
    auto refused = launch_in(id, info.functionParams);
    if (!refused) return;
    refused->result = result;
    if (info.symbolName != nullptr) refused->name = info.symbolName;
    const std::lock_guard lock(refused_mutex_);
    if (!refused_) refused_ = std::move(refused);
  }

  // Of cuLaunchKernelEx; nothing where the caller's memory cannot be read.
  [[nodiscard]] std::optional<CUlaunchConfig> config_of(const void* arguments) const {
    return callers_.copy_of(static_cast<const cuLaunchKernelEx_params*>(arguments)->config);
  }

  // Nothing of launches that are not of one kernel.
  [[nodiscard]] std::optional<RefusedLaunch> launch_in(CUpti_CallbackId id, const void* arguments) const {
    if (is_launch_ex(id)) {
      const auto config = config_of(arguments);
      if (!config) return std::nullopt;
      const auto function = static_cast<const cuLaunchKernelEx_params*>(arguments)->f;
      return RefusedLaunch{
          function, {}, {config->blockDimX, config->blockDimY, config->blockDimZ}, config->sharedMemBytes};
    }
    // A cooperative launch has the same arguments up to there.
    if (!is_plain_launch(id)) return std::nullopt;
    const auto& given = *static_cast<const cuLaunchKernel_params*>(arguments);
    return RefusedLaunch{
        given.f, {}, {given.blockDimX, given.blockDimY, given.blockDimZ}, given.sharedMemBytes};
  }

  // Which events graphs will record.
  void note_events(const Function& function, const CUpti_CallbackData& info) {
    if (function.destroys_event) return forget_event(info);
    if (info.callbackSite != CUPTI_API_ENTER) return;
    if (function.has_record_flags && is_external_record(info.functionParams))
      note_event(event_in(info.functionParams));
    if (function.node_event != nullptr) note_node(*function.node_event, info.functionParams);
  }

  void note_node(const NodeEvent& node_event, const void* arguments) {
    const auto* const argument = static_cast<const std::byte*>(arguments) + node_event.offset;
    if (!node_event.in_parameters) return note_event(event_in(argument));
    const NodeParameters* parameters = nullptr;
    std::memcpy(&parameters, argument, sizeof parameters);  // NOLINT: a pointer
    const auto read = callers_.copy_of(parameters);
    if (read && read->type == CU_GRAPH_NODE_TYPE_EVENT_RECORD) note_event(read->event);
    const std::lock_guard lock(nodes_mutex_);
    has_unread_node_ |= !read.has_value();
  }

  void note_event(CUevent event) {
    const std::lock_guard lock(nodes_mutex_);
    node_events_.insert(event);
  }

  // The driver may give another event the same handle.
  void forget_event(const CUpti_CallbackData& info) {
    const bool is_done = info.callbackSite == CUPTI_API_EXIT && info.functionReturnValue != nullptr &&
                         *static_cast<const CUresult*>(info.functionReturnValue) == CUDA_SUCCESS;
    if (!is_done) return;
    const std::lock_guard lock(nodes_mutex_);
    node_events_.erase(event_in(info.functionParams));
  }

  ApiCall call_of(CUpti_CallbackId id, const Function& function, const CUpti_CallbackData& info) const {
    ApiCall call;
    call.effect = function.effect;
    call.correlation = info.correlationId;
    call.gives_work = function.gives_work;
    call.is_launch = function.is_launch;
    if (function.records_event) call.event = event_in(info.functionParams);
    if (call.effect == Effect::kCopy && !may_block(id, info.functionParams)) call.effect = Effect::kWork;
    call.in_this_context = info.context == nullptr || info.context == context_.handle();
    if (info.callbackSite == CUPTI_API_EXIT && info.functionReturnValue != nullptr)
      call.result = *static_cast<const CUresult*>(info.functionReturnValue);
    if (queues(call.effect)) {
      const auto stream = stream_of(id, function, info.functionParams);
      call.knows_stream = stream.has_value();
      call.stream = stream.value_or(nullptr);
    }
    if (call.effect == Effect::kForget) call.stream = stream_in(info.functionParams, 0);
    return call;
  }

  [[nodiscard]] std::optional<CUstream> stream_of(CUpti_CallbackId id, const Function& function,
                                                  const void* arguments) const {
    if (is_launch_ex(id)) {
      const auto config = config_of(arguments);
      if (!config) return std::nullopt;
      return named(config->hStream, id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz);
    }
    const auto place = stream_places().find(id);
    if (place != stream_places().end())
      return named(stream_in(arguments, place->second.offset), place->second.of_thread);
    if (works_on_default_stream(function.name) && function.name.find("Async") == std::string_view::npos)
      return named(nullptr, is_of_thread(id));
    return std::nullopt;
  }

  static CUstream named(CUstream stream, bool of_thread) {
    if (stream != nullptr) return stream;
    return of_thread ? CU_STREAM_PER_THREAD : CU_STREAM_LEGACY;
  }

  // Copies to and from memory that is not page-locked return when they are done, but for small ones to the
  // device. Those without a stream in their arguments always may.
  [[nodiscard]] bool may_block(CUpti_CallbackId id, const void* arguments) const {
    switch (id) {
      case CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2:
      case CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2_ptsz: {
        const auto& copy = *static_cast<const cuMemcpyHtoDAsync_v2_params*>(arguments);
        return copy.ByteCount > kMostStagedBytes && is_pageable(copy.srcHost);
      }
      case CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoHAsync_v2:
      case CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoHAsync_v2_ptsz:
        return is_pageable(static_cast<const cuMemcpyDtoHAsync_v2_params*>(arguments)->dstHost);
      case CUPTI_DRIVER_TRACE_CBID_cuMemcpyAsync:
      case CUPTI_DRIVER_TRACE_CBID_cuMemcpyAsync_ptsz: {
        const auto& copy = *static_cast<const cuMemcpyAsync_params*>(arguments);
        return is_pageable(copy.dst) || (copy.ByteCount > kMostStagedBytes && is_pageable(copy.src));
      }
      case CUPTI_DRIVER_TRACE_CBID_cuMemcpy2DAsync_v2:
      case CUPTI_DRIVER_TRACE_CBID_cuMemcpy2DAsync_v2_ptsz:
        return shape_may_block(
            callers_.copy_of(static_cast<const cuMemcpy2DAsync_v2_params*>(arguments)->pCopy));
      case CUPTI_DRIVER_TRACE_CBID_cuMemcpy3DAsync_v2:
      case CUPTI_DRIVER_TRACE_CBID_cuMemcpy3DAsync_v2_ptsz:
        return shape_may_block(
            callers_.copy_of(static_cast<const cuMemcpy3DAsync_v2_params*>(arguments)->pCopy));
      default:
        return true;
    }
  }

  template <typename Copy>
  [[nodiscard]] bool shape_may_block(const std::optional<Copy>& read) const {
    if (!read) return true;
    const Copy& copy = *read;
    const auto pageable = [&](CUmemorytype type, const void* host, CUdeviceptr device) {
      if (type == CU_MEMORYTYPE_HOST) return is_pageable(host);
      return type == CU_MEMORYTYPE_UNIFIED && is_pageable(device);
    };
    return pageable(copy.srcMemoryType, copy.srcHost, copy.srcDevice) ||
           pageable(copy.dstMemoryType, copy.dstHost, copy.dstDevice);
  }

  [[nodiscard]] bool is_pageable(const void* memory) const {
    return is_pageable(reinterpret_cast<CUdeviceptr>(memory));
  }
  // The driver knows all memory but that.
  [[nodiscard]] bool is_pageable(CUdeviceptr memory) const {
    unsigned type = 0;
    return context_.driver().pointer_attribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, memory) !=
           CUDA_SUCCESS;
  }

  const Context& context_;
  Cupti cupti_;
  CallersMemory callers_;
  CUpti_SubscriberHandle subscriber_ = nullptr;
  std::map<CUpti_CallbackId, Function> functions_;
  std::atomic<Listener*> listener_ = nullptr;
  std::atomic<std::uint64_t> unheard_ = 0;
  std::mutex refused_mutex_;
  std::optional<RefusedLaunch> refused_;
  std::mutex nodes_mutex_;  // of the next two
  std::set<CUevent> node_events_;
  bool has_unread_node_ = false;
  bool enabled_ = false;
};

ApiWatcher::ApiWatcher(const Context& context) : subscription_(std::make_unique<Subscription>(context)) {}
ApiWatcher::~ApiWatcher() = default;
void ApiWatcher::start(Listener& listener) { subscription_->start(listener); }
void ApiWatcher::stop() { subscription_->stop(); }
std::uint64_t ApiWatcher::take_unheard() { return subscription_->take_unheard(); }
std::optional<RefusedLaunch> ApiWatcher::take_refused() { return subscription_->take_refused(); }
bool ApiWatcher::graphs_record(const std::function<bool(CUevent)>& is_own) const {
  return subscription_->graphs_record(is_own);
}

OwnWork::OwnWork(Signals signals) {
  sigset_t held_back;
  ::sigemptyset(&held_back);
  if (signals == Signals::kWait) ::sigfillset(&held_back);
  ::pthread_sigmask(SIG_BLOCK, &held_back, &signals_);
  ++own_works;
}

OwnWork::~OwnWork() {
  --own_works;
  ::pthread_sigmask(SIG_SETMASK, &signals_, nullptr);
}

}  // namespace fib::device::cuda
