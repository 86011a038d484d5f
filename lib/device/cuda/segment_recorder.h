#pragma once

#include <cuda.h>

#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "cuda/driver.h"
#include "device/cuda/api_watcher.h"
#include "device/cuda/segments.h"

namespace fib::device::cuda {

// Puts events around the work of one call, segment by segment, as it is told of the call's calls of the
// driver (api_watcher.h). At the first thing that a segment gives a stream it lets the stream spin, so that
// all of the segment is queued before any of it begins; before the call waits for the device, or asks for the
// third time whether it is ready, it records the ends and lets go. Events of all streams are compared, so a
// side stream counts from its own first work to its own last.
//
// Streams that wait for the default stream are held by a spin there. A stream that is captured is left alone.
// Work queued by another thread than the one that made start() is the call's, too, or is counted as an
// orphan. The first six segments are taken apart; what follows is one more, with the gaps of the host in it.
class SegmentRecorder final : public ApiWatcher::Listener {
 public:
  // How the recorder acts on the device; neither may throw.
  struct Hold {
    std::function<CUresult(CUstream)> spin;  // queues a spin that ends when it is released, or after limit_ns
    std::function<void(bool)> set_released;  // tells all spins to end, or takes that back
    std::int64_t limit_ns = 0;
  };

  // `main` is the stream that the call is told to use.
  SegmentRecorder(const fib::cuda::Driver& driver, CUstream main, Hold hold);
  ~SegmentRecorder() override;
  SegmentRecorder(const SegmentRecorder&) = delete;
  SegmentRecorder& operator=(const SegmentRecorder&) = delete;

  enum class Threads { kOne, kAll };  // whose work is the call's

  void start(Threads threads);  // of a call: `main` is spinning already
  void before(const ApiCall& call) override;
  void after(const ApiCall& call) override;
  void release();  // the call has queued all it will

  // What the call came to. To be asked once, when release() has been made; waits until the recorded events
  // have been passed.
  struct Result {
    std::vector<Segment> segments;
    bool covered = true;            // no segment began before it was queued
    std::uint64_t orphans = 0;      // pieces of work from other threads, where they are not the call's
    bool has_foreign_work = false;  // in another context
    bool has_unknown_stream = false;
    bool records_own_event = false;   // the call has recorded one of the recorder's events
    bool is_unfinished = false;       // there is work whose end is not known
    bool used_other_streams = false;  // some of the work is not in order with what comes to the main stream
    CUresult error = CUDA_SUCCESS;    // of the recorder's own calls, the first
  };
  [[nodiscard]] Result finish();

  // Whether the event is one of the recorder's. Not during a call.
  [[nodiscard]] bool owns(CUevent event) const;

 private:
  struct Stream {
    CUstream handle = nullptr;
    CUevent begin = nullptr;
    CUevent end = nullptr;
    bool held = false;     // a spin of this segment is queued there
    bool begun = false;    // begin is recorded
    bool worked = false;   // it was given work
    bool to_end = false;   // since end was recorded last
    bool is_gone = false;  // destroyed by the call
  };

  void queue(CUstream stream, bool is_work);
  void begin_segment();
  void hold(CUstream stream);
  void let_go(std::int64_t now);
  void record_ends();
  [[nodiscard]] double host_ns_until(std::int64_t now) const;
  void forget(CUstream stream);
  // Whether no segment is open afterwards. `at_wait`: the host has just waited.
  bool try_to_close(bool at_wait);
  void wait_a_little();
  [[nodiscard]] double measure();
  [[nodiscard]] bool is_of_call() const;  // this thread
  Stream& entry_of(CUstream stream);
  [[nodiscard]] CUstream anchor_of(CUstream stream);
  bool is_captured(CUstream stream);
  void note(CUresult result);

  const fib::cuda::Driver& driver_;
  CUstream main_;
  Hold hold_;
  std::mutex mutex_;
  std::thread::id thread_;
  Threads threads_ = Threads::kOne;
  std::vector<Stream> streams_;  // the first used_ of them are of this segment; the others lend their events
  std::size_t used_ = 0;
  int spins_ = 0;
  int captures_ = 0;
  int asked_ = 0;
  bool is_open_ = false;       // a segment is
  bool released_ = false;      // its spins are
  bool has_waited_ = false;    // for a little, since then
  bool has_worked_ = false;    // some stream of it was given work
  bool is_last_ = false;       // it ends with the call
  std::int64_t began_at_ = 0;  // when its first spin was queued
  std::int64_t released_at_ = 0;
  std::int64_t idle_since_ = 0;  // when the segment before had ended; 0: there is none
  std::int64_t own_ns_ = 0;      // spent in here
  std::int64_t own_before_ns_ = 0;
  double host_ns_ = 0;  // of the open segment
  Result result_;
};

}  // namespace fib::device::cuda
