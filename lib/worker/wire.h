#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "util/error.h"

// How fields are laid out inside a message (PROTOCOL.md): fixed-width little-endian numbers, strings and
// lists with a 32-bit count in front. Both ends run on one machine; the byte order is fixed by the machines
// fib supports.
static_assert(std::endian::native == std::endian::little);

namespace fib::worker {

// What a peer sent is not what the protocol allows. The peer may be hostile: catch it where the peer is
// known.
class ProtocolError : public Error {
 public:
  using Error::Error;
};

// Appends fields to a message's payload.
class WireWriter {
 public:
  template <typename T>
  requires std::is_arithmetic_v<T> WireWriter& number(T value) {
    const auto* bytes = reinterpret_cast<const char*>(&value);
    payload_.append(bytes, sizeof value);
    return *this;
  }
  WireWriter& text(std::string_view value) {
    number(static_cast<std::uint32_t>(value.size()));
    payload_.append(value);
    return *this;
  }
  template <typename T>
  WireWriter& numbers(const std::vector<T>& values) {
    number(static_cast<std::uint32_t>(values.size()));
    for (const T value : values) number(value);
    return *this;
  }
  [[nodiscard]] const std::string& payload() const { return payload_; }

 private:
  std::string payload_;
};

// Takes the same fields out again, in order, checking every length. Throws ProtocolError at the first that
// does not fit. The reader refers to the payload, which must outlive it.
class WireReader {
 public:
  explicit WireReader(std::string_view payload) : rest_(payload) {}

  template <typename T>
  requires std::is_arithmetic_v<T> T number() {
    T value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::string text() { return std::string(take(number<std::uint32_t>())); }
  template <typename T>
  std::vector<T> numbers() {
    std::vector<T> values;
    for (auto left = count(sizeof(T)); left > 0; --left) values.push_back(number<T>());
    return values;
  }
  // A list's length, refused when that many entries of at least `entry_bytes` cannot follow.
  std::uint32_t count(std::size_t entry_bytes) {
    const auto value = number<std::uint32_t>();
    if (value > rest_.size() / entry_bytes) throw ProtocolError("a list of {} entries is cut off", value);
    return value;
  }
  // To be called after the last field: nothing may follow.
  void finish() const {
    if (!rest_.empty()) throw ProtocolError("{} bytes follow the last field", rest_.size());
  }

 private:
  std::string_view take(std::size_t size) {
    if (size > rest_.size()) throw ProtocolError("a field of {} bytes is cut off", size);
    const std::string_view field = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return field;
  }
  std::string_view rest_;
};

}  // namespace fib::worker
