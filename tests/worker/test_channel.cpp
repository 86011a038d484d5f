#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstring>

#include "util/clock.h"
#include "util/files.h"
#include "worker/channel.h"
#include "worker/messages.h"

using namespace fib::worker;

namespace {

std::int64_t soon() { return fib::util::monotonic_ns() + 2'000'000'000; }

void send_raw(const Channel& channel, const std::string& bytes) {
  REQUIRE(::send(channel.fd(), bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
}

std::string header(std::uint32_t magic, std::uint32_t length) {
  std::string bytes(24, '\0');
  std::memcpy(bytes.data(), &magic, 4);
  std::memcpy(bytes.data() + 16, &length, 4);
  return bytes;
}

}  // namespace

TEST_CASE("a message arrives with its type, ticket, payload and descriptors") {
  auto [a, b] = Channel::make_pair();
  const auto document = fib::util::make_sealed_document("test", "beside");
  REQUIRE(a.send(MessageType::kRun, 0x0123456789abcdef, "hello", {document.get()}));
  Message message;
  REQUIRE(b.receive(message, soon()) == Channel::Result::kMessage);
  CHECK(message.type == MessageType::kRun);
  CHECK(message.ticket == 0x0123456789abcdef);
  CHECK(message.payload == "hello");
  REQUIRE(message.fds.size() == 1);
  CHECK(fib::util::read_document(message.fds[0].get(), 100) == "beside");
  CHECK((::fcntl(message.fds[0].get(), F_GETFD) & FD_CLOEXEC) != 0);
}

TEST_CASE("the largest payload passes and a larger one is refused") {
  auto [a, b] = Channel::make_pair();
  REQUIRE(a.send(MessageType::kRun, 1, std::string(kMaxPayload, 'x')));
  Message message;
  REQUIRE(b.receive(message, soon()) == Channel::Result::kMessage);
  CHECK(message.payload.size() == kMaxPayload);
  CHECK_THROWS_AS((void)a.send(MessageType::kRun, 1, std::string(kMaxPayload + 1, 'x')), ProtocolError);
}

TEST_CASE("silence is a timeout and a closed peer is seen") {
  auto [a, b] = Channel::make_pair();
  Message message;
  CHECK(b.receive(message, fib::util::monotonic_ns() + 1'000'000) == Channel::Result::kTimeout);
  a.close();
  CHECK(b.receive(message, soon()) == Channel::Result::kClosed);
  CHECK_FALSE(b.send(MessageType::kRun, 1, ""));
}

TEST_CASE("what has arrived is known before it is received") {
  auto [a, b] = Channel::make_pair();
  CHECK_FALSE(b.has_unread());
  REQUIRE(a.send(MessageType::kRun, 1, ""));
  CHECK(b.has_unread());
  Message message;
  REQUIRE(b.receive(message, soon()) == Channel::Result::kMessage);
  CHECK_FALSE(b.has_unread());
  a.close();
  CHECK_FALSE(b.has_unread());
}

TEST_CASE("a peer that reads nothing cannot make the sender wait") {
  auto [a, b] = Channel::make_pair();
  int sent = 0;
  while (sent < 100000 && a.send(MessageType::kRun, 1, std::string(1000, 'x'))) ++sent;
  CHECK(sent > 0);
  CHECK(sent < 100000);
}

TEST_CASE("an empty packet is a closed channel, and descriptors beside it are closed") {
  auto [a, b] = Channel::make_pair();
  const int before = ::dup(0);
  ::close(before);
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr packet{};
  packet.msg_control = control;
  packet.msg_controllen = sizeof control;
  cmsghdr* c = CMSG_FIRSTHDR(&packet);
  c->cmsg_level = SOL_SOCKET;
  c->cmsg_type = SCM_RIGHTS;
  c->cmsg_len = CMSG_LEN(sizeof(int));
  const int zero = 0;
  std::memcpy(CMSG_DATA(c), &zero, sizeof zero);
  REQUIRE(::sendmsg(a.fd(), &packet, 0) == 0);
  Message message;
  CHECK(b.receive(message, soon()) == Channel::Result::kClosed);
  const int after = ::dup(0);
  ::close(after);
  CHECK(after == before);
}

TEST_CASE("what is not a message of this protocol is an error") {
  auto [a, b] = Channel::make_pair();
  Message message;
  SECTION("too short") { send_raw(a, "short"); }
  SECTION("another magic") { send_raw(a, header(0x12345678, 0)); }
  SECTION("a length that is too large") { send_raw(a, header(0x32424946, 5)); }
  SECTION("a length that is too small") { send_raw(a, header(0x32424946, 0) + "more"); }
  SECTION("a packet that is too large") {
    send_raw(a, header(0x32424946, 0) + std::string(kMaxPayload + 1, 'x'));
  }
  CHECK_THROWS_AS(b.receive(message, soon()), ProtocolError);
}
