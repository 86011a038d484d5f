#include "bench/guest_pool.h"

#include <utility>

#include "util/clock.h"
#include "util/command.h"

namespace fib::bench {
namespace {

constexpr std::int64_t kGuestPingLimitNs = std::int64_t{5} * 1'000'000'000;
constexpr std::uint64_t kGuestFileSizeLimit = std::uint64_t{1} << 30U;

}  // namespace

GuestPool::GuestPool(worker::Spawner& spawner, const worker::ChildSetup& setup,
                     const worker::GuestSetup& guest, PackageBytecode* bytecode)
    : start_{spawner, setup, guest,
             // Nothing keeps guests from writing there.
             setup.files.mode == sandbox::Mode::kOff ? nullptr : bytecode} {}

GuestPool::~GuestPool() {
  stop();
  for (auto& thread : threads_) thread.join();
}

std::unique_ptr<worker::WorkerClient> GuestPool::start() {
  worker::GuestSetup guest = start_.guest;
  if (start_.bytecode != nullptr) {
    if (start_.guest.cores.empty()) {
      start_.bytecode->make(start_.spawner, start_.children, {});
      start_.bytecode->wait();
    }
    guest.bytecode = start_.bytecode->folder();
  }
  try {
    return std::make_unique<worker::WorkerClient>(start_.spawner, start_.children, guest, "the Python worker",
                                                  kGuestFileSizeLimit);
  } catch (const Error& error) {
    const std::string why = util::line_after(worker::kCannotImportTorch, error.what());
    if (why.empty()) throw;
    const std::lock_guard lock(mutex_);
    broken_torch_ = fmt::format("{} {}{}", start_.guest.python.string(), worker::kCannotImportTorch, why);
    throw BrokenTorch("{}", broken_torch_);
  }
}

void GuestPool::expect(std::size_t guests, unsigned ahead) {
  const std::lock_guard lock(mutex_);
  const std::size_t coming = ready_.size() + in_preparation_;
  ahead_ = ahead;
  expected_ = guests > coming ? guests - coming : 0;
  if (start_.bytecode != nullptr && expected_ > 0 && !start_.guest.cores.empty())
    start_.bytecode->make(start_.spawner, start_.children, start_.guest.cores);
  while (expected_ > 0 && threads_.size() < ahead) threads_.emplace_back([this] { prepare_guests(); });
  changed_.notify_all();
}

void GuestPool::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
}

void GuestPool::settle() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return in_preparation_ == 0; });
}

std::size_t GuestPool::taken() {
  const std::lock_guard lock(mutex_);
  return std::exchange(taken_, 0);
}

bool GuestPool::is_done() const { return stopped_ || !broken_torch_.empty(); }

bool GuestPool::is_wanted() const { return expected_ > 0 && ready_.size() + in_preparation_ < ahead_; }

void GuestPool::prepare_guests() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return is_done() || is_wanted(); });
    if (is_done()) return;
    --expected_;
    ++in_preparation_;
    lock.unlock();
    std::unique_ptr<worker::WorkerClient> guest;
    try {
      guest = start();
    } catch (const Error&) {
      // take() finds nothing prepared, tries itself, and says why that fails.
    }
    lock.lock();
    --in_preparation_;
    if (guest) ready_.push_back(std::move(guest));
    changed_.notify_all();
  }
}

std::unique_ptr<worker::WorkerClient> GuestPool::take() {
  const util::Timeline::Span span(start_.spawner.timeline(), 0, worker::kCoordinator, "wait for Python");
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !ready_.empty() || in_preparation_ == 0; });
  if (auto guest = first_ready()) return guest;
  if (!broken_torch_.empty()) throw BrokenTorch("{}", broken_torch_);
  ++taken_;
  lock.unlock();
  return start();
}

std::unique_ptr<worker::WorkerClient> GuestPool::take_ready() {
  const std::lock_guard lock(mutex_);
  return first_ready();
}

// One that has waited for long may have ended meanwhile.
std::unique_ptr<worker::WorkerClient> GuestPool::first_ready() {
  while (!ready_.empty()) {
    auto guest = std::move(ready_.front());
    ready_.erase(ready_.begin());
    changed_.notify_all();
    const auto answer = guest->ping(util::monotonic_ns() + kGuestPingLimitNs);
    if (!std::holds_alternative<std::int64_t>(answer)) continue;
    ++taken_;
    return guest;
  }
  return nullptr;
}

}  // namespace fib::bench
