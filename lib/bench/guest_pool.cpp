#include "bench/guest_pool.h"

#include "util/command.h"

namespace fib::bench {
namespace {

constexpr std::uint64_t kFileSizeLimit = std::uint64_t{1} << 30U;

}  // namespace

GuestPool::GuestPool(worker::Spawner& spawner, const worker::ChildSetup& setup,
                     const worker::GuestSetup& guest, unsigned ahead, std::size_t expected)
    : spawner_(spawner), setup_(setup), guest_(guest), ahead_(ahead), expected_(expected) {
  for (unsigned i = 0; i < ahead; ++i) threads_.emplace_back([this] { prepare_guests(); });
}

GuestPool::~GuestPool() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  for (auto& thread : threads_) thread.join();
}

std::unique_ptr<worker::WorkerClient> GuestPool::start() {
  try {
    return std::make_unique<worker::WorkerClient>(spawner_, setup_, guest_, "the Python worker",
                                                  kFileSizeLimit);
  } catch (const Error& error) {
    const std::string why = util::line_after(worker::kCannotImportTorch, error.what());
    if (why.empty()) throw;
    const std::lock_guard lock(mutex_);
    broken_torch_ = fmt::format("{} {}{}", guest_.python.string(), worker::kCannotImportTorch, why);
    throw BrokenTorch("{}", broken_torch_);
  }
}

bool GuestPool::is_done() const { return stopped_ || expected_ == 0 || !broken_torch_.empty(); }

void GuestPool::prepare_guests() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return is_done() || ready_.size() + in_preparation_ < ahead_; });
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
  const util::Timeline::Span span(spawner_.timeline(), 0, worker::kCoordinator, "wait for Python");
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !ready_.empty() || in_preparation_ == 0; });
  if (ready_.empty()) {
    if (!broken_torch_.empty()) throw BrokenTorch("{}", broken_torch_);
    lock.unlock();
    return start();
  }
  return first_ready();
}

std::unique_ptr<worker::WorkerClient> GuestPool::take_ready() {
  const std::lock_guard lock(mutex_);
  return ready_.empty() ? nullptr : first_ready();
}

std::unique_ptr<worker::WorkerClient> GuestPool::first_ready() {
  auto guest = std::move(ready_.front());
  ready_.erase(ready_.begin());
  changed_.notify_all();
  return guest;
}

}  // namespace fib::bench
