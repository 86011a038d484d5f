#include <catch2/catch.hpp>
#include <cmath>

#include "ops/gemm.h"
#include "reference/support.h"

namespace {

using namespace fib::test;  // NOLINT: all of it is used
using fib::reference::EngineOptions;
using fib::reference::MatmulBackend;

bool has_openblas() {
  std::string reason;
  if (fib::ops::open_openblas(1, reason) != nullptr) return true;
  WARN("skipped: what OpenBLAS does: " << reason);
  return false;
}

std::vector<EngineOptions> backends() {
  std::vector<EngineOptions> options = {{.threads = 1, .matmul = MatmulBackend::kPortable},
                                        {.threads = 3, .matmul = MatmulBackend::kPortable}};
  if (has_openblas()) options.push_back({.threads = 2, .matmul = MatmulBackend::kOpenBlas});
  return options;
}

// a of [m, k] times b of [n, k] transposed, summed in double.
std::vector<double> product(const HostTensor& a, const HostTensor& b) {
  const auto m = static_cast<std::size_t>(a.shape[0]);
  const auto k = static_cast<std::size_t>(a.shape[1]);
  const auto n = static_cast<std::size_t>(b.shape[0]);
  const auto x = a.values();
  const auto y = b.values();
  std::vector<double> result(m * n, 0);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t p = 0; p < k; ++p) result[i * n + j] += x[i * k + p] * y[j * k + p];
    }
  }
  return result;
}

double worst(const std::vector<double>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  double result = 0;
  for (std::size_t i = 0; i < a.size(); ++i) result = std::max(result, std::abs(a[i] - b[i]));
  return result;
}

TEST_CASE("Matrix products of every float dtype, size and backend") {
  struct Size {
    std::int64_t m, n, k;
  };
  for (const EngineOptions& options : backends()) {
    for (const Size size :
         {Size{1, 1, 1}, Size{5, 7, 3}, Size{4, 513, 257}, Size{33, 40, 300}, Size{1, 64, 128}}) {
      for (const DType dtype : {DType::kFloat64, DType::kFloat32, DType::kFloat16, DType::kBFloat16}) {
        HostTensor a = make_varied(dtype, {size.m, size.k}, 1);
        HostTensor b = make_varied(dtype, {size.n, size.k}, 2);
        const HostTensor c =
            run_body("return torch.matmul(a, b.T)", {a.argument(), b.argument()}, options).at(0);
        const double tolerance = dtype == DType::kFloat64   ? 1e-12
                                 : dtype == DType::kFloat32 ? 1e-4
                                 : dtype == DType::kFloat16 ? 2e-2
                                                            : 1e-1;
        CHECK(c.dtype == dtype);
        CHECK(c.shape == Shape{size.m, size.n});
        CHECK(worst(c.values(), product(a, b)) < tolerance);
      }
    }
  }
}

TEST_CASE("A product larger than a panel of small floats") {
  HostTensor a = make_varied(DType::kBFloat16, {3, 8}, 1);
  HostTensor b = make_varied(DType::kBFloat16, {2100, 8}, 2);
  for (const EngineOptions& options : backends()) {
    const auto by_columns = run_body("return a @ b.T", {a.argument(), b.argument()}, options).at(0);
    CHECK(worst(by_columns.values(), product(a, b)) < 0.02);
    const auto by_rows = run_body("return b @ a.T", {a.argument(), b.argument()}, options).at(0);
    CHECK(worst(by_rows.values(), product(b, a)) < 0.02);
  }
}

TEST_CASE("Sums of small floats are rounded once, at the end") {
  // 256 + 1 + 1 + ... is stuck at 256 when every step is rounded to bfloat16.
  std::vector<double> row(257, 1);
  row[0] = 256;
  HostTensor a = make(DType::kBFloat16, {1, 257}, row);
  HostTensor b = make(DType::kBFloat16, {257, 1}, std::vector<double>(257, 1));
  for (const EngineOptions& options : backends()) {
    CHECK(run_body("return a @ b", {a.argument(), b.argument()}, options).at(0).values() ==
          std::vector<double>{512});
  }
}

