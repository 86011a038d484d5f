#include <catch2/catch.hpp>

#include "support/tensors.h"
#include "tracing/host_copy.h"

using namespace fib;
using testing::HostTensor;

namespace {

std::vector<std::int32_t> copied(const fib_tensor& tensor, std::size_t count) {
  std::vector<std::int32_t> values(count, -1);
  tracing::copy_elements(tensor, reinterpret_cast<std::byte*>(values.data()));
  return values;
}

// 0, 1, 2, … as int32.
struct Counting : HostTensor {
  explicit Counting(const std::vector<std::int64_t>& shape) : HostTensor(tensor::DType::kInt32, shape) {
    std::int64_t count = 1;
    for (const auto size : shape) count *= size;
    for (std::int64_t i = 0; i < count; ++i) data<std::int32_t>()[i] = static_cast<std::int32_t>(i);
  }
};

}  // namespace

TEST_CASE("contiguous tensors are copied as they lie") {
  Counting tensor({2, 3});
  CHECK(copied(tensor.view(), 6) == std::vector<std::int32_t>{0, 1, 2, 3, 4, 5});
  std::int64_t strides[] = {3, 1};
  tensor.view().strides = strides;
  CHECK(copied(tensor.view(), 6) == std::vector<std::int32_t>{0, 1, 2, 3, 4, 5});
  tensor.view().strides = nullptr;
  tensor.view().byte_offset = 4;
  std::int64_t shape[] = {2, 2};
  tensor.view().shape = shape;
  CHECK(copied(tensor.view(), 4) == std::vector<std::int32_t>{1, 2, 3, 4});
}

TEST_CASE("strided tensors are copied in the order of their elements") {
  Counting tensor({4, 6});
  auto& view = tensor.view();
  SECTION("transposed") {
    std::int64_t shape[] = {6, 4};
    std::int64_t strides[] = {1, 6};
    view.shape = shape;
    view.strides = strides;
    const auto values = copied(view, 24);
    CHECK(values[0] == 0);
    CHECK(values[1] == 6);
    CHECK(values[4] == 1);
    CHECK(values[23] == 23);
  }
  SECTION("a part of the rows") {
    std::int64_t shape[] = {3, 2};
    std::int64_t strides[] = {6, 1};
    view.shape = shape;
    view.strides = strides;
    view.byte_offset = 8;
    CHECK(copied(view, 6) == std::vector<std::int32_t>{2, 3, 8, 9, 14, 15});
  }
  SECTION("one element for all, and backwards") {
    std::int64_t shape[] = {2, 3};
    std::int64_t strides[] = {0, -1};
    view.shape = shape;
    view.strides = strides;
    view.byte_offset = 8;
    CHECK(copied(view, 6) == std::vector<std::int32_t>{2, 1, 0, 2, 1, 0});
  }
  SECTION("strides of axes with one element mean nothing") {
    std::int64_t shape[] = {2, 1, 3};
    std::int64_t strides[] = {3, 77, 1};
    view.ndim = 3;
    view.shape = shape;
    view.strides = strides;
    CHECK(copied(view, 6) == std::vector<std::int32_t>{0, 1, 2, 3, 4, 5});
  }
}

TEST_CASE("a tensor without axes is one element, one with an empty axis is none") {
  Counting number({});
  *number.data<std::int32_t>() = 9;
  CHECK(copied(number.view(), 1) == std::vector<std::int32_t>{9});
  Counting nothing({3, 0});
  std::int64_t strides[] = {5, 2};
  nothing.view().strides = strides;
  nothing.view().data = nullptr;
  CHECK(copied(nothing.view(), 1) == std::vector<std::int32_t>{-1});
}
