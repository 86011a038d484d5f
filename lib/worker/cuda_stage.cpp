#include "worker/cuda_stage.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "util/clock.h"

namespace fib::worker {
namespace {

device::cuda::FlushKind kind_of(Flush flush) {
  if (flush == Flush::kDirty) return device::cuda::FlushKind::kDirty;
  return flush == Flush::kNone ? device::cuda::FlushKind::kNone : device::cuda::FlushKind::kClean;
}

device::cuda::HostCode host_code_of(const CudaStageOptions& options) {
  return options.host_code ? device::cuda::HostCode::kHasSome : device::cuda::HostCode::kNone;
}

device::cuda::StreamKind stream_of(WorkStream stream) {
  return stream == WorkStream::kOwn ? device::cuda::StreamKind::kOwn : device::cuda::StreamKind::kDefault;
}

// Whether an error may be that of a launch that was refused, by the words of the driver and the run time: a
// host may survive one, and fail of something else.
bool may_be_refusal(std::string_view error) {
  static constexpr std::array<std::string_view, 6> kWords = {"INVALID_VALUE",    "InvalidValue",
                                                             "invalid argument", "invalid configuration",
                                                             "OUT_OF_RESOURCES", "too many resources"};
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](std::string_view word) { return error.find(word) != std::string_view::npos; });
}

void refuse_orphans(std::uint64_t orphans) {
  if (orphans > 0)
    throw Error(
        "{} pieces of work on the device were not launched by the call itself, but by another thread of the "
        "process, or outside of the call",
        orphans);
}

// The driver's type of a device address is an integer.
std::byte* as_pointer(CUdeviceptr address) {
  return reinterpret_cast<std::byte*>(address);  // NOLINT
}

}  // namespace

CudaStage::CudaStage(const UseDevice& device, const std::string& kernels, const CudaStageOptions& options)
    : context_(device.uuid, stream_of(options.stream)),
      pool_(context_),
      kernels_(context_, kernels),
      timer_(context_, kernels_, options.host_code ? device::cuda::kSideNoiseNs : device::cuda::kLateNs),
      flush_(context_, kernels_, kind_of(device.flush), host_code_of(options)) {}

void CudaStage::open(const eval::Layout& layout, SharedBuffers shared) {
  using device::cuda::DeviceMemory;
  // What was launched while the solution was loaded is its own affair; what it has left behind a call is not.
  const std::uint64_t unheard = watcher_ ? watcher_->take_unheard() : 0;
  if (exchange_) refuse_orphans(unheard);
  // Given back first: there may not be room for both.
  exchange_.reset();
  own_inputs_ = DeviceMemory();
  own_outputs_ = DeviceMemory();
  is_solutions_ = shared.is_solutions;
  exchange_ = make_cuda_exchange(context_, kernels_, layout, std::move(shared));
  inputs_ = exchange_->private_inputs();
  outputs_ = exchange_->private_outputs();
  if (inputs_ == 0) {
    own_inputs_ = DeviceMemory(context_, layout.input_bytes);
    own_outputs_ = DeviceMemory(context_, layout.output_bytes);
    inputs_ = own_inputs_.data();
    outputs_ = own_outputs_.data();
  }
  input_bytes_ = layout.input_bytes;
  scalars_.assign(8 * layout.inputs.size(), {});
}

Buffers CudaStage::buffers() {
  return {as_pointer(inputs_), as_pointer(outputs_), scalars_.data(), context_.stream()};
}

template <typename Work>
void CudaStage::own(Work work) {
  if (!tracer_) return work();
  tracer_->own(work);
}

device::cuda::Tracer& CudaStage::tracer() {
  if (!tracer_) throw Error("there is no second clock");
  return *tracer_;
}

// From before the inputs are there for anyone to see. Scalars are there when this returns, and the device's
// buffers when flush() does.
void CudaStage::fill(Clock clock, std::uint32_t place) {
  using device::cuda::TraceKind;
  clock_ = clock;
  used_.begin(inputs_, input_bytes_);
  for (const auto& [address, bytes] : exchange_->device_memory()) (void)used_.add(address, bytes);
  copied_.clear();
  returned_.clear();
  if (clock == Clock::kNone) {
    own([&] { exchange_->load_inputs(place, inputs_, scalars_.data()); });
    return wait_where_needed();
  }
  if (clock == Clock::kCounters) return own([&] { exchange_->load_scalars(inputs_, scalars_.data()); });
  if (is_by_cupti(clock))
    tracer().start(clock == Clock::kCuptiKernel ? TraceKind::kOneAtATime : TraceKind::kConcurrent);
  own([&] { exchange_->load(place, inputs_, outputs_, scalars_.data()); });
}

