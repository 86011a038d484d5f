#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <ostream>
#include <type_traits>
#include <vector>

#include "fib_torch/exception.h"

// Lists of sizes and strides.
namespace c10 {

// Somebody's elements, one after the other. Owns nothing.
template <typename T>
class ArrayRef {
 public:
  using value_type = T;
  using iterator = const T*;
  using const_iterator = const T*;
  using size_type = std::size_t;
  using reverse_iterator = std::reverse_iterator<iterator>;

  constexpr ArrayRef() = default;
  constexpr ArrayRef(const T& one) : data_(&one), size_(1) {}
  constexpr ArrayRef(const T* data, std::size_t size) : data_(data), size_(size) {}
  constexpr ArrayRef(const T* begin, const T* end)
      : data_(begin), size_(static_cast<std::size_t>(end - begin)) {}
  template <typename Allocator>
  ArrayRef(const std::vector<T, Allocator>& vector) : data_(vector.data()), size_(vector.size()) {
    static_assert(!std::is_same_v<T, bool>, "a vector of bools has no elements in memory");
  }
  template <std::size_t N>
  constexpr ArrayRef(const std::array<T, N>& array) : data_(array.data()), size_(N) {}
  template <std::size_t N>
  constexpr ArrayRef(const T (&array)[N]) : data_(array), size_(N) {}
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored \
    "-Winit-list-lifetime"  // it is for arguments of calls, whose lists outlive them
  constexpr ArrayRef(const std::initializer_list<T>& list) : data_(list.begin()), size_(list.size()) {}
#pragma GCC diagnostic pop

  [[nodiscard]] constexpr iterator begin() const { return data_; }
  [[nodiscard]] constexpr iterator end() const { return data_ + size_; }
  [[nodiscard]] constexpr reverse_iterator rbegin() const { return reverse_iterator(end()); }
  [[nodiscard]] constexpr reverse_iterator rend() const { return reverse_iterator(begin()); }
  [[nodiscard]] constexpr bool empty() const { return size_ == 0; }
  [[nodiscard]] constexpr const T* data() const { return data_; }
  [[nodiscard]] constexpr std::size_t size() const { return size_; }
  [[nodiscard]] constexpr const T& operator[](std::size_t index) const { return data_[index]; }
  [[nodiscard]] const T& at(std::size_t index) const {
    TORCH_CHECK(index < size_, "ArrayRef: invalid index Index = ", index, "; Length = ", size_);
    return data_[index];
  }
  [[nodiscard]] const T& front() const {
    TORCH_CHECK(!empty(), "ArrayRef: attempted to access front() of empty list");
    return data_[0];
  }
  [[nodiscard]] const T& back() const {
    TORCH_CHECK(!empty(), "ArrayRef: attempted to access back() of empty list");
    return data_[size_ - 1];
  }
  [[nodiscard]] bool equals(ArrayRef other) const {
    return size_ == other.size_ && std::equal(begin(), end(), other.begin());
  }
  [[nodiscard]] ArrayRef slice(std::size_t begin, std::size_t count) const {
    TORCH_CHECK(begin + count <= size_, "ArrayRef: invalid slice, N = ", begin, "; M = ", count,
                "; size = ", size_);
    return ArrayRef(data_ + begin, count);
  }
  [[nodiscard]] ArrayRef slice(std::size_t begin) const { return slice(begin, size_ - begin); }
  [[nodiscard]] std::vector<T> vec() const { return std::vector<T>(begin(), end()); }

 private:
  const T* data_ = nullptr;
  std::size_t size_ = 0;
};

template <typename T>
bool operator==(ArrayRef<T> a, ArrayRef<T> b) {
  return a.equals(b);
}
template <typename T>
bool operator!=(ArrayRef<T> a, ArrayRef<T> b) {
  return !a.equals(b);
}
template <typename T>
bool operator==(const std::vector<T>& a, ArrayRef<T> b) {
  return ArrayRef<T>(a).equals(b);
}
template <typename T>
bool operator!=(const std::vector<T>& a, ArrayRef<T> b) {
  return !ArrayRef<T>(a).equals(b);
}
template <typename T>
bool operator==(ArrayRef<T> a, const std::vector<T>& b) {
  return a.equals(b);
}
template <typename T>
bool operator!=(ArrayRef<T> a, const std::vector<T>& b) {
  return !a.equals(b);
}

template <typename T>
std::ostream& operator<<(std::ostream& out, ArrayRef<T> list) {
  out << "[";
  for (std::size_t i = 0; i < list.size(); ++i) out << (i == 0 ? "" : ", ") << list[i];
  return out << "]";
}

using IntArrayRef = ArrayRef<std::int64_t>;
using OptionalIntArrayRef = std::optional<IntArrayRef>;

}  // namespace c10
