#include "util/capture.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>

#include "util/clock.h"
#include "util/errno_error.h"

namespace fib::util {

Capture::Capture(UniqueFd read_end, std::size_t limit)
    : read_end_(std::move(read_end)), stop_event_(::eventfd(0, EFD_CLOEXEC)), limit_(limit) {
  if (!stop_event_.valid()) throw errno_error("cannot make an eventfd");
  ::fcntl(read_end_.get(), F_SETFL, O_NONBLOCK);
  thread_ = std::thread([this] { drain(); });
}

Capture::~Capture() { stop(0); }

void Capture::keep(std::string_view bytes) {
  const std::size_t room = limit_ - std::min(limit_, kept_.size());
  kept_.append(bytes.substr(0, room));
  if (bytes.size() > room) truncated_ = true;
}

bool Capture::read_available() {
  // Bounded, so that a writer that never pauses cannot hold the lock for ever.
  constexpr int kReads = 1024;
  char buffer[1U << 16U];
  for (int i = 0; i < kReads && !closed_; ++i) {
    const ssize_t got = ::read(read_end_.get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) break;
    if (got <= 0) closed_ = true;
    if (got > 0) keep({buffer, static_cast<std::size_t>(got)});
  }
  return !closed_;
}

void Capture::drain() {
  pollfd events[2] = {{stop_event_.get(), POLLIN, 0}, {read_end_.get(), POLLIN, 0}};
  while (true) {
    if (::poll(events, 2, -1) < 0 && errno != EINTR) return;
    if ((events[0].revents & POLLIN) != 0) return;
    const std::lock_guard lock(mutex_);
    if (!read_available()) return;
  }
}

std::string Capture::take() {
  const std::lock_guard lock(mutex_);
  read_available();
  std::string result = std::move(kept_);
  kept_.clear();
  if (std::exchange(truncated_, false)) result += "\n\n[log truncated]\n";
  return result;
}

void Capture::stop(int milliseconds) {
  if (!thread_.joinable()) return;
  const std::int64_t end = monotonic_ns() + static_cast<std::int64_t>(milliseconds) * 1'000'000;
  const auto is_closed = [this] {
    const std::lock_guard lock(mutex_);
    return closed_;
  };
  while (!is_closed() && monotonic_ns() < end) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t put = ::write(stop_event_.get(), &one, sizeof one);
  thread_.join();
}

}  // namespace fib::util