void CudaStage::flush() {
  if (clock_ == Clock::kNone) return;
  own([&] { clock_ == Clock::kCounters ? flush_.take_back() : flush_(); });
  // Not for fib's stream alone: where a process has dozens of streams, half of the calls that then came read
  // up to 22 us too much (docs/measuring.md).
  context_.wait_for_all();
}

std::string CudaStage::prepare_tracer() {
  try {
    watcher_.emplace(context_);
    tracer_.emplace(context_, *watcher_);
    segment_timer_.emplace(context_, kernels_, timer_, *watcher_);
    return {};
  } catch (const Error& error) {
    tracer_.reset();
    return error.what();
  }
}

std::string CudaStage::refused_launch() {
  const auto refused = watcher_ ? watcher_->take_refused() : std::nullopt;
  return refused ? device::cuda::why_refused(context_, *refused) : "";
}

// A host that does not look at errors goes on, and its outputs show it; one that does says less than the
// driver knows.
Done CudaStage::run(Target& target, Clock clock) {
  (void)refused_launch();
  try {
    Done done = run_by(target, clock);
    done.refused_launch = refused_launch();
    return done;
  } catch (const std::exception& error) {
    const std::string refused = refused_launch();
    if (refused.empty() || !may_be_refusal(error.what())) throw;
    throw Error("{}\n{}", error.what(), refused);
  }
}

Done CudaStage::run_by(Target& target, Clock clock) {
  if (is_by_cupti(clock)) return trace(target, clock);
  if (clock == Clock::kNone || clock == Clock::kCounters) {
    call_untimed(target);
    if (clock == Clock::kCounters) {
      context_.wait_for_all();
    } else {
      wait_where_needed();
    }
    return {};
  }
  const std::int64_t begin = util::monotonic_ns();
  const auto timing = time(target, clock);
  Done done;
  done.elapsed_ns = timing.device_ns + timing.side_ns;
  if (target.waits_for_processes()) done.elapsed_ns = static_cast<double>(util::monotonic_ns() - begin);
  done.host_ns = timing.host_ns;
  done.covered = timing.covered;
  done.clock_mhz = timing.clock_mhz;
  done.segments = timing.segments;
  done.empty_pair_ns = timer_.empty_ns();
  done.around_ns = timing.around_ns;
  done.empty_around_ns = timing.empty_around_ns;
  return done;
}

void CudaStage::call_untimed(Target& target) {
  const device::cuda::OwnWork own(device::cuda::OwnWork::Signals::kCome);  // as in time()
  target.call();
}

device::cuda::Timing CudaStage::time(Target& target, Clock clock) {
  const auto call = [&] { target.call(); };
  if (clock != Clock::kEventSegments) {
    // Nobody listens here: what the call launches is no work outside of it.
    const device::cuda::OwnWork own(device::cuda::OwnWork::Signals::kCome);
    return timer_.time(call, clock != Clock::kOpenEvents);
  }
  if (!segment_timer_) throw Error("there is no clock that follows a call");
  using Threads = device::cuda::SegmentRecorder::Threads;
  // torch.autograd's backward pass, for one, has a thread of its own.
  const auto timing = segment_timer_->time(call, is_solutions_ ? Threads::kOne : Threads::kAll);
  in_order_ = in_order_.value_or(true) && timing.is_in_order;
  return timing;
}

// Where calls by Clock::kNone have work that is not in order with fib's own, it is done between the copies.
void CudaStage::wait_where_needed() {
  if (!in_order_.value_or(false)) context_.wait_for_all();
}

Done CudaStage::trace(Target& target, Clock clock) {
  Done done;
  const auto trace = tracer().call([&] {
    const std::int64_t begin = util::monotonic_ns();
    target.call();
    done.host_ns = static_cast<double>(util::monotonic_ns() - begin);
  });
  if (trace.dropped == 0) refuse_orphans(trace.orphans);
  if (trace.dropped == 0 && trace.missing > 0)
    throw Error("of {} of the call's launches there is no record: records were switched off", trace.missing);
  done.kernels = static_cast<std::uint32_t>(trace.kernels);
  done.copies = static_cast<std::uint32_t>(trace.copies);
  done.streams = static_cast<std::uint32_t>(trace.streams);
  done.dropped = trace.dropped > 0;
  done.busy_ns = trace.busy_ns;
  done.span_ns = trace.span_ns;
  done.uses = trace.uses;
  done.elapsed_ns = clock == Clock::kCuptiKernel ? trace.busy_ns : trace.span_ns;
  return done;
}

void CudaStage::touch_output(const eval::Slot& slot, std::uint64_t address) {
  if (!used_.add(address, slot.bytes)) return;
  copied_.insert(slot.offset);
  copy_returned({slot, address});
}

