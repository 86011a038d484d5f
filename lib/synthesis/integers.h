#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/definition.h"
#include "synthesis/draw.h"

namespace fib::synthesis {

// Integer and bool inputs that fit a definition: offsets that begin with 0 and end where a constraint says,
// pages that exist, states that nobody shares, and so on (meaning.h). A pure function of its arguments, the
// same on every machine.
//
// `inputs` are the names of those to make, `axes` the values of all axes, `given` other integer inputs that
// are there already and that the new ones go with. A scalar has one element. Throws Error naming the input
// when nothing is known of it or no such tensor exists, and naming the constraint that the tensors break.
[[nodiscard]] std::map<std::string, Integers> make_integers(
    const model::Definition& definition, const model::AxisValues& axes, std::string_view seed,
    const std::vector<std::string>& inputs, const std::map<std::string, Integers>& given = {});

// The same elements as they lie in memory, in one of the integer dtypes' names ("int32", "bool"). Throws
// Error when an element does not fit.
[[nodiscard]] std::vector<std::byte> to_bytes(const Integers& elements, std::string_view dtype);

// The inverse, for any integer dtype.
[[nodiscard]] Integers from_bytes(const std::byte* data, std::size_t count, std::string_view dtype);

}  // namespace fib::synthesis
