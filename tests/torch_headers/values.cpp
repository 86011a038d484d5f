#include "show.h"

template <typename T>
void show_limits(const char* name) {
  using L = std::numeric_limits<T>;
  std::cout << name << ": " << static_cast<float>(L::min()) << " " << static_cast<float>(L::max()) << " "
            << static_cast<float>(L::lowest()) << " " << static_cast<float>(L::epsilon()) << " "
            << static_cast<float>(L::denorm_min()) << " " << L::digits << " " << L::max_digits10 << " "
            << L::min_exponent << " " << L::max_exponent << " " << L::has_infinity << "\n";
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

void show(const torch::Tensor&) {
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
