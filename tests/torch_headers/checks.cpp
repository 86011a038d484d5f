#include "show.h"

namespace {

void check(bool holds) { TORCH_CHECK(holds); }
void check_text(bool holds, const torch::Tensor& x) {
  TORCH_CHECK(holds, "x has ", x.sizes(), " and ", x.dtype(), ", ", x.scalar_type(), " on ", x.device(), ", ",
              3, 2.5, true, std::string(" text"));
}

int checked(const std::function<void()>& step) {
  step();
  return 0;
}

template <typename T>
std::string type_name() {
  return c10::str(torch::CppTypeToScalarType<T>::value);
}

std::string floating(const torch::Tensor& x) {
  std::string name;
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "floating_kernel", [&] { name = type_name<scalar_t>(); });
  return name;
}
std::string floating_and_half(const torch::Tensor& x) {
  return AT_DISPATCH_FLOATING_TYPES_AND_HALF(x.scalar_type(), "half_kernel",
                                             ([&] { return type_name<scalar_t>(); }));
}
std::string floating_and_two(const torch::Tensor& x) {
  return AT_DISPATCH_FLOATING_TYPES_AND2(at::ScalarType::Half, at::ScalarType::BFloat16, x.scalar_type(),
                                         "two_kernel",
                                         [&]() -> std::string { return type_name<scalar_t>(); });
}
std::string integral(const torch::Tensor& x) {
  return AT_DISPATCH_INTEGRAL_TYPES(x.scalar_type(), "integral_kernel",
                                    [&] { return type_name<scalar_t>(); });
}
std::string all_types(const torch::Tensor& x) {
  return AT_DISPATCH_ALL_TYPES(x.scalar_type(), "all_kernel", [&] { return type_name<scalar_t>(); });
}
std::string all_and_three(const torch::Tensor& x) {
  return AT_DISPATCH_ALL_TYPES_AND3(torch::kHalf, torch::kBFloat16, torch::kBool, x.scalar_type(),
                                    "more_kernel", [&] { return type_name<scalar_t>(); });
}
std::string own_switch(const torch::Tensor& x) {
  return AT_DISPATCH_SWITCH(x.scalar_type(), "own_kernel", AT_DISPATCH_CASE(at::kHalf, [&] {
                              return type_name<scalar_t>();
                            }) AT_DISPATCH_CASE(at::kFloat, [&] { return std::string("float"); }));
}

}  // namespace

void show(const torch::Tensor& x) {
  SHOW(checked([] { check(false); }));
  SHOW(checked([] { check(true); }));
  SHOW(checked([&] { check_text(false, x); }));
  SHOW(checked([] { TORCH_CHECK_INDEX(false, "index ", 4); }));
  SHOW(checked([] { TORCH_CHECK_VALUE(1 > 2, "value"); }));
  SHOW(checked([] { TORCH_CHECK_TYPE(false, "type"); }));
  SHOW(checked([] { TORCH_CHECK_NOT_IMPLEMENTED(false, "later"); }));
  SHOW(checked([] { AT_ERROR("error ", 1); }));
  SHOW(checked([] { throw std::invalid_argument("argument"); }));
  for (const auto dtype : {torch::kFloat, torch::kDouble, torch::kHalf, torch::kBFloat16, torch::kInt32,
                           torch::kInt64, torch::kInt16, torch::kInt8, torch::kUInt8, torch::kBool}) {
    const auto t = torch::zeros({1}, dtype);
    std::cout << dtype << "\n";
    SHOW(floating(t));
    SHOW(floating_and_half(t));
    SHOW(floating_and_two(t));
    SHOW(integral(t));
    SHOW(all_types(t));
    SHOW(all_and_three(t));
    SHOW(own_switch(t));
  }
}
