#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "support/temporary.h"
#include "util/unique_fd.h"

namespace fib::testing {

// The program named by FIB_CHROMIUM, else the first of chromium, chromium-browser and google-chrome in PATH;
// nothing where there is none. Whether what FIB_CHROMIUM names can be started shows when it is started.
[[nodiscard]] std::optional<std::filesystem::path> find_chromium();

// A headless Chromium without a page, in a process group of its own, whose home and profile are a temporary
// folder. It resolves no host names and no addresses, so that no page reaches a network. The end of this
// object kills all its processes and waits for their end; should this process die first, Chromium ends by
// itself.
class BrowserProcess {
 public:
  // Throws std::runtime_error when `program` cannot be started.
  explicit BrowserProcess(const std::filesystem::path& program);
  ~BrowserProcess();
  BrowserProcess(const BrowserProcess&) = delete;
  BrowserProcess& operator=(const BrowserProcess&) = delete;

  // Carries the DevTools protocol both ways; owned by this object.
  [[nodiscard]] int socket() const { return socket_.get(); }
  // The living processes of the browser: its group, and its crash handlers, which leave the group and have
  // this object's folder in their environment.
  [[nodiscard]] std::vector<int> processes() const;
  // What it has printed so far: empty or some lines.
  [[nodiscard]] std::string log() const;

 private:
  TemporaryFolder folder_;
  util::UniqueFd socket_;
  pid_t group_ = -1;
};

}  // namespace fib::testing
