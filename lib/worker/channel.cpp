#include "worker/channel.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

#include "util/clock.h"
#include "util/errno_error.h"

namespace fib::worker {
namespace {

constexpr std::uint32_t kMagic = 0x32424946;  // "FIB2": protocol version 2

struct Header {
  std::uint32_t magic;
  std::uint16_t type;
  std::uint16_t reserved;
  std::uint64_t ticket;
  std::uint32_t length;
  std::uint32_t reserved_too;
};
static_assert(sizeof(Header) == 24);

// About a microsecond in which the other thread of this core, if it has one, gets all of it.
void pause_briefly() {
  constexpr int kPauses = 16;
  for (int i = 0; i < kPauses; ++i) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }
}

// Looks for something to read until `spin_ns` have passed.
bool spin_readable(int fd, std::int64_t spin_ns) {
  const std::int64_t end = util::monotonic_ns() + spin_ns;
  for (;;) {
    pollfd event{fd, POLLIN, 0};
    if (::poll(&event, 1, 0) > 0) return true;
    if (util::monotonic_ns() >= end) return false;
    pause_briefly();
  }
}

// Waits until the socket can be read; false at the deadline.
bool wait_readable(int fd, std::int64_t deadline_ns) {
  while (true) {
    int timeout_ms = -1;
    if (deadline_ns >= 0) {
      const std::int64_t left = deadline_ns - util::monotonic_ns();
      if (left <= 0) return false;
      timeout_ms = static_cast<int>(std::min<std::int64_t>(left / 1'000'000 + 1, 60'000));
    }
    pollfd event{fd, POLLIN, 0};
    const int ready = ::poll(&event, 1, timeout_ms);
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) throw util::errno_error("cannot wait for a child's message");
  }
}

void take_fds(msghdr& packet, std::vector<util::UniqueFd>& fds) {
  for (cmsghdr* c = CMSG_FIRSTHDR(&packet); c != nullptr; c = CMSG_NXTHDR(&packet, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof fd);
      fds.emplace_back(fd);
    }
  }
}

void check_header(const Header& header, std::size_t received, int flags) {
  if ((flags & (MSG_TRUNC | MSG_CTRUNC)) != 0) throw ProtocolError("a message is larger than allowed");
  if (received < sizeof(Header)) throw ProtocolError("a message of {} bytes has no header", received);
  if (header.magic != kMagic) throw ProtocolError("a message does not begin with the protocol's mark");
  if (header.length != received - sizeof(Header)) throw ProtocolError("a message's length field is wrong");
}

}  // namespace

std::pair<Channel, Channel> Channel::make_pair() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    throw util::errno_error("cannot make a socket pair");
  }
  return {Channel(util::UniqueFd(ends[0])), Channel(util::UniqueFd(ends[1]))};
}

bool Channel::send(MessageType type, std::uint64_t ticket, const std::string& payload,
                   const std::vector<int>& fds) {
  if (payload.size() > kMaxPayload) throw ProtocolError("a message of {} bytes is too large", payload.size());
  if (fds.size() > kMaxFds) throw ProtocolError("a message carries at most {} descriptors", kMaxFds);
  Header header{kMagic, static_cast<std::uint16_t>(type),           0,
                ticket, static_cast<std::uint32_t>(payload.size()), 0};
  iovec parts[2] = {{&header, sizeof header}, {const_cast<char*>(payload.data()), payload.size()}};
  alignas(cmsghdr) char control[CMSG_SPACE(kMaxFds * sizeof(int))] = {};
  msghdr packet{};
  packet.msg_iov = parts;
  packet.msg_iovlen = 2;
  if (!fds.empty()) {
    packet.msg_control = control;
    packet.msg_controllen = CMSG_SPACE(fds.size() * sizeof(int));
    cmsghdr* c = CMSG_FIRSTHDR(&packet);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(fds.size() * sizeof(int));
    std::memcpy(CMSG_DATA(c), fds.data(), fds.size() * sizeof(int));
  }
  // Never blocks: a peer that does not read its requests is as good as gone.
  while (::sendmsg(socket_.get(), &packet, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
    if (errno == EINTR) continue;
    if (errno == EAGAIN) return false;
    if (errno == EPIPE || errno == ECONNRESET || errno == EBADF) return false;
    throw util::errno_error("cannot send a message to a child");
  }
  return true;
}

bool Channel::has_unread() const {
  char byte = 0;
  return ::recv(socket_.get(), &byte, sizeof byte, MSG_PEEK | MSG_DONTWAIT) > 0;
}

Channel::Result Channel::receive(Message& message, std::int64_t deadline_ns, std::int64_t spin_ns) {
  const bool ready = spin_ns > 0 && spin_readable(socket_.get(), spin_ns);
  if (!ready && !wait_readable(socket_.get(), deadline_ns)) return Result::kTimeout;
  Header header{};
  iovec parts[2] = {{&header, sizeof header}, {buffer_.get(), kMaxPayload}};
  alignas(cmsghdr) char control[CMSG_SPACE(kMaxFds * sizeof(int))] = {};
  msghdr packet{};
  packet.msg_iov = parts;
  packet.msg_iovlen = 2;
  packet.msg_control = control;
  packet.msg_controllen = sizeof control;
  ssize_t got = 0;
  do {
    got = ::recvmsg(socket_.get(), &packet, MSG_CMSG_CLOEXEC);
  } while (got < 0 && errno == EINTR);
  if (got < 0 && errno != ECONNRESET) throw util::errno_error("cannot receive a child's message");
  message.fds.clear();
  if (got >= 0) take_fds(packet, message.fds);
  if (got <= 0) {
    message.fds.clear();  // an empty packet is no message, whatever lies beside it
    return Result::kClosed;
  }
  check_header(header, static_cast<std::size_t>(got), packet.msg_flags);
  message.payload.assign(buffer_.get(), header.length);
  message.type = static_cast<MessageType>(header.type);
  message.ticket = header.ticket;
  return Result::kMessage;
}

}  // namespace fib::worker
