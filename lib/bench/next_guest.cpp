#include "bench/next_guest.h"

#include <system_error>

#include "bench/python_code.h"
#include "util/clock.h"

namespace fib::bench {
namespace {

constexpr std::int64_t kStartLimitNs = std::int64_t{60} * 1'000'000'000;
constexpr std::int64_t kPingLimitNs = std::int64_t{10} * 1'000'000'000;

std::unique_ptr<worker::WorkerClient> started(std::unique_ptr<worker::WorkerClient> guest,
                                              const worker::UseDevice& device) {
  const auto answer =
      guest->start(python_start(device, 0), util::monotonic_ns() + kStartLimitNs, python_start_files(device));
  if (std::holds_alternative<worker::Failure>(answer)) guest.reset();
  return guest;
}

}  // namespace

bool NextGuest::begin() {
  if (starting_.valid()) return true;
  auto guest = guests_.take_ready();
  if (!guest) return false;
  guest->set_role("the next solution's worker");
  try {
    starting_ = std::async(std::launch::async, started, std::move(guest), device_);
  } catch (const std::system_error&) {  // the solution may have all threads that there are
    return false;
  }
  return true;
}

void NextGuest::wait() const {
  if (starting_.valid()) starting_.wait();
}

std::unique_ptr<worker::WorkerClient> NextGuest::take() {
  if (!starting_.valid()) return nullptr;
  try {
    auto guest = starting_.get();
    const bool answers =
        guest && std::holds_alternative<std::int64_t>(guest->ping(util::monotonic_ns() + kPingLimitNs));
    return answers ? std::move(guest) : nullptr;
  } catch (const std::exception&) {
    return nullptr;  // threads, memory or the kernels' file may have been missing
  }
}

}  // namespace fib::bench
