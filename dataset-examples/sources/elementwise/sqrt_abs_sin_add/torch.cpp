// sqrt(|sin(a + b)|) as a torch extension: it is built with fib's torch headers, and runs without Python and torch.

#include <torch/extension.h>

#include <cmath>

void sqrt_abs_sin_add(const torch::Tensor& a, const torch::Tensor& b, torch::Tensor output) {
  TORCH_CHECK(a.sizes() == output.sizes() && b.sizes() == output.sizes(), "all three have the sizes ", output.sizes());
  const float* x = a.data_ptr<float>();
  const float* y = b.data_ptr<float>();
  float* z = output.data_ptr<float>();
  for (int64_t i = 0; i < output.numel(); ++i) z[i] = std::sqrt(std::fabs(std::sin(x[i] + y[i])));
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("run", &sqrt_abs_sin_add, py::arg("a"), py::arg("b"), py::arg("output"));
}
