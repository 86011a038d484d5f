#include "show.h"

template <typename T, typename = void>
struct HasInfinity : std::false_type {};
template <typename T>
struct HasInfinity<T, std::void_t<decltype(std::numeric_limits<T>::infinity())>> : std::true_type {};
template <typename T, typename = void>
struct HasSignalingNaN : std::false_type {};
template <typename T>
struct HasSignalingNaN<T, std::void_t<decltype(std::numeric_limits<T>::signaling_NaN())>> : std::true_type {};

template <typename T>
void show_limits(const char* name) {
  using L = std::numeric_limits<T>;
  std::cout << name << "\n";
  SHOW(L::is_specialized);
  SHOW(L::is_signed);
  SHOW(L::is_integer);
  SHOW(L::is_exact);
  SHOW(L::has_infinity);
  SHOW(L::has_quiet_NaN);
  SHOW(L::has_signaling_NaN);
  SHOW(L::has_denorm);
  SHOW(L::has_denorm_loss);
  SHOW(L::round_style);
  SHOW(L::is_iec559);
  SHOW(L::is_bounded);
  SHOW(L::is_modulo);
  SHOW(L::digits);
  SHOW(L::digits10);
  SHOW(L::max_digits10);
  SHOW(L::radix);
  SHOW(L::min_exponent);
  SHOW(L::min_exponent10);
  SHOW(L::max_exponent);
  SHOW(L::max_exponent10);
  SHOW(L::traps);
  SHOW(L::tinyness_before);
  SHOW(int{L::min().x});
  SHOW(int{L::lowest().x});
  SHOW(int{L::max().x});
  SHOW(int{L::epsilon().x});
  SHOW(int{L::round_error().x});
  SHOW(int{L::quiet_NaN().x});
  SHOW(int{L::denorm_min().x});
  SHOW(HasInfinity<T>::value);
  SHOW(HasSignalingNaN<T>::value);
  if constexpr (HasInfinity<T>::value) SHOW(int{L::infinity().x});
  if constexpr (HasSignalingNaN<T>::value) SHOW(int{L::signaling_NaN().x});
}

template <typename T>
void show_arithmetic(const char* name) {
  std::cout << name << "\n";
  const T a(1.7f);
  const T b(-0.3f);
  SHOW(a + b);
  SHOW(a - b);
  SHOW(a * b);
  SHOW(a / b);
  SHOW(-a);
  SHOW(a + 1);
  SHOW(2 * b);
  SHOW(a + 0.25f);
  SHOW(a * 0.1);
  SHOW(std::is_same_v<decltype(a + b), T>);
  SHOW(std::is_same_v<decltype(a + 1.0f), float>);
  SHOW(std::is_same_v<decltype(a + 1.0), double>);
  SHOW(std::is_same_v<decltype(a * 3), T>);
  SHOW(std::is_same_v<decltype(a * int64_t{3}), T>);
  SHOW(a < b);
  SHOW(a == T(1.7f));
  T c = a;
  c += b;
  SHOW(c);
  c *= T(3);
  SHOW(c);
  float f = 1;
  f += a;
  SHOW(f);
  SHOW(std::max(a, b));
  SHOW(static_cast<int>(a));
  SHOW(sizeof(T));
  uint64_t sum = 0;
  for (int i = 0; i < 200000; ++i) {
    const float value =
        (static_cast<float>(i) - 100000.0f) * 0.0371f * std::pow(10.0f, static_cast<float>(i % 13 - 6));
    sum = sum * 31 + T(value).x;
  }
  SHOW(sum);
}

void show_large_numbers() {
  const uint64_t large = ~uint64_t{0};
  const at::Scalar scalar(large);
  SHOW(scalar);
  SHOW(scalar.isIntegral(false));
  SHOW(scalar.isFloatingPoint());
  SHOW(scalar.toDouble());
  SHOW(scalar.toFloat());
  SHOW(scalar.toLong());
  SHOW(scalar.toInt());
  SHOW(scalar.toBool());
  SHOW(int{scalar.to<uint8_t>()});
  SHOW(scalar.to<at::Half>());
  SHOW(scalar.to<at::BFloat16>());
  SHOW(at::Scalar(uint64_t{1} << 63).toLong());
  SHOW(at::Scalar((uint64_t{1} << 63) - 1).toLong());
  SHOW(at::Scalar(uint64_t{5}));
  SHOW(at::Scalar(uint32_t{4000000000U}).toInt());
  SHOW(at::Scalar(uint32_t{4000000000U}).toLong());
  SHOW(torch::full({2}, large));
  SHOW(torch::full({2}, large, torch::kDouble));
  SHOW(torch::full({2}, large, torch::kInt64));
  SHOW(torch::ones({2}).fill_(large));
  SHOW(torch::ones({2}, torch::kUInt8).fill_(large));
  SHOW(torch::ones({2}, torch::kBool).fill_(large));
}

