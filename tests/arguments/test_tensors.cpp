#include <catch2/catch.hpp>

#include "arguments/tensors.h"
#include "support/tensors.h"

using namespace fib;
using arguments::is_contiguous;

TEST_CASE("strides tell whether a tensor is contiguous") {
  testing::HostTensor tensor(tensor::DType::kFloat32, {2, 1, 3});
  CHECK(is_contiguous(tensor.view()));
  std::int64_t strides[] = {3, 77, 1};  // an axis with one element is never stepped along
  tensor.view().strides = strides;
  CHECK(is_contiguous(tensor.view()));
  strides[0] = 6;
  CHECK_FALSE(is_contiguous(tensor.view()));
  strides[0] = 1;
  strides[2] = 2;
  CHECK_FALSE(is_contiguous(tensor.view()));
  testing::HostTensor empty(tensor::DType::kFloat32, {2, 0});
  std::int64_t any[] = {5, 9};
  empty.view().strides = any;
  CHECK(is_contiguous(empty.view()));
}

TEST_CASE("every dtype of definitions has one of DLPack, and back") {
  for (const auto& [ours, theirs] : tvm_ffi::kDataTypes) {
    CHECK(tvm_ffi::data_type_of(ours) == theirs);
    CHECK(tvm_ffi::dtype_of(theirs) == ours);
  }
  CHECK_FALSE(tvm_ffi::dtype_of({tvm_ffi::kComplex, 64, 1}));
  CHECK_FALSE(tvm_ffi::dtype_of({tvm_ffi::kFloat, 32, 4}));
}
