#include "support/devtools.h"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <stdexcept>

namespace fib::testing {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

// Writes all bytes; false when the other end is gone or takes nothing for `patience`.
bool send_all(int socket, std::string_view bytes, milliseconds patience) {
  while (!bytes.empty()) {
    pollfd ready{socket, POLLOUT, 0};
    if (::poll(&ready, 1, static_cast<int>(patience.count())) == 0) return false;
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno != EAGAIN && errno != EINTR) return false;
    if (sent > 0) bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

}  // namespace

int DevTools::send(const std::string& method, const json& parameters, const std::string& session) {
  json message = {{"id", ++last_id_}, {"method", method}, {"params", parameters}};
  if (!session.empty()) message["sessionId"] = session;
  std::string text = message.dump();
  text.push_back('\0');
  if (!send_all(socket_, text, patience_)) {
    throw std::runtime_error("the browser does not take " + method);
  }
  return last_id_;
}

void DevTools::receive(steady_clock::time_point deadline, const std::string& what) {
  const auto left = std::chrono::duration_cast<milliseconds>(deadline - steady_clock::now()).count();
  pollfd ready{socket_, POLLIN, 0};
  if (left <= 0 || ::poll(&ready, 1, static_cast<int>(left)) == 0) {
    throw std::runtime_error("waited " + std::to_string(patience_.count()) + " ms for " + what);
  }
  std::array<char, 65536> bytes{};
  const ssize_t got = ::recv(socket_, bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (got > 0) {
    unread_.append(bytes.data(), static_cast<std::size_t>(got));
  } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
    throw std::runtime_error("the browser has ended; waited for " + what);
  }
}

// The next message. Events are kept as well as returned.
json DevTools::read(steady_clock::time_point deadline, const std::string& what) {
  std::size_t searched = 0;
  std::size_t end = 0;
  while ((end = unread_.find('\0', searched)) == std::string::npos) {
    searched = unread_.size();
    receive(deadline, what);
  }
  json message = json::parse(unread_.begin(), unread_.begin() + static_cast<std::ptrdiff_t>(end));
  unread_.erase(0, end + 1);
  if (message.contains("method")) events_[message.value("sessionId", "")].push_back(message);
  return message;
}

json DevTools::call(const std::string& method, const json& parameters, const std::string& session) {
  const auto deadline = steady_clock::now() + patience_;
  const int id = send(method, parameters, session);
  for (;;) {
    const json message = read(deadline, method);
    if (message.value("id", 0) != id) continue;
    if (!message.contains("error")) return message.at("result");
    throw std::runtime_error(method + ": " + message.at("error").value("message", "refused"));
  }
}

void DevTools::call_without_answer(const std::string& method, const json& parameters) noexcept {
  try {
    send(method, parameters, "");
  } catch (const std::exception&) {
    return;  // a browser that has ended has nothing left to end
  }
}

json DevTools::wait_for(const std::string& session, std::size_t from,
                        const std::function<bool(const json&)>& wanted, const std::string& what) {
  const auto deadline = steady_clock::now() + patience_;
  for (;;) {
    const auto& known = events_[session];
    for (; from < known.size(); ++from) {
      if (wanted(known[from])) return known[from];
    }
    read(deadline, what);
  }
}

}  // namespace fib::testing