TEST_CASE("Views are multiplied whatever their strides") {
  HostTensor a = make_varied(DType::kFloat32, {6, 10}, 1);
  for (const EngineOptions& options : backends()) {
    const auto same = [&](const std::string& view, const std::string& other) {
      INFO(view << " @ " << other);
      const std::string body =
          "x = " + view + "\ny = " + other +
          "\nreturn x @ y, x.contiguous() @ y.contiguous(), (x.unsqueeze(2) * y.unsqueeze(0)).sum(1)";
      const auto outputs = run_body(body, {a.argument()}, options);
      CHECK(worst(outputs[0].values(), outputs[1].values()) < 1e-5);
      CHECK(worst(outputs[0].values(), outputs[2].values()) < 1e-5);
    };
    same("a", "a.T");
    same("a.T", "a");
    same("a[::2]", "a.T[:, 1:]");
    same("a[:, ::2]", "a.T[::2]");
    same("a[:1]", "a.T");
    same("a[:, :1]", "a[:1]");
    same("a[:1].expand(4, 10)", "a.T");
    same("a[:, 2:5]", "a[:3, ::3]");
  }
}

TEST_CASE("Batches broadcast, vectors lose their dimension") {
  const auto shape = [](const Shape& a, const Shape& b) {
    HostTensor x = make_varied(DType::kFloat32, a, 1);
    HostTensor y = make_varied(DType::kFloat32, b, 2);
    return eval("torch.matmul(a, b)", {x.argument(), y.argument()}).shape;
  };
  CHECK(shape({4}, {4}).empty());
  CHECK(shape({3, 4}, {4}) == Shape{3});
  CHECK(shape({4}, {4, 5}) == Shape{5});
  CHECK(shape({2, 3, 4}, {4, 5}) == Shape{2, 3, 5});
  CHECK(shape({2, 1, 3, 4}, {7, 4, 5}) == Shape{2, 7, 3, 5});
  CHECK(shape({2, 3, 4}, {4}) == Shape{2, 3});
  CHECK(shape({3, 0}, {0, 2}) == Shape{3, 2});
  HostTensor a = make(DType::kFloat32, {2, 1, 2}, {1, 2, 3, 4});
  HostTensor b = make(DType::kFloat32, {2, 2, 1}, {5, 6, 7, 8});
  CHECK(values_of("torch.bmm(a, b)", {a.argument(), b.argument()}) == std::vector<double>{17, 53});
  CHECK(values_of("a.half().bmm(b.half())", {a.argument(), b.argument()}) == std::vector<double>{17, 53});
  CHECK(values_of("torch.zeros(3, 0) @ torch.zeros(0, 1)") == std::vector<double>{0, 0, 0});
}

TEST_CASE("Integer matrices and other products") {
  HostTensor a = make(DType::kInt64, {2, 2}, {1, 2, 3, 4});
  const std::vector<fib::reference::Argument> args = {a.argument()};
  CHECK(values_of("a @ a", args) == std::vector<double>{7, 10, 15, 22});
  CHECK(eval("a @ a", args).dtype == DType::kInt64);
  CHECK(values_of("torch.outer(a[0], a[1])", args) == std::vector<double>{3, 4, 6, 8});
  CHECK(values_of("torch.dot(a[0].float(), a[1].float())", args) == std::vector<double>{11});
  CHECK(values_of("a.mv(a[0])", args) == std::vector<double>{5, 11});
  CHECK(values_of("torch.addmm(torch.ones(2), a.float(), a.float(), beta=2, alpha=0.5)", args) ==
        std::vector<double>{5.5, 7, 9.5, 13});
  CHECK(values_of("F.linear(a.float(), a.float(), torch.ones(2))", args) ==
        std::vector<double>{6, 12, 12, 26});
}

