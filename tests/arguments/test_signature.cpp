#include <catch2/catch.hpp>

#include "arguments/signature.h"
#include "support/tensors.h"
#include "util/error.h"

using namespace fib;
using arguments::Case;
using arguments::Fit;
using arguments::Signature;
using tensor::DType;
using testing::HostTensor;

namespace {

const Signature& norm() {
  static const Signature signature(model::parse_definition(
      R"({"name":"norm","op_type":"rmsnorm","axes":{"rows":{"type":"var"},"width":{"type":"const","value":4}},)"
      R"("inputs":{"x":{"shape":["rows","width"],"dtype":"float32"},"w":{"shape":["width"],"dtype":"bfloat16"},)"
      R"("eps":{"shape":null,"dtype":"float32"}},)"
      R"("outputs":{"y":{"shape":["rows","width"],"dtype":"float32"}},"reference":"def run(x, w, eps):\n    return x\n"})"));
  return signature;
}

struct NormCall {
  HostTensor x{DType::kFloat32, {3, 4}};
  HostTensor w{DType::kBFloat16, {4}};
  HostTensor y{DType::kFloat32, {3, 4}};
  fib_value values[4] = {x.value(), w.value(), testing::real(1e-6), y.value()};

  Fit match(std::size_t count = 4) {
    Case found;
    return norm().match(values, count, found);
  }
  std::string explain(std::size_t count = 4) { return norm().explain(values, count); }
};

}  // namespace

TEST_CASE("arguments that fit show the axes") {
  NormCall call;
  Case found;
  CHECK(norm().match(call.values, 4, found) == Fit::fits);
  CHECK(found == norm().case_of({{"rows", 3}}, tvm_ffi::kCpu, 0));
  CHECK(norm().axes() == std::vector<std::string>{"rows"});
  CHECK(norm().axis_values(found).at("width") == 4);
  CHECK(norm().shape_of(norm().parameters()[0], found) == std::vector<std::int64_t>{3, 4});
  CHECK(call.match(3) == Fit::fits);  // the inputs alone
  CHECK(call.explain().empty());
}

TEST_CASE("what does not fit is told in a sentence") {
  NormCall call;
  SECTION("the number") {
    CHECK(call.match(2) == Fit::wrong);
    CHECK(call.explain(2) == "expected 3 arguments (the inputs) or 4 (with the outputs), got 2");
  }
  SECTION("a dtype") {
    call.values[1] = call.x.value();
    CHECK(call.match() == Fit::wrong);
    CHECK(call.explain() == "input \"w\" has dtype float32, the definition says bfloat16");
    call.x.view().dtype_lanes = 4;
    CHECK(
        call.explain() ==
        "input \"x\" has dtype DLPack's dtype code 2 with 32 bits and 4 lanes, the definition says float32");
  }
  SECTION("a rank") {
    HostTensor flat(DType::kFloat32, {12});
    call.values[0] = flat.value();
    CHECK(call.match() == Fit::wrong);
    CHECK(call.explain() == "input \"x\" has 1 axes, the definition says 2");
  }
  SECTION("a constant axis") {
    HostTensor wide(DType::kFloat32, {3, 5});
    call.values[0] = wide.value();
    CHECK(call.match() == Fit::wrong);
    CHECK(call.explain() == "input \"x\" has the shape (3, 5), which should be (3, 4)");
  }
  SECTION("an axis that another argument shows otherwise") {
    HostTensor short_output(DType::kFloat32, {2, 4});
    call.values[3] = short_output.value();
    CHECK(call.match() == Fit::wrong);
    CHECK(call.explain() == "output \"y\" has the shape (2, 4), which should be (3, 4)");
  }
  SECTION("a device") {
    call.y.view().device_type = tvm_ffi::kCuda;
    CHECK(call.match() == Fit::wrong);
    CHECK(call.explain() == "output \"y\" lies on cuda:0, others on the CPU");
  }
  SECTION("a number where a tensor should be, and the other way round") {
    call.values[0] = testing::integer(1);
    CHECK(call.match() == Fit::wrong);
    CHECK(call.explain() == "input \"x\" has to be a tensor");
    call.values[0] = call.x.value();
    call.values[2] = call.x.value();
    CHECK(call.match() == Fit::wrong);
    CHECK(call.explain() == "input \"eps\" is a scalar of dtype float32, which the argument is not");
  }
  SECTION("strides") {
    std::int64_t strides[] = {1, 3};
    call.x.view().strides = strides;
    CHECK(call.match() == Fit::strided);
    CHECK(call.explain() == "input \"x\" is not contiguous");
  }
  SECTION("an address") {
    call.y.view().byte_offset = 4;
    CHECK(call.match() == Fit::unaligned);
    CHECK(call.explain() == "the address of output \"y\" is not a multiple of 64 bytes");
  }
}

