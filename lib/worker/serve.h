#pragma once

#include <functional>

#include "worker/channel.h"

namespace fib::worker {

// A child's side of the protocol: greets the parent, then hands it one request after the other until the
// channel closes. `answer` sends the reply itself and says false when the parent is gone; what it throws is
// sent as the request's Error, and the child serves on. `spin_after` says how long to stay awake for the next
// request, in nanoseconds, after one of this type (channel.h). Returns the process's exit code.
[[nodiscard]] int serve(
    Channel& channel, const std::function<bool(Message&)>& answer,
    const std::function<std::int64_t(MessageType)>& spin_after = [](MessageType) { return 0; });

}  // namespace fib::worker
