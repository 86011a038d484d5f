#pragma once

#include <grp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

namespace fib::testing {

constexpr uid_t kNobody = 65534;

// Makes the calling process one of an unprivileged user.
inline bool become_nobody() {
  return ::geteuid() != 0 ||
         (::setgroups(0, nullptr) == 0 && ::setgid(kNobody) == 0 && ::setuid(kNobody) == 0);
}

// Runs `body` in a child; its result, or 128 and the signal, is the child's exit code. 255: it threw.
inline int in_child(const std::function<int()>& body) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    try {
      ::_exit(body());
    } catch (const std::exception& error) {
      [[maybe_unused]] const auto put = ::write(2, error.what(), std::string_view(error.what()).size());
      ::_exit(255);
    }
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace fib::testing
