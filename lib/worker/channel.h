#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "util/unique_fd.h"
#include "worker/wire.h"

namespace fib::worker {

enum class MessageType : std::uint16_t;

// One message: its type, the ticket of the request it is (or answers), its fields and the descriptors beside
// it.
struct Message {
  MessageType type{};
  std::uint64_t ticket = 0;
  std::string payload;
  std::vector<util::UniqueFd> fds;
};

constexpr std::size_t kMaxPayload = 128 * 1024;
constexpr std::size_t kMaxFds = 4;

// One end of a socket pair between the coordinator and a child (Unix SOCK_SEQPACKET: the kernel keeps message
// boundaries, so that half a message or glued messages cannot occur; the length in the header is checked
// against them all the same). One thread at a time.
class Channel {
 public:
  explicit Channel(util::UniqueFd socket)
      : socket_(std::move(socket)), buffer_(std::make_unique_for_overwrite<char[]>(kMaxPayload)) {}

  // Two connected ends: the first for the parent, the second to be inherited by the child. Throws Error.
  [[nodiscard]] static std::pair<Channel, Channel> make_pair();

  // Sends one message; descriptors stay the caller's. False when the peer is gone, or has so many unread
  // messages that this one would have to wait. Throws ProtocolError when the payload is larger than
  // kMaxPayload.
  [[nodiscard]] bool send(MessageType type, std::uint64_t ticket, const std::string& payload,
                          const std::vector<int>& fds = {});

  // Whether something has arrived that was not received yet. Does not wait.
  [[nodiscard]] bool has_unread() const;

  enum class Result { kMessage, kClosed, kTimeout };

  // Waits for one message until `deadline_ns` of the monotonic clock (negative: for ever). Throws
  // ProtocolError when what arrives is not a message of this protocol version.
  // For the first `spin_ns` it looks again and again instead of sleeping, which saves waking up.
  [[nodiscard]] Result receive(Message& message, std::int64_t deadline_ns, std::int64_t spin_ns = 0);

  [[nodiscard]] int fd() const { return socket_.get(); }
  void close() { socket_.reset(); }

 private:
  util::UniqueFd socket_;
  std::unique_ptr<char[]> buffer_;  // where the next payload arrives
};

}  // namespace fib::worker
