#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace fib::testing {

// Chromium's DevTools protocol (https://chromedevtools.github.io/devtools-protocol) over its debugging pipe:
// JSON texts that end with a NUL. For one thread.
class DevTools {
 public:
  // `socket` must outlive this object. No call and no wait lasts longer than `patience`.
  DevTools(int socket, std::chrono::milliseconds patience) : socket_(socket), patience_(patience) {}

  // Calls a method of the browser, or of the page that `session` is attached to, and returns its result.
  // Throws std::runtime_error that names the method: when it is refused, when no answer comes in time, when
  // the browser has ended.
  nlohmann::json call(const std::string& method, const nlohmann::json& parameters = nlohmann::json::object(),
                      const std::string& session = "");
  // The same without waiting for an answer; never throws: for ends of objects.
  void call_without_answer(const std::string& method, const nlohmann::json& parameters) noexcept;

  // All events of a session so far, oldest first. What has not been read yet is not among them.
  [[nodiscard]] const std::vector<nlohmann::json>& events(const std::string& session) {
    return events_[session];
  }
  // The first event from number `from` on that `wanted` accepts, read now where it has not come yet. Throws
  // std::runtime_error that says `what` was waited for when none comes in time.
  nlohmann::json wait_for(const std::string& session, std::size_t from,
                          const std::function<bool(const nlohmann::json&)>& wanted, const std::string& what);

  [[nodiscard]] std::chrono::milliseconds patience() const { return patience_; }

 private:
  using Time = std::chrono::steady_clock::time_point;
  int send(const std::string& method, const nlohmann::json& parameters, const std::string& session);
  nlohmann::json read(Time deadline, const std::string& what);
  void receive(Time deadline, const std::string& what);

  int socket_;
  std::chrono::milliseconds patience_;
  int last_id_ = 0;
  std::string unread_;
  std::map<std::string, std::vector<nlohmann::json>> events_;
};

}  // namespace fib::testing