TEST_CASE("tensors of a call may lie anywhere where the caller allows it") {
  constexpr auto kAny = arguments::Placement::any;
  NormCall call;
  call.w.view().device_type = tvm_ffi::kCuda;
  call.y.view().device_type = tvm_ffi::kCuda;
  call.y.view().device_id = 1;
  Case found;
  CHECK(norm().match(call.values, 4, found) == Fit::wrong);
  CHECK(call.explain() == "input \"w\" lies on cuda:0, others on the CPU");
  CHECK(norm().match(call.values, 4, found, kAny) != Fit::wrong);
  CHECK(found.axes == norm().case_of({{"rows", 3}}, tvm_ffi::kCpu, 0).axes);
  CHECK(found.device_type == tvm_ffi::kCpu);  // the first tensor's
  std::int64_t shape[] = {5};
  call.w.view().shape = shape;
  CHECK(norm().match(call.values, 4, found, kAny) == Fit::wrong);
  CHECK(norm().explain(call.values, 4, kAny) == "input \"w\" has the shape (5), which should be (4)");
}

TEST_CASE("CUDA tensors are aligned to 256 bytes") {
  NormCall call;
  for (auto* tensor : {&call.x, &call.w, &call.y}) {
    tensor->view().device_type = tvm_ffi::kCuda;
    tensor->view().data = reinterpret_cast<void*>(std::uintptr_t{0x7000});  // NOLINT: never looked into
  }
  CHECK(call.match() == Fit::fits);
  call.w.view().byte_offset = 128;
  CHECK(call.match() == Fit::unaligned);
  CHECK(call.explain() == "the address of input \"w\" is not a multiple of 256 bytes");
}

TEST_CASE("axes that are expressions have to have their values") {
  const Signature signature(model::parse_definition(
      R"({"name":"d","op_type":"op","axes":{"n":{"type":"var"},"m":{"type":"expr","expression":"n // 2"}},)"
      R"("inputs":{"x":{"shape":["n"],"dtype":"int32"}},"outputs":{"y":{"shape":["m"],"dtype":"int32"}},)"
      R"("reference":"def run(x):\n    return x\n"})"));
  HostTensor x(DType::kInt32, {8});
  HostTensor right(DType::kInt32, {4});
  HostTensor wrong(DType::kInt32, {5});
  Case found;
  fib_value values[] = {x.value(), right.value()};
  REQUIRE(signature.match(values, 2, found) == Fit::fits);
  CHECK(found == signature.case_of({{"n", 8}}, tvm_ffi::kCpu, 0));
  CHECK(signature.axis_values(found).at("m") == 4);
  values[1] = wrong.value();
  REQUIRE(signature.match(values, 2, found) == Fit::fits);
  CHECK_THROWS_WITH(signature.axis_values(found), "axis \"m\" is 5, and should be 4");
}

TEST_CASE("cases are keys") {
  const auto at = [](std::int64_t rows, std::int32_t device) {
    return norm().case_of({{"rows", rows}}, tvm_ffi::kCuda, device);
  };
  CHECK(at(3, 0) == at(3, 0));
  CHECK_FALSE(at(3, 0) == at(4, 0));
  CHECK_FALSE(at(3, 0) == at(3, 1));
  CHECK(std::hash<Case>()(at(3, 0)) == std::hash<Case>()(at(3, 0)));
  CHECK(std::hash<Case>()(at(3, 0)) != std::hash<Case>()(at(4, 0)));
}

TEST_CASE("definitions beyond the limits are refused") {
  std::string axes;
  std::string shape;
  for (int i = 0; i < 25; ++i) {
    axes += (i > 0 ? "," : "") + std::string("\"a") + std::to_string(i) + R"(":{"type":"var"})";
    shape += (i > 0 ? ",\"a" : "\"a") + std::to_string(i) + '"';
  }
  const auto definition = model::parse_definition(
      R"({"name":"d","op_type":"op","axes":{)" + axes + R"(},"inputs":{"x":{"shape":[)" + shape +
      R"(],"dtype":"int32"}},"outputs":{"y":{"shape":[],"dtype":"int32"}},"reference":"def run(x):\n    return x\n"})");
  CHECK_THROWS_WITH(Signature(definition), "it has 25 axes that vary, more than 24");
}