void CudaStage::take_output(const eval::Slot& slot, std::uint64_t address) {
  if (slot.bytes == 0) return;
  if (clock_ == Clock::kNone) return own([&] { exchange_->store(slot, address); });
  returned_.push_back({slot, address});
}

void CudaStage::copy_returned(const Returned& output) {
  context_.check(context_.driver().copy(outputs_ + output.slot.offset, output.address, output.slot.bytes,
                                        context_.stream()),
                 "cuMemcpyDtoDAsync");
}

void CudaStage::spoil(CUdeviceptr memory, std::uint64_t bytes) {
  if (bytes == 0) return;
  // Neither 0 nor -1, which outputs are often full of.
  const auto byte = static_cast<unsigned char>(2 + random_() % 250);
  context_.check(context_.driver().set_bytes(memory, byte, bytes, context_.stream()), "cuMemsetD8Async");
}

// Looks at one output of all, since looking at each of many takes longer than what they are: at that in which
// a byte of them all lies that is drawn, so that much memory is looked at more often than little. What a
// reference returns is looked at, too, which tells how long that takes.
void CudaStage::refuse_fibs_memory(const Returned& output) {
  auto shared = exchange_->device_memory();
  for (auto& [begin, bytes] : shared) {
    for (const CUdeviceptr own : {inputs_, outputs_})  // which come last, and which spoil() takes care of
      if (own >= begin && own < begin + bytes) bytes = own - begin;
  }
  const device::cuda::AliasCheck::Range memory{output.address, output.slot.bytes};
  if (alias_check_.shares_page_with(memory, shared, random_()) && is_solutions_)
    throw Error("an output is memory of fib's own, by another address, so that no call need have written it");
}

// Null where none has addresses of its own.
const CudaStage::Returned* CudaStage::drawn_output() {
  std::uint64_t bytes = 0;
  const auto has_own_addresses = [this](const Returned& output) {
    return !copied_.contains(output.slot.offset);
  };
  for (const auto& output : returned_) bytes += has_own_addresses(output) ? output.slot.bytes : 0;
  if (bytes == 0) return nullptr;
  std::uint64_t drawn = random_() % bytes;
  for (const auto& output : returned_) {
    if (!has_own_addresses(output)) continue;
    if (drawn < output.slot.bytes) return &output;
    drawn -= output.slot.bytes;
  }
  return nullptr;
}

// A reference may return what it keeps. Of a solution one output after the other is copied and spoiled, after
// the inputs: what is the same memory at two addresses is spoiled when the second is copied. Those whose
// addresses say so were copied by the call, and are once more, before anything is spoiled: what the call has
// left to other streams is done now.
void CudaStage::take_returned() {
  for (const auto& output : returned_) {
    if (copied_.contains(output.slot.offset)) copy_returned(output);
  }
  // Counted calls have nothing beside the call.
  const bool is_counted = clock_ == Clock::kCounters;
  const bool spoils = is_solutions_ && !is_counted && !returned_.empty();
  if (const auto* drawn = is_counted ? nullptr : drawn_output()) refuse_fibs_memory(*drawn);
  if (spoils) spoil(inputs_, input_bytes_);
  for (const auto& output : returned_) {
    if (!copied_.contains(output.slot.offset)) copy_returned(output);
    if (!is_counted && alias_check_.is_mapped_twice({output.address, output.slot.bytes}, random_()))
      throw Error(
          "an output lies in memory that is mapped more than once, so that what is written to one part of it "
          "stands in others, too");
    if (spoils) spoil(output.address, output.slot.bytes);
  }
  returned_.clear();
}

void* CudaStage::allocate(std::uint64_t bytes) { return as_pointer(pool_.allocate(bytes)); }

void CudaStage::free(void* memory) noexcept { pool_.free(reinterpret_cast<CUdeviceptr>(memory)); }

void CudaStage::wait() {
  context_.wait_for_all();
  // References alone are called so, whose threads nobody has to watch.
  if (watcher_) (void)watcher_->take_unheard();
}

bool CudaStage::collect() {
  if (clock_ == Clock::kNone) return false;
  const bool stores = clock_ != Clock::kCounters;
  own([&] {
    if (stores) exchange_->begin_compare(inputs_);
    take_returned();
    if (stores) exchange_->begin_store(outputs_);
  });
  context_.wait();
  if (tracer_) refuse_orphans(std::max(tracer_->finish(), watcher_->take_unheard()));
  return stores && exchange_->end_store();
}

void open_cuda_ahead() {
  try {
    const auto driver = fib::cuda::Driver::open();
    (void)driver.init(0);
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): see stage.h
  }
}

std::unique_ptr<Stage> make_cuda_stage(const UseDevice& device, const std::string& kernels,
                                       const CudaStageOptions& options) {
  return std::make_unique<CudaStage>(device, kernels, options);
}

}  // namespace fib::worker