void show(const torch::Tensor&) {
  show_large_numbers();
  show_limits<at::Half>("Half");
  show_limits<at::BFloat16>("BFloat16");
  show_limits<at::Float8_e4m3fn>("Float8_e4m3fn");
  show_limits<at::Float8_e5m2>("Float8_e5m2");
  show_arithmetic<at::Half>("Half");
  show_arithmetic<at::BFloat16>("BFloat16");
  show_arithmetic<at::Float8_e4m3fn>("Float8_e4m3fn");
  show_arithmetic<at::Float8_e5m2>("Float8_e5m2");
  SHOW(c10::Half(1.0f / 0.0f));
  SHOW(c10::Half(7e4f));
  SHOW(c10::Half(5e-8f));
  SHOW(c10::Half(0x3c01, c10::Half::from_bits()));
  for (const auto dtype :
       {torch::kUInt8, torch::kInt8, torch::kInt16, torch::kInt32, torch::kInt64, torch::kHalf, torch::kFloat,
        torch::kDouble, torch::kBool, torch::kBFloat16, torch::kFloat8_e5m2, torch::kFloat8_e4m3fn}) {
    std::cout << dtype << " " << static_cast<int>(dtype) << " " << c10::toString(dtype) << " "
              << c10::elementSize(dtype) << " " << c10::isFloatingType(dtype) << " "
              << c10::isIntegralType(dtype, true) << " " << torch::empty({1}, dtype).dtype() << " "
              << torch::empty({1}, dtype).type().toString() << "\n";
  }
  SHOW(torch::kFloat32 == torch::kFloat);
  SHOW(torch::empty({1}).dtype() == torch::kFloat32);
  SHOW(torch::empty({1}).dtype() == torch::empty({1}, torch::kInt32).dtype());
  SHOW(torch::empty({1}).dtype().itemsize());
  SHOW(at::typeMetaToScalarType(torch::empty({1}, torch::kHalf).dtype()));
  SHOW(torch::CppTypeToScalarType<at::BFloat16>::value);
  SHOW(torch::Device(torch::kCPU));
  SHOW(torch::Device("cuda:1"));
  SHOW(torch::Device(torch::kCUDA, 0));
  SHOW(int{torch::Device("cuda").index()});
  SHOW(torch::Device("cuda:x"));
  SHOW(torch::Device(torch::kCPU) == torch::Device("cpu"));
  SHOW(torch::kCUDA);
  SHOW(torch::kStrided);
  SHOW(c10::IntArrayRef({1, 2, 3}));
  SHOW(c10::IntArrayRef({1, 2, 3}).slice(1));
  SHOW(c10::IntArrayRef({1, 2, 3}).at(3));
  SHOW(c10::IntArrayRef({}).front());
  SHOW(c10::IntArrayRef({1, 2}).vec().size());
  SHOW(c10::IntArrayRef({1, 2}) == c10::IntArrayRef({1, 2}));
  SHOW(at::Scalar(3).toDouble());
  SHOW(at::Scalar(3.9).toInt());
  SHOW(at::Scalar(true).isBoolean());
  SHOW(at::Scalar(1e30).toLong());
  SHOW(int{at::Scalar(300).to<uint8_t>()});
  SHOW(int{at::Scalar(-3).to<uint8_t>()});
  SHOW(at::Scalar(1e300).toFloat());
  SHOW(at::Scalar(2.5f).isFloatingPoint());
  SHOW(std::is_same_v<at::acc_type<float, false>, double>);
  SHOW(std::is_same_v<at::acc_type<float, true>, float>);
  SHOW(std::is_same_v<at::acc_type<at::Half, true>, float>);
  SHOW(std::is_same_v<at::acc_type<int, true>, int64_t>);
  SHOW(std::is_same_v<at::opmath_type<at::BFloat16>, float>);
  SHOW(std::is_same_v<at::opmath_type<double>, double>);
}
