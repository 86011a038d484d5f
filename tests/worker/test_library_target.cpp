#include <catch2/catch.hpp>
#include <cstring>

#include "support/temporary.h"
#include "util/command.h"
#include "util/error.h"
#include "util/files.h"
#include "worker/target.h"

using namespace fib;
using tensor::DType;

namespace {

std::string build(const testing::TemporaryFolder& folder, const std::string& source) {
  util::write_file_atomic(folder.path() / "a.cpp", source);
  const auto library = (folder.path() / "a.so").string();
  const auto result = util::run_command({"c++", "-shared", "-fPIC", "-o", library, "a.cpp"}, folder.path());
  INFO(result.output);
  REQUIRE(result.succeeded());
  return library;
}

eval::Slot scalar(DType dtype, std::uint64_t offset) { return {"s", dtype, true, {}, offset, 8}; }

template <typename T>
void store(std::byte* buffer, std::uint64_t offset, T value) {
  std::memcpy(buffer + offset, &value, sizeof value);
}

}  // namespace

TEST_CASE("inputs, outputs and axes arrive in order, scalars by value in their own types") {
  const testing::TemporaryFolder folder;
  const std::string library = build(folder, R"(
    #include <cstdint>
    extern "C" void f(const float* x, float half, double d, int64_t l, int32_t i, int16_t s, int8_t b, uint8_t t,
                      double* out, int64_t n, int64_t m) {
      const double values[] = {x[1], half, d, double(l), double(i), double(s), double(b), double(t), double(n), double(m)};
      for (int k = 0; k < 10; ++k) out[k] = values[k];
    })");
  eval::Layout layout;
  layout.inputs = {{"x", DType::kFloat32, false, {2}, 0, 8},
                   scalar(DType::kFloat16, 256),
                   scalar(DType::kFloat64, 512),
                   scalar(DType::kInt64, 768),
                   scalar(DType::kInt32, 1024),
                   scalar(DType::kInt16, 1280),
                   scalar(DType::kInt8, 1536),
                   scalar(DType::kBool, 1792)};
  layout.outputs = {{"out", DType::kFloat64, false, {10}, 0, 80}};
  layout.axes = {11, 12};
  alignas(256) std::byte inputs[2048] = {};
  alignas(256) std::byte outputs[256] = {};
  store(inputs, 4, 1.5F);
  store(inputs, 256, 2.5);
  store(inputs, 512, 3.25);
  store(inputs, 768, std::int64_t{-4});
  store(inputs, 1024, std::int64_t{-5});
  store(inputs, 1280, std::int64_t{-6});
  store(inputs, 1536, std::int64_t{-7});
  store(inputs, 1792, std::int64_t{1});
  const auto target = worker::make_library_target(library, "f", false);
  std::byte scalars[8 * 8] = {};
  for (std::size_t i = 0; i < 8; ++i) std::memcpy(scalars + 8 * i, inputs + 256 * i, 8);
  target->open({layout, {}}, {inputs, outputs, scalars, nullptr});
  target->prepare();
  target->call();
  double values[10];
  std::memcpy(values, outputs, sizeof values);
  const double expected[10] = {1.5, 2.5, 3.25, -4, -5, -6, -7, 1, 11, 12};
  for (int i = 0; i < 10; ++i) CHECK(values[i] == expected[i]);
  CHECK(target->collect()[0].shape == std::vector<std::int64_t>{10});
}

TEST_CASE("a non-zero status and an exception are errors with the reason") {
  const testing::TemporaryFolder folder;
  const std::string library = build(folder, R"(
    #include <stdexcept>
    extern "C" int fails() { return -3; }
    extern "C" void throws() { throw std::runtime_error("out of luck"); })");
  const auto fails = worker::make_library_target(library, "fails", true);
  fails->open({}, {});
  CHECK_THROWS_WITH(fails->call(), Catch::Contains("error code -3"));
  const auto throws = worker::make_library_target(library, "throws", false);
  throws->open({}, {});
  CHECK_THROWS_WITH(throws->call(), Catch::Contains("out of luck"));
}

TEST_CASE("a library without the symbol is an error that names it") {
  const testing::TemporaryFolder folder;
  const std::string library = build(folder, "void f() {}");
  CHECK_THROWS_WITH(worker::make_library_target(library, "f", false), Catch::Contains("\"f\""));
  CHECK_THROWS_AS(worker::make_library_target("/no/such.so", "f", false), Error);
}

TEST_CASE("on a CUDA device the stream comes last") {
  const testing::TemporaryFolder folder;
  const std::string library = build(folder, R"(
    extern "C" int f(void** out, long n, void* stream) { *out = stream; return n == 7 ? 0 : 1; })");
  eval::Layout layout;
  layout.outputs = {{"out", DType::kInt64, false, {1}, 0, 8}};
  layout.axes = {7};
  void* seen = nullptr;
  int stream = 0;
  const auto target = worker::make_library_target(library, "f", true);
  target->open({layout, {}}, {nullptr, reinterpret_cast<std::byte*>(&seen), nullptr, &stream});
  target->call();
  CHECK(seen == &stream);
}
