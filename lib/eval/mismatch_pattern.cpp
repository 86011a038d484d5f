#include "eval/mismatch_pattern.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>
#include <string_view>
#include <vector>

#include "tensor/dtype.h"

namespace fib::eval {
namespace {

constexpr std::uint64_t kMostElements = std::uint64_t{1} << 22U;
constexpr std::uint64_t kSamples = 256;

// From the first to the last of something, and how many of these there are.
struct Range {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::uint64_t count = 0;

  void add(std::uint64_t place) {
    if (count == 0) first = place;
    last = place;
    ++count;
  }
  [[nodiscard]] bool is_unbroken() const { return count > 0 && last - first + 1 == count; }
};

// Wrong elements that follow each other without a gap, and where such runs end.
class Runs {
 public:
  void add(std::uint64_t index) {
    if (length_ == 0 || index != end_) {
      close();
      length_ = 0;
    }
    ++length_;
    end_ = index + 1;
  }
  // Whether there are three at least, all of one length, each at the end of a block of the same size.
  [[nodiscard]] bool are_block_tails() {
    close();
    length_ = 0;
    constexpr std::uint64_t kLeastBlock = 8;
    return count_ >= 3 && are_alike_ && block_ >= kLeastBlock && block_ > first_length_;
  }

 private:
  void close() {
    if (length_ == 0) return;
    if (count_ == 0) first_length_ = length_;
    are_alike_ = are_alike_ && length_ == first_length_;
    block_ = std::gcd(block_, end_);
    ++count_;
  }

  std::uint64_t length_ = 0;  // of the run that goes on
  std::uint64_t end_ = 0;
  std::uint64_t count_ = 0;  // of those that have ended
  std::uint64_t first_length_ = 0;
  std::uint64_t block_ = 0;  // the largest of which all ends are multiples
  bool are_alike_ = true;
};

class Looker {
 public:
  Looker(const Slot& slot, const std::byte* got, const std::byte* expected, const PoisonElement& poison,
         const Tolerance& tolerance, const Tolerance& usual)
      : slot_(slot),
        got_(got),
        expected_(expected),
        poison_(poison),
        tolerance_(tolerance),
        usual_(usual),
        element_(tensor::bits_of(slot.dtype) / 8),
        columns_(slot.shape.size() < 2 ? 1 : static_cast<std::uint64_t>(slot.shape.back())),
        rows_(slot.count() / std::max<std::uint64_t>(1, columns_)) {}

  std::string pattern() {
    if (all_say("0", "-0")) return "all_zeros";
    if (all_say("nan", "-nan")) return "all_nan";
    if (is_transposed()) return "transposed";
    if (is_off_by_one_row()) return "off_by_one_row";
    find_wrong();
    return wrong_.count == 0 ? "" : shape_of_wrong();
  }

 private:
  [[nodiscard]] bool agrees(const std::byte* got, const std::byte* expected, std::uint64_t count,
                            const Tolerance& tolerance) const {
    return compare(slot_.dtype, got, expected, count, tolerance, poison_.data(), 1).mismatched == 0;
  }

  [[nodiscard]] const std::byte* at(const std::byte* base, std::uint64_t index) const {
    return base + index * element_;
  }

  // Whether what was written is one of two texts, and what was expected is not everywhere.
  [[nodiscard]] bool all_say(std::string_view one, std::string_view other) const {
    const auto says = [&](const std::byte* base, std::uint64_t index) {
      const std::string text = element_text(slot_.dtype, element_bits(slot_.dtype, base, index));
      return text == one || text == other;
    };
    const std::uint64_t count = slot_.count();
    const std::uint64_t stride = std::max<std::uint64_t>(1, count / kSamples);
    bool expected_too = true;
    for (std::uint64_t i = 0; i < count; i += stride) {
      if (!says(got_, i)) return false;
      expected_too = expected_too && says(expected_, i);
    }
    return !expected_too;
  }

