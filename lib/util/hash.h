#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace fib::util {

// Digests of the whole of `data`, as lower-case hex digits.
[[nodiscard]] std::string sha1_hex(std::string_view data);    // 40 digits
[[nodiscard]] std::string sha256_hex(std::string_view data);  // 64 digits

// The SHA-256 of a file's content, which is read in pieces: it may be larger than memory. Throws Error when
// it cannot be read, and when `interrupted` (may be null) becomes true.
[[nodiscard]] std::string sha256_of_file(const std::filesystem::path& file,
                                         const std::atomic<bool>* interrupted = nullptr);

// A SHA-256 over several parts. add() writes the part's length before the part, so that no two different
// lists of parts give the same digest. One thread at a time. Throws Error only when OpenSSL fails.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  Sha256& add(std::string_view part);
  Sha256& add(std::uint64_t number);

  // Ends the digest: 64 hex digits. Nothing may be added afterwards.
  [[nodiscard]] std::string hex();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fib::util