TEST_CASE("Einsum") {
  HostTensor a = make(DType::kFloat32, {2, 2}, {1, 2, 3, 4});
  HostTensor b = make(DType::kFloat32, {2, 2}, {5, 6, 7, 8});
  const auto ein = [&](const std::string& equation, const std::string& operands) {
    return values_of("torch.einsum('" + equation + "', " + operands + ")", {a.argument(), b.argument()});
  };
  CHECK(ein("ij,jk->ik", "a, b") == std::vector<double>{19, 22, 43, 50});
  CHECK(ein("ij,jk", "a, b") == std::vector<double>{19, 22, 43, 50});
  CHECK(ein("ij->ji", "a") == std::vector<double>{1, 3, 2, 4});
  CHECK(ein("ij->", "a") == std::vector<double>{10});
  CHECK(ein("ij,ij->i", "a, b") == std::vector<double>{17, 53});
  CHECK(ein("i,j->ji", "a[0], b[0]") == std::vector<double>{5, 10, 6, 12});
  CHECK(ein("ij,kj->k", "a, b") == std::vector<double>{5 * 4 + 6 * 6, 7 * 4 + 8 * 6});
  CHECK(ein("i, ij, j ->", "a[0], b, a[1]") == std::vector<double>{15 + 24 + 42 + 64});
}

TEST_CASE("The backend is named, and a missing OpenBLAS is an error only where it is asked for") {
  const std::string source = "def run():\n    return 1\n";
  const fib::reference::Engine portable(source, {.threads = 3, .matmul = MatmulBackend::kPortable});
  CHECK(portable.description() == "native (portable matmul, 3 threads)");
  setenv("FIB_OPENBLAS", "/nowhere/libopenblas.so", 1);
  const fib::reference::Engine fallback(source);
  CHECK(fallback.description() == "native (portable matmul, 1 thread)");
  CHECK_THROWS_AS(fib::reference::Engine(source, {.matmul = MatmulBackend::kOpenBlas}), fib::Error);
  unsetenv("FIB_OPENBLAS");
  if (has_openblas()) {
    const fib::reference::Engine openblas(source, {.threads = 2});
    CHECK(openblas.description().rfind("native (OpenBLAS 0", 0) == 0);
  }
}

TEST_CASE("Operands that do not fit are errors") {
  HostTensor a = make(DType::kFloat32, {2, 3}, std::vector<double>(6, 1));
  HostTensor h = make(DType::kFloat16, {3, 2}, std::vector<double>(6, 1));
  const auto error = [&](const std::string& expression) {
    return error_of("import torch\ndef run(a, h):\n    return " + expression + "\n",
                    {a.argument(), h.argument()});
  };
  CHECK(error("a @ a") == "line 3: shapes (2, 3) and (2, 3) cannot be multiplied");
  CHECK(error("a @ h") ==
        "line 3: matrices of float32 and float16 cannot be multiplied; convert one of them");
  CHECK(error("torch.bmm(a, a)") == "line 3: torch.bmm needs tensors of 3 and 3 dimensions, not 2 and 2");
  CHECK(error("torch.einsum('ii->i', a)") == "line 3: einsum with \"i\" twice in one term is not supported");
  CHECK(error("torch.einsum('ij,jk->ik', a, a)") ==
        "line 3: einsum(\"ij,jk->ik\") has sizes 3 and 2 for \"j\"");
}

TEST_CASE("Products with one row or column, whichever way both matrices lie") {
  for (const EngineOptions& options : backends()) {
    for (const Shape& size : {Shape{1, 300}, Shape{300, 1}, Shape{1, 1}}) {
      HostTensor a = make_varied(DType::kFloat32, {size[0], 70}, 1);
      HostTensor b = make_varied(DType::kFloat32, {size[1], 70}, 2);
      for (const char* left : {"a", "a.t().contiguous().t()"}) {
        for (const char* right : {"b.t()", "b.t().contiguous()"}) {
          const std::string body = std::string("return ") + left + " @ " + right;
          const HostTensor c = run_body(body, {a.argument(), b.argument()}, options).at(0);
          CHECK(c.shape == size);
          CHECK(worst(c.values(), product(a, b)) < 1e-5);
        }
      }
    }
  }
}

}  // namespace
