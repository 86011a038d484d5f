#include "device/cuda/segment_recorder.h"

#include <algorithm>

#include "util/clock.h"

namespace fib::device::cuda {
namespace {

// Each costs some 30 us that the coordinator's clock sees and nobody claims.
constexpr std::size_t kMostSegments = 6;
constexpr int kMostSpins = 32;  // streams beyond are not held back
constexpr int kMostAsked = 3;   // questions that a device which is held back answers with "not ready"
constexpr std::int64_t kLittleNs = 50'000;  // by which recorded ends may come after what the host waited for

bool queues(const ApiCall& call) {
  return call.effect == Effect::kWork || call.effect == Effect::kOrder || call.effect == Effect::kCopy;
}

bool may_wait(Effect effect) { return effect == Effect::kWait || effect == Effect::kCopy; }

}  // namespace

SegmentRecorder::SegmentRecorder(const fib::cuda::Driver& driver, CUstream main, Hold hold)
    : driver_(driver), main_(main), hold_(std::move(hold)) {}

SegmentRecorder::~SegmentRecorder() {
  for (const auto& stream : streams_) {
    (void)driver_.event_destroy(stream.begin);
    (void)driver_.event_destroy(stream.end);
  }
}

void SegmentRecorder::start(Threads threads) {
  const std::lock_guard lock(mutex_);
  thread_ = std::this_thread::get_id();
  threads_ = threads;
  result_ = {};
  used_ = 0;
  spins_ = 1;
  captures_ = asked_ = 0;
  is_open_ = true;
  released_ = has_worked_ = is_last_ = false;
  idle_since_ = own_ns_ = own_before_ns_ = 0;
  host_ns_ = 0;
  entry_of(anchor_of(main_)).held = true;
}

void SegmentRecorder::before(const ApiCall& call) {
  const std::lock_guard lock(mutex_);
  const std::int64_t now = util::monotonic_ns();
  const bool has_effect = call.effect == Effect::kWork || call.effect == Effect::kCopy;
  if (!call.in_this_context) {
    result_.has_foreign_work |= has_effect;
  } else if (!is_of_call()) {
    result_.orphans += has_effect ? 1 : 0;
    // The ends are recorded by the thread of the call.
    if (may_wait(call.effect) && is_open_ && !released_) let_go(now);
  } else {
    result_.records_own_event |= call.event != nullptr && owns(call.event);
    if (queues(call)) {
      result_.has_unknown_stream |= !call.knows_stream;
      if (call.knows_stream) queue(call.stream, has_effect);
    }
    if (call.effect == Effect::kForget) forget(call.stream);
    if (may_wait(call.effect)) {
      // A copy that may block is the last work before its own wait; its end is recorded when it returns.
      if (captures_ == 0 && call.effect == Effect::kWait) record_ends();
      let_go(now);
    }
  }
  // What other threads spend in here is no time of the call's thread.
  if (std::this_thread::get_id() == thread_) own_ns_ += util::monotonic_ns() - now;
}

void SegmentRecorder::after(const ApiCall& call) {
  const std::lock_guard lock(mutex_);
  if (!call.in_this_context || !is_of_call()) return;
  const std::int64_t now = util::monotonic_ns();
  if (call.effect == Effect::kBeginCapture && call.result == CUDA_SUCCESS) ++captures_;
  if (call.effect == Effect::kEndCapture) captures_ = std::max(0, captures_ - 1);
  if (call.effect == Effect::kAsk && call.result == CUDA_ERROR_NOT_READY && ++asked_ >= kMostAsked) {
    if (captures_ == 0) record_ends();
    let_go(now);
  }
  if (may_wait(call.effect) || (call.effect == Effect::kAsk && released_)) (void)try_to_close(true);
  if (std::this_thread::get_id() == thread_) own_ns_ += util::monotonic_ns() - now;
}

bool SegmentRecorder::is_of_call() const {
  return threads_ == Threads::kAll || std::this_thread::get_id() == thread_;
}

void SegmentRecorder::release() {
  const std::lock_guard lock(mutex_);
  record_ends();
  let_go(util::monotonic_ns());
}

SegmentRecorder::Result SegmentRecorder::finish() {
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; is_open_ && i < used_; ++i) {
    if (streams_[i].worked) note(driver_.event_synchronize(streams_[i].end));
  }
  is_last_ = false;
  // Whatever the call has done to the count of its captures: its work has an end.
  captures_ = 0;
  result_.is_unfinished = !try_to_close(true);
  return std::move(result_);
}

// Something comes to this stream. Where nothing of the segment is work yet, the begin is recorded again just
// before the work: waiting for another stream's event beforehand takes the device no time of its own.
void SegmentRecorder::queue(CUstream stream, bool is_work) {
  if (is_open_ && released_) wait_a_little();
  if (captures_ > 0 && is_captured(stream)) return;
  if (is_work && stream != main_) result_.used_other_streams |= anchor_of(stream) != anchor_of(main_);
  if (!is_open_) begin_segment();
  if (captures_ == 0) hold(anchor_of(stream));
  Stream& entry = entry_of(stream);
  if (!entry.begun || (is_work && !has_worked_)) note(driver_.event_record(entry.begin, stream));
  entry.begun = true;
  if (!is_work) return;
  has_worked_ = entry.worked = entry.to_end = true;
}

void SegmentRecorder::begin_segment() {
  is_open_ = true;
  has_worked_ = false;
  used_ = 0;
  spins_ = asked_ = 0;
  host_ns_ = 0;
  is_last_ = result_.segments.size() >= kMostSegments;
  released_ = has_waited_ = is_last_;
  began_at_ = released_at_ = util::monotonic_ns();
  if (is_last_) host_ns_ = host_ns_until(began_at_);
  if (is_last_) return;
  hold_.set_released(false);
  hold(anchor_of(main_));
}

