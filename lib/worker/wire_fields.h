#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "eval/layout.h"
#include "worker/messages.h"
#include "worker/wire.h"

// A message lists its fields once, for both directions:
//
//   void fields(auto& wire, Either<Load> auto& m) {
//     wire.choice(m.kind, TargetKind::kPython, "a target");
//     wire.text(m.symbol);
//   }
//
// FieldWriter writes them, FieldReader reads them into `m` and checks what it reads: it throws ProtocolError.
namespace fib::worker {

// M, or M that is only read.
template <typename T, typename M>
concept Either = std::same_as<std::remove_const_t<T>, M>;

class FieldWriter {
 public:
  template <typename T>
  void number(T value) {
    out_.number(value);
  }
  template <typename T>
  void numbers(const std::vector<T>& values) {
    out_.numbers(values);
  }
  void text(const std::string& value) { out_.text(value); }
  void flag(bool value) { out_.number(static_cast<std::uint8_t>(value)); }
  void time(double value) { out_.number(value); }
  void amount(double value) { out_.number(value); }
  template <typename Enum>
  void choice(Enum value, Enum /*last*/, const char* /*what*/) {
    out_.number(static_cast<std::uint8_t>(value));
  }
  void dtype(tensor::DType value) { out_.number(static_cast<std::uint8_t>(value)); }
  void dtype_or_none(const std::optional<tensor::DType>& value) {
    out_.number(value ? static_cast<std::uint8_t>(*value) : kNoDType);
  }
  template <typename T, typename Entry>
  void list(const std::vector<T>& entries, std::size_t /*least_bytes*/, Entry entry) {
    out_.number(static_cast<std::uint32_t>(entries.size()));
    for (const auto& one : entries) entry(one);
  }
  void texts(const std::vector<std::string>& values) {
    list(values, 4, [&](const std::string& value) { text(value); });
  }
  template <typename T, typename Entry>
  void maybe(const std::optional<T>& value, Entry entry) {
    flag(value.has_value());
    if (value) entry(*value);
  }
  [[nodiscard]] const std::string& payload() const { return out_.payload(); }

  static constexpr std::uint8_t kNoDType = 255;

 private:
  WireWriter out_;
};

class FieldReader {
 public:
  explicit FieldReader(std::string_view payload) : in_(payload) {}

  template <typename T>
  void number(T& value) {
    value = in_.number<T>();
  }
  template <typename T>
  void numbers(std::vector<T>& values) {
    values = in_.numbers<T>();
  }
  void text(std::string& value) { value = in_.text(); }
  void flag(bool& value) {
    const auto byte = in_.number<std::uint8_t>();
    if (byte > 1) throw ProtocolError("{} is not a boolean", byte);
    value = byte == 1;
  }
  // Finite.
  void time(double& value) {
    value = in_.number<double>();
    if (!std::isfinite(value)) throw ProtocolError("a time is not a finite number");
  }
  // Finite and not negative.
  void amount(double& value) {
    time(value);
    if (value < 0) throw ProtocolError("a time is negative");
  }
  // One of the enumerators up to `last`; `what` says what they are: "a clock".
  template <typename Enum>
  void choice(Enum& value, Enum last, const char* what) {
    const auto byte = in_.number<std::uint8_t>();
    if (byte > static_cast<std::uint8_t>(last)) throw ProtocolError("{} is not {}", byte, what);
    value = static_cast<Enum>(byte);
  }
  void dtype(tensor::DType& value) { choice(value, tensor::DType::kBool, "a dtype"); }
  void dtype_or_none(std::optional<tensor::DType>& value) {
    const auto byte = in_.number<std::uint8_t>();
    if (byte == FieldWriter::kNoDType) return value.reset();
    if (byte > static_cast<std::uint8_t>(tensor::DType::kBool))
      throw ProtocolError("{} is not a dtype", byte);
    value = static_cast<tensor::DType>(byte);
  }
  // Entries of at least so many bytes each; `entry` reads one.
  template <typename T, typename Entry>
  void list(std::vector<T>& entries, std::size_t least_bytes, Entry entry) {
    entries.clear();
    for (auto left = in_.count(least_bytes); left > 0; --left) entry(entries.emplace_back());
  }
  void texts(std::vector<std::string>& values) {
    list(values, 4, [&](std::string& value) { text(value); });
  }
  template <typename T, typename Entry>
  void maybe(std::optional<T>& value, Entry entry) {
    bool is_there = false;
    flag(is_there);
    value.reset();
    if (is_there) entry(value.emplace());
  }
  void finish() const { in_.finish(); }

 private:
  WireReader in_;
};

void slots(auto& wire, auto& all) {
  wire.list(all, 1, [&](auto& slot) {
    wire.text(slot.name);
    wire.dtype(slot.dtype);
    wire.flag(slot.scalar);
    wire.numbers(slot.shape);
    wire.number(slot.offset);
    wire.number(slot.bytes);
  });
}

void fields(auto& wire, Either<eval::Layout> auto& layout) {
  slots(wire, layout.inputs);
  slots(wire, layout.outputs);
  wire.numbers(layout.axes);
  wire.number(layout.input_bytes);
  wire.number(layout.output_bytes);
}

void fields(auto& wire, Either<UseDevice> auto& device) {
  wire.text(device.uuid);
  wire.text(device.kernels_path);
  wire.choice(device.flush, Flush::kNone, "a kind of flush");
  wire.number(device.awake_us);
}

template <typename Message>
std::string encoded(const Message& message) {
  FieldWriter wire;
  fields(wire, message);
  return wire.payload();
}

// All fields, and nothing may follow them.
template <typename Message>
Message decoded(const std::string& payload) {
  FieldReader wire(payload);
  Message message;
  fields(wire, message);
  wire.finish();
  return message;
}

}  // namespace fib::worker
