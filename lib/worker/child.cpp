#include "worker/child.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>

#include "util/clock.h"
#include "util/errno_error.h"
#include "worker/messages.h"

namespace fib::worker {
namespace {

constexpr int kExitWaitMs = 5000;  // between the end of a child's channel and its exit

// Most answers come within this time; waking a sleeping coordinator takes as long on virtual machines.
constexpr std::int64_t kSpinNs = 50'000;

std::uint64_t random_ticket() {
  std::uint64_t ticket = 0;
  if (::getrandom(&ticket, sizeof ticket, 0) != sizeof ticket)
    throw util::errno_error("the system gives no random numbers");
  return ticket;
}

std::int64_t after_ms(int milliseconds) {
  return util::monotonic_ns() + std::int64_t{1'000'000} * milliseconds;
}

// A request as the timeline calls it.
std::string_view name_of(MessageType request) {
  switch (request) {
    case MessageType::kConfine:
      return "confine";
    case MessageType::kStart:
      return "use device";
    case MessageType::kCalibrate:
      return "calibrate";
    case MessageType::kLoad:
      return "load";
    case MessageType::kOpen:
    case MessageType::kJudgeOpen:
      return "open";
    case MessageType::kPrepare:
      return "prepare";
    case MessageType::kRun:
      return "run";
    case MessageType::kCollect:
      return "collect";
    case MessageType::kCalls:
      return "further calls";
    case MessageType::kPing:
      return "ping";
    case MessageType::kPack:
      return "pack";
    case MessageType::kUseDevice:
      return "use device";
    case MessageType::kDescribe:
      return "describe";
    case MessageType::kAttach:
      return "attach";
    case MessageType::kDetach:
      return "detach";
    case MessageType::kDiffer:
      return "differ";
    case MessageType::kKnows:
      return "look up";
    case MessageType::kLookAround:
      return "look around";
    case MessageType::kAskCounters:
      return "ask for counters";
    case MessageType::kBeginCount:
      return "begin to count";
    case MessageType::kEndCount:
      return "count";
    case MessageType::kSample:
      return "sample";
    case MessageType::kTimeCopies:
      return "time copies";
    case MessageType::kFill:
      return "fill";
    case MessageType::kKeep:
      return "keep";
    case MessageType::kCompare:
      return "compare";
    case MessageType::kConclude:
      return "conclude";
    case MessageType::kBuild:
      return "build";
    default:
      return "other";
  }
}

}  // namespace

Child::Child(Spawner& spawner, std::string name, const ChildSpec& spec, int start_timeout_ms)
    : spawner_(spawner), name_(std::move(name)), role_(name_), memory_limit_(spec.memory_limit) {
  auto starting = span("start");
  auto [ours, theirs] = Channel::make_pair();
  int output[2];
  if (::pipe2(output, O_CLOEXEC) != 0) throw util::errno_error("cannot make a pipe");
  const util::UniqueFd write_end(output[1]);
  output_ = std::make_unique<util::Capture>(util::UniqueFd(output[0]), kOutputLimit);
  id_ = spawner_.spawn(spec, theirs.fd(), write_end.get());
  channel_ = std::make_unique<Channel>(std::move(ours));
  alive_ = true;
  pid_ = spawner_.pid_of(id_).value_or(0);
  starting.draw_at(pid_);
  theirs.close();
  greet(start_timeout_ms);
}

Child::~Child() {
  if (!alive_) return;
  const auto ending = span("end");
  spawner_.kill(id_);
  (void)spawner_.wait(id_, kExitWaitMs);
}

void Child::greet(int start_timeout_ms) {
  try {
    Message message;
    const auto result = channel_->receive(message, after_ms(start_timeout_ms));
    if (result == Channel::Result::kMessage && message.type == MessageType::kHello) {
      if (Hello::decode(message.payload).build_id == build_id()) return;
      throw Error("it is another build of fib: was the program replaced while it runs?");
    }
    if (result == Channel::Result::kTimeout) throw Error("it did not report within {} ms", start_timeout_ms);
    throw Error("it ended before it reported");
  } catch (const Error& error) {
    spawner_.kill(id_);
    (void)spawner_.wait(id_, kExitWaitMs);
    alive_ = false;
    throw Error("cannot start {}: {}\n{}", name_, error.what(), take_output());
  }
}

Answer<Message> Child::request(MessageType type, const std::string& payload, MessageType expected,
                               std::int64_t deadline_ns, const std::vector<int>& fds) {
  if (!alive_) return Failure{Failure::Kind::kDied, name_ + " is not running"};
  const auto asking = span(name_of(type));
  try {
    // Who knows nothing of a request cannot have answered it.
    if (channel_->has_unread()) throw ProtocolError("it answered before it was asked");
    const std::uint64_t ticket = random_ticket();
    if (!channel_->send(type, ticket, payload, fds)) return ended();
    Message answer;
    // On the CPU nothing of ours may run beside a timed call.
    const std::int64_t spin_ns = std::max(awake_ns_, type == MessageType::kRun ? 0 : kSpinNs);
    switch (channel_->receive(answer, deadline_ns, spin_ns)) {
      case Channel::Result::kClosed:
        return ended();
      case Channel::Result::kTimeout:
        return fail(Failure::Kind::kTimeout, name_ + " did not answer in time");
      case Channel::Result::kMessage:
        break;
    }
    if (answer.ticket != ticket) throw ProtocolError("it answered a request that was not made");
    if (answer.type == MessageType::kError) {
      return Failure{Failure::Kind::kRefused, WorkerError::decode(answer.payload).text};
    }
    if (answer.type != expected) throw ProtocolError("it sent a message of an unexpected kind");
    return answer;
  } catch (const ProtocolError& error) {
    return fail(Failure::Kind::kProtocol, fmt::format("{} broke the protocol: {}", name_, error.what()));
  }
}

Failure Child::fail(Failure::Kind kind, const std::string& text) {
  spawner_.kill(id_);
  (void)spawner_.wait(id_, kExitWaitMs);
  alive_ = false;
  return {kind, text};
}

// The channel is closed. Either the child has ended, or it closed its end and lives; then it is killed.
Failure Child::ended() {
  const auto status = spawner_.wait(id_, kExitWaitMs);
  if (!status) return fail(Failure::Kind::kProtocol, name_ + " closed its channel without ending");
  alive_ = false;
  std::string text = fmt::format("{} ended with {}", name_, describe_wait_status(*status));
  if (spawner_.memory_exhausted(id_))
    text += fmt::format(" at its memory limit, {} MiB for all its processes,", memory_limit_ >> 20U);
  if (!why_killed_.empty() && WIFSIGNALED(*status) && WTERMSIG(*status) == SIGKILL)
    text += fmt::format(", which fib sent, since {},", why_killed_);
  return {Failure::Kind::kDied, text};
}

void Child::add_device_work(const std::string& uuid, double ns, std::uint64_t calls) const {
  if (spawner_.timeline() == nullptr || !(ns > 0)) return;
  spawner_.timeline()->add_work(uuid, kDevice, "calls of " + role_, static_cast<std::int64_t>(ns), calls);
}

std::string Child::take_output() { return output_->take(); }

}  // namespace fib::worker