void SegmentRecorder::hold(CUstream stream) {
  Stream& entry = entry_of(stream);
  if (entry.held || released_ || spins_ >= kMostSpins) return;
  entry.held = true;
  ++spins_;
  note(hold_.spin(stream));
}

void SegmentRecorder::let_go(std::int64_t now) {
  if (!is_open_ || released_) return;
  for (std::size_t i = 0; captures_ == 0 && i < used_; ++i) {
    if (streams_[i].worked && driver_.event_query(streams_[i].begin) != CUDA_ERROR_NOT_READY)
      result_.covered = false;
  }
  released_ = true;
  has_waited_ = false;
  released_at_ = now;
  hold_.set_released(true);
  host_ns_ = host_ns_until(now);
}

// What the host did since the segment before. What it does when the spin has given up lies between the
// events.
double SegmentRecorder::host_ns_until(std::int64_t now) const {
  if (idle_since_ == 0) return 0;
  const std::int64_t until = std::min(now, began_at_ + hold_.limit_ns);
  return static_cast<double>(std::max<std::int64_t>(0, until - idle_since_ - (own_ns_ - own_before_ns_)));
}

void SegmentRecorder::record_ends() {
  for (std::size_t i = 0; is_open_ && i < used_; ++i) {
    Stream& stream = streams_[i];
    if (!stream.to_end || stream.is_gone) continue;
    note(driver_.event_record(stream.end, stream.handle));
    stream.to_end = false;
  }
}

void SegmentRecorder::forget(CUstream stream) {
  for (std::size_t i = 0; is_open_ && i < used_; ++i) {
    Stream& entry = streams_[i];
    if (entry.handle != stream || entry.is_gone) continue;
    if (entry.to_end) note(driver_.event_record(entry.end, stream));
    entry.to_end = false;
    entry.is_gone = true;
  }
}

bool SegmentRecorder::try_to_close(bool at_wait) {
  if (!is_open_) return true;
  if (!released_ || is_last_ || captures_ > 0) return false;
  record_ends();
  for (std::size_t i = 0; i < used_; ++i) {
    if (streams_[i].worked && driver_.event_query(streams_[i].end) == CUDA_ERROR_NOT_READY) return false;
  }
  is_open_ = false;
  if (!has_worked_) return true;
  const double span_ns = measure();
  result_.segments.push_back({span_ns, host_ns_});
  const std::int64_t now = util::monotonic_ns();
  idle_since_ = at_wait ? now : std::min(now, released_at_ + static_cast<std::int64_t>(span_ns));
  own_before_ns_ = own_ns_;
  return true;
}

void SegmentRecorder::wait_a_little() {
  const OwnWork own;  // nobody is told of what handlers of signals launch here
  const std::int64_t until = util::monotonic_ns() + kLittleNs;
  while (!try_to_close(false) && !has_waited_ && util::monotonic_ns() < until) {
  }
  has_waited_ = true;
}

double SegmentRecorder::measure() {
  std::vector<StreamSpan> spans;
  CUevent first = nullptr;
  for (std::size_t i = 0; i < used_; ++i) {
    if (!streams_[i].worked) continue;
    if (first == nullptr) first = streams_[i].begin;
    float begin_ms = 0;
    float end_ms = 0;
    note(driver_.event_elapsed(&begin_ms, first, streams_[i].begin));
    note(driver_.event_elapsed(&end_ms, first, streams_[i].end));
    spans.push_back({1e6 * static_cast<double>(begin_ms), 1e6 * static_cast<double>(end_ms)});
  }
  return span_of(spans);
}

SegmentRecorder::Stream& SegmentRecorder::entry_of(CUstream stream) {
  const auto used = streams_.begin() + static_cast<std::ptrdiff_t>(used_);
  const auto known = std::find_if(
      streams_.begin(), used, [&](const auto& entry) { return entry.handle == stream && !entry.is_gone; });
  if (known != used) return *known;
  if (used_ == streams_.size()) {
    Stream fresh;
    note(driver_.event_create(&fresh.begin, CU_EVENT_DEFAULT));
    note(driver_.event_create(&fresh.end, CU_EVENT_DEFAULT));
    streams_.push_back(fresh);
  }
  Stream& entry = streams_[used_++];
  entry = Stream{stream, entry.begin, entry.end};
  return entry;
}

// Where a spin holds this stream back.
CUstream SegmentRecorder::anchor_of(CUstream stream) {
  if (stream == CU_STREAM_LEGACY || stream == CU_STREAM_PER_THREAD) return CU_STREAM_LEGACY;
  unsigned flags = 0;
  note(driver_.stream_flags(stream, &flags));
  return (flags & CU_STREAM_NON_BLOCKING) != 0 ? stream : CU_STREAM_LEGACY;
}

bool SegmentRecorder::is_captured(CUstream stream) {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  return driver_.stream_is_capturing(stream, &status) == CUDA_SUCCESS &&
         status != CU_STREAM_CAPTURE_STATUS_NONE;
}

bool SegmentRecorder::owns(CUevent event) const {
  return std::any_of(streams_.begin(), streams_.end(),
                     [&](const Stream& entry) { return entry.begin == event || entry.end == event; });
}

void SegmentRecorder::note(CUresult result) {
  if (result_.error == CUDA_SUCCESS) result_.error = result;
}

}  // namespace fib::device::cuda