  [[nodiscard]] bool is_transposed() const {
    if (slot_.shape.size() < 2 || columns_ < 2 || slot_.shape[slot_.shape.size() - 2] != slot_.shape.back())
      return false;
    std::vector<std::byte> turned(columns_ * columns_ * element_);
    for (std::uint64_t matrix = 0; matrix < rows_; matrix += columns_) {
      for (std::uint64_t i = 0; i < columns_; ++i) {
        for (std::uint64_t j = 0; j < columns_; ++j)
          std::memcpy(turned.data() + (j * columns_ + i) * element_,
                      at(expected_, (matrix + i) * columns_ + j), element_);
      }
      if (!agrees(at(got_, matrix * columns_), turned.data(), columns_ * columns_, usual_)) return false;
    }
    return true;
  }

  [[nodiscard]] bool is_off_by_one_row() const {
    if (rows_ < 3) return false;
    const std::uint64_t count = (rows_ - 1) * columns_;
    return agrees(at(got_, columns_), expected_, count, usual_) ||
           agrees(got_, at(expected_, columns_), count, usual_);
  }

  void find_wrong() {
    std::vector<bool> is_wrong_column(columns_);
    for (std::uint64_t row = 0; row < rows_; ++row) {
      const std::uint64_t begin = row * columns_;
      if (agrees(at(got_, begin), at(expected_, begin), columns_, tolerance_)) continue;
      wrong_rows_.add(row);
      for (std::uint64_t column = 0; column < columns_; ++column) {
        const std::uint64_t index = begin + column;
        if (agrees(at(got_, index), at(expected_, index), 1, tolerance_)) continue;
        note_step(index);
        runs_.add(index);
        wrong_.add(index);
        is_wrong_column[column] = true;
      }
    }
    for (std::uint64_t column = 0; column < columns_; ++column) {
      if (is_wrong_column[column]) wrong_columns_.add(column);
    }
  }

  void note_step(std::uint64_t index) {
    if (wrong_.count == 0) return;
    const std::uint64_t step = index - wrong_.last;
    if (wrong_.count == 1) step_ = step;
    if (step_ != step) step_.reset();  // for good: it is set once
  }

  [[nodiscard]] std::string shape_of_wrong() {
    const std::string rectangle = rectangle_of_wrong();
    return rectangle.empty() && runs_.are_block_tails() ? "block_tails" : rectangle;
  }

  // All that is known by the first and last elements, rows and columns.
  [[nodiscard]] std::string rectangle_of_wrong() const {
    const std::uint64_t count = slot_.count();
    if (wrong_.count == count) return "all";
    if (wrong_.is_unbroken() && wrong_.last + 1 == count) return "last_elements";
    if (wrong_.is_unbroken() && wrong_.first == 0) return "first_elements";
    const bool has_rows_and_columns = rows_ > 1 && columns_ > 1;  // else one of them says nothing
    if (has_rows_and_columns && wrong_rows_.count == 1) return "one_row";
    if (has_rows_and_columns && wrong_columns_.count == 1) return "one_column";
    if (wrong_.count >= 3 && step_ && *step_ >= 2) return "every_nth";
    if (!has_rows_and_columns) return "";
    if (wrong_rows_.count < rows_ && wrong_rows_.is_unbroken()) {
      if (wrong_rows_.last + 1 == rows_) return "last_rows";
      if (wrong_rows_.first == 0) return "first_rows";
    }
    if (wrong_columns_.count < columns_ && wrong_columns_.is_unbroken()) {
      if (wrong_columns_.last + 1 == columns_) return "last_columns";
      if (wrong_columns_.first == 0) return "first_columns";
    }
    return "";
  }

  const Slot& slot_;
  const std::byte* got_;
  const std::byte* expected_;
  const PoisonElement& poison_;
  const Tolerance& tolerance_;
  const Tolerance& usual_;
  std::uint64_t element_;  // bytes
  std::uint64_t columns_;
  std::uint64_t rows_;
  Range wrong_;
  Range wrong_rows_;
  Range wrong_columns_;
  Runs runs_;
  std::optional<std::uint64_t> step_ =
      std::nullopt;  // from each wrong element to the next, where it is the same
};

}  // namespace

std::string mismatch_pattern(const Slot& slot, const std::byte* got, const std::byte* expected,
                             const PoisonElement& poison, const Tolerance& tolerance,
                             const Tolerance& usual) {
  if (slot.count() == 0 || slot.count() > kMostElements || tensor::bits_of(slot.dtype) < 8) return "";
  return Looker(slot, got, expected, poison, tolerance, usual).pattern();
}

}  // namespace fib::eval
