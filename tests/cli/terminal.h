#pragma once

#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

#include "util/c_strings.h"
#include "util/unique_fd.h"

namespace fib::testing {

// A program on a terminal of 120 columns, with this environment only; killed when the object goes.
class Terminal {
 public:
  Terminal(std::vector<std::string> words, std::vector<std::string> environment) {
    const winsize size{50, 120, 0, 0};
    const auto arguments = util::c_pointers(words);
    const auto variables = util::c_pointers(environment);
    int master = -1;
    pid_ = ::forkpty(&master, nullptr, nullptr, &size);
    if (pid_ == 0) {
      ::execvpe(arguments[0], arguments.data(), variables.data());
      ::_exit(127);
    }
    if (pid_ < 0) throw std::runtime_error("no terminal");
    master_ = util::UniqueFd(master);
  }
  ~Terminal() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  // Types `keys`.
  void type(const std::string& keys) const {
    if (::write(master_.get(), keys.data(), keys.size()) != static_cast<ssize_t>(keys.size()))
      throw std::runtime_error("cannot type");
  }

  // What is shown from where the last call stopped to the end of `text`; where that does not come within half
  // a minute, or the program ends, what there is.
  std::string read_until(const std::string& text) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (shown_.find(text) == std::string::npos && std::chrono::steady_clock::now() < end) {
      pollfd ready{master_.get(), POLLIN, 0};
      if (::poll(&ready, 1, 100) != 1) continue;
      std::array<char, 4096> part{};
      const auto bytes = ::read(master_.get(), part.data(), part.size());
      if (bytes <= 0) break;
      shown_.append(part.data(), static_cast<std::size_t>(bytes));
    }
    const std::size_t found = shown_.find(text);
    const std::size_t end_of_text = found == std::string::npos ? shown_.size() : found + text.size();
    const std::string result = shown_.substr(0, end_of_text);
    shown_.erase(0, end_of_text);
    return result;
  }

 private:
  pid_t pid_ = -1;
  util::UniqueFd master_;
  std::string shown_;
};

}  // namespace fib::testing
