#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "util/capture.h"
#include "worker/answer.h"
#include "worker/channel.h"
#include "worker/spawner.h"

namespace fib::worker {

// A child process with a channel and its captured output, seen from the coordinator. Killed, with all its
// descendants, when this object goes away. One thread at a time.
class Child {
 public:
  // Starts `fib <arguments>` and checks its greeting within `start_timeout_ms`. `name` is for messages and
  // the timeline. Throws Error when it does not come up.
  Child(Spawner& spawner, std::string name, const ChildSpec& spec, int start_timeout_ms);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // Sends a request and waits for the one answer it may have, until `deadline_ns` of the monotonic clock. The
  // answer repeats the request's ticket, a random number; nothing may have been sent before the request.
  // After any Failure but kRefused the child is dead.
  [[nodiscard]] Answer<Message> request(MessageType type, const std::string& payload, MessageType expected,
                                        std::int64_t deadline_ns, const std::vector<int>& fds = {});

  // Its name in the timeline from here on.
  void set_role(std::string role) { role_ = std::move(role); }

  // A span of the spawner's timeline, in which the calling thread waits for this child: `what` for.
  [[nodiscard]] util::Timeline::Span span(std::string_view what) const {
    return {spawner_.timeline(), pid_, role_, what};
  }

  // For that timeline: the GPU with this UUID says that it has worked for so long in calls of this child.
  void add_device_work(const std::string& uuid, double ns, std::uint64_t calls) const;

  // What the child printed since the last call, at most 5 MiB.
  [[nodiscard]] std::string take_output();

  // Answers are looked for this long, in nanoseconds, before the calling thread sleeps; also while a call is
  // timed.
  void stay_awake(std::int64_t ns) { awake_ns_ = ns; }

  [[nodiscard]] bool alive() const { return alive_; }
  // Kills it without waiting for its end, for which the destructor waits. `why`: what a failure says of that,
  // after "since".
  void kill(const std::string& why = {}) {
    if (why_killed_.empty()) why_killed_ = why;
    spawner_.kill(id_);
  }
  // See Spawner.
  [[nodiscard]] bool killed_by_others() { return spawner_.killed_by_others(id_); }
  [[nodiscard]] bool has_memory_group() { return spawner_.has_memory_group(id_); }
  [[nodiscard]] std::optional<pid_t> pid() { return spawner_.pid_of(id_); }

 private:
  void greet(int start_timeout_ms);
  Failure fail(Failure::Kind kind, const std::string& text);
  Failure ended();

  Spawner& spawner_;
  std::string name_;
  std::string role_;
  std::unique_ptr<Channel> channel_;
  std::unique_ptr<util::Capture> output_;
  std::uint32_t id_ = 0;
  pid_t pid_ = 0;
  bool alive_ = false;
  std::string why_killed_{};  // empty: nobody says why
  std::int64_t awake_ns_ = 0;
  std::uint64_t memory_limit_;  // in bytes; 0: none
};

constexpr std::size_t kOutputLimit = 5 * 1024 * 1024;

}  // namespace fib::worker
