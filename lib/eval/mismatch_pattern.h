#pragma once

#include <cstddef>
#include <string>

#include "eval/evaluator.h"

namespace fib::eval {

// Which elements of an output are wrong, in a word of a closed list (docs/trace-record.md); "" where none
// fits, and of outputs of more than 4 Mi elements and of elements of 4 bits, which are not looked at. Rows
// are those of the last dimension. Pure; takes up to half a second.
//
//   all_zeros, all_nan    what was written is all the same (256 elements are looked at)
//   transposed            each matrix of the last two dimensions, which must be square
//   off_by_one_row        every row is what the one before or behind it should be
//   all                   every element
//   last_elements, first_elements, one_row, one_column, last_rows, first_rows, last_columns, first_columns
//   every_nth             at a constant distance of at least two, three at least
//   block_tails           runs of one length, three at least, each at the end of a block of 8 elements or
//   more
//
// `tolerance` says which elements are wrong, and `usual` whether others are right in another place.
[[nodiscard]] std::string mismatch_pattern(const Slot& slot, const std::byte* got, const std::byte* expected,
                                           const PoisonElement& poison, const Tolerance& tolerance,
                                           const Tolerance& usual);

}  // namespace fib::eval
