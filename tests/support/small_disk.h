#pragma once

#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "support/temporary.h"
#include "util/files.h"

namespace fib::testing {

// A disk of 64 KiB in memory, in a mount namespace of this process and its children, where that is allowed.
// Elsewhere it is a folder, and fill() limits the size of this process's and its children's files instead:
// writes then fail at the same calls, with another word (EFBIG). The test says so.
class SmallDisk {
 public:
  SmallDisk() : mounted_(has_own_mounts() && mount_here()) {
    if (!mounted_) WARN("a small disk cannot be mounted here; a limit on file sizes stands in for it");
  }
  ~SmallDisk() {
    make_room();
    for (const auto& place : places_) ::umount2(place.c_str(), MNT_DETACH);
    if (mounted_) ::umount2(root().c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  [[nodiscard]] bool mounted() const { return mounted_; }
  [[nodiscard]] const std::filesystem::path& root() const { return folder_.path(); }

  // Lets a folder of the disk, or all of it, appear at `place`, which is made. Needs mounted().
  void appear_at(const std::filesystem::path& place, const std::filesystem::path& folder = {}) {
    std::filesystem::create_directories(place);
    REQUIRE(::mount((root() / folder).c_str(), place.c_str(), nullptr, MS_BIND, nullptr) == 0);
    places_.push_back(place);
  }

  // What a write to the full disk says.
  [[nodiscard]] std::string word() const { return std::strerror(mounted_ ? ENOSPC : EFBIG); }

  // Until make_room(), no file grows beyond the page of 4096 bytes that it ends in, and a new one gets none
  // (in place of a disk: gets one).
  void fill() {
    if (mounted_) {
      std::ofstream filler(root() / "filler", std::ios::binary);
      const std::string page(4096, 'f');
      while (filler << page << std::flush) continue;
    } else {
      old_action_ = std::signal(SIGXFSZ, SIG_IGN);
      ::getrlimit(RLIMIT_FSIZE, &old_limit_.emplace());
      const rlimit limit{4096, old_limit_->rlim_max};
      ::setrlimit(RLIMIT_FSIZE, &limit);
    }
  }

  void make_room() {
    std::error_code ignored;
    std::filesystem::remove(root() / "filler", ignored);
    if (!old_limit_) return;
    ::setrlimit(RLIMIT_FSIZE, &*old_limit_);
    std::signal(SIGXFSZ, old_action_);
    old_limit_.reset();
  }

 private:
  static bool has_own_mounts() {
    static const bool own =
        ::unshare(CLONE_NEWNS) == 0 && ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
    return own;
  }
  bool mount_here() const { return ::mount("none", root().c_str(), "tmpfs", 0, "size=64k,mode=700") == 0; }

  TemporaryFolder folder_;
  bool mounted_;
  std::vector<std::filesystem::path> places_;
  std::optional<rlimit> old_limit_;
  void (*old_action_)(int) = SIG_DFL;
};

}  // namespace fib::testing
