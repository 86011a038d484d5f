#include "bench/next_worker.h"

#include <system_error>
#include <utility>

#include "bench/memory_limits.h"
#include "bench/python_code.h"
#include "bench/sealed_file.h"
#include "util/clock.h"

namespace fib::bench {
namespace {

constexpr std::int64_t kPingLimitNs = std::int64_t{10} * 1'000'000'000;

}  // namespace

std::int64_t start_limit() { return util::monotonic_ns() + std::int64_t{60} * 1'000'000'000; }

void NextWorker::begin(WorkerKind kind, Device device, Make make) {
  if (made_.valid() && is_of_earlier_run_ && !is_for(kind)) end();
  if (made_.valid()) return;
  try {
    made_ = std::async(std::launch::async, std::move(make));
    kind_ = std::move(kind);
    device_ = device;
    is_of_earlier_run_ = false;
  } catch (const std::system_error&) {  // NOLINT(bugprone-empty-catch): a solution may have all threads
  }
}

void NextWorker::likely_again(WorkerKind kind, Make make) {
  if (likely_make_) return;
  likely_kind_ = std::move(kind);
  likely_make_ = std::move(make);
}

void NextWorker::begin_again() {
  const Make make = std::exchange(likely_make_, nullptr);
  if (!make || made_.valid()) return;
  begin(likely_kind_, Device::kStarts, make);
  is_of_earlier_run_ = true;
}

void NextWorker::end_unused() {
  if (!is_of_earlier_run_) end();
}

void NextWorker::end() {
  if (!made_.valid()) return;
  try {
    (void)made_.get();
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): what could not be made has ended
  }
}

void NextWorker::wait() const {
  if (made_.valid()) made_.wait();
}

// One without its device serves every target that is confined in the same way.
bool NextWorker::is_for(const WorkerKind& kind) const {
  return kind_.is_guest == kind.is_guest && kind_.confine == kind.confine &&
         (device_ == Device::kLater || kind_.start == kind.start);
}

std::unique_ptr<worker::WorkerClient> NextWorker::take(const WorkerKind& kind) {
  if (!made_.valid()) return nullptr;
  if (!is_for(kind)) {
    if (is_of_earlier_run_) end();
    return nullptr;
  }
  try {
    auto worker = made_.get();
    const bool answers =
        worker && std::holds_alternative<std::int64_t>(worker->ping(util::monotonic_ns() + kPingLimitNs));
    return answers ? std::move(worker) : nullptr;
  } catch (const std::exception&) {
    return nullptr;  // threads, memory or the kernels' file may have been missing
  }
}

std::unique_ptr<worker::WorkerClient> started_guest(GuestPool& guests, const worker::UseDevice& device) {
  auto guest = guests.take_ready();
  if (!guest) return nullptr;
  guest->set_role(kNextWorker);
  const auto answer = guest->start(python_start(device, 0), start_limit(), kernels_beside(device));
  if (std::holds_alternative<worker::Failure>(answer)) guest.reset();
  return guest;
}

std::unique_ptr<worker::WorkerClient> confined_worker(worker::Spawner& spawner,
                                                      const worker::ChildSetup& children,
                                                      const worker::Confine& request, const std::string& role,
                                                      const std::string& name) {
  auto worker = std::make_unique<worker::WorkerClient>(spawner, children, name, kFileSizeLimit);
  worker->set_role(role);
  const auto answer = worker->confine(request, start_limit());
  if (const auto* failure = std::get_if<worker::Failure>(&answer))
    throw Error("{}\n{}", failure->text, worker->take_output());
  return worker;
}

}  // namespace fib::bench
