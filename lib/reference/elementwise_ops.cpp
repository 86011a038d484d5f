#include <array>
#include <cmath>
#include <limits>
#include <type_traits>

#include "reference/elementwise.h"
#include "util/error.h"

// What every element-wise operation computes. The structs are the formulas, the tables at the end their names.
namespace fib::reference {
namespace {

using Int = std::int64_t;
using UInt = std::uint64_t;

template <typename Real, typename Formula>
void map(const Real* x, Real* y, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = Formula::of(x[i]);
}

template <typename Real, typename Formula>
void zip(const Real* a, const Real* b, Real* y, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = Formula::of(a[i], b[i]);
}

// Integer arithmetic wraps around, as torch's does.
template <typename Real>
constexpr bool kIsInt = std::is_same_v<Real, Int>;
Int wrap(UInt value) { return static_cast<Int>(value); }
UInt bits(Int value) { return static_cast<UInt>(value); }

#define FIB_UNARY(Name, expression) \
  struct Name {                     \
    template <typename R>           \
    static R of(R x) {              \
      return expression;            \
    }                               \
  }

FIB_UNARY(Abs, x < R{0} ? Neg::of(x) : std::is_same_v<R, Int> ? x : R(std::abs(x)));

}  // namespace
}  // namespace fib::reference
